//! The third tutorial, statement by statement, below the workspace: store, engine and pipelines only.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

mod lake;

use lake::Lake;
use lakelet_pipelines::reports;
use lakelet_protocol::RefreshMode;

const SOURCE: &str = "
CREATE OR REPLACE TABLE products (product_id INT, product_name STRING, category STRING, warehouse STRING)
TBLPROPERTIES (delta.enableChangeDataFeed = true);
INSERT INTO products VALUES
  (1, 'Spoon', 'Cutlery', 'Seattle'), (2, 'Fork', 'Cutlery', 'Portland'), (3, 'Knife', 'Cutlery', 'Denver'),
  (4, 'Chair', 'Furniture', 'Austin'), (5, 'Table', 'Furniture', 'Chicago'), (6, 'Lamp', 'Lighting', 'Boston'),
  (7, 'Mug', 'Kitchenware', 'Seattle'), (8, 'Plate', 'Kitchenware', 'Atlanta'), (9, 'Bowl', 'Kitchenware', 'Dallas'),
  (10, 'Glass', 'Kitchenware', 'Phoenix');
INSERT INTO products VALUES (11, 'Napkin', 'Dining', 'San Francisco'), (12, 'Coaster', 'Dining', 'New York');
UPDATE products SET warehouse = 'Los Angeles' WHERE product_id = 1;
UPDATE products SET category = 'Dining' WHERE product_id = 2;
";

const HISTORY: &str = "
CREATE OR REFRESH STREAMING TABLE products_history
SCHEDULE REFRESH EVERY 1 DAY
FLOW AUTO CDC
FROM (SELECT * FROM STREAM products WITH (readChangeFeed = true) WHERE _change_type != 'update_preimage')
KEYS (product_id)
APPLY AS DELETE WHEN _change_type = 'delete'
SEQUENCE BY _commit_timestamp
COLUMNS * EXCEPT (_change_type, _commit_version, _commit_timestamp)
STORED AS SCD TYPE 2;
";

const BY_CATEGORY: &str = "
CREATE OR REPLACE MATERIALIZED VIEW products_by_category
SCHEDULE REFRESH EVERY 1 DAY
AS SELECT category, COUNT(*) AS active_products FROM products_history WHERE __END_AT IS NULL GROUP BY category;
";

#[test]
fn the_change_feed_has_every_event_of_a_product() {
    let mut lake = Lake::new();
    lake.run(SOURCE);
    let rows = lake.run(
        "SELECT product_id, product_name, warehouse, _change_type, _commit_version
         FROM table_changes('products', 1) ORDER BY _commit_version, product_id",
    );
    assert_eq!(rows.len(), 16);
    let spoon: Vec<&String> = rows.iter().filter(|row| row.contains("|Spoon|")).collect();
    assert_eq!(
        spoon,
        ["1|Spoon|Seattle|insert|1", "1|Spoon|Seattle|update_preimage|3", "1|Spoon|Los Angeles|update_postimage|3"]
    );
}

#[test]
fn the_dimension_keeps_every_version_and_follows_deletes() {
    let mut lake = Lake::new();
    lake.run(SOURCE);
    lake.run(HISTORY);
    let count =
        "SELECT count(*), count(*) FILTER (WHERE __END_AT IS NULL), count(DISTINCT product_id) FROM products_history";
    assert_eq!(lake.run(count), ["14|12|12"]);
    let spoon =
        lake.run("SELECT warehouse, __END_AT IS NULL FROM products_history WHERE product_id = 1 ORDER BY __START_AT");
    assert_eq!(spoon, ["Seattle|false", "Los Angeles|true"]);
    lake.run("DELETE FROM products WHERE product_id = 9; DELETE FROM products WHERE product_id = 10;");
    assert_eq!(lake.run(count), ["14|12|12"]);
    lake.run("REFRESH STREAMING TABLE products_history");
    assert_eq!(lake.run(count), ["14|10|12"]);
    let table = lake.store.table(&lake.session.qualify(&["products_history".to_owned()])).unwrap();
    let report = reports(&lake.store, table.id).unwrap().remove(0);
    assert_eq!((report.n_read, report.touched, report.mode), (2, Some((2, 12)), RefreshMode::Incremental));
    let version = table.latest_version();
    lake.run("REFRESH STREAMING TABLE products_history");
    let table = lake.store.table(&table.name).unwrap();
    assert_eq!(table.latest_version(), version);
    assert_eq!(reports(&lake.store, table.id).unwrap()[0].mode, RefreshMode::NoChange);
}

