//! Versions, time travel, history, restore.

use super::*;

#[test]
fn create_is_version_0_and_every_commit_counts_one_up() {
    let mut world = World::new();
    let id = world.create();
    assert_eq!(world.table(id).latest_version(), 0);
    assert_eq!(world.insert(id, &[(1, "a"), (2, "b")]), 1);
    assert_eq!(world.update(id, &[1], "c"), 2);
    assert_eq!(world.delete(id, &[2]), 3);
    let table = world.table(id);
    let at = |version| rows(&table.snapshot_at(VersionOrTime::Version(version)).unwrap());
    assert_eq!(at(0), Vec::<String>::new());
    assert_eq!(at(1), ["1|a", "2|b"]);
    assert_eq!(at(2), ["2|b", "1|c"]);
    assert_eq!(at(3), ["1|c"]);
    assert_eq!(table.latest().n_rows(), 1);
    let operations: Vec<_> = table.history().iter().map(|info| info.operation.name.clone()).collect();
    assert_eq!(operations, ["WRITE", "UPDATE", "WRITE", "CREATE TABLE"]);
    assert_eq!(table.commit(2).unwrap().metric("numUpdatedRows"), Some(1));
    assert_eq!(table.commit(2).unwrap().read_version, Some(1));
}

#[test]
fn create_table_as_select_holds_its_rows_at_version_0() {
    let mut world = World::new();
    let mut id = TableId(0);
    let outcome = world.commit(|transaction| {
        id = transaction.create_table(spec("t", key_value()));
        transaction.add_batch(id, batch(&[(1, "a")]));
    });
    assert_eq!(outcome.versions, [(id, 0)]);
    assert_eq!(rows(&world.table(id).latest()), ["1|a"]);
    assert_eq!(world.table(id).history()[0].operation.name, "CREATE TABLE AS SELECT");
}

#[test]
fn timestamps_increase_by_a_millisecond_over_all_tables() {
    let mut world = World::new();
    let id = world.create();
    let mut other = TableId(0);
    world.commit(|transaction| other = transaction.create_table(spec("u", key_value())));
    world.insert(id, &[(1, "a")]);
    let millis = |id: TableId| world.table(id).modified().millis() - Timestamp::LESSON_START.millis();
    assert_eq!((millis(other), millis(id)), (1, 2));
    // Documents alone take no instant of their own.
    let outcome = world.commit(|transaction| transaction.put("clock", "1"));
    assert_eq!(Some(outcome.timestamp), world.store.last_commit());
    // Fractions of a millisecond are cut, and a clock that went back does not matter.
    world.now = Timestamp(Timestamp::LESSON_START.0 + 10_999);
    world.insert(id, &[(2, "b")]);
    assert_eq!(world.table(id).modified(), Timestamp::LESSON_START.plus_millis(10));
    world.now = Timestamp::LESSON_START;
    world.insert(id, &[(3, "c")]);
    assert_eq!(world.table(id).modified(), Timestamp::LESSON_START.plus_millis(11));
}

#[test]
fn time_travel_by_timestamp_finds_the_version_of_the_instant() {
    let mut world = World::new();
    let id = world.create();
    for minute in 1..4 {
        world.now = Timestamp::LESSON_START.plus_millis(minute * 60_000);
        world.insert(id, &[(minute as i32, "x")]);
    }
    let table = world.table(id);
    let start = Timestamp::LESSON_START;
    let at = |micros: i64| table.snapshot_at(VersionOrTime::Timestamp(Timestamp(start.0 + micros)));
    assert_eq!(at(0).unwrap().version, 0);
    assert_eq!(at(59_999_999).unwrap().version, 0);
    assert_eq!(at(60_000_000).unwrap().version, 1);
    assert_eq!(at(180_000_000).unwrap().version, 3);
    assert_eq!(condition(at(180_000_001)), "DELTA_TIMESTAMP_GREATER_THAN_COMMIT");
    assert_eq!(condition(at(-1)), "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION");
    let error = table.snapshot_at(VersionOrTime::Version(4)).unwrap_err();
    assert_eq!((error.class.condition, error.class.sqlstate), ("DELTA_VERSION_NOT_FOUND", "22003"));
    assert!(error.message.contains("[0, 3]"));
    assert_eq!(table.version_at_or_after(start.plus_millis(60_001)), Some(2));
    assert_eq!(table.version_at_or_after(start.plus_millis(180_001)), None);
    assert_eq!(table.version_at_or_before(start.plus_millis(-1)), None);
}

