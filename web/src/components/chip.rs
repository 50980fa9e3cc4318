//! Small marks of state: always an icon, a word and a color together.

use lakelet_protocol::RunState;
use leptos::prelude::*;

use crate::components::icon::{Icon, icon};

/// The color pair of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Success,
    Failure,
    Running,
    Neutral,
    Upstream,
    Warning,
    Canceled,
    Repaired,
}

impl Tone {
    /// The class of the styles.
    pub fn class(self) -> &'static str {
        match self {
            Self::Success => "tone-success",
            Self::Failure => "tone-failure",
            Self::Running => "tone-running",
            Self::Neutral => "tone-neutral",
            Self::Upstream => "tone-upstream",
            Self::Warning => "tone-warning",
            Self::Canceled => "tone-canceled",
            Self::Repaired => "tone-repaired",
        }
    }
}

/// A chip.
#[component]
pub fn Chip(
    /// Colors.
    tone: Tone,
    /// Shape.
    shape: Icon,
    /// Words.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    view! { <span class=format!("chip {}", tone.class())>{icon(shape)}<span>{text}</span></span> }
}

/// How a run state looks; `repaired` is a success after a repair.
pub fn run_state_look(state: RunState, repaired: bool) -> (Tone, Icon) {
    match state {
        RunState::Success if repaired => (Tone::Repaired, Icon::Repaired),
        RunState::Success => (Tone::Success, Icon::Check),
        RunState::SuccessWithWarnings | RunState::SuccessWithFailures => (Tone::Warning, Icon::Warning),
        RunState::Failed | RunState::Timedout | RunState::Interrupted => (Tone::Failure, Icon::Cross),
        RunState::Running => (Tone::Running, Icon::Ring),
        RunState::Blocked => (Tone::Neutral, Icon::Padlock),
        RunState::NotRun => (Tone::Neutral, Icon::Dash),
        RunState::Queued | RunState::Waiting | RunState::WaitingForRetry => (Tone::Neutral, Icon::Clock),
        RunState::UpstreamFailed | RunState::UpstreamCanceled => (Tone::Upstream, Icon::UpstreamFailed),
        RunState::Excluded | RunState::Skipped | RunState::Disabled => (Tone::Upstream, Icon::Slash),
        RunState::Canceled => (Tone::Canceled, Icon::Stop),
    }
}

/// The chip of a run state.
#[component]
pub fn RunStateChip(
    /// State.
    state: RunState,
    /// The word, in the language in force.
    #[prop(into)]
    text: Signal<String>,
    /// It succeeded after a repair.
    #[prop(optional)]
    repaired: bool,
) -> impl IntoView {
    let (tone, shape) = run_state_look(state, repaired);
    view! { <Chip tone shape text/> }
}
