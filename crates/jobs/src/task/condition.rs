//! If/else tasks.

use std::cmp::Ordering;

use crate::read::{Fields, Reader};

/// How the two operands of an If/else task are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionOp {
    /// Same text.
    EqualTo,
    /// Other text.
    NotEqual,
    /// Larger number.
    GreaterThan,
    /// Larger or equal number.
    GreaterThanOrEqual,
    /// Smaller number.
    LessThan,
    /// Smaller or equal number.
    LessThanOrEqual,
}

/// An operand of an order comparison is no number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a number, and this comparison needs numbers on both sides.")]
pub struct NotANumber(pub String);

impl ConditionOp {
    /// Every operator with its word in the settings.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("EQUAL_TO", Self::EqualTo),
        ("NOT_EQUAL", Self::NotEqual),
        ("GREATER_THAN", Self::GreaterThan),
        ("GREATER_THAN_OR_EQUAL", Self::GreaterThanOrEqual),
        ("LESS_THAN", Self::LessThan),
        ("LESS_THAN_OR_EQUAL", Self::LessThanOrEqual),
    ];

    /// The operator of a word in the settings.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, op)| *op)
    }

    /// Compares two resolved operands: as text for equality (`"12.0"` is not `"12"`), as numbers for order.
    ///
    /// # Errors
    /// [`NotANumber`] for an order comparison with an operand that is none.
    pub fn compare(self, left: &str, right: &str) -> Result<bool, NotANumber> {
        let order = || Ok(compare_numbers(&Number::parse(left)?, &Number::parse(right)?));
        Ok(match self {
            Self::EqualTo => left == right,
            Self::NotEqual => left != right,
            Self::GreaterThan => order()?.is_gt(),
            Self::GreaterThanOrEqual => order()?.is_ge(),
            Self::LessThan => order()?.is_lt(),
            Self::LessThanOrEqual => order()?.is_le(),
        })
    }
}

/// Settings under `condition_task`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionTask {
    /// How to compare.
    pub op: ConditionOp,
    /// Left operand, perhaps with references.
    pub left: String,
    /// Right operand, perhaps with references.
    pub right: String,
}

impl ConditionTask {
    pub(super) fn read(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Self {
        fields.required("op", reader);
        let op = fields.choice("op", ConditionOp::WORDS, reader).unwrap_or(ConditionOp::EqualTo);
        let mut operand = |key| {
            fields.required(key, reader);
            fields.scalar(key, reader).unwrap_or_default()
        };
        Self { op, left: operand("left"), right: operand("right") }
    }

    pub(super) fn templates<'a>(&'a self, add: &mut dyn FnMut(&str, &'a str)) {
        add("left", &self.left);
        add("right", &self.right);
    }
}

/// A decimal number of any length, exactly: sign and digits around a point.
struct Number {
    negative: bool,
    /// Digits without leading zeros.
    whole: String,
    /// Digits without trailing zeros.
    fraction: String,
}

impl Number {
    /// Reads an optional sign, digits, an optional fraction and an optional exponent; blanks around do not matter.
    fn parse(text: &str) -> Result<Self, NotANumber> {
        /// Beyond this an exponent would only make digits up.
        const EXPONENT_MAX: i32 = 400;
        let error = || NotANumber(text.to_owned());
        let trimmed = text.trim();
        let (negative, unsigned) = match trimmed.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| error())?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || exponent.abs() > EXPONENT_MAX {
            return Err(error());
        }
        let shift = exponent.unsigned_abs() as usize;
        let (whole, fraction) = if exponent >= 0 {
            let digits = format!("{digits}{}", "0".repeat(shift.saturating_sub(fraction.len())));
            let split = whole.len() + shift;
            (digits[..split].to_owned(), digits[split..].to_owned())
        } else {
            let digits = format!("{}{digits}", "0".repeat(shift.saturating_sub(whole.len())));
            let split = whole.len().max(shift) - shift;
            (digits[..split].to_owned(), digits[split..].to_owned())
        };
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let is_zero = whole.is_empty() && fraction.is_empty();
        Ok(Self { negative: negative && !is_zero, whole: whole.to_owned(), fraction: fraction.to_owned() })
    }
}

fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    let size = || {
        (left.whole.len().cmp(&right.whole.len()))
            .then_with(|| left.whole.cmp(&right.whole))
            .then_with(|| left.fraction.cmp(&right.fraction))
    };
    match (left.negative, right.negative) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => size(),
        (true, true) => size().reverse(),
    }
}
