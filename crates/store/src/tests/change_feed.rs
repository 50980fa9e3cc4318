//! The change feed.

use super::*;

fn feed(table: &Table, from: Version, to: Version) -> Vec<String> {
    let texts = texts(table.changes(from..=to).unwrap());
    // Without the instant.
    texts.iter().map(|row| row.rsplit_once('|').unwrap().0.to_owned()).collect()
}

fn set_feed(world: &mut World, id: TableId, on: bool) -> Version {
    let mut metadata = world.table(id).metadata().as_ref().clone();
    metadata.properties = Arc::new([(CHANGE_FEED_PROPERTY.to_owned(), on.to_string())].into());
    world.commit(|transaction| transaction.set_metadata(id, metadata)).version(id).unwrap()
}

#[test]
fn both_ends_of_the_range_are_included() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a"), (2, "b")]);
    world.update(id, &[1], "c");
    world.delete(id, &[2]);
    let table = world.table(id);
    let insert = ["1|a|insert|1", "2|b|insert|1"];
    let update = ["1|a|update_preimage|2", "1|c|update_postimage|2"];
    let delete = ["2|b|delete|3"];
    assert_eq!(feed(&table, 0, 3), [&insert[..], &update, &delete].concat());
    assert_eq!(feed(&table, 2, 2), update);
    assert_eq!(feed(&table, 2, 99), [&update[..], &delete].concat());
    assert_eq!(feed(&table, 0, 0), Vec::<String>::new());
    assert_eq!((table.n_changes(1), table.n_changes(2), table.n_changes(9)), (Some(2), Some(2), None));
    let schema = table.changes(0..=3).unwrap().schema();
    let names: Vec<_> = schema.fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["k", "v", CHANGE_TYPE_COLUMN, COMMIT_VERSION_COLUMN, COMMIT_TIMESTAMP_COLUMN]);
    let all = table.changes(3..=3).unwrap().collect_batch().unwrap();
    assert_eq!(cell_text(all.column(4), 0).unwrap(), "2026-03-02 09:00:00.003");
}

#[test]
fn ranges_that_are_none_are_refused() {
    let mut world = World::new();
    let id = world.create();
    let table = world.table(id);
    #[expect(clippy::reversed_empty_ranges, reason = "the case under test")]
    let reversed = table.changes(1..=0);
    assert_eq!(condition(reversed), "DELTA_INVALID_CDC_RANGE");
    let late = table.changes(1..=5).unwrap_err();
    assert_eq!((late.class.condition, late.class.sqlstate), ("DELTA_INVALID_CDC_RANGE", "22003"));
}

#[test]
fn versions_written_while_the_feed_was_off_are_refused() {
    let mut world = World::new();
    let id = world.create_with(&[]);
    world.insert(id, &[(1, "a")]);
    assert_eq!(world.table(id).change_feed_start(), None);
    assert_eq!(condition(world.table(id).initial_changes(1)), "DELTA_MISSING_CHANGE_DATA");
    assert_eq!(set_feed(&mut world, id, true), 2);
    world.insert(id, &[(2, "b")]);
    let table = world.table(id);
    let error = table.changes(1..=3).unwrap_err();
    assert_eq!((error.class.condition, error.class.sqlstate), ("DELTA_MISSING_CHANGE_DATA", "KD002"));
    assert!(error.message.contains("[1]") && error.hint.unwrap().contains("version 2"));
    assert_eq!(feed(&table, 2, 3), ["2|b|insert|3"]);
    assert_eq!(table.change_feed_start(), Some(2));
    // Off and on again: what lies between is lost, and readers begin anew.
    set_feed(&mut world, id, false);
    world.insert(id, &[(3, "c")]);
    assert_eq!(set_feed(&mut world, id, true), 6);
    let table = world.table(id);
    assert_eq!(condition(table.changes(3..=6)), "DELTA_MISSING_CHANGE_DATA");
    assert_eq!(table.change_feed_start(), Some(6));
    assert_eq!(table.n_changes(5), None);
}

