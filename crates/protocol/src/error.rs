//! Errors as they travel.

use lakelet_base::{Diagnostic, LineIndex, Span, Timestamp};
use serde::{Deserialize, Serialize};

/// An error or warning with its place in the text the page sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireError {
    /// Spark's condition, sub-condition after a dot.
    pub condition: String,
    /// Five characters.
    pub sqlstate: String,
    /// A sentence for a learner.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// 1-based line, where there is a place.
    pub line: Option<u32>,
    /// 1-based column in code points, where there is a place.
    pub column: Option<u32>,
    /// Byte range in the text, where there is a place.
    pub start: Option<usize>,
    /// End of the byte range.
    pub end: Option<usize>,
    /// Edits that would help.
    pub suggestions: Vec<WireSuggestion>,
}

/// An edit that would help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireSuggestion {
    /// "did you mean warehouse?"
    pub label: String,
    /// Byte range to replace, if it can be applied.
    pub range: Option<(usize, usize)>,
    /// Replacement text.
    pub replacement: String,
}

impl WireError {
    /// The wire form of a diagnostic whose places count in `text`.
    pub fn new(diagnostic: &Diagnostic, text: &str) -> Self {
        let place = diagnostic.span.map(|span| LineIndex::new(text).line_column(span.start));
        Self {
            condition: diagnostic.class.condition.to_owned(),
            sqlstate: diagnostic.class.sqlstate.to_owned(),
            message: diagnostic.message.clone(),
            hint: diagnostic.hint.clone(),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            start: diagnostic.span.map(|span| span.start),
            end: diagnostic.span.map(|span| span.end),
            suggestions: diagnostic
                .suggestions
                .iter()
                .map(|suggestion| WireSuggestion {
                    label: suggestion.label.clone(),
                    range: suggestion.span.map(|Span { start, end }| (start, end)),
                    replacement: suggestion.replacement.clone(),
                })
                .collect(),
        }
    }
}

/// An instant as it travels: RFC 3339 text in UTC.
pub(crate) mod instant {
    use super::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(instant: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(instant)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse_rfc3339(&text).map_err(D::Error::custom)
    }
}

/// The same for an instant that may be absent.
pub(crate) mod maybe_instant {
    use super::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::ref_option, reason = "serde hands a reference to the field")]
    pub fn serialize<S: Serializer>(instant: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        match instant {
            Some(instant) => serializer.collect_str(instant),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
        Option::<String>::deserialize(deserializer)?
            .map(|text| Timestamp::parse_rfc3339(&text).map_err(D::Error::custom))
            .transpose()
    }
}
