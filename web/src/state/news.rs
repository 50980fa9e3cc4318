//! Messages for the reader, seen and heard.

use std::time::Duration;

use lakelet_protocol::WireError;
use leptos::prelude::*;

/// What was said last, politely and urgently.
#[derive(Clone, Copy)]
pub struct News {
    /// Shown in the status bar, read out when there is a pause.
    pub status: RwSignal<String>,
    /// Read out at once: failures of what the reader started. The failure itself is shown where it happened.
    pub urgent: RwSignal<String>,
    /// A failure that has no place of its own; shown on top until dismissed.
    pub failure: RwSignal<Option<WireError>>,
    /// Counts what was said urgently.
    n_urgent: StoredValue<u32>,
}

/// How long something urgent stays to be read.
const URGENT_FOR: Duration = Duration::from_secs(10);

impl News {
    /// Nothing was said.
    pub fn new() -> Self {
        Self {
            status: RwSignal::default(),
            urgent: RwSignal::default(),
            failure: RwSignal::default(),
            n_urgent: StoredValue::default(),
        }
    }

    /// Says something. What failed before is over then.
    pub fn say(self, text: impl Into<String>) {
        if self.urgent.with_untracked(|urgent| !urgent.is_empty()) {
            self.urgent.set(String::new());
        }
        self.status.set(text.into());
    }

    /// Says at once that something failed, which is shown elsewhere. It does not stay: who comes by later would take it for
    /// news.
    pub fn say_urgently(self, text: impl Into<String>) {
        self.urgent.set(text.into());
        let number = self.n_urgent.get_value() + 1;
        self.n_urgent.set_value(number);
        set_timeout(
            move || {
                if self.n_urgent.try_get_value() == Some(number) {
                    self.urgent.set(String::new());
                }
            },
            URGENT_FOR,
        );
    }

    /// The reader has gone on to another screen: what failed on the last one is over.
    pub fn forget_failures(self) {
        if self.urgent.with_untracked(|urgent| !urgent.is_empty()) {
            self.urgent.set(String::new());
        }
        if self.failure.with_untracked(Option::is_some) {
            self.failure.set(None);
        }
    }

    /// Shows a failure that has no place of its own.
    pub fn fail(self, error: WireError) {
        self.failure.set(Some(error));
    }
}
