//! Every text the page shows, by language.
//!
//! A part of the page has one structure of texts, declared with its English texts in `en`; another language is another
//! value of the same structures, so that the compiler finds what is not translated. Texts may hold `{name}` places,
//! which [`fill`] fills, and plurals as `one|other`, from which [`plural`] chooses.
//!
//! Never translated: SQL, identifiers, data values, error conditions.

pub mod en;
mod format;

use std::sync::LazyLock;

use leptos::prelude::*;

pub use format::{bytes, clock_text, count, duration_ms, fill};

/// Declares a structure of texts together with its English value.
macro_rules! texts {
    ($(#[$meta:meta])* $name:ident, $constant:ident { $($field:ident: $text:expr,)* }) => {
        $(#[$meta])*
        pub struct $name {
            $(pub $field: &'static str,)*
        }
        /// The English texts.
        pub const $constant: $name = $name { $($field: $text,)* };
    };
}
pub(crate) use texts;

/// A language of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
}

impl Language {
    /// All languages there are texts in.
    pub const ALL: [Self; 1] = [Self::English];

    /// The tag of the `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
        }
    }

    /// The language with a tag.
    pub fn from_tag(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(tag))
    }

    fn texts(self) -> &'static Messages {
        match self {
            Self::English => &en::MESSAGES,
        }
    }

    /// Which form of a plural a number takes: 0 for the first.
    fn plural_form(self, n: u64) -> usize {
        match self {
            Self::English => usize::from(n != 1),
        }
    }
}

/// Chooses a text: what a list of entries holds instead of the text of one language.
pub type Choose<T> = fn(&T) -> &'static str;

/// All texts of one language.
pub struct Messages {
    /// Words used all over.
    pub common: en::Common,
    /// Banner, rail, catalog, status bar.
    pub frame: en::Frame,
    /// Home.
    pub home: en::Home,
    /// Lessons.
    pub lesson: en::LessonTexts,
    /// SQL editor, results, problems, errors.
    pub sql: en::Sql,
    /// Grid.
    pub grid: en::GridTexts,
    /// Table pages.
    pub data: en::DataTexts,
    /// Pipeline view and refreshes.
    pub flow: en::FlowTexts,
    /// The clock.
    pub clock: en::ClockTexts,
    /// Watermarks.
    pub watermarks: en::WatermarkTexts,
    /// Settings and help.
    pub settings: en::SettingsTexts,
    /// Jobs.
    pub jobs: en::JobTexts,
    /// Runs of jobs.
    pub runs: en::RunTexts,
    /// Notebooks.
    pub notebook: en::NotebookTexts,
}

static LANGUAGE: LazyLock<ArcRwSignal<Language>> = LazyLock::new(|| ArcRwSignal::new(Language::default()));

/// The language in force. Reactive.
pub fn language() -> Language {
    LANGUAGE.get()
}

/// Changes the language of everything.
pub fn set_language(language: Language) {
    LANGUAGE.set(language);
}

/// The texts in the language in force. Reactive: what reads them inside a closure follows a change of language.
pub fn t() -> &'static Messages {
    language().texts()
}

/// `tr!(home.title)` is a closure for one text: what a view takes.
macro_rules! tr {
    ($area:ident . $field:ident) => {
        move || $crate::messages::t().$area.$field
    };
}
pub(crate) use tr;

/// The form of `text` (`one|other`) for `n`, with `{n}` filled in.
pub fn plural(text: &str, n: u64) -> String {
    let forms: Vec<&str> = text.split('|').collect();
    let form = forms.get(language().plural_form(n)).or(forms.last()).copied().unwrap_or_default();
    fill(form, &[("n", &count(n))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_follow_the_number() {
        assert_eq!(plural("{n} row|{n} rows", 1), "1 row");
        assert_eq!(plural("{n} row|{n} rows", 0), "0 rows");
        assert_eq!(plural("{n} row|{n} rows", 12_000), "12,000 rows");
        assert_eq!(plural("same", 2), "same");
    }

    #[test]
    fn tags_name_languages() {
        for language in Language::ALL {
            assert_eq!(Language::from_tag(language.tag()), Some(language));
        }
        assert_eq!(Language::from_tag("xx"), None);
    }
}