#[test]
fn a_reader_without_start_sees_the_standing_rows_as_inserts_at_s() {
    let mut world = World::new();
    let id = world.create_with(&[]);
    world.insert(id, &[(1, "a"), (2, "b")]);
    world.delete(id, &[2]);
    let since = set_feed(&mut world, id, true);
    world.update(id, &[1], "c");
    let table = world.table(id);
    assert_eq!((table.change_feed_start(), since), (Some(3), 3));
    assert_eq!(rows(&table.rows_before_change_feed().unwrap()), ["1|a"]);
    let initial: Vec<_> = texts(table.initial_changes(4).unwrap());
    assert_eq!(
        initial.iter().map(|row| row.rsplit_once('|').unwrap().0).collect::<Vec<_>>(),
        ["1|a|insert|3", "1|a|update_preimage|4", "1|c|update_postimage|4"]
    );
}

#[test]
fn a_feed_from_the_beginning_has_nothing_standing_before_it() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    let table = world.table(id);
    assert_eq!(table.change_feed_start(), Some(0));
    assert!(table.rows_before_change_feed().is_none());
    assert_eq!(texts(table.initial_changes(1).unwrap()).len(), 1);
}

#[test]
fn a_replaced_table_begins_its_feed_anew() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    let metadata = world.table(id).metadata().as_ref().clone();
    world.commit(|transaction| {
        transaction.replace_table(id, TableKind::Table, metadata);
        transaction.add_batch(id, batch(&[(1, "new")]));
    });
    let table = world.table(id);
    assert_eq!((table.latest_version(), table.replaced_version(), table.change_feed_start()), (2, 2, Some(2)));
    // Who followed from the start sees the old row go, who comes now never saw it.
    assert_eq!(feed(&table, 1, 2), ["1|a|insert|1", "1|a|delete|2", "1|new|insert|2"]);
    let initial = texts(table.initial_changes(2).unwrap());
    assert_eq!(initial.len(), 1);
    assert!(initial[0].starts_with("1|new|insert|2"));
}

#[test]
fn a_commit_without_changes_is_in_the_history_and_not_in_the_feed() {
    let mut world = World::new();
    let id = world.create();
    world.update(id, &[], "x");
    world.commit(|transaction| transaction.commit_info(id, Operation::new("DELETE")));
    let table = world.table(id);
    assert_eq!(table.history().len(), 3);
    assert_eq!(feed(&table, 0, 2), Vec::<String>::new());
}

#[test]
fn given_rows_replace_the_derived_ones() {
    let mut world = World::new();
    let id = world.create();
    world.commit(|transaction| {
        transaction.add_batch(id, batch(&[(1, "a"), (2, "b")]));
        transaction.change_rows(id, ChangeType::Insert, batch(&[(7, "seven")]));
    });
    world.commit(|transaction| {
        transaction.delete_all(id);
        transaction.no_changes(id);
    });
    let table = world.table(id);
    assert_eq!(feed(&table, 0, 2), ["7|seven|insert|1"]);
    assert_eq!(table.latest().n_rows(), 0);
}

#[test]
fn an_update_without_a_change_of_value_still_has_both_images() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    world.update(id, &[1], "a");
    assert_eq!(feed(&world.table(id), 2, 2), ["1|a|update_preimage|2", "1|a|update_postimage|2"]);
}

#[test]
fn a_restore_shows_as_deletes_and_inserts() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a"), (2, "b")]);
    world.delete(id, &[1]);
    world.insert(id, &[(3, "c")]);
    world.commit(|transaction| transaction.restore(id, 1));
    assert_eq!(feed(&world.table(id), 4, 4), ["3|c|delete|4", "1|a|insert|4"]);
}

#[test]
fn row_changes_need_no_feed_and_are_net() {
    let mut world = World::new();
    let id = world.create_with(&[]);
    world.insert(id, &[(1, "a"), (2, "b")]);
    world.insert(id, &[(3, "gone")]);
    world.update(id, &[1], "c");
    world.delete(id, &[3]);
    let changes = world.table(id).row_changes(Some(1), 4).unwrap();
    assert_eq!(texts(changes.added), ["1|c"]);
    assert_eq!(texts(changes.deleted), ["1|a"]);
    let all = world.table(id).row_changes(None, 4).unwrap();
    assert_eq!(texts(all.added), ["2|b", "1|c"]);
    assert_eq!(all.deleted.n_rows(), 0);
}
