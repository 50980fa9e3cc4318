//! Laws over random statements.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// A statement on table `t`.
#[derive(Debug, Clone)]
enum Statement {
    Insert(Vec<(i32, String)>),
    Update(Vec<i32>, String),
    Delete(Vec<i32>),
    Overwrite(Vec<(i32, String)>),
    Restore(u64),
    AddColumn,
    Nothing,
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let row = (0..12_i32, "[a-c]{0,3}");
    let keys = || prop::collection::vec(0..12_i32, 0..4);
    let statement = prop_oneof![
        4 => prop::collection::vec(row.clone(), 0..6).prop_map(Statement::Insert),
        3 => (keys(), "[x-z]{1,2}").prop_map(|(keys, value)| Statement::Update(keys, value)),
        3 => keys().prop_map(Statement::Delete),
        1 => prop::collection::vec(row, 0..4).prop_map(Statement::Overwrite),
        1 => any::<u64>().prop_map(Statement::Restore),
        1 => Just(Statement::AddColumn),
        1 => Just(Statement::Nothing),
    ];
    prop::collection::vec(statement, 1..14)
}

fn wide_batch(rows: &[(i32, String)], metadata: &TableMetadata) -> RecordBatch {
    let rows: Vec<(i32, &str)> = rows.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let narrow = batch(&rows);
    let column = |(index, column): (usize, &Column)| {
        let array = match narrow.columns().get(index) {
            Some(array) => array.clone(),
            None => arrow_array::new_null_array(&column.data_type, narrow.num_rows()),
        };
        (column.name.clone(), array, true)
    };
    RecordBatch::try_from_iter_with_nullable(metadata.columns.iter().enumerate().map(column)).unwrap()
}

fn run(world: &mut World, id: TableId, statement: &Statement) {
    let table = world.table(id);
    let metadata = table.metadata().as_ref().clone();
    match statement {
        Statement::Insert(rows) => {
            let rows = wide_batch(rows, &metadata);
            world.commit(|transaction| _ = transaction.add_batch(id, rows));
        }
        Statement::Update(keys, value) => {
            let addresses = world.addresses(id, keys);
            let old = table.latest().rows(&addresses, Some(&[0])).unwrap();
            let keys = old.column(0).as_any().downcast_ref::<Int32Array>().unwrap();
            let new: Vec<_> = keys.values().iter().map(|key| (*key, value.clone())).collect();
            let new = wide_batch(&new, &metadata);
            world.commit(|transaction| {
                transaction.delete_rows(id, &addresses);
                let segment = transaction.add_batch(id, new.clone());
                transaction.change_addresses(id, ChangeType::UpdatePreimage, &addresses);
                let added: Vec<_> = (0..new.num_rows() as u32).map(|row| RowAddress { segment, row }).collect();
                transaction.change_addresses(id, ChangeType::UpdatePostimage, &added);
            });
        }
        Statement::Delete(keys) => {
            let addresses = world.addresses(id, keys);
            world.commit(|transaction| transaction.delete_rows(id, &addresses));
        }
        Statement::Overwrite(rows) => {
            let rows = wide_batch(rows, &metadata);
            world.commit(|transaction| {
                transaction.delete_all(id);
                transaction.add_batch(id, rows);
            });
        }
        Statement::Restore(version) => {
            let version = version % (table.latest_version() + 1);
            world.commit(|transaction| transaction.restore(id, version));
        }
        Statement::AddColumn => {
            let mut metadata = metadata;
            let mut columns = metadata.columns.to_vec();
            let value: ArrayRef = Arc::new(Int32Array::from(vec![columns.len() as i32]));
            // Two columns of one name may have been added on both sides of a restore: names must differ.
            let name = format!("c{}", table.latest_version());
            columns.push(Column { exist_default: Some(value), ..Column::new(name, DataType::Int32) });
            metadata.columns = columns.into();
            world.commit(|transaction| transaction.set_metadata(id, metadata));
        }
        Statement::Nothing => {
            world.commit(|transaction| transaction.commit_info(id, Operation::new("DELETE")));
        }
    }
}

fn ran(statements: &[Statement]) -> (World, TableId) {
    let mut world = World::new();
    let id = world.create();
    statements.iter().for_each(|statement| run(&mut world, id, statement));
    (world, id)
}

