//! What is wrong, or merely not supported, in a project.

use std::fmt;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something cannot work.
    Error,
    /// Something does not do what was probably meant, or Lakelet cannot do it.
    Warning,
    /// Something is kept and has no effect here.
    Note,
}

/// A problem and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleProblem {
    /// Path in the project.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// How much it matters.
    pub severity: Severity,
    /// Stable name: `syntax`, `unknown_key`, `not_supported`, `no_effect`, `missing_file`, `placeholder`,
    /// `unknown_variable`, `no_value`, `duplicate`, `wrong_type`, `bad_path`, `unknown_target`, `missing_required`, `too_many`, `more`.
    pub kind: &'static str,
    /// A sentence.
    pub message: String,
}

/// Most problems of one bundle; the rest is counted only.
pub(crate) const PROBLEMS_MAX: usize = 500;
/// Problems up to this one may have suggestions, which are costly to find.
const SUGGESTIONS_MAX: usize = 50;

/// ` Did you mean …?`, or nothing.
pub(crate) fn did_you_mean<'a>(problems: &[BundleProblem], nearest: impl FnOnce() -> Option<&'a str>) -> String {
    let name = if problems.len() < SUGGESTIONS_MAX { nearest() } else { None };
    name.map_or_else(String::new, |name| format!(" Did you mean `{name}`?"))
}

impl BundleProblem {
    pub(crate) fn error(file: &str, line: u32, kind: &'static str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, severity: Severity::Error, kind, message: message.into() }
    }

    pub(crate) fn warning(file: &str, line: u32, kind: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(file, line, kind, message) }
    }

    pub(crate) fn note(file: &str, line: u32, kind: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(file, line, kind, message) }
    }
}

impl fmt::Display for BundleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for BundleProblem {}
