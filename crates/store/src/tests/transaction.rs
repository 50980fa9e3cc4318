//! Commits as a whole: atomic, checked, in conflict.

use lakelet_base::Limits;

use super::*;

#[test]
fn one_transaction_writes_many_tables_and_documents_or_nothing() {
    let mut world = World::new();
    let id = world.create();
    let before = picture(&world.store);
    let n_bytes = world.storage.log().len();
    let failed = world.try_commit(|transaction| {
        transaction.add_batch(id, batch(&[(1, "a")]));
        transaction.put("x", "y");
        transaction.create_table(spec("u", key_value()));
        transaction.create_table(spec("U", key_value()));
    });
    assert_eq!(condition(failed), "TABLE_OR_VIEW_ALREADY_EXISTS");
    assert_eq!((picture(&world.store), world.storage.log().len()), (before, n_bytes));
    let outcome = world.commit(|transaction| {
        transaction.add_batch(id, batch(&[(1, "a")]));
        transaction.put("x", "y");
        transaction.create_table(spec("u", key_value()));
    });
    assert_eq!((outcome.sequence, outcome.versions.len()), (2, 2));
    assert_eq!(outcome.record_bytes, world.storage.log().len() - n_bytes);
    let instants: Vec<_> = world.store.all_tables().map(|table| table.modified()).collect();
    assert_eq!(instants[0], instants[1]);
}

#[test]
fn an_empty_transaction_writes_nothing() {
    let mut world = World::new();
    let outcome = world.commit(|_| {});
    assert_eq!((outcome.sequence, outcome.versions.len(), world.storage.log().len()), (0, 0, 0));
}

#[test]
fn causes_and_parameters_reach_the_history() {
    let mut world = World::new();
    let id = world.create();
    let cause = CommitCause {
        statement: Some("INSERT …".to_owned()),
        run_id: Some(12),
        task_key: Some("copy".to_owned()),
        iteration: Some(3),
        attempt: Some(0),
        refresh_id: Some(5),
        flow: Some("f".to_owned()),
    };
    let operation =
        Operation::new("WRITE").parameter("mode", "Append").metric("numOutputRows", 1).caused_by(cause.clone());
    world.commit(|transaction| {
        transaction.add_batch(id, batch(&[(1, "a")]));
        transaction.commit_info(id, operation.clone());
    });
    let table = world.table(id);
    let info = table.history()[0];
    assert_eq!((&info.operation, info.is_blind_append), (&operation, true));
    assert_eq!(info.operation.cause.as_ref(), Some(&cause));
    assert_eq!(picture(&world.recovered()), picture(&world.store));
}

#[test]
fn updates_from_the_same_version_conflict_and_blind_appends_do_not() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a"), (2, "b")]);
    let (one, two) = (world.addresses(id, &[1]), world.addresses(id, &[2]));
    let mut second = world.store.begin();
    second.delete_rows(id, &two);
    let mut append = world.store.begin();
    append.add_batch(id, batch(&[(3, "c")]));
    let mut reader = world.store.begin();
    reader.read(id);
    reader.put("seen", "2 rows");
    let mut deleting_reader = reader.clone();
    deleting_reader.delete_rows(id, &two);

    world.commit(|transaction| {
        transaction.delete_rows(id, &one);
        transaction.add_batch(id, batch(&[(1, "x")]));
        let cause = CommitCause { task_key: Some("copy".to_owned()), iteration: Some(0), ..CommitCause::default() };
        transaction.commit_info(id, Operation::new("UPDATE").caused_by(cause));
    });
    let error = world.store.commit(second, world.now, &mut world.storage).unwrap_err();
    assert_eq!((error.class.condition, error.class.sqlstate), ("DELTA_CONCURRENT_APPEND", "2D521"));
    for part in ["version 1", "UPDATE by task copy, iteration 0", "version 2"] {
        assert!(error.message.contains(part), "{}", error.message);
    }
    assert_eq!(condition(world.store.commit(reader, world.now, &mut world.storage)), "DELTA_CONCURRENT_APPEND");
    assert_eq!(world.store.commit(append, world.now, &mut world.storage).unwrap().versions, [(id, 3)]);
    assert_eq!(rows(&world.table(id).latest()), ["2|b", "3|c", "1|x"]);
    drop(deleting_reader);
}

