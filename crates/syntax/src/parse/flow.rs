//! Streaming tables and flows.

use lakelet_base::Diagnostic;

use super::auto_cdc;
use super::column::{once, table_elements};
use super::cursor::{Cursor, Result};
use super::schedule::schedule;
use super::table::TableClauses;
use crate::statement::{AppendFlow, CreateFlow, CreateStreamingTable, Flow, FlowBody, ReplaceWhereFlow};

/// After CREATE [OR REFRESH] STREAMING TABLE.
pub(super) fn create_streaming_table(cursor: &mut Cursor<'_>, or_refresh: bool) -> Result<CreateStreamingTable> {
    let if_not_exists = cursor.eat(&["IF", "NOT", "EXISTS"]);
    let name = cursor.name()?;
    let elements = table_elements(cursor, true)?;
    let mut clauses = TableClauses::default();
    let mut schedule_clause = None;
    loop {
        let span = cursor.span();
        if cursor.eat(&["SCHEDULE"]) {
            once(&mut schedule_clause, "SCHEDULE", span, schedule(cursor)?)?;
        } else if cursor.at(&["TRIGGER", "ON"]) {
            return Err(Box::new(
                Diagnostic::unsupported("TRIGGER ON UPDATE").at(span).hint("Use SCHEDULE EVERY 1 HOUR."),
            ));
        } else if !clauses.read(cursor)? {
            break;
        }
    }
    let has_flow = cursor.at(&["FLOW"]) || cursor.at(&["AS"]);
    Ok(CreateStreamingTable {
        name,
        or_refresh,
        if_not_exists,
        columns: elements.columns,
        expectations: elements.expectations,
        properties: clauses.properties.unwrap_or_default(),
        comment: clauses.comment,
        schedule: schedule_clause,
        layout: clauses.layout.unwrap_or_default(),
        flow: if has_flow { Some(flow(cursor)?) } else { None },
    })
}

/// FLOW AUTO CDC …, FLOW REPLACE WHERE … BY NAME query, FLOW INSERT BY NAME query, AS query, and the forms of CREATE
/// FLOW, where the target's name stands among the words.
pub(super) fn flow(cursor: &mut Cursor<'_>) -> Result<Flow> {
    let first = cursor.index();
    let body = if cursor.eat(&["FLOW"]) {
        inline_body(cursor)?
    } else {
        cursor.expect(&["AS"])?;
        if is_auto_cdc(cursor) || cursor.at(&["INSERT"]) {
            // The text of a flow of its own, read back.
            named_body(cursor)?.1
        } else {
            FlowBody::Append(AppendFlow { query: cursor.query()?, once: false })
        }
    };
    Ok(Flow { body, text: cursor.text_since(first), span: cursor.span_since(first) })
}

fn inline_body(cursor: &mut Cursor<'_>) -> Result<FlowBody> {
    if is_auto_cdc(cursor) {
        cursor.advance();
        cursor.advance();
        return auto_cdc::auto_cdc(cursor).map(|flow| FlowBody::AutoCdc(Box::new(flow)));
    }
    if cursor.eat(&["REPLACE", "WHERE"]) {
        let predicate = cursor.expression()?;
        return replace_where(cursor, predicate);
    }
    if cursor.eat(&["INSERT"]) {
        let once = cursor.eat(&["ONCE"]);
        cursor.expect(&["BY", "NAME"])?;
        return Ok(FlowBody::Append(AppendFlow { query: cursor.query()?, once }));
    }
    Err(cursor.unexpected(Some("AUTO CDC, or REPLACE WHERE and a condition")))
}

/// `BY NAME query`, after the predicate.
fn replace_where(cursor: &mut Cursor<'_>, predicate: crate::statement::Expression) -> Result<FlowBody> {
    if !cursor.eat(&["BY", "NAME"]) {
        return Err(cursor.unexpected(Some("BY NAME, and the query")));
    }
    let query = cursor.query()?;
    Ok(FlowBody::ReplaceWhere(Box::new(ReplaceWhereFlow { predicate, query })))
}

fn is_auto_cdc(cursor: &Cursor<'_>) -> bool {
    cursor.at(&["AUTO", "CDC"]) || cursor.at(&["APPLY", "CHANGES"])
}

/// After CREATE FLOW.
pub(super) fn create_flow(cursor: &mut Cursor<'_>) -> Result<CreateFlow> {
    if cursor.at(&["IF", "NOT", "EXISTS"]) {
        return Err(Box::new(Diagnostic::unsupported("CREATE FLOW IF NOT EXISTS").at(cursor.span())));
    }
    let name = cursor.name()?;
    if cursor.eat(&["COMMENT"]) {
        cursor.string("the comment in quotes")?;
    }
    let first = cursor.index();
    cursor.expect(&["AS"])?;
    let (target, body) = named_body(cursor)?;
    let flow = Flow { body, text: cursor.text_since(first), span: cursor.span_since(first) };
    Ok(CreateFlow { name, target, flow })
}

/// APPLY CHANGES INTO t …, AUTO CDC INTO t … as statements of their own. The flow is called like its target.
pub(super) fn apply_changes(cursor: &mut Cursor<'_>) -> Result<CreateFlow> {
    let first = cursor.index();
    if !is_auto_cdc(cursor) {
        return Err(cursor.unexpected(Some("CDC INTO, or CHANGES INTO")));
    }
    let (target, body) = named_body(cursor)?;
    // With AS before it, as in CREATE FLOW, the text can be read back.
    let flow = Flow { body, text: format!("AS {}", cursor.text_since(first)), span: cursor.span_since(first) };
    Ok(CreateFlow { name: target.clone(), target, flow })
}

/// AUTO CDC [ONCE] INTO t …; INSERT INTO [ONCE] t BY NAME [REPLACE WHERE p] query.
fn named_body(cursor: &mut Cursor<'_>) -> Result<(crate::statement::Name, FlowBody)> {
    if is_auto_cdc(cursor) {
        cursor.advance();
        cursor.advance();
        let before = cursor.eat(&["ONCE"]);
        cursor.expect(&["INTO"])?;
        let target = cursor.name()?;
        let mut flow = auto_cdc::auto_cdc(cursor)?;
        flow.once |= before;
        return Ok((target, FlowBody::AutoCdc(Box::new(flow))));
    }
    if !cursor.eat(&["INSERT", "INTO"]) {
        return Err(cursor.unexpected(Some("AUTO CDC INTO, or INSERT INTO")));
    }
    let once = cursor.eat(&["ONCE"]);
    let target = cursor.name()?;
    if !cursor.eat(&["BY", "NAME"]) {
        return Err(cursor.unexpected(Some("BY NAME, and the query")));
    }
    if cursor.eat(&["REPLACE", "WHERE"]) {
        let predicate = cursor.expression()?;
        let query = cursor.query()?;
        return Ok((target, FlowBody::ReplaceWhere(Box::new(ReplaceWhereFlow { predicate, query }))));
    }
    Ok((target, FlowBody::Append(AppendFlow { query: cursor.query()?, once })))
}
