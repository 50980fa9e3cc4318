//! CREATE VIEW.

use lakelet_base::Diagnostic;

use super::column::{once, properties, table_elements};
use super::cursor::{Cursor, Result};
use crate::statement::CreateView;

/// After CREATE [OR REPLACE] [TEMPORARY] VIEW.
pub(super) fn create(cursor: &mut Cursor<'_>, or_replace: bool, temporary: bool) -> Result<CreateView> {
    let if_not_exists = cursor.eat(&["IF", "NOT", "EXISTS"]);
    let name = cursor.name()?;
    let columns = table_elements(cursor, false)?.columns;
    if let Some(typed) = columns.iter().find_map(|column| column.type_span) {
        return Err(Box::new(
            Diagnostic::new(
                lakelet_base::ErrorClass::PARSE_SYNTAX_ERROR,
                "Syntax error: the columns of a view have names, their types come from its query.",
            )
            .at(typed),
        ));
    }
    let (mut comment, mut view_properties) = (None, None);
    loop {
        let span = cursor.span();
        if cursor.eat(&["COMMENT"]) {
            once(&mut comment, "COMMENT", span, cursor.string("the comment in quotes")?)?;
        } else if cursor.eat(&["TBLPROPERTIES"]) {
            once(&mut view_properties, "TBLPROPERTIES", span, properties(cursor)?)?;
        } else if cursor.at(&["USING"]) {
            return Err(Box::new(Diagnostic::unsupported("views over files").at(span)));
        } else {
            break;
        }
    }
    cursor.expect(&["AS"])?;
    let query = cursor.query()?;
    let properties = view_properties.unwrap_or_default();
    Ok(CreateView { name, or_replace, if_not_exists, temporary, columns, query, comment, properties })
}
