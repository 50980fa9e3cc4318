//! Messages for the reader, seen and heard.

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
}

impl News {
    /// Nothing was said.
    pub fn new() -> Self {
        Self { status: RwSignal::default(), urgent: RwSignal::default(), failure: RwSignal::default() }
    }

    /// Says something. What failed before is over then.
    pub fn say(self, text: impl Into<String>) {
        if self.urgent.with_untracked(|urgent| !urgent.is_empty()) {
            self.urgent.set(String::new());
        }
        self.status.set(text.into());
    }

    /// Says at once that something failed, which is shown elsewhere.
    pub fn say_urgently(self, text: impl Into<String>) {
        self.urgent.set(text.into());
    }

    /// Shows a failure that has no place of its own.
    pub fn fail(self, error: WireError) {
        self.failure.set(Some(error));
    }
}
