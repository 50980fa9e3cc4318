//! CREATE: finds out what is created.

use lakelet_base::Diagnostic;

use super::column::{once, properties};
use super::cursor::{Cursor, Result};
use super::{flow, materialized_view, table, view};
use crate::statement::{CreateSchemaLike, Statement};

/// Words between CREATE and the kind of thing.
#[derive(Default)]
pub(super) struct Modifiers {
    pub(super) or_replace: bool,
    pub(super) or_refresh: bool,
    pub(super) temporary: bool,
}

pub(super) fn create(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.expect(&["CREATE"])?;
    let mut modifiers = Modifiers::default();
    if cursor.eat(&["OR"]) {
        if cursor.eat(&["REPLACE"]) {
            modifiers.or_replace = true;
        } else if cursor.eat(&["REFRESH"]) {
            modifiers.or_refresh = true;
        } else {
            return Err(cursor.unexpected(Some("REPLACE or REFRESH")));
        }
    }
    modifiers.temporary = cursor.eat(&["TEMPORARY"]) || cursor.eat(&["TEMP"]);
    created(cursor, &modifiers)
}

/// REPLACE TABLE is CREATE OR REPLACE TABLE of a table that is there.
pub(super) fn replace(cursor: &mut Cursor<'_>) -> Result<Statement> {
    cursor.expect(&["REPLACE"])?;
    if cursor.at(&["TABLE"]) {
        created(cursor, &Modifiers { or_replace: true, ..Modifiers::default() })
    } else {
        Err(cursor.unexpected(Some("TABLE")))
    }
}

fn created(cursor: &mut Cursor<'_>, modifiers: &Modifiers) -> Result<Statement> {
    let Modifiers { or_replace, or_refresh, temporary } = *modifiers;
    let span = cursor.span();
    if cursor.eat(&["STREAMING", "TABLE"]) || cursor.eat(&["STREAMING", "LIVE", "TABLE"]) {
        if temporary {
            return Err(Box::new(Diagnostic::unsupported("temporary streaming tables").at(span)));
        }
        return flow::create_streaming_table(cursor, or_refresh || or_replace).map(Statement::CreateStreamingTable);
    }
    if cursor.eat(&["MATERIALIZED", "VIEW"]) {
        if temporary {
            return Err(Box::new(Diagnostic::unsupported("temporary materialized views").at(span)));
        }
        return materialized_view::create(cursor, or_replace || or_refresh).map(Statement::CreateMaterializedView);
    }
    if or_refresh {
        return Err(cursor.unexpected(Some("STREAMING TABLE or MATERIALIZED VIEW")));
    }
    if cursor.eat(&["TABLE"]) {
        if temporary {
            return Err(Box::new(
                Diagnostic::unsupported("temporary tables")
                    .at(span)
                    .hint("CREATE TEMPORARY VIEW names a query for this session."),
            ));
        }
        return table::create(cursor, or_replace).map(Statement::CreateTable);
    }
    if cursor.eat(&["VIEW"]) {
        return view::create(cursor, or_replace, temporary).map(Statement::CreateView);
    }
    if or_replace || temporary {
        return Err(cursor.unexpected(Some("TABLE or VIEW")));
    }
    if cursor.eat(&["SCHEMA"]) || cursor.eat(&["DATABASE"]) {
        schema_like(cursor).map(Statement::CreateSchema)
    } else if cursor.eat(&["CATALOG"]) {
        schema_like(cursor).map(Statement::CreateCatalog)
    } else if cursor.eat(&["FLOW"]) {
        flow::create_flow(cursor).map(Statement::CreateFlow)
    } else {
        Err(cursor.unexpected(Some("TABLE, VIEW, SCHEMA or another thing to create")))
    }
}

fn schema_like(cursor: &mut Cursor<'_>) -> Result<CreateSchemaLike> {
    let if_not_exists = cursor.eat(&["IF", "NOT", "EXISTS"]);
    let name = cursor.name()?;
    let (mut comment, mut dbproperties) = (None, None);
    loop {
        let span = cursor.span();
        if cursor.eat(&["COMMENT"]) {
            once(&mut comment, "COMMENT", span, cursor.string("the comment in quotes")?)?;
        } else if cursor.eat(&["WITH", "DBPROPERTIES"]) {
            once(&mut dbproperties, "WITH DBPROPERTIES", span, properties(cursor)?)?;
        } else if cursor.at(&["LOCATION"]) || cursor.at(&["MANAGED", "LOCATION"]) {
            return Err(Box::new(Diagnostic::unsupported("storage locations").at(span)));
        } else {
            return Ok(CreateSchemaLike { name, if_not_exists, comment, properties: dbproperties.unwrap_or_default() });
        }
    }
}
