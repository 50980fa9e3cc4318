//! How queries come out of the lowering.

use std::collections::HashMap;

use lakelet_base::Timestamp;

use super::{LowerContext, TableResolver, TableUse, lower};
use crate::session::Session;

struct AnyTable;

impl TableResolver for AnyTable {
    fn resolve(&mut self, table: &TableUse) -> Result<(String, Vec<String>), Box<lakelet_base::Diagnostic>> {
        Ok((format!("t_{}", table.parts.join("_").to_lowercase()), vec!["Id".to_owned(), "QTY".to_owned()]))
    }
}

fn lowered(text: &str) -> (String, Vec<Option<String>>) {
    let query = lakelet_syntax::parse_query(text).unwrap();
    let offset = |location| lakelet_syntax::location_to_offset(text, location);
    let params = HashMap::from([(
        "x".to_owned(),
        sqlparser::ast::Expr::Value(sqlparser::ast::Value::SingleQuotedString("a".to_owned()).into()),
    )]);
    let session = Session::default();
    let context = LowerContext { params: &params, now: Timestamp::LESSON_START, session: &session, offset: &offset };
    let lowered = lower(&query.query, &context, &mut AnyTable).unwrap_or_else(|error| panic!("{error}"));
    (lowered.query.to_string(), lowered.display)
}

#[test]
fn names_are_folded_and_shown_as_they_were_written() {
    let (text, display) = lowered("SELECT ID, Sum(Qty) FROM Sales.T GROUP BY 1 ORDER BY 2 LIMIT 3");
    assert_eq!(text, "SELECT id, sum(qty) AS `sum(qty)` FROM `t_sales_t` AS `t` GROUP BY 1 ORDER BY 2 LIMIT 3");
    assert_eq!(display, [Some("ID".to_owned()), Some("sum(Qty)".to_owned())]);
}

#[test]
fn whole_numbers_are_int_and_equal_names_are_told_apart() {
    let (text, display) = lowered("SELECT 5, 5, 5L");
    assert_eq!(text, "SELECT CAST(5 AS INT) AS `5`, CAST(5 AS INT) AS `5\u{1}2`, CAST(5 AS BIGINT) AS `5\u{1}3`");
    assert_eq!(display.len(), 3);
}

#[test]
fn qualified_columns_lose_the_schema_and_parameters_their_markers() {
    let (text, _) = lowered("SELECT config.t.id FROM config.t WHERE id = :X AND d = current_date()");
    assert_eq!(text, "SELECT t.id AS `id` FROM `t_config_t` AS `t` WHERE id = 'a' AND d = CAST('2026-03-02' AS DATE)");
}

#[test]
fn an_unbound_parameter_is_named_with_its_place() {
    let text = "SELECT :missing";
    let query = lakelet_syntax::parse_query(text).unwrap();
    let offset = |location| lakelet_syntax::location_to_offset(text, location);
    let params = HashMap::new();
    let session = Session::default();
    let context = LowerContext { params: &params, now: Timestamp::LESSON_START, session: &session, offset: &offset };
    let error = lower(&query.query, &context, &mut AnyTable).err().unwrap();
    assert_eq!(error.class.condition, "UNBOUND_SQL_PARAMETER");
    assert_eq!(error.span.map(|span| span.start), Some(7));
}

#[test]
fn the_session_is_a_literal() {
    let (text, display) = lowered("SELECT current_catalog(), Current_Schema()");
    assert_eq!(text, "SELECT 'playground' AS `current_catalog()`, 'default' AS `current_schema()`");
    assert_eq!(display.len(), 2);
}

#[test]
fn count_if_keeps_its_name_filter_and_window() {
    let (text, display) = lowered("SELECT count_if(Id > QTY) FILTER (WHERE id = qty) FROM t");
    assert!(text.starts_with("SELECT count(\u{1}case(id > qty, true)) FILTER (WHERE id = qty)"), "{text}");
    assert!(display[0].as_deref().is_some_and(|name| name.starts_with("count_if(")), "{display:?}");
}

fn refusal(text: &str) -> &'static str {
    let query = lakelet_syntax::parse_query(text).unwrap();
    let offset = |location| lakelet_syntax::location_to_offset(text, location);
    let params = HashMap::new();
    let session = Session::default();
    let context = LowerContext { params: &params, now: Timestamp::LESSON_START, session: &session, offset: &offset };
    lower(&query.query, &context, &mut AnyTable).err().unwrap().class.condition
}

#[test]
fn what_would_be_answered_wrongly_is_refused() {
    for text in [
        "SELECT id FROM a EXCEPT ALL SELECT id FROM b",
        "SELECT id FROM a UNION (SELECT id FROM a INTERSECT ALL SELECT id FROM b)",
        "SELECT count(DISTINCT *) FROM a",
    ] {
        assert_eq!(refusal(text), "UNSUPPORTED_FEATURE", "{text}");
    }
    assert_eq!(refusal("SELECT count(DISTINCT id) OVER () FROM a"), "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED");
}

#[test]
fn the_older_rollup_groups_by_what_a_position_means() {
    let (text, _) = lowered("SELECT id, count(1) FROM t GROUP BY 1 WITH ROLLUP");
    assert!(text.ends_with("GROUP BY ROLLUP (id)"), "{text}");
}