/// Rows of a version read with the newest columns, as a multiset.
fn counted(table: &Table, version: Version) -> BTreeMap<String, i64> {
    let changes = table.row_changes(None, version).unwrap();
    let sets = changes.added;
    let columns: Vec<Column> = table.metadata().columns.to_vec();
    let mut counts = BTreeMap::new();
    for row in texts(sets.with_columns(&columns)) {
        *counts.entry(row).or_insert(0) += 1;
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn prop_a_snapshot_and_the_changes_after_it_give_the_later_snapshot(statements in statements()) {
        let (world, id) = ran(&statements);
        let table = world.table(id);
        let latest = table.latest_version();
        for from in 0..latest {
            for to in from + 1..=latest {
                let mut counts = counted(&table, from);
                for row in texts(table.changes(from + 1..=to).unwrap()) {
                    let mut parts = row.rsplitn(4, '|');
                    let (_, _, change) = (parts.next(), parts.next(), parts.next().unwrap());
                    let weight = if ["insert", "update_postimage"].contains(&change) { 1 } else { -1 };
                    *counts.entry(parts.next().unwrap().to_owned()).or_insert(0) += weight;
                }
                counts.retain(|_, count| *count != 0);
                prop_assert_eq!(&counts, &counted(&table, to), "{} to {}", from, to);
            }
        }
    }

    #[test]
    fn prop_row_changes_lead_from_one_version_to_another(statements in statements(), from: u64, to: u64) {
        let (world, id) = ran(&statements);
        let table = world.table(id);
        let (from, to) = (from % (table.latest_version() + 1), to % (table.latest_version() + 1));
        let columns: Vec<Column> = table.metadata().columns.to_vec();
        let changes = table.row_changes(Some(from), to).unwrap();
        let mut counts = counted(&table, from);
        for row in texts(changes.deleted.with_columns(&columns)) {
            *counts.entry(row).or_insert(0) -= 1;
        }
        for row in texts(changes.added.with_columns(&columns)) {
            *counts.entry(row).or_insert(0) += 1;
        }
        counts.retain(|_, count| *count != 0);
        prop_assert_eq!(counts, counted(&table, to));
    }

    #[test]
    fn prop_recovery_from_any_cut_is_the_state_after_some_commit(statements in statements(), cut: prop::sample::Index) {
        let (world, _) = ran(&statements);
        let log = world.storage.log();
        let n_bytes = cut.index(log.len() + 1);
        let recovered = Store::recover(&mut MemoryStorage::new(log[..n_bytes].to_vec())).unwrap().0;
        let mut replayed = Store::new();
        for (_, range) in decode_records(log).unwrap() {
            if range.end <= n_bytes {
                replayed.replay(&log[range]).unwrap();
            }
        }
        prop_assert_eq!(picture(&recovered), picture(&replayed));
        if n_bytes == log.len() {
            prop_assert_eq!(picture(&recovered), picture(&world.store));
        }
    }

    #[test]
    fn prop_a_clone_does_not_see_later_commits(before in statements(), after in statements()) {
        let (mut world, id) = ran(&before);
        let clone = world.store.clone();
        let snapshot = clone.table_by_id(id).unwrap().latest();
        let (seen, read) = (picture(&clone), rows(&snapshot));
        after.iter().for_each(|statement| run(&mut world, id, statement));
        prop_assert_eq!(picture(&clone), seen);
        prop_assert_eq!(rows(&snapshot), read);
        prop_assert_eq!(picture(&world.recovered()), picture(&world.store));
    }

    #[test]
    fn prop_no_bytes_make_recovery_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), at: prop::sample::Index) {
        let (world, _) = ran(&[Statement::Insert(vec![(1, "a".to_owned())])]);
        let mut log = world.storage.log().to_vec();
        let at = at.index(log.len());
        log.splice(at..(at + bytes.len() / 2).min(log.len()), bytes.iter().copied());
        drop(Store::recover(&mut MemoryStorage::new(log)));
        // The same with checksums that are right.
        let record = encode_record(1, &bytes);
        drop(Store::recover(&mut MemoryStorage::new(record)));
    }
}
