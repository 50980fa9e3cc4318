//! Columns that come, go, and change.

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::{Int64Array, ListArray, StructArray};

use super::*;

fn alter(
    world: &mut World,
    id: TableId,
    change: impl FnOnce(&mut Vec<Column>),
) -> Result<CommitOutcome, Box<Diagnostic>> {
    let mut metadata = world.table(id).metadata().as_ref().clone();
    let mut columns = metadata.columns.to_vec();
    change(&mut columns);
    metadata.columns = columns.into();
    world.try_commit(|transaction| transaction.set_metadata(id, metadata))
}

#[test]
fn old_rows_read_null_or_the_recorded_default_in_a_new_column() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    alter(&mut world, id, |columns| {
        columns.push(Column::new("n", DataType::Int64));
        columns.push(Column {
            default: Some("7".to_owned()),
            exist_default: Some(Arc::new(Int32Array::from(vec![7]))),
            ..Column::new("d", DataType::Int64)
        });
    })
    .unwrap();
    let table = world.table(id);
    assert_eq!(rows(&table.latest()), ["1|a|null|7"]);
    assert_eq!(rows(&table.snapshot_at(VersionOrTime::Version(1)).unwrap()), ["1|a"]);
    world.delete(id, &[1]);
    let feed = texts(world.table(id).changes(1..=3).unwrap());
    assert!(feed[0].starts_with("1|a|null|7|insert|1") && feed[1].starts_with("1|a|null|7|delete|3"), "{feed:?}");
    assert_eq!(picture(&world.recovered()), picture(&world.store));
}

#[test]
fn columns_keep_their_values_when_renamed_moved_or_widened() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    alter(&mut world, id, |columns| {
        columns.swap(0, 1);
        columns[0].name = "text".to_owned();
        columns[1].data_type = DataType::Int64;
    })
    .unwrap();
    let latest = world.table(id).latest();
    assert_eq!(rows(&latest), ["a|1"]);
    assert_eq!(latest.schema().field(1).data_type(), &DataType::Int64);
    let wide = RecordBatch::try_from_iter([
        ("text", Arc::new(StringArray::from(vec!["b"])) as ArrayRef),
        ("k", Arc::new(Int64Array::from(vec![1_i64 << 40])) as ArrayRef),
    ]);
    world.commit(|transaction| _ = transaction.add_batch(id, wide.unwrap()));
    assert_eq!(rows(&world.table(id).latest()), ["a|1", "b|1099511627776"]);
}

#[test]
fn a_dropped_column_does_not_come_back_under_its_name() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    alter(&mut world, id, |columns| drop(columns.pop())).unwrap();
    assert_eq!(rows(&world.table(id).latest()), ["1"]);
    alter(&mut world, id, |columns| columns.push(Column::new("v", DataType::Utf8))).unwrap();
    assert_eq!(rows(&world.table(id).latest()), ["1|null"]);
}

#[test]
fn a_replaced_table_keeps_equal_columns_and_refuses_a_feed_over_other_ones() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    let mut metadata = key_value();
    metadata.columns = vec![Column::new("K", DataType::Int32), Column::new("v", DataType::Int64)].into();
    metadata.properties = world.table(id).metadata().properties.clone();
    world.commit(|transaction| transaction.replace_table(id, TableKind::Table, metadata));
    let table = world.table(id);
    assert_eq!(table.history()[0].operation.name, "CREATE OR REPLACE TABLE");
    assert_eq!(table.metadata().columns[0].id, 1);
    assert_eq!(condition(table.changes(1..=2)), "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA");
    assert!(table.changes(2..=2).is_ok());
    assert_eq!(rows(&table.snapshot_at(VersionOrTime::Version(1)).unwrap()), ["1|a"]);
}

