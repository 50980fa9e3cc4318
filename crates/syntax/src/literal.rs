//! What a number in a syntax tree is to Spark.

use sqlparser::ast::Value;

/// A number without its suffix, and the type the suffix or its form gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberLiteral {
    /// Digits, point and exponent as written.
    pub digits: String,
    /// Type.
    pub kind: NumberKind,
}

/// Type of a numeric literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberKind {
    /// `5`: INT, or BIGINT or DECIMAL where it does not fit.
    Integer,
    /// `5Y`: TINYINT
    Byte,
    /// `5S`: SMALLINT
    Short,
    /// `5L`: BIGINT
    Long,
    /// `5.0`, `5BD`: DECIMAL
    Decimal,
    /// `5F`: FLOAT
    Float,
    /// `5D`, `5e0`: DOUBLE
    Double,
}

/// Reads a number as the parser leaves it in the tree: `5L` is `Value::Number("5", true)`, other suffixes stay with
/// the digits in upper case (`Value::Number("2.5D", false)`). `None` for other values.
pub fn number_literal(value: &Value) -> Option<NumberLiteral> {
    let Value::Number(text, long) = value else { return None };
    if *long {
        return Some(NumberLiteral { digits: text.clone(), kind: NumberKind::Long });
    }
    const SUFFIXES: [(&str, NumberKind); 5] = [
        ("BD", NumberKind::Decimal),
        ("Y", NumberKind::Byte),
        ("S", NumberKind::Short),
        ("F", NumberKind::Float),
        ("D", NumberKind::Double),
    ];
    for (suffix, kind) in SUFFIXES {
        if let Some(digits) = text.strip_suffix(suffix) {
            return Some(NumberLiteral { digits: digits.to_owned(), kind });
        }
    }
    let kind = if text.contains(['E', 'e']) {
        NumberKind::Double
    } else if text.contains('.') {
        NumberKind::Decimal
    } else {
        NumberKind::Integer
    };
    Some(NumberLiteral { digits: text.clone(), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_give_the_type() {
        let kind = |text: &str, long| number_literal(&Value::Number(text.to_owned(), long)).map(|number| number.kind);
        assert_eq!(kind("5", false), Some(NumberKind::Integer));
        assert_eq!(kind("5", true), Some(NumberKind::Long));
        assert_eq!(kind("5Y", false), Some(NumberKind::Byte));
        assert_eq!(kind("2.50BD", false), Some(NumberKind::Decimal));
        assert_eq!(kind("2.5", false), Some(NumberKind::Decimal));
        assert_eq!(kind("1E3", false), Some(NumberKind::Double));
        assert_eq!(kind("1E3F", false), Some(NumberKind::Float));
        assert_eq!(number_literal(&Value::Null), None);
    }
}
