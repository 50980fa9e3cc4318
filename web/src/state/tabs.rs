//! Tabs of the SQL editor.

use std::collections::BTreeMap;

use lakelet_protocol::{StatementReport, StatementState};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::messages::{fill, t};
use crate::state::draft;

const DRAFT: &str = "tabs";

/// One tab: a script and what its last run did. A handle; clones are the same tab.
#[derive(Clone)]
pub struct EditorTab {
    /// Names the tab in addresses and towards the engine.
    pub id: String,
    /// What stands on it.
    pub title: String,
    /// The script.
    pub text: ArcRwSignal<String>,
    /// The script as it was run last; places in reports count in it.
    pub text_run: ArcRwSignal<String>,
    /// What the statements of the last run did.
    pub statements: ArcRwSignal<Vec<StatementReport>>,
    /// It is running.
    pub running: ArcRwSignal<bool>,
    /// Values of `:name` parameters as typed.
    pub parameters: ArcRwSignal<BTreeMap<String, ParameterInput>>,
    /// Counts texts that came from elsewhere than the editor (a lesson, a suggestion): the editor shows them.
    pub replaced: ArcRwSignal<u32>,
    /// Byte range of what was put in from elsewhere, until the editor has shown it.
    pub put_in: ArcRwSignal<Option<(usize, usize)>>,
    /// `catalog.schema` in force, once a run has told.
    pub schema: ArcRwSignal<Option<String>>,
}

/// What is typed for a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ParameterInput {
    /// Text of the field.
    pub text: String,
    /// How it is read.
    pub kind: ParameterKind,
}

/// How a parameter's text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterKind {
    /// As it is.
    #[default]
    Text,
    /// As a number.
    Number,
    /// As `true` or `false`.
    Boolean,
    /// NULL, whatever is typed.
    Null,
}

#[derive(Default, Serialize, Deserialize)]
struct Kept {
    tabs: Vec<KeptTab>,
    current: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct KeptTab {
    id: String,
    title: String,
    text: String,
    #[serde(default)]
    schema: Option<String>,
}

impl EditorTab {
    fn new(id: String, title: String, text: String) -> Self {
        Self {
            id,
            title,
            text: ArcRwSignal::new(text),
            text_run: ArcRwSignal::default(),
            statements: ArcRwSignal::default(),
            running: ArcRwSignal::default(),
            parameters: ArcRwSignal::default(),
            replaced: ArcRwSignal::default(),
            put_in: ArcRwSignal::default(),
            schema: ArcRwSignal::default(),
        }
    }

    fn kept(kept: KeptTab) -> Self {
        let tab = Self::new(kept.id, kept.title, kept.text);
        tab.schema.set(kept.schema);
        tab
    }

    /// Puts a statement at the end, from elsewhere than the editor.
    pub fn append(&self, text: &str) {
        let present = self.text.get_untracked();
        self.replace_text(appended(&present, text));
    }

    /// Replaces the text from elsewhere than its editor.
    pub fn replace_text(&self, text: impl Into<String>) {
        self.text.set(text.into());
        self.replaced.update(|n| *n += 1);
    }

    /// Lets the editor show and select a part of the text: the last place where it stands.
    fn show_part(&self, part: &str) {
        let start = self.text.with_untracked(|text| text.rfind(part));
        self.put_in.set(start.map(|start| (start, start + part.len())));
    }

    /// Takes in a report of one statement.
    pub fn take_report(&self, report: StatementReport) {
        self.statements.update(|statements| match statements.iter_mut().find(|known| known.index == report.index) {
            Some(known) => *known = report,
            None => {
                let place = statements.partition_point(|known| known.index < report.index);
                statements.insert(place, report);
            }
        });
    }

    /// Marks statements that were not finished: nothing more will be heard of them.
    pub fn end_statements(&self, state: StatementState) {
        self.statements.update(|statements| {
            for statement in statements.iter_mut() {
                statement.state = match statement.state {
                    StatementState::Running => state,
                    StatementState::Waiting => StatementState::NotRun,
                    other => other,
                };
            }
        });
    }
}

/// All tabs and which is shown.
#[derive(Clone, Copy)]
pub struct EditorTabs {
    /// In the order in which they stand; never empty.
    pub list: RwSignal<Vec<EditorTab>>,
    /// Id of the one shown.
    pub current: RwSignal<String>,
}

impl EditorTabs {
    /// The tabs this browser kept, or one that is empty.
    pub fn restore() -> Self {
        let kept: Kept = draft::load(DRAFT);
        let mut list: Vec<EditorTab> = kept.tabs.into_iter().map(EditorTab::kept).collect();
        if list.is_empty() {
            list.push(untitled(&[]));
        }
        let current = kept.current.filter(|current| list.iter().any(|tab| tab.id == *current));
        let current = current.or_else(|| list.first().map(|tab| tab.id.clone())).unwrap_or_default();
        Self { list: RwSignal::new(list), current: RwSignal::new(current) }
    }