#[test]
fn not_null_is_enforced_for_new_rows_and_for_those_that_stand() {
    let mut world = World::new();
    let mut metadata = key_value();
    let mut columns = metadata.columns.to_vec();
    columns[0].nullable = false;
    metadata.columns = columns.into();
    let mut id = TableId(0);
    world.commit(|transaction| id = transaction.create_table(spec("t", metadata)));
    let nulls = |name: &str| {
        RecordBatch::try_from_iter_with_nullable([
            ("k", Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef, true),
            (name, Arc::new(StringArray::from(vec![Some("a"), None])) as ArrayRef, true),
        ])
        .unwrap()
    };
    let error = world.try_commit(|transaction| _ = transaction.add_batch(id, nulls("v"))).unwrap_err();
    assert_eq!((error.class.condition, error.class.sqlstate), ("DELTA_NOT_NULL_CONSTRAINT_VIOLATED", "23502"));
    assert!(error.message.contains("column: k"), "{}", error.message);
    assert_eq!(world.table(id).latest_version(), 0);
    alter(&mut world, id, |columns| columns[0].nullable = true).unwrap();
    world.commit(|transaction| _ = transaction.add_batch(id, nulls("v")));
    let error = alter(&mut world, id, |columns| columns[1].nullable = false).unwrap_err();
    assert_eq!(error.class.condition, "DELTA_NEW_NOT_NULL_VIOLATION");
    assert!(error.message.starts_with("1 rows"), "{}", error.message);
    let added =
        |columns: &mut Vec<Column>| columns.push(Column { nullable: false, ..Column::new("x", DataType::Int8) });
    assert_eq!(condition(alter(&mut world, id, added)), "DELTA_NEW_NOT_NULL_VIOLATION");
    // Deleted rows do not count.
    let mut null_rows = Vec::new();
    for batch in world.table(id).latest().scan_with_addresses(None) {
        let batch = batch.unwrap();
        let addresses = row_addresses(&batch).unwrap();
        null_rows.extend((0..batch.num_rows()).filter(|row| batch.column(1).is_null(*row)).map(|row| addresses[row]));
    }
    world.commit(|transaction| transaction.delete_rows(id, &null_rows));
    alter(&mut world, id, |columns| columns[1].nullable = false).unwrap();
    // The old rows can still be read with the new columns.
    let changes = world.table(id).row_changes(Some(2), 4).unwrap();
    assert_eq!(texts(changes.deleted), ["null|null"]);
}

#[test]
fn members_of_structs_are_matched_by_name_and_may_forbid_null() {
    let mut world = World::new();
    let member = |name: &str, nullable| Arc::new(Field::new(name, DataType::Int32, nullable));
    let wanted = DataType::Struct(vec![member("a", false), member("b", true)].into());
    let metadata = TableMetadata::new(vec![Column::new("s", wanted)]);
    let mut id = TableId(0);
    world.commit(|transaction| id = transaction.create_table(spec("t", metadata)));
    let give = |a: Vec<Option<i32>>| {
        let values: ArrayRef = Arc::new(Int32Array::from(a));
        let given = StructArray::from(vec![(member("A", true), values)]);
        RecordBatch::try_from_iter([("s", Arc::new(given) as ArrayRef)]).unwrap()
    };
    world.commit(|transaction| _ = transaction.add_batch(id, give(vec![Some(1)])));
    assert_eq!(rows(&world.table(id).latest()), ["{1, null}"]);
    let error = world.try_commit(|transaction| _ = transaction.add_batch(id, give(vec![None]))).unwrap_err();
    assert_eq!(error.class.condition, "DELTA_NOT_NULL_CONSTRAINT_VIOLATED");
    assert!(error.message.contains("s.a"), "{}", error.message);
}

#[test]
fn lists_of_operators_come_under_the_tables_item_name() {
    let mut world = World::new();
    let metadata = TableMetadata::new(vec![Column::new("l", lakelet_types::list_type(DataType::Int64))]);
    let mut id = TableId(0);
    world.commit(|transaction| id = transaction.create_table(spec("t", metadata)));
    let mut builder = ListBuilder::new(Int32Builder::new()).with_field(Field::new("element", DataType::Int32, true));
    builder.append_value([Some(1), None]);
    let list: ListArray = builder.finish();
    let given = RecordBatch::try_from_iter([("l", Arc::new(list) as ArrayRef)]).unwrap();
    world.commit(|transaction| _ = transaction.add_batch(id, given));
    assert_eq!(rows(&world.table(id).latest()), ["[1, null]"]);
}

#[test]
fn columns_that_cannot_be_are_refused() {
    let mut world = World::new();
    let id = world.create();
    let twice = alter(&mut world, id, |columns| columns.push(Column::new("V", DataType::Int8)));
    assert_eq!(condition(twice), "COLUMN_ALREADY_EXISTS");
    let unknown = alter(&mut world, id, |columns| columns.push(Column { id: 99, ..Column::new("x", DataType::Int8) }));
    assert_eq!(condition(unknown), "INTERNAL_ERROR");
    let other = RecordBatch::try_from_iter([("k", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]).unwrap();
    assert_eq!(condition(world.try_commit(|transaction| _ = transaction.add_batch(id, other))), "INTERNAL_ERROR");
    assert_eq!(world.table(id).latest_version(), 0);
}