#[test]
fn restore_brings_back_rows_and_columns_as_a_new_version() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a"), (2, "b"), (3, "c")]);
    world.delete(id, &[2]);
    world.commit(|transaction| {
        let metadata = TableMetadata::new(vec![world_column(0)]);
        transaction.replace_table(id, TableKind::Table, metadata);
    });
    let outcome = world.commit(|transaction| transaction.restore(id, 1));
    assert_eq!(outcome.versions, [(id, 4)]);
    let table = world.table(id);
    assert_eq!(rows(&table.latest()), ["1|a", "2|b", "3|c"]);
    assert_eq!(table.history()[0].operation.name, "RESTORE");
    assert_eq!(
        condition(world.try_commit(|transaction| transaction.restore(id, 9))),
        "DELTA_CANNOT_RESTORE_TABLE_VERSION"
    );
    // Rows come back with their addresses, and can be deleted again.
    world.delete(id, &[1, 3]);
    assert_eq!(rows(&world.table(id).latest()), ["2|b"]);
}

fn world_column(id: ColumnId) -> Column {
    Column { id, ..Column::new("other", DataType::Int64) }
}

#[test]
fn snapshots_outlive_the_table() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    let snapshot = world.table(id).latest();
    let scan = snapshot.scan(None);
    world.commit(|transaction| transaction.drop_table(id));
    assert!(world.store.table_by_id(id).is_none());
    assert_eq!(rows(&snapshot), ["1|a"]);
    assert_eq!(texts(scan), ["1|a"]);
}

#[test]
fn clones_change_apart() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    let mut clone = world.store.clone();
    let before = picture(&clone);
    world.insert(id, &[(2, "b")]);
    world.commit(|transaction| transaction.put("x", "y"));
    assert_eq!(picture(&clone), before);
    let mut transaction = clone.begin();
    transaction.drop_table(id);
    clone.commit(transaction, world.now, &mut MemoryStorage::default()).unwrap();
    assert_eq!(world.table(id).latest().n_rows(), 2);
}

#[test]
fn rows_are_read_by_address_in_the_order_asked_for() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a"), (2, "b")]);
    world.insert(id, &[(3, "c")]);
    let (one, two, three) = (world.addresses(id, &[1])[0], world.addresses(id, &[2])[0], world.addresses(id, &[3])[0]);
    let snapshot = world.table(id).latest();
    let found = snapshot.rows(&[three, one, three], Some(&[1])).unwrap();
    assert_eq!(texts([Ok(found)]), ["c", "a", "c"]);
    assert_eq!(snapshot.rows(&[], None).unwrap().num_columns(), 2);
    assert_eq!((snapshot.written_by(two), snapshot.written_by(three)), (Some(1), Some(2)));
    world.delete(id, &[2]);
    let snapshot = world.table(id).latest();
    assert!(!snapshot.shows(two));
    assert_eq!(condition(snapshot.rows(&[two], None)), "INTERNAL_ERROR");
    assert_eq!(snapshot.written_by(two), None);
}

#[test]
fn scans_give_small_segments_together_and_large_ones_in_parts() {
    let mut world = World::new();
    let id = world.create();
    for key in 0..50 {
        world.insert(id, &[(key, "x")]);
    }
    let large: Vec<_> = (50..20_000).map(|key| (key, "y")).collect();
    world.insert(id, &large);
    world.delete(id, &[3, 60, 19_999]);
    let snapshot = world.table(id).latest();
    let sizes: Vec<_> = snapshot.scan(Some(&[0])).map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(sizes, [8_192, 8_192, 3_613]);
    assert_eq!(snapshot.n_rows(), 19_997);
    assert_eq!(snapshot.scan(None).n_rows(), 19_997);
    let keys = texts(snapshot.scan(Some(&[0])));
    let expected: Vec<_> =
        (0..20_000).filter(|key| ![3, 60, 19_999].contains(key)).map(|key| key.to_string()).collect();
    assert_eq!(keys, expected);
}

#[test]
fn versions_share_their_segments() {
    let mut world = World::new();
    let id = world.create();
    let large: Vec<_> = (0..10_000).map(|key| (key, "some text that takes room")).collect();
    world.insert(id, &large);
    let before = world.store.size_bytes();
    for key in 0..20 {
        world.delete(id, &[key]);
    }
    assert!(world.store.size_bytes() < before + 2_000, "{} {before}", world.store.size_bytes());
}

#[test]
fn fully_deleted_segments_leave_the_list_and_old_versions_keep_theirs() {
    let mut world = World::new();
    let id = world.create();
    for key in 0..40 {
        world.insert(id, &[(key, "x")]);
    }
    let table = world.table(id);
    for key in 0..39 {
        world.delete(id, &[key]);
    }
    let latest = world.table(id).latest();
    assert_eq!(rows(&latest), ["39|x"]);
    assert!(latest.segments.iter().count() < 20);
    assert_eq!(world.table(id).snapshot_at(VersionOrTime::Version(40)).unwrap().n_rows(), 40);
    assert_eq!(table.latest().n_rows(), 40);
    let changes = world.table(id).row_changes(Some(40), 79).unwrap();
    assert_eq!((changes.added.n_rows(), changes.deleted.n_rows()), (0, 39));
}