#[test]
fn only_the_changed_group_of_the_view_is_computed_again() {
    let mut lake = Lake::new();
    lake.run(SOURCE);
    lake.run(HISTORY);
    lake.run("DELETE FROM products WHERE product_id = 9; DELETE FROM products WHERE product_id = 10; REFRESH STREAMING TABLE products_history");
    lake.run(BY_CATEGORY);
    let all = "SELECT * FROM products_by_category ORDER BY active_products DESC, category";
    let expected = ["Dining|3", "Cutlery|2", "Furniture|2", "Kitchenware|2", "Lighting|1"];
    assert_eq!(lake.run(all), expected);
    lake.run("UPDATE products SET warehouse = 'Seattle' WHERE product_id = 3");
    let knife = "SELECT warehouse, __END_AT IS NULL FROM products_history WHERE product_id = 3 ORDER BY __START_AT";
    assert_eq!(lake.run(knife), ["Denver|true"]);
    lake.run("REFRESH STREAMING TABLE products_history; REFRESH MATERIALIZED VIEW products_by_category");
    assert_eq!(lake.run(knife), ["Denver|false", "Seattle|true"]);
    assert_eq!(lake.run(all), expected);
    let view = lake.store.table(&lake.session.qualify(&["products_by_category".to_owned()])).unwrap();
    let report = reports(&lake.store, view.id).unwrap().remove(0);
    assert_eq!(report.mode, RefreshMode::Incremental);
    let touched: Vec<_> = report.groups.iter().filter(|group| group.touched).collect();
    assert_eq!(touched.len(), 1);
    assert_eq!(
        (touched[0].label.as_str(), touched[0].before.as_deref(), touched[0].after.as_deref()),
        ("Cutlery", Some("2"), Some("2"))
    );
    assert_eq!(report.touched, Some((1, 5)));
    lake.run("UPDATE products SET category = 'Furniture' WHERE product_id = 6; REFRESH STREAMING TABLE products_history; REFRESH MATERIALIZED VIEW products_by_category");
    assert_eq!(lake.run(all), ["Dining|3", "Furniture|3", "Cutlery|2", "Kitchenware|2"]);
}

#[test]
fn the_fact_table_replaces_its_window_and_leaves_the_rest() {
    let mut lake = Lake::new();
    lake.run(
        "CREATE OR REPLACE TABLE product_sales (sale_id INT, product_id INT, quantity INT, sale_date DATE);
         INSERT INTO product_sales VALUES
           (101, 1, 3, current_date()), (102, 2, 1, current_date()),
           (103, 4, 5, date_add(current_date(), -2)), (104, 6, 2, date_add(current_date(), -10));
         CREATE OR REFRESH STREAMING TABLE product_sales_recent
         SCHEDULE REFRESH EVERY 1 DAY
         FLOW REPLACE WHERE sale_date >= date_add(current_date(), -7) BY NAME
         SELECT sale_id, product_id, quantity, sale_date FROM product_sales;",
    );
    let ids = "SELECT sale_id FROM product_sales_recent ORDER BY sale_date DESC, sale_id";
    assert_eq!(lake.run(ids), ["101", "102", "103"]);
    lake.run("INSERT INTO product_sales VALUES (105, 3, 4, date_add(current_date(), -1))");
    assert_eq!(lake.run(ids), ["101", "102", "103"]);
    lake.run("REFRESH STREAMING TABLE product_sales_recent");
    assert_eq!(lake.run(ids), ["101", "102", "105", "103"]);
    lake.now = lake.now.plus_millis(8 * 24 * 3600 * 1000);
    lake.run("DELETE FROM product_sales; REFRESH STREAMING TABLE product_sales_recent");
    assert_eq!(lake.run(ids), ["101", "102", "105", "103"]);
}

#[test]
fn a_refresh_that_fails_changes_nothing() {
    let mut lake = Lake::new();
    lake.run(SOURCE);
    lake.run(HISTORY);
    lake.run("INSERT INTO products VALUES (NULL, 'Ghost', 'None', 'Nowhere')");
    let error = lake.try_run("REFRESH STREAMING TABLE products_history").unwrap_err();
    assert!(error.contains("NULL_KEY"), "{error}");
    assert_eq!(lake.run("SELECT count(*) FROM products_history"), ["14"]);
    lake.run("DROP TABLE IF EXISTS products_history; DROP TABLE IF EXISTS products_history");
    assert!(lake.try_run("SELECT * FROM products_history").is_err());
}

#[test]
fn a_table_without_columns_gets_those_of_its_flow() {
    let source = "CREATE TABLE s (id INT, x STRING, n INT); INSERT INTO s VALUES (1, 'a', 1), (1, 'b', 2);";
    for (flow, rows, later) in [
        (
            "CREATE FLOW f AS AUTO CDC INTO t FROM STREAM s KEYS (id) SEQUENCE BY n COLUMNS * EXCEPT (n) STORED AS SCD TYPE 1",
            vec!["1|b"],
            vec!["1|b", "2|c"],
        ),
        (
            "CREATE FLOW f AS INSERT INTO t BY NAME SELECT id, x FROM STREAM s",
            vec!["1|a", "1|b"],
            vec!["1|a", "1|b", "2|c"],
        ),
    ] {
        let mut lake = Lake::new();
        lake.run(source);
        lake.run("CREATE OR REFRESH STREAMING TABLE t");
        lake.run(flow);
        assert_eq!(lake.run("SELECT * FROM t ORDER BY id, x"), rows, "{flow}");
        let reports = lakelet_pipelines::reports(
            &lake.store,
            lake.store.table(&lake.session.qualify(&["t".to_owned()])).unwrap().id,
        );
        assert_eq!(reports.unwrap()[0].version, Some(1));
        lake.run("INSERT INTO s VALUES (2, 'c', 1); REFRESH STREAMING TABLE t");
        assert_eq!(lake.run("SELECT * FROM t ORDER BY id, x"), later, "{flow}");
        assert_eq!(lake.run("SELECT * FROM t VERSION AS OF 1 ORDER BY id, x"), rows, "{flow}");
    }
}

#[test]
fn a_table_without_columns_and_flow_says_so_at_a_refresh() {
    let mut lake = Lake::new();
    lake.run("CREATE OR REFRESH STREAMING TABLE t");
    let error = lake.try_run("REFRESH STREAMING TABLE t").unwrap_err();
    assert!(error.contains("has no flow yet"), "{error}");
    lake.run("CREATE OR REFRESH STREAMING TABLE t; DROP TABLE t");
}