#[test]
fn deletes_and_changes_of_the_table_conflict_too() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a"), (2, "b")]);
    let begin = |world: &World| {
        let mut transaction = world.store.begin();
        transaction.read(id);
        transaction.add_batch(id, batch(&[(9, "z")]));
        transaction
    };
    let attempt =
        |world: &mut World, transaction| condition(world.store.commit(transaction, world.now, &mut world.storage));
    let transaction = begin(&world);
    world.delete(id, &[1]);
    assert_eq!(attempt(&mut world, transaction), "DELTA_CONCURRENT_DELETE_READ");
    let transaction = begin(&world);
    let mut metadata = world.table(id).metadata().as_ref().clone();
    metadata.comment = Some("new".to_owned());
    world.commit(|transaction| transaction.set_metadata(id, metadata));
    assert_eq!(attempt(&mut world, transaction), "DELTA_METADATA_CHANGED");
    let transaction = begin(&world);
    world.commit(|transaction| transaction.drop_table(id));
    assert_eq!(attempt(&mut world, transaction), "TABLE_OR_VIEW_NOT_FOUND");
}

#[test]
fn rows_that_blind_appends_added_meanwhile_do_not_disturb_an_update() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    let mut update = world.store.begin();
    update.delete_rows(id, &world.addresses(id, &[1]));
    update.add_batch(id, batch(&[(1, "x")]));
    world.insert(id, &[(2, "b")]);
    world.store.commit(update, world.now, &mut world.storage).unwrap();
    // The update took its segment's number before the append did: the list is in order all the same.
    assert_eq!(sorted(rows(&world.table(id).latest())), ["1|x", "2|b"]);
    assert_eq!(world.addresses(id, &[2]).len(), 1);
    assert_eq!(picture(&world.recovered()), picture(&world.store));
}

#[test]
fn a_transaction_belongs_to_its_workspace() {
    let mut world = World::new();
    let mut other = Store::new().begin();
    other.put("x", "y");
    assert_eq!(condition(world.store.commit(other, world.now, &mut world.storage)), "INTERNAL_ERROR");
}

#[test]
fn a_prepared_commit_is_published_once_and_in_order() {
    let mut world = World::new();
    let mut transaction = world.store.begin();
    transaction.put("x", "y");
    let first = world.store.prepare(&transaction, world.now).unwrap();
    let second = world.store.prepare(&transaction, world.now).unwrap();
    assert_eq!(first.record(), second.record());
    assert_eq!(first.outcome().sequence, 1);
    world.store.publish(first).unwrap();
    assert_eq!(condition(world.store.publish(second)), "INTERNAL_ERROR");
}

#[test]
fn appends_are_all_that_an_append_only_table_takes() {
    let mut world = World::new();
    let id = world.create_with(&[("delta.appendOnly", "true")]);
    world.insert(id, &[(1, "a")]);
    let addresses = world.addresses(id, &[1]);
    let deleted = world.try_commit(|transaction| transaction.delete_rows(id, &addresses));
    assert_eq!(condition(deleted), "DELTA_CANNOT_MODIFY_APPEND_ONLY");
    assert_eq!(condition(world.try_commit(|txn| txn.delete_all(id))), "DELTA_CANNOT_MODIFY_APPEND_ONLY");
    let metadata = key_value();
    world.commit(|transaction| transaction.replace_table(id, TableKind::Table, metadata));
}

#[test]
fn the_store_holds_no_more_than_its_limit() {
    let text = "x".repeat(100);
    let rows: Vec<(i32, &str)> = (0..100).map(|key| (key, text.as_str())).collect();
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &rows);
    let needed = world.store.size_bytes();
    for (room, fits) in [(0, true), (-1, false)] {
        let limits = Limits { store_bytes_max: needed.checked_add_signed(room).unwrap(), ..Limits::default() };
        let mut world = World { store: Store::with_limits(limits), ..World::new() };
        let id = world.create();
        let inserted = world.try_commit(|transaction| _ = transaction.add_batch(id, batch(&rows)));
        assert_eq!(inserted.is_ok(), fits);
        if let Err(error) = inserted {
            assert_eq!(error.class.condition, "LAKELET_LIMIT_EXCEEDED");
            assert!(error.message.contains("store_bytes_max"));
        }
        // There is a way out.
        world.commit(|transaction| transaction.drop_table(id));
        assert_eq!(world.store.size_bytes(), 0);
    }
}

#[test]
fn rows_are_deleted_once() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    let addresses = world.addresses(id, &[1]);
    world.delete(id, &[1]);
    assert_eq!(condition(world.try_commit(|txn| txn.delete_rows(id, &addresses))), "INTERNAL_ERROR");
    let beyond = [RowAddress { segment: addresses[0].segment, row: 1 }];
    assert_eq!(condition(world.try_commit(|txn| txn.delete_rows(id, &beyond))), "INTERNAL_ERROR");
    let nowhere = [RowAddress { segment: 999, row: 0 }];
    assert_eq!(condition(world.try_commit(|txn| txn.delete_rows(id, &nowhere))), "INTERNAL_ERROR");
    let mut stray = world.store.begin();
    stray.add_batch(id, batch(&[(2, "b")]));
    stray.change_addresses(id, ChangeType::Insert, &nowhere);
    assert_eq!(condition(world.store.commit(stray, world.now, &mut world.storage)), "INTERNAL_ERROR");
}
