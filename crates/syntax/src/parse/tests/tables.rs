use lakelet_base::Span;
use sqlparser::ast;

use super::{expect_statement, parsed, refused};
use crate::statement::*;

#[test]
fn tables_with_columns() {
    let text = "CREATE OR REPLACE TABLE a.b.t (id INT NOT NULL, s STRUCT<x: INT, y: ARRAY<STRING>> COMMENT 'c', d DECIMAL(6,2) DEFAULT 1.5) \
                USING DELTA PARTITIONED BY (id) COMMENT 'z' TBLPROPERTIES (delta.enableChangeDataFeed = true, 'k' = -1)";
    let table = expect_statement!(text, Statement::CreateTable);
    assert!(table.or_replace && !table.if_not_exists);
    assert_eq!(table.name, Name { parts: vec!["a".into(), "b".into(), "t".into()], span: Span::new(24, 29) });
    assert_eq!(table.using.as_deref(), Some("delta"));
    assert_eq!(table.properties, [("delta.enableChangeDataFeed".into(), "true".into()), ("k".into(), "-1".into())]);
    assert_eq!(table.comment.as_deref(), Some("z"));
    assert!(matches!(table.layout, Layout::PartitionedBy(_)));
    let TableBody::Columns(columns) = &table.body else { panic!("{table:?}") };
    let [id, s, d] = columns.as_slice() else { panic!("{columns:?}") };
    assert!(id.not_null && id.data_type == Some(ast::DataType::Int(None)));
    assert_eq!(id.type_span.map(|span| &text[span.start..span.end]), Some("INT"));
    assert!(matches!(s.data_type, Some(ast::DataType::Struct(..))) && s.comment.as_deref() == Some("c"));
    assert_eq!(s.type_span.map(|span| &text[span.start..span.end]), Some("STRUCT<x: INT, y: ARRAY<STRING>>"));
    assert_eq!(d.default.as_ref().map(|default| default.text.as_str()), Some("1.5"));
}

#[test]
fn tables_from_queries() {
    let table = expect_statement!(
        "CREATE TABLE IF NOT EXISTS t AS SELECT * FROM VALUES ('NL', 'EUR') AS t(market, currency)",
        Statement::CreateTable
    );
    assert!(table.if_not_exists);
    let TableBody::Query(columns, query) = &table.body else { panic!("{table:?}") };
    assert!(columns.is_empty());
    assert_eq!(query.text, "SELECT * FROM VALUES ('NL', 'EUR') AS t(market, currency)");
    let table = expect_statement!("CREATE TABLE t AS TABLE u", Statement::CreateTable);
    assert!(matches!(table.body, TableBody::Query(_, ref query) if query.text == "TABLE u"));
    let table = expect_statement!("CREATE TABLE t LIKE u", Statement::CreateTable);
    assert!(matches!(table.body, TableBody::Like(ref name) if name.parts == ["u"]));
    assert!(refused("CREATE TABLE t (a, b)").message.contains("needs a type"));
}

