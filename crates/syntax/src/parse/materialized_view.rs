//! CREATE MATERIALIZED VIEW.

use lakelet_base::Diagnostic;

use super::column::{once, table_elements};
use super::cursor::{Cursor, Result};
use super::schedule::schedule;
use super::table::TableClauses;
use crate::statement::CreateMaterializedView;

/// After CREATE [OR REPLACE] MATERIALIZED VIEW.
pub(super) fn create(cursor: &mut Cursor<'_>, or_replace: bool) -> Result<CreateMaterializedView> {
    let if_not_exists = cursor.eat(&["IF", "NOT", "EXISTS"]);
    let name = cursor.name()?;
    let elements = table_elements(cursor, true)?;
    let mut clauses = TableClauses::default();
    let (mut schedule_clause, mut refresh_policy) = (None, None);
    loop {
        let span = cursor.span();
        if cursor.eat(&["SCHEDULE"]) {
            once(&mut schedule_clause, "SCHEDULE", span, schedule(cursor)?)?;
        } else if cursor.eat(&["REFRESH", "POLICY"]) {
            once(&mut refresh_policy, "REFRESH POLICY", span, policy(cursor)?)?;
        } else if cursor.at(&["TRIGGER", "ON"]) {
            return Err(Box::new(
                Diagnostic::unsupported("TRIGGER ON UPDATE").at(span).hint("Use SCHEDULE EVERY 1 HOUR."),
            ));
        } else if !clauses.read(cursor)? {
            break;
        }
    }
    cursor.expect(&["AS"])?;
    Ok(CreateMaterializedView {
        name,
        or_replace,
        if_not_exists,
        columns: elements.columns,
        expectations: elements.expectations,
        properties: clauses.properties.unwrap_or_default(),
        comment: clauses.comment,
        schedule: schedule_clause,
        refresh_policy,
        layout: clauses.layout.unwrap_or_default(),
        query: cursor.query()?,
    })
}

fn policy(cursor: &mut Cursor<'_>) -> Result<String> {
    for words in [&["INCREMENTAL", "STRICT"] as &[&str], &["INCREMENTAL"], &["AUTO"], &["FULL"]] {
        if cursor.eat(words) {
            return Ok(words.join(" "));
        }
    }
    Err(cursor.unexpected(Some("AUTO, INCREMENTAL, INCREMENTAL STRICT or FULL")))
}
