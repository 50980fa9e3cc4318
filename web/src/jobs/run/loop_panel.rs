//! The iterations of a For each, and the one that is open.

use lakelet_protocol::IterationView;
use leptos::prelude::*;

use crate::boundary::dom;
use crate::components::icon::{Icon, icon};
use crate::jobs::node::progress_words;
use crate::jobs::run::RunPlace;
use crate::jobs::run::detail::IterationDetail;
use crate::jobs::run::iteration_table::{IterationTable, link_id};
use crate::jobs::run::iterations::{Filter, n_shown, progress};
use crate::messages::{fill, t, tr};

/// The panel.
#[component]
pub fn LoopPanel(place: RunPlace, task: String) -> impl IntoView {
    let key = StoredValue::new(task);
    let iterations = Memo::new(move |_| place.with_task(&key.get_value(), |task| task.iterations.clone()).flatten());
    let notices =
        Memo::new(move |_| place.with_task(&key.get_value(), |task| task.notices.clone()).unwrap_or_default());
    let n = Memo::new(move |_| iterations.with(|iterations| iterations.as_ref().map(Vec::len)));
    let concurrency = move || {
        let at_a_time = place.with_task(&key.get_value(), |task| task.concurrency).flatten()?;
        let (limit, most) = (at_a_time.limit.to_string(), at_a_time.max_in_flight.to_string());
        Some(fill(t().runs.concurrency, &[("limit", &limit), ("most", &most)]))
    };
    return_focus(place, key);
    view! {
        <section class="loop-panel" aria-labelledby="loop-title">
            <header class="panel-head">
                <h2 id="loop-title">{move || fill(t().runs.iterations_of, &[("task", &key.get_value())])}</h2>
                <span class="quiet">{concurrency}</span>
            </header>
            {move || notices.get().into_iter().map(|notice| view! {
                <p class="notice tone-neutral run-notice">{icon(Icon::Warning)}<span>{notice}</span></p>
            }).collect_view()}
            {move || match n.get() {
                None => view! { <p class="quiet">{tr!(runs.not_planned)}</p> }.into_any(),
                // Said by a notice of the task where the engine gives one.
                Some(0) => view! {
                    <Show when=move || notices.with(Vec::is_empty)><p class="quiet">{tr!(runs.no_iterations)}</p></Show>
                }
                .into_any(),
                Some(_) => {
                    let iterations = Signal::derive(move || iterations.get().unwrap_or_default());
                    view! { <Iterations place task=key iterations/> }.into_any()
                }
            }}
        </section>
        <OpenIteration place task=key/>
    }
}

#[component]
fn Iterations(place: RunPlace, task: StoredValue<String>, iterations: Signal<Vec<IterationView>>) -> impl IntoView {
    let filter = RwSignal::new(Filter::All);
    let search = RwSignal::new(String::new());
    let counts = Memo::new(move |_| {
        let limit = place.attempt.get();
        iterations.with(|iterations| Filter::ALL.map(|filter| n_shown(iterations, filter, limit)))
    });
    let all_done = Memo::new(move |_| iterations.with(|iterations| progress(iterations, place.attempt.get())));
    // A filter that nothing is left of would hide its own button.
    Effect::new(move || {
        let index = Filter::ALL.iter().position(|known| *known == filter.get()).unwrap_or(0);
        if counts.get().get(index) == Some(&0) && !filter.get().is_always_there() {
            filter.set(Filter::All);
        }
    });
    let buttons = Filter::ALL.into_iter().enumerate().map(|(index, choice)| {
        let count = move || counts.get().get(index).copied().unwrap_or(0);
        let shown = move || choice.is_always_there() || count() > 0;
        view! {
            <Show when=shown>
                <button
                    type="button"
                    class="button-small filter-button"
                    aria-pressed=move || (filter.get() == choice).to_string()
                    on:click=move |_| filter.set(choice)
                >
                    {move || fill(filter_word(choice), &[("n", &count().to_string())])}
                </button>
            </Show>
        }
    });
    let is_going_on = move || {
        let [done, all, ..] = all_done.get();
        done < all
    };
    let repair = move |_| place.repairing.set(Some(place.ticked.get_untracked()));
    let can_repair = move || {
        !place.ticked.with(Vec::is_empty)
            && place.shown.with(|run| run.as_ref().is_some_and(|run| run.summary.state.is_final()))
    };
    view! {
        <Show when=is_going_on>
            <div class="loop-progress">
                <progress
                    aria-label=tr!(runs.progress)
                    aria-valuetext=move || progress_words(all_done.get())
                    max=move || all_done.get()[1].to_string()
                    value=move || all_done.get()[0].to_string()
                ></progress>
                <span>{move || progress_words(all_done.get())}</span>
            </div>
        </Show>
        <div class="toolbar iteration-bar">
            <div class="button-row" role="group" aria-label=tr!(runs.show)>{buttons.collect_view()}</div>
            <label class="field">
                <span class="for-ears">{tr!(runs.search)}</span>
                <input
                    type="search"
                    class="input"
                    placeholder=tr!(runs.search)
                    prop:value=search
                    on:input=move |event| search.set(event_target_value(&event))
                />
            </label>
            <button type="button" class="button-small" disabled=move || !can_repair() on:click=repair>
                {icon(Icon::Repaired)}{tr!(runs.repair_selected)}
            </button>
        </div>
        <IterationTable place task iterations filter search/>
    }
}

/// Text with the number that a filter's button shows. Reactive.
fn filter_word(filter: Filter) -> &'static str {
    let texts = &t().runs;
    match filter {
        Filter::All => texts.filter_all,
        Filter::Succeeded => texts.filter_succeeded,
        Filter::Failed => texts.filter_failed,
        Filter::Running => texts.filter_running,
        Filter::Waiting => texts.filter_waiting,
        Filter::Stopped => texts.filter_stopped,
    }
}

#[component]
fn OpenIteration(place: RunPlace, task: StoredValue<String>) -> impl IntoView {
    let iteration = Memo::new(move |_| {
        let index = place.iteration.get()?;
        place
            .with_task(&task.get_value(), |task| task.iterations.as_ref().is_some_and(|all| all.len() > index as usize))
            .filter(|there| *there)
            .map(|_| index)
    });
    move || iteration.get().map(|index| view! { <IterationDetail place task=task.get_value() index/> })
}

/// Back from an iteration leads to its row.
fn return_focus(place: RunPlace, task: StoredValue<String>) {
    Effect::new(move |before: Option<Option<u32>>| {
        let now = place.iteration.get();
        if let (Some(Some(left)), None) = (before, now) {
            let id = link_id(&task.get_value(), left);
            request_animation_frame(move || dom::focus(&id));
        }
        now
    });
}