#[test]
fn views() {
    let view =
        expect_statement!("CREATE OR REPLACE TEMP VIEW tv (a, b COMMENT 'x') AS SELECT 1, 'x'", Statement::CreateView);
    assert!(view.or_replace && view.temporary);
    assert_eq!(view.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(refused("CREATE VIEW v (a INT) AS SELECT 1").message.contains("view"));
}

#[test]
fn catalogs_and_schemas() {
    let schema = expect_statement!("CREATE SCHEMA IF NOT EXISTS main.sales COMMENT 'x'", Statement::CreateSchema);
    assert!(schema.if_not_exists && schema.name.parts == ["main", "sales"]);
    expect_statement!("CREATE DATABASE d WITH DBPROPERTIES ('a' = 'b')", Statement::CreateSchema);
    expect_statement!("CREATE CATALOG c", Statement::CreateCatalog);
    let drop = expect_statement!("DROP SCHEMA IF EXISTS s CASCADE", Statement::Drop);
    assert_eq!((drop.target, drop.if_exists, drop.cascade), (DropTarget::Schema, true, true));
    assert_eq!(expect_statement!("DROP STREAMING TABLE t", Statement::Drop).target, DropTarget::Table);
    assert_eq!(expect_statement!("DROP MATERIALIZED VIEW v", Statement::Drop).target, DropTarget::MaterializedView);
}

#[test]
fn altering_tables() {
    let action = |text: &str| expect_statement!(text, Statement::AlterTable).action;
    let AlterTableAction::AddColumns(columns) = action("ALTER TABLE t ADD COLUMN active BOOLEAN DEFAULT TRUE") else {
        panic!()
    };
    assert_eq!(columns[0].default.as_ref().map(|default| default.text.as_str()), Some("TRUE"));
    assert!(
        matches!(action("ALTER TABLE t ADD COLUMNS (a INT, b STRING)"), AlterTableAction::AddColumns(columns) if columns.len() == 2)
    );
    assert!(
        matches!(action("ALTER TABLE t DROP COLUMNS (a, b)"), AlterTableAction::DropColumns(columns) if columns.len() == 2)
    );
    assert!(
        matches!(action("ALTER TABLE t RENAME COLUMN a TO b"), AlterTableAction::RenameColumn { to, .. } if to == "b")
    );
    assert!(
        matches!(action("ALTER TABLE t RENAME TO s.u"), AlterTableAction::RenameTo(name) if name.parts == ["s", "u"])
    );
    assert!(matches!(action("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')"), AlterTableAction::SetProperties(_)));
    assert!(
        matches!(action("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS (a.b)"), AlterTableAction::UnsetProperties(keys) if keys == ["a.b"])
    );
    assert!(matches!(action("ALTER TABLE t ALTER COLUMN b SET DEFAULT 9"), AlterTableAction::SetDefault(..)));
    assert!(matches!(action("ALTER TABLE t ALTER b DROP DEFAULT"), AlterTableAction::DropDefault(_)));
    assert!(matches!(action("ALTER TABLE t ALTER COLUMN b DROP NOT NULL"), AlterTableAction::SetNotNull(_, false)));
    assert!(
        matches!(action("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)"), AlterTableAction::AddConstraint { check, .. } if check.text == "a > 0")
    );
    assert!(matches!(
        action("ALTER TABLE t DROP CONSTRAINT IF EXISTS c"),
        AlterTableAction::DropConstraint { if_exists: true, .. }
    ));
    assert!(matches!(action("ALTER MATERIALIZED VIEW v DROP SCHEDULE"), AlterTableAction::SetSchedule(None)));
    assert_eq!(refused("ALTER TABLE t ALTER COLUMN a TYPE BIGINT").class.condition, "UNSUPPORTED_FEATURE");
}

#[test]
fn names_of_the_session() {
    assert!(matches!(expect_statement!("USE CATALOG main", Statement::Use), Use::Catalog(_)));
    assert!(matches!(expect_statement!("USE main.sales", Statement::Use), Use::Schema(name) if name.parts.len() == 2));
    assert!(matches!(expect_statement!("USE DATABASE d", Statement::Use), Use::Schema(_)));
    assert!(matches!(expect_statement!("USE schema", Statement::Use), Use::Schema(name) if name.parts == ["schema"]));
    let set = expect_statement!("SET spark.sql.ansi.enabled = true", Statement::Set);
    assert_eq!(
        (set.key.as_str(), set.value.map(|value| value.text).as_deref()),
        ("spark.sql.ansi.enabled", Some("true"))
    );
    assert!(expect_statement!("SET", Statement::Set).key.is_empty());
    assert_eq!(refused("SET TIME ZONE 'UTC'").class.condition, "UNSUPPORTED_FEATURE");
}

#[test]
fn showing_and_describing() {
    let show = |text: &str| expect_statement!(text, Statement::Show);
    assert!(matches!(show("SHOW TABLES IN a.b LIKE 'x*'"), Show::Tables { schema: Some(_), pattern: Some(_) }));
    assert!(matches!(show("SHOW TABLES 'x*'"), Show::Tables { schema: None, pattern: Some(_) }));
    assert!(matches!(show("SHOW VIEWS"), Show::Views { .. }));
    assert!(matches!(show("SHOW DATABASES FROM c"), Show::Schemas { catalog: Some(_), .. }));
    assert!(matches!(show("SHOW CATALOGS"), Show::Catalogs { .. }));
    assert!(matches!(show("SHOW COLUMNS IN t IN s"), Show::Columns(name) if name.parts == ["s", "t"]));
    assert!(matches!(show("SHOW TBLPROPERTIES t"), Show::Properties(_)));
    assert!(matches!(show("SHOW CREATE TABLE t"), Show::CreateTable(_)));
    assert!(expect_statement!("DESCRIBE TABLE EXTENDED t", Statement::DescribeTable).extended);
    assert!(!expect_statement!("DESC t", Statement::DescribeTable).extended);
    assert_eq!(expect_statement!("DESCRIBE history", Statement::DescribeTable).name.parts, ["history"]);
    assert_eq!(expect_statement!("DESCRIBE HISTORY a.t LIMIT 3", Statement::DescribeHistory).limit, Some(3));
    expect_statement!("DESCRIBE QUERY SELECT 1", Statement::DescribeQuery);
    let restore = expect_statement!("RESTORE TABLE t TO VERSION AS OF 2", Statement::Restore);
    assert!(matches!(restore.version, ast::TableVersion::VersionAsOf(_)));
    let restore = expect_statement!("RESTORE t TO TIMESTAMP AS OF '2026-03-02'", Statement::Restore);
    assert!(matches!(restore.version, ast::TableVersion::TimestampAsOf(_)));
    let explain = expect_statement!("EXPLAIN EXTENDED SELECT 1", Statement::Explain);
    assert!(explain.extended && matches!(*explain.statement, Statement::Query(_)));
    assert!(expect_statement!("EXPLAIN ANALYZE DELETE FROM t", Statement::Explain).analyze);
    parsed("SELECT 1;");
}
