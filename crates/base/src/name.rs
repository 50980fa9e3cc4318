//! Names of catalogs, schemas and tables.

use std::fmt;

/// Whether two identifiers name the same thing: case does not count.
pub fn same_name(left: &str, right: &str) -> bool {
    left.len() == right.len() && left.eq_ignore_ascii_case(right) || left.to_lowercase() == right.to_lowercase()
}

/// `name` as it must be written in SQL: bare where that is possible, else in back-ticks.
pub fn quote_identifier(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

/// A fully qualified table name. Parts keep the case they were written in; compare with [`TableName::key`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableName {
    /// First part.
    pub catalog: String,
    /// Second part.
    pub schema: String,
    /// Third part.
    pub name: String,
}

impl TableName {
    /// A name from its three parts.
    pub fn new(catalog: impl Into<String>, schema: impl Into<String>, name: impl Into<String>) -> Self {
        Self { catalog: catalog.into(), schema: schema.into(), name: name.into() }
    }

    /// The case-folded parts, equal for two spellings of one name.
    pub fn key(&self) -> (String, String, String) {
        (self.catalog.to_lowercase(), self.schema.to_lowercase(), self.name.to_lowercase())
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{}.{}",
            quote_identifier(&self.catalog),
            quote_identifier(&self.schema),
            quote_identifier(&self.name)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_compare_without_case_and_keep_theirs() {
        let name = TableName::new("Main", "S", "Größe t");
        assert_eq!(name.key(), TableName::new("main", "s", "größe T").key());
        assert_eq!(name.to_string(), "Main.S.`Größe t`");
        assert!(same_name("Ünit", "üNIT"));
        assert_eq!(quote_identifier("1a`b"), "`1a``b`");
    }
}
