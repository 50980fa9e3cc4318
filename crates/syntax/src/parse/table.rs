//! CREATE TABLE.

use lakelet_base::{Diagnostic, Span};
use sqlparser::tokenizer::Token;

use super::column::{once, properties, table_elements};
use super::cursor::{Cursor, Result};
use crate::statement::{CreateTable, Layout, TableBody};

/// After CREATE [OR REPLACE] TABLE.
pub(super) fn create(cursor: &mut Cursor<'_>, or_replace: bool) -> Result<CreateTable> {
    let if_not_exists = cursor.eat(&["IF", "NOT", "EXISTS"]);
    let name = cursor.name()?;
    if cursor.eat(&["LIKE"]) {
        let source = cursor.name()?;
        let mut clauses = TableClauses::default();
        while clauses.read(cursor)? {}
        return Ok(CreateTable {
            name,
            or_replace,
            if_not_exists,
            using: clauses.using,
            body: TableBody::Like(source),
            properties: clauses.properties.unwrap_or_default(),
            comment: clauses.comment,
            layout: clauses.layout.unwrap_or_default(),
        });
    }
    let columns = table_elements(cursor, false)?.columns;
    let mut clauses = TableClauses::default();
    while clauses.read(cursor)? {}
    let body = if cursor.eat(&["AS"]) || starts_query(cursor) {
        TableBody::Query(columns, cursor.query()?)
    } else {
        if let Some(untyped) = columns.iter().find(|column| column.data_type.is_none()) {
            return Err(Box::new(
                Diagnostic::new(
                    lakelet_base::ErrorClass::PARSE_SYNTAX_ERROR,
                    format!("Syntax error at or near '{}': a new column needs a type.", untyped.name),
                )
                .at(untyped.span)
                .hint("For instance: id INT, name STRING, price DECIMAL(10, 2)."),
            ));
        }
        TableBody::Columns(columns)
    };
    Ok(CreateTable {
        name,
        or_replace,
        if_not_exists,
        using: clauses.using,
        body,
        properties: clauses.properties.unwrap_or_default(),
        comment: clauses.comment,
        layout: clauses.layout.unwrap_or_default(),
    })
}

fn starts_query(cursor: &Cursor<'_>) -> bool {
    *cursor.peek(0) == Token::LParen || ["SELECT", "WITH", "VALUES", "FROM"].iter().any(|word| cursor.at(&[word]))
}

/// Clauses after the columns, in any order.
#[derive(Default)]
pub(super) struct TableClauses {
    pub(super) using: Option<String>,
    pub(super) comment: Option<String>,
    pub(super) properties: Option<Vec<(String, String)>>,
    pub(super) layout: Option<Layout>,
}

impl TableClauses {
    /// Reads one clause, if one comes.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<bool> {
        let span = cursor.span();
        if cursor.eat(&["USING"]) {
            once(&mut self.using, "USING", span, cursor.name()?.parts.join(".").to_lowercase())?;
        } else if cursor.eat(&["COMMENT"]) {
            once(&mut self.comment, "COMMENT", span, cursor.string("the comment in quotes")?)?;
        } else if cursor.eat(&["TBLPROPERTIES"]) {
            once(&mut self.properties, "TBLPROPERTIES", span, properties(cursor)?)?;
        } else if cursor.eat(&["PARTITIONED", "BY"]) {
            once(&mut self.layout, "PARTITIONED BY", span, Layout::PartitionedBy(partition_columns(cursor)?))?;
        } else if cursor.eat(&["CLUSTER", "BY"]) {
            let columns = if cursor.eat(&["AUTO"]) || cursor.eat(&["NONE"]) {
                Vec::new()
            } else {
                cursor.parenthesized(Cursor::identifier)?
            };
            once(&mut self.layout, "CLUSTER BY", span, Layout::ClusterBy(columns))?;
        } else if let Some((_, what)) = REFUSED.iter().find(|(words, _)| cursor.at(words)) {
            return Err(Box::new(Diagnostic::unsupported(what).at(span)));
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

/// Clauses of Databricks that would change what a table is.
const REFUSED: &[(&[&str], &str)] = &[
    (&["LOCATION"], "tables at a storage location"),
    (&["OPTIONS"], "OPTIONS of a file format"),
    (&["CLUSTERED", "BY"], "bucketed tables"),
    (&["SHALLOW", "CLONE"], "CLONE"),
    (&["DEEP", "CLONE"], "CLONE"),
    (&["CLONE"], "CLONE"),
    (&["DEFAULT", "COLLATION"], "collations"),
    (&["WITH", "ROW"], "row filters"),
    (&["STORED", "BY"], "Hive storage formats"),
    (&["ROW", "FORMAT"], "Hive storage formats"),
];

/// `(a, b)`: names of columns that are declared above.
fn partition_columns(cursor: &mut Cursor<'_>) -> Result<Vec<(String, Span)>> {
    cursor.parenthesized(|cursor| {
        let column = cursor.identifier()?;
        if matches!(cursor.peek(0), Token::Comma | Token::RParen) {
            Ok(column)
        } else {
            Err(Box::new(
                Diagnostic::unsupported("types and functions in PARTITIONED BY")
                    .at(cursor.span())
                    .hint("Declare the column with the others and name it here."),
            ))
        }
    })
}