    /// The tab shown. Reactive.
    pub fn shown(self) -> Option<EditorTab> {
        let current = self.current.get();
        self.list.with(|list| list.iter().find(|tab| tab.id == current).or(list.first()).cloned())
    }

    /// The tab shown, without following it.
    pub fn shown_untracked(self) -> Option<EditorTab> {
        untrack(|| self.shown())
    }

    /// A tab by its id. Not reactive.
    pub fn find(self, id: &str) -> Option<EditorTab> {
        self.list.with_untracked(|list| list.iter().find(|tab| tab.id == id).cloned())
    }

    /// Shows the tab with this title: a new one with this text, or the one there is. One whose text differs keeps it
    /// and gets the new text at its end, unless it is empty.
    pub fn open(self, title: &str, text: &str) -> EditorTab {
        let known = self.list.with_untracked(|list| list.iter().find(|tab| tab.title == title).cloned());
        let tab = match known {
            Some(tab) => {
                if !tab.text.with_untracked(|present| present.contains(text)) {
                    tab.append(text);
                }
                tab
            }
            None => self.add(title.to_owned(), text),
        };
        tab.show_part(text);
        self.current.set(tab.id.clone());
        self.save();
        tab
    }

    /// A new, empty tab, shown.
    pub fn open_untitled(self) -> EditorTab {
        let tab = self.list.with_untracked(|list| untitled(list));
        self.list.update(|list| list.push(tab.clone()));
        self.current.set(tab.id.clone());
        self.save();
        tab
    }

    /// Puts a statement where the reader can see it before running it: at the end of the tab shown.
    pub fn insert(self, text: &str) -> EditorTab {
        let tab = self.shown_untracked().unwrap_or_else(|| self.open_untitled());
        tab.append(text);
        tab.show_part(text);
        self.save();
        tab
    }

    /// Starts over with one tab.
    pub fn reset(self, title: Option<&str>, text: &str) {
        let tab = match title {
            Some(title) => EditorTab::new(title.to_owned(), title.to_owned(), text.to_owned()),
            None => untitled(&[]),
        };
        self.current.set(tab.id.clone());
        self.list.set(vec![tab]);
        self.save();
    }

    /// Closes a tab; the last one makes place for an empty one.
    pub fn close(self, id: &str) {
        let mut next = None;
        self.list.update(|list| {
            let Some(index) = list.iter().position(|tab| tab.id == id) else { return };
            list.remove(index);
            if list.is_empty() {
                list.push(untitled(&[]));
            }
            next = list.get(index.min(list.len() - 1)).map(|tab| tab.id.clone());
        });
        if let Some(next) = next
            && self.current.get_untracked() == id
        {
            self.current.set(next);
        }
        self.save();
    }

    /// Keeps the tabs in this browser; whether they will survive a reload.
    pub fn save(self) -> bool {
        let tabs = self.list.with_untracked(|list| {
            list.iter()
                .map(|tab| KeptTab {
                    id: tab.id.clone(),
                    title: tab.title.clone(),
                    text: tab.text.get_untracked(),
                    schema: tab.schema.get_untracked(),
                })
                .collect()
        });
        draft::save(DRAFT, &Kept { tabs, current: Some(self.current.get_untracked()) })
    }

    fn add(self, title: String, text: &str) -> EditorTab {
        let tab = EditorTab::new(title.clone(), title, text.to_owned());
        self.list.update(|list| {
            // A first tab that nobody used makes place.
            if let [only] = list.as_slice()
                && only.text.with_untracked(|text| text.trim().is_empty())
                && only.statements.with_untracked(Vec::is_empty)
            {
                list.clear();
            }
            list.push(tab.clone());
        });
        tab
    }
}

/// `text` behind a script, whose last statement is ended first so that the two do not run together.
fn appended(script: &str, text: &str) -> String {
    let script = script.trim_end();
    if script.is_empty() {
        return text.to_owned();
    }
    let end = match script.lines().last() {
        Some(_) if script.ends_with(';') => "",
        // A comment would swallow the semicolon.
        Some(line) if line.contains("--") => "\n;",
        _ => ";",
    };
    format!("{script}{end}\n\n{text}")
}

/// An empty tab with a title that none of `list` has.
fn untitled(list: &[EditorTab]) -> EditorTab {
    let title = (1..=list.len() + 1)
        .map(|n| fill(untrack(t).sql.untitled, &[("n", &n.to_string())]))
        .find(|title| list.iter().all(|tab| tab.id != *title))
        .unwrap_or_default();
    EditorTab::new(title.clone(), title, String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_a_statement_of_its_own() {
        assert_eq!(appended(" \n", "SELECT 2;"), "SELECT 2;");
        assert_eq!(appended("SELECT 1;\n", "SELECT 2;"), "SELECT 1;\n\nSELECT 2;");
        assert_eq!(appended("SELECT 1", "SELECT 2;"), "SELECT 1;\n\nSELECT 2;");
        assert_eq!(appended("SELECT 1 -- one", "SELECT 2;"), "SELECT 1 -- one\n;\n\nSELECT 2;");
    }
}
