//! The table of a For each's iterations.

use lakelet_protocol::{IterationView, RunState};
use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;

use crate::components::RunStateChip;
use crate::jobs::run::RunPlace;
use crate::jobs::run::as_of::of_iteration;
use crate::jobs::run::iterations::{Filter, is_found, message, n_rows_shown, rows_changed};
use crate::jobs::words::{duration, state_word, time_of_day};
use crate::messages::{count, fill, plural, t, tr};

/// Rows shown before somebody asks for more.
const ROWS_SHOWN: usize = 200;

/// The id of the link that opens an iteration.
pub fn link_id(task: &str, index: u32) -> String {
    format!("iteration-{task}-{index}")
}

/// What a row shows.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    index: u32,
    label: String,
    state: RunState,
    repaired: bool,
    start: Option<lakelet_base::Timestamp>,
    duration_ms: Option<f64>,
    attempt: Option<u32>,
    n_rows: Option<u64>,
    changed: [u64; 3],
    message: String,
}

/// The table: arrow keys move between its rows.
#[component]
pub fn IterationTable(
    place: RunPlace,
    task: StoredValue<String>,
    iterations: Signal<Vec<IterationView>>,
    filter: RwSignal<Filter>,
    search: RwSignal<String>,
) -> impl IntoView {
    let shown_max = RwSignal::new(ROWS_SHOWN);
    let indices = Memo::new(move |_| {
        let limit = place.attempt.get();
        iterations.with(|iterations| {
            let is_shown = |iteration: &&IterationView| {
                filter.get().shows(of_iteration(iteration, limit).state) && is_found(iteration, &search.get())
            };
            iterations.iter().filter(is_shown).map(|iteration| iteration.index).collect::<Vec<_>>()
        })
    });
    let drawn = move || indices.get().into_iter().take(shown_max.get()).collect::<Vec<_>>();
    let n_hidden = move || indices.with(Vec::len).saturating_sub(shown_max.get());
    // One row can be reached by Tab: the one that had the focus last, else the first.
    let active = RwSignal::new(None::<u32>);
    let tab_stop = Memo::new(move |_| {
        indices.with(|indices| active.get().filter(|active| indices.contains(active)).or(indices.first().copied()))
    });
    let body = NodeRef::<html::Tbody>::new();
    let on_key = move |event: ev::KeyboardEvent| {
        let order = indices.get_untracked();
        let here = tab_stop.get_untracked().and_then(|here| order.iter().position(|index| *index == here));
        let Some(here) = here else { return };
        let last = order.len().min(shown_max.get_untracked()).saturating_sub(1);
        let next = match event.key().as_str() {
            "ArrowDown" => (here + 1).min(last),
            "ArrowUp" => here.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        if let Some(index) = order.get(next) {
            active.set(Some(*index));
            crate::boundary::dom::focus(&link_id(&task.get_value(), *index));
        }
    };
    let on_focus = move |event: ev::FocusEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let row = target.and_then(|target| target.closest("tr[data-index]").ok().flatten());
        if let Some(index) = row.and_then(|row| row.get_attribute("data-index")?.parse().ok()) {
            active.set(Some(index));
        }
    };
    let tick_all = move |event: ev::Event| {
        let on = event_target_checked(&event);
        let key = task.get_value();
        place.ticked.set(if on {
            indices.get_untracked().into_iter().map(|index| (key.clone(), index)).collect()
        } else {
            Vec::new()
        });
    };
    let all_ticked = move || {
        let n = indices.with(Vec::len);
        n > 0 && place.ticked.with(Vec::len) == n
    };
    view! {
        <div class="table-scroll iteration-scroll">
            <table
                class="table iterations"
                role="table"
                aria-label=move || fill(t().runs.iterations_of, &[("task", &task.get_value())])
                on:keydown=on_key
                on:focusin=on_focus
            >
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader" class="iteration-tick">
                            <input type="checkbox" aria-label=tr!(runs.tick_all) prop:checked=all_ticked on:change=tick_all/>
                        </th>
                        <th scope="col" role="columnheader" class="number">{tr!(runs.number)}</th>
                        <th scope="col" role="columnheader">{tr!(runs.item)}</th>
                        <th scope="col" role="columnheader">{tr!(runs.status)}</th>
                        <th scope="col" role="columnheader">{tr!(runs.start)}</th>
                        <th scope="col" role="columnheader" class="number">{tr!(runs.duration)}</th>
                        <th scope="col" role="columnheader" class="number">{tr!(runs.attempt_head)}</th>
                        <th scope="col" role="columnheader">{tr!(runs.rows)}</th>
                        <th scope="col" role="columnheader">{tr!(runs.message)}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup" node_ref=body>
                    <For each=drawn key=|index| *index let(index)>
                        <IterationRow place task index iterations tab_stop/>
                    </For>
                </tbody>
            </table>
        </div>
        <Show when=move || indices.with(Vec::is_empty)><p class="quiet">{tr!(runs.nothing_found)}</p></Show>
        <Show when=move || n_hidden() != 0>
            <p>
                <button type="button" class="button-small" on:click=move |_| shown_max.update(|n| *n += ROWS_SHOWN)>
                    {move || plural(t().runs.show_more, n_hidden().min(ROWS_SHOWN) as u64)}
                </button>
            </p>
        </Show>
    }
}

