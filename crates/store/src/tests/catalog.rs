//! Names, and documents.

use super::*;

#[test]
fn a_new_workspace_has_playground_default() {
    let store = Store::new();
    assert_eq!(store.catalog_names(), ["playground"]);
    assert_eq!(store.schema_names("PLAYGROUND"), ["default"]);
    assert!(store.tables("playground", "default").is_empty());
}

#[test]
fn names_are_found_in_any_case_and_keep_theirs() {
    let mut world = World::new();
    world.commit(|transaction| {
        transaction.create_catalog("Main", Some("first".to_owned()));
        transaction.create_schema("main", "Sales", None);
        let name = TableName::new("MAIN", "sales", "Orders");
        transaction.create_table(TableSpec { name, kind: TableKind::Table, metadata: key_value() });
    });
    let store = &world.store;
    assert_eq!(store.catalog_names(), ["Main", "playground"]);
    assert_eq!(store.catalog("main").unwrap().comment.as_deref(), Some("first"));
    assert_eq!(store.schema("Main", "SALES").unwrap().name, "Sales");
    assert_eq!(store.tables("main", "SALES")[0].name.name, "Orders");
    assert!(store.table(&TableName::new("main", "sales", "ORDERS")).is_some());
}

#[test]
fn what_exists_and_what_does_not_have_their_errors() {
    let mut world = World::new();
    let id = world.create();
    let mut attempt = |act: &dyn Fn(&mut Transaction)| condition(world.try_commit(|transaction| act(transaction)));
    assert_eq!(attempt(&|txn| txn.create_catalog("PLAYGROUND", None)), "CATALOG_ALREADY_EXISTS");
    assert_eq!(attempt(&|txn| txn.drop_catalog("x")), "CATALOG_NOT_FOUND");
    assert_eq!(attempt(&|txn| txn.drop_catalog("playground")), "CATALOG_NOT_EMPTY");
    assert_eq!(attempt(&|txn| txn.create_schema("x", "s", None)), "CATALOG_NOT_FOUND");
    assert_eq!(attempt(&|txn| txn.create_schema("playground", "Default", None)), "SCHEMA_ALREADY_EXISTS");
    assert_eq!(attempt(&|txn| txn.drop_schema("playground", "s")), "SCHEMA_NOT_FOUND");
    assert_eq!(attempt(&|txn| txn.drop_schema("playground", "default")), "SCHEMA_NOT_EMPTY");
    assert_eq!(attempt(&|txn| _ = txn.create_table(spec("T", key_value()))), "TABLE_OR_VIEW_ALREADY_EXISTS");
    let elsewhere = TableSpec { name: TableName::new("playground", "s", "t"), ..spec("t", key_value()) };
    assert_eq!(attempt(&|txn| _ = txn.create_table(elsewhere.clone())), "SCHEMA_NOT_FOUND");
    assert_eq!(attempt(&|txn| txn.rename_table(TableId(99), table_name("u"))), "TABLE_OR_VIEW_NOT_FOUND");
    assert_eq!(attempt(&|txn| txn.drop_table(TableId(99))), "TABLE_OR_VIEW_NOT_FOUND");
    assert_eq!(attempt(&|txn| txn.rename_table(id, TableName::new("p", "d", "t"))), "CATALOG_NOT_FOUND");
    assert_eq!(world.store.sequence(), 1);
}

#[test]
fn a_dropped_table_comes_back_as_another_one() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    let mut again = TableId(0);
    world.commit(|transaction| {
        transaction.drop_table(id);
        again = transaction.create_table(spec("t", key_value()));
    });
    assert_ne!(id, again);
    let table = world.store.table(&table_name("t")).unwrap();
    assert_eq!((table.id, table.latest_version(), table.latest().n_rows()), (again, 0, 0));
    assert_eq!(picture(&world.recovered()), picture(&world.store));
}

#[test]
fn a_renamed_table_keeps_its_versions() {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a")]);
    world.commit(|transaction| transaction.rename_table(id, table_name("Renamed")));
    assert!(world.store.table(&table_name("t")).is_none());
    let table = world.store.table(&table_name("renamed")).unwrap();
    assert_eq!((table.id, table.latest_version(), table.name.name.as_str()), (id, 1, "Renamed"));
}

#[test]
fn hidden_tables_are_not_listed() {
    let mut world = World::new();
    let kind = TableKind::Auxiliary;
    world.commit(|transaction| _ = transaction.create_table(TableSpec { kind, ..spec("_state", key_value()) }));
    assert!(world.store.tables("playground", "default").is_empty());
    assert!(world.store.table(&table_name("_state")).is_some());
    assert_eq!(world.store.all_tables().count(), 1);
}

#[test]
fn views_have_versions_without_rows() {
    let mut world = World::new();
    let view = |text: &str| TableKind::View { definition: text.to_owned() };
    let mut id = TableId(0);
    world.commit(|txn| id = txn.create_table(TableSpec { kind: view("SELECT 1"), ..spec("v", key_value()) }));
    world.commit(|txn| txn.set_kind(id, view("SELECT 2")));
    let table = world.table(id);
    assert_eq!((table.kind.clone(), table.latest_version()), (view("SELECT 2"), 1));
    assert_eq!(condition(world.try_commit(|txn| _ = txn.add_batch(id, batch(&[(1, "a")])))), "INTERNAL_ERROR");
}

#[test]
fn documents_are_written_replaced_and_removed_with_the_rest() {
    let mut world = World::new();
    let id = world.create();
    world.commit(|transaction| {
        transaction.put("run/2", "two");
        transaction.put_json("run/1", &serde_json::json!({"n": 1}));
        transaction.put("runs", "other");
        transaction.add_batch(id, batch(&[(1, "a")]));
    });
    let held = world.store.size_bytes();
    let keys = |store: &Store, prefix: &str| -> Vec<String> {
        store.documents(prefix).map(|(key, _)| key.to_owned()).collect()
    };
    assert_eq!(keys(&world.store, "run/"), ["run/1", "run/2"]);
    assert_eq!(keys(&world.store, "run"), ["run/1", "run/2", "runs"]);
    assert_eq!(keys(&world.store, "run/2"), ["run/2"]);
    assert_eq!(world.store.get_json("run/1").unwrap().unwrap()["n"], serde_json::json!(1));
    assert_eq!(condition(world.store.get_json("run/2")), "INTERNAL_ERROR");
    world.commit(|transaction| {
        transaction.put("run/1", "1");
        transaction.remove("run/2");
        transaction.remove("never/there");
    });
    assert_eq!(world.store.get("run/1"), Some(b"1".as_slice()));
    assert_eq!(world.store.get("run/2"), None);
    assert_eq!(world.store.size_bytes(), held - "{\"n\":1}1".len() + 2 - "run/2two".len());
    assert_eq!(picture(&world.recovered()), picture(&world.store));
}
