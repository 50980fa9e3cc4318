//! Says that a fault of a lesson is on, as long as it is: runs go wrong because of it.

use lakelet_protocol::{FaultSwitch, FaultsView};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::icon::{Icon, icon};
use crate::engine::{Answer, calls};
use crate::messages::{fill, t, tr};
use crate::state::use_app;

/// The note; nothing while no fault is on.
#[component]
pub fn FaultNote(
    /// Which are on.
    faults: Signal<FaultsView>,
    /// They were switched off here.
    on_off: Callback<()>,
) -> impl IntoView {
    let app = use_app();
    let lines = Memo::new(move |_| words(faults.get()));
    let off = move |_| {
        let faults = faults.get_untracked();
        spawn_local(async move {
            match switch_off(faults).await {
                Ok(()) => {
                    app.news.say(t().runs.fault_is_off);
                    on_off.try_run(());
                }
                Err(error) => app.news.fail(error),
            }
        });
    };
    view! {
        <Show when=move || lines.with(|lines| !lines.is_empty())>
            <div class="notice tone-warning run-notice" role="note" aria-label=tr!(runs.faults)>
                {icon(Icon::Warning)}
                {move || lines.get().into_iter().map(|line| view! { <span>{line}</span> }).collect_view()}
                <button type="button" class="button-small" disabled=move || !app.is_ready() on:click=off>
                    {tr!(runs.fault_off)}
                </button>
            </div>
        </Show>
    }
}

/// What goes wrong, a sentence for each fault. Reactive.
fn words(faults: FaultsView) -> Vec<String> {
    let texts = &t().runs;
    let append = faults.fail_after_append.map(|n| fill(texts.fault_append, &[("n", &n.to_string())]));
    let conflict = faults.conflict.then(|| texts.fault_conflict.to_owned());
    append.into_iter().chain(conflict).collect()
}

async fn switch_off(faults: FaultsView) -> Answer<()> {
    if faults.fail_after_append.is_some() {
        calls::set_fault(FaultSwitch::FailAfterAppend { iteration: None }).await?;
    }
    if faults.conflict {
        calls::set_fault(FaultSwitch::Conflict { on: false }).await?;
    }
    Ok(())
}
