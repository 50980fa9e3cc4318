//! The tab "Log": what happened, in the order of time.

use leptos::prelude::*;

use crate::jobs::run::RunPlace;
use crate::jobs::run::log::{Entry, What, entries};
use crate::jobs::words::{state_word, time_of_day};
use crate::messages::{fill, t, tr};

/// Entries shown before somebody asks for more.
const ENTRIES_SHOWN: usize = 500;

/// The tab.
#[component]
pub fn LogTab(place: RunPlace) -> impl IntoView {
    let shown_max = RwSignal::new(ENTRIES_SHOWN);
    let entries = Memo::new(move |_| place.shown.with(|run| run.as_ref().map(entries)).unwrap_or_default());
    let n_hidden = move || entries.with(Vec::len).saturating_sub(shown_max.get());
    view! {
        <ol class="run-log" aria-label=tr!(runs.tab_log)>
            {move || entries.get().into_iter().take(shown_max.get()).map(line).collect_view()}
        </ol>
        <Show when=move || n_hidden() != 0>
            <button type="button" class="button-small" on:click=move |_| shown_max.update(|n| *n += ENTRIES_SHOWN)>
                {move || crate::messages::plural(t().runs.show_more, n_hidden().min(ENTRIES_SHOWN) as u64)}
            </button>
        </Show>
    }
}

fn line(entry: Entry) -> impl IntoView {
    let Entry { at, whose, what } = entry;
    let whose = whose.map(|(task, iteration)| match iteration {
        Some(label) => format!("{task} · {label}"),
        None => task,
    });
    view! {
        <li>
            <time datetime=at.to_rfc3339_millis()>{format!("{}.{:03}", time_of_day(at), at.subsecond_micros() / 1_000)}</time>
            " "
            {whose.map(|whose| view! { <strong>{whose}</strong> " " })}
            <span>{move || words(&what)}</span>
        </li>
    }
}

/// What an entry says. Reactive.
fn words(what: &What) -> String {
    let texts = &t().runs;
    match what {
        What::RunStarted => texts.log_run_started.to_owned(),
        What::RunEnded(state) => fill(texts.log_run_ended, &[("state", state_word(*state, false))]),
        What::Started { attempt } => fill(texts.log_started, &[("n", &attempt.to_string())]),
        What::Ended { attempt, state, message } => {
            let (n, state) = (attempt.to_string(), state_word(*state, false));
            let words = fill(texts.log_ended, &[("n", &n), ("state", state)]);
            match message {
                Some(message) => format!("{words} {message}"),
                None => words,
            }
        }
    }
}
