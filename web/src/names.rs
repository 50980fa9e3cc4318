//! Table names as the engine writes them, `catalog.schema.table` with back-ticks where needed.

use lakelet_base::TableName;

/// The parts of a three-part name; `None` when there are not three.
pub fn parse_table_name(text: &str) -> Option<TableName> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '`' if quoted && characters.peek() == Some(&'`') => {
                characters.next();
                parts.last_mut()?.push('`');
            }
            '`' => quoted = !quoted,
            '.' if !quoted => parts.push(String::new()),
            other => parts.last_mut()?.push(other),
        }
    }
    let [catalog, schema, name] = <[String; 3]>::try_from(parts).ok()?;
    Some(TableName { catalog, schema, name })
}

/// The last part, bare; the whole text when it is no three-part name.
pub fn short_name(text: &str) -> String {
    parse_table_name(text).map_or_else(|| text.to_owned(), |name| name.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_quoting() {
        for name in [TableName::new("playground", "etl", "products"), TableName::new("a b", "c.d", "e`f")] {
            assert_eq!(parse_table_name(&name.to_string()), Some(name));
        }
        assert_eq!(parse_table_name("products"), None);
        assert_eq!(short_name("a.b.`c d`"), "c d");
        assert_eq!(short_name("products"), "products");
    }
}