#[component]
fn IterationRow(
    place: RunPlace,
    task: StoredValue<String>,
    index: u32,
    iterations: Signal<Vec<IterationView>>,
    tab_stop: Memo<Option<u32>>,
) -> impl IntoView {
    let row = Memo::new(move |_| read_row(place, &task.get_value(), index, iterations));
    let with = move |read: &dyn Fn(&Row) -> String| row.with(|row| row.as_ref().map(read).unwrap_or_default());
    let stop = move || if tab_stop.get() == Some(index) { "0" } else { "-1" };
    let is_open = Memo::new(move |_| place.iteration.get() == Some(index));
    let address = place.address(Some(&task.get_value()), Some(index)).to_string();
    let label = move || with(&|row| if row.label.is_empty() { format!("#{index}") } else { row.label.clone() });
    let is_ticked = move || {
        place.ticked.with(|ticked| ticked.iter().any(|(key, ticked)| *ticked == index && *key == task.get_value()))
    };
    let tick = move |event: ev::Event| {
        let on = event_target_checked(&event);
        let entry = (task.get_value(), index);
        place.ticked.update(|ticked| {
            ticked.retain(|known| *known != entry);
            if on {
                ticked.push(entry);
                ticked.sort();
            }
        });
    };
    view! {
        <tr role="row" data-index=index.to_string() class:row-marked=move || is_open.get()>
            <td role="cell" class="iteration-tick">
                <input
                    type="checkbox"
                    tabindex=stop
                    aria-label=move || fill(t().runs.tick, &[("item", &label())])
                    prop:checked=is_ticked
                    on:change=tick
                />
            </td>
            <td role="cell" class="number iteration-index">{index}</td>
            <th scope="row" role="rowheader" class="iteration-item">
                <a href=address id=link_id(&task.get_value(), index) tabindex=stop aria-current=move || is_open.get().then_some("true")>
                    {label}
                </a>
            </th>
            <td role="cell" class="iteration-status">
                {move || row.with(|row| row.as_ref().map(|row| (row.state, row.repaired))).map(|(state, repaired)| view! {
                    <RunStateChip state repaired text=Signal::derive(move || state_word(state, repaired).to_owned())/>
                })}
            </td>
            <td role="cell" class="iteration-fact" data-head=tr!(runs.start)>{move || with(&|row| row.start.map(time_of_day).unwrap_or_default())}</td>
            <td role="cell" class="number iteration-fact" data-head=tr!(runs.duration)>
                {move || with(&|row| row.duration_ms.map(duration).unwrap_or_default())}
            </td>
            <td role="cell" class="number iteration-fact" data-head=tr!(runs.attempt_head)>
                {move || with(&|row| row.attempt.map(|attempt| attempt.to_string()).unwrap_or_default())}
            </td>
            <td role="cell" class="iteration-fact iteration-rows" data-head=tr!(runs.rows) class:iteration-empty=move || with(&rows_words).is_empty()>
                {move || with(&rows_words)}
            </td>
            <td
                role="cell"
                class="iteration-fact iteration-message"
                data-head=tr!(runs.message)
                class:iteration-empty=move || with(&|row| row.message.clone()).is_empty()
            >
                {move || with(&|row| row.message.clone())}
            </td>
        </tr>
    }
}

fn read_row(place: RunPlace, task: &str, index: u32, iterations: Signal<Vec<IterationView>>) -> Option<Row> {
    let limit = place.attempt.get();
    iterations.with(|iterations| {
        let iteration = iterations.iter().find(|iteration| iteration.index == index)?;
        let standing = of_iteration(iteration, limit);
        let attempt = standing.attempt;
        let changed = attempt.map(|attempt| attempt.attempt).and_then(|attempt| {
            place.shown.with(|run| {
                let run = run.as_ref()?;
                let task = run.tasks.iter().find(|known| known.task_key == task)?;
                Some(rows_changed(&run.changes, task, iteration, attempt))
            })
        });
        Some(Row {
            index,
            label: iteration.label.clone(),
            state: standing.state,
            repaired: standing.repaired,
            start: attempt.and_then(|attempt| attempt.start),
            duration_ms: standing.duration_ms(),
            attempt: attempt.map(|attempt| attempt.attempt),
            n_rows: attempt.and_then(n_rows_shown),
            changed: changed.unwrap_or_default(),
            message: message(attempt),
        })
    })
}

/// Rows read and rows written: `5 rows`, `+10 ~1`. Reactive.
fn rows_words(row: &Row) -> String {
    let [inserted, updated, deleted] = row.changed;
    let written = [('+', inserted), ('~', updated), ('-', deleted)];
    let written = written.into_iter().filter(|(_, n)| *n > 0).map(|(sign, n)| format!("{sign}{}", count(n)));
    let read = row.n_rows.map(|n| plural(t().common.n_rows, n));
    read.into_iter().chain(written).collect::<Vec<_>>().join(" ")
}
