use sqlparser::ast;

use super::{expect_statement, refused};
use crate::statement::*;

#[test]
fn inserts() {
    let insert = expect_statement!("INSERT INTO t VALUES (1, DEFAULT), (2, 'x')", Statement::Insert);
    assert_eq!((insert.mode, insert.by_name), (InsertMode::Append, false));
    let ast::SetExpr::Values(values) = &*insert.source.query.body else { panic!("{:?}", insert.source) };
    assert!(matches!(&values.rows[0].content[1], ast::Expr::Identifier(ident) if ident.value == "DEFAULT"));

    let insert = expect_statement!("INSERT INTO TABLE a.t (y, `x`) SELECT 1, 2", Statement::Insert);
    assert_eq!(insert.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["y", "x"]);
    let insert = expect_statement!("INSERT OVERWRITE t BY NAME SELECT 1 AS a", Statement::Insert);
    assert!(insert.by_name && insert.mode == InsertMode::Overwrite);
    let insert = expect_statement!("INSERT INTO t REPLACE WHERE day >= 3 AND k SELECT * FROM s", Statement::Insert);
    let InsertMode::ReplaceWhere(predicate) = &insert.mode else { panic!("{insert:?}") };
    assert_eq!((predicate.text.as_str(), insert.source.text.as_str()), ("day >= 3 AND k", "SELECT * FROM s"));
    let insert = expect_statement!("INSERT INTO t PARTITION (zone = 'w', day) VALUES (4)", Statement::Insert);
    assert_eq!(insert.partition[0].value.as_ref().map(|value| value.text.as_str()), Some("'w'"));
    assert!(insert.partition[1].value.is_none());
    let insert = expect_statement!("INSERT INTO t (SELECT 1)", Statement::Insert);
    assert!(insert.columns.is_empty());
    let insert = expect_statement!("INSERT INTO t TABLE u", Statement::Insert);
    assert_eq!(insert.source.query.to_string(), "SELECT * FROM u");
    assert!(refused("INSERT INTO t (a) BY NAME SELECT 1").message.contains("exclude"));
    assert_eq!(refused("WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c").class.condition, "UNSUPPORTED_FEATURE");
}

#[test]
fn updates_and_deletes() {
    let text = "UPDATE config.watermarks w SET last = CAST('x' AS TIMESTAMP), w.n = n + 1 WHERE source = 'a'";
    let update = expect_statement!(text, Statement::Update);
    assert_eq!(update.alias.as_deref(), Some("w"));
    let [(last, ..), (n, span, value)] = update.assignments.as_slice() else { panic!("{update:?}") };
    assert_eq!((last.as_str(), n.as_str(), value.text.as_str()), ("last", "n", "n + 1"));
    assert_eq!(&text[span.start..span.end], "w.n");
    assert_eq!(update.selection.map(|selection| selection.text).as_deref(), Some("source = 'a'"));

    let delete = expect_statement!("DELETE FROM products AS p WHERE product_id = 9", Statement::Delete);
    assert_eq!(delete.alias.as_deref(), Some("p"));
    assert!(expect_statement!("DELETE FROM products", Statement::Delete).selection.is_none());
    assert_eq!(expect_statement!("TRUNCATE TABLE a.t", Statement::Truncate).table.parts, ["a", "t"]);
}

#[test]
fn merges() {
    let text = "MERGE WITH SCHEMA EVOLUTION INTO a.target AS t USING (SELECT * FROM s) AS s ON t.k = s.k \
                WHEN MATCHED AND s.d THEN DELETE WHEN MATCHED THEN UPDATE SET * \
                WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET t.gone = true";
    let merge = expect_statement!(text, Statement::Merge);
    assert!(merge.schema_evolution);
    assert_eq!(merge.table.parts, ["a", "target"]);
    assert_eq!(&text[merge.table.span.start..merge.table.span.end], "a.target");
    assert_eq!(merge.text, text);
    let [_, update, insert, by_source] = merge.merge.clauses.as_slice() else { panic!("{merge:?}") };
    let ast::MergeAction::Update(set) = &update.action else { panic!("{update:?}") };
    assert_eq!(set.assignments[0].target.to_string(), "`*`");
    let ast::MergeAction::Insert(insert) = &insert.action else { panic!("{insert:?}") };
    assert_eq!(insert.columns[0].to_string(), "`*`");
    assert_eq!(by_source.clause_kind, ast::MergeClauseKind::NotMatchedBySource);
    let named = "MERGE INTO t target USING s source ON target.k = source.k WHEN MATCHED THEN UPDATE SET v = source.v \
                 WHEN NOT MATCHED THEN INSERT (k, v) VALUES (source.k, source.v)";
    assert_eq!(expect_statement!(named, Statement::Merge).merge.clauses.len(), 2);
    assert!(refused("MERGE INTO t USING s ON t.k = s.k").hint.expect("a hint").contains("WHEN MATCHED"));
}
