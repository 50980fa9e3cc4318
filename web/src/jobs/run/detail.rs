//! What one attempt of a task or of an iteration did: parameters, output, error.

use lakelet_protocol::{AttemptView, CellOutput, ParameterValue};
use leptos::prelude::*;

use crate::boundary::dom;
use crate::components::icon::{Icon, icon};
use crate::components::{Failure, RunStateChip};
use crate::jobs::run::RunPlace;
use crate::jobs::run::as_of::{of_iteration, of_task};
use crate::jobs::run::output::TaskOutput;
use crate::jobs::words::{duration, origin_word, state_word};
use crate::messages::{clock_text, fill, t, tr};
use crate::notebook::CellOutputs;

/// What is told of an attempt.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    state: lakelet_protocol::RunState,
    repaired: bool,
    duration_ms: Option<f64>,
    attempt: Option<AttemptView>,
    n_attempts: usize,
}

/// What a task did.
#[component]
pub fn TaskDetail(place: RunPlace, task: String) -> impl IntoView {
    let key = StoredValue::new(task.clone());
    let shown = Memo::new(move |_| {
        let limit = place.attempt.get();
        place.with_task(&key.get_value(), |task| {
            let standing = of_task(task, limit);
            Shown {
                state: standing.state,
                repaired: standing.repaired,
                duration_ms: standing.duration_ms(),
                attempt: standing.attempt.cloned(),
                n_attempts: task.attempts.len(),
            }
        })
    });
    let is_sql = Memo::new(move |_| place.with_task(&key.get_value(), |task| task.type_name == "SQL") == Some(true));
    let notices =
        Memo::new(move |_| place.with_task(&key.get_value(), |task| task.notices.clone()).unwrap_or_default());
    view! {
        <section class="attempt-detail" aria-labelledby="detail-title">
            <header class="panel-head"><h2 id="detail-title">{task}</h2><AttemptFacts shown/></header>
            {move || notices.get().into_iter().map(|notice| view! { <p class="quiet">{notice}</p> }).collect_view()}
            <AttemptBody shown is_sql/>
        </section>
    }
}

/// What an iteration did.
#[component]
pub fn IterationDetail(place: RunPlace, task: String, index: u32) -> impl IntoView {
    let key = StoredValue::new(task);
    let shown = Memo::new(move |_| {
        let limit = place.attempt.get();
        place
            .with_task(&key.get_value(), |task| {
                let iteration = task.iterations.as_ref()?.iter().find(|iteration| iteration.index == index)?;
                let standing = of_iteration(iteration, limit);
                Some(Shown {
                    state: standing.state,
                    repaired: standing.repaired,
                    duration_ms: standing.duration_ms(),
                    attempt: standing.attempt.cloned(),
                    n_attempts: iteration.attempts.len(),
                })
            })
            .flatten()
    });
    let input = Memo::new(move |_| {
        place
            .with_task(&key.get_value(), |task| {
                let iteration = task.iterations.as_ref()?.iter().find(|iteration| iteration.index == index)?;
                Some((iteration.label.clone(), iteration.input.clone()))
            })
            .flatten()
            .unwrap_or_default()
    });
    // The graph knows the type of the nested task, the task of the run only its own.
    let is_sql = Memo::new(move |_| {
        place.shown.with(|run| {
            let nodes = run.iter().flat_map(|run| &run.graph.nodes);
            let mut nested = nodes.filter(|node| node.key == key.get_value()).flat_map(|node| &node.children);
            nested.any(|child| child.type_name == "SQL")
        })
    });
    // The detail is behind the table: whoever opens it is brought there.
    Effect::new(move || {
        request_animation_frame(|| dom::focus("detail-title"));
    });
    view! {
        <section class="attempt-detail" aria-labelledby="detail-title">
            <header class="panel-head">
                <h2 id="detail-title" tabindex="-1">{move || format!("#{index} {}", input.get().0)}</h2>
                <AttemptFacts shown/>
                <a
                    class="button-small"
                    href=place.address(Some(&key.get_value()), None).to_string()
                >
                    {icon(Icon::Close)}{tr!(runs.close_iteration)}
                </a>
            </header>
            <AttemptBody shown is_sql/>
            <details class="fold">
                <summary>{tr!(runs.input)}</summary>
                <pre class="code"><code>{move || pretty(&input.get().1)}</code></pre>
            </details>
        </section>
    }
}

/// State, time and attempt in a line.
#[component]
fn AttemptFacts(shown: Memo<Option<Shown>>) -> impl IntoView {
    let words = move || {
        let texts = &t().runs;
        let shown = shown.get()?;
        let attempt = shown.attempt?;
        let mut words = Vec::new();
        if shown.n_attempts > 1 {
            let (n, all) = (attempt.attempt.to_string(), shown.n_attempts.to_string());
            words.push(fill(texts.attempt_of, &[("n", &n), ("all", &all)]));
        }
        words.extend(attempt.start.map(clock_text));
        words.extend(shown.duration_ms.map(duration));
        Some(words.join(" · "))
    };
    view! {
        {move || shown.with(|shown| shown.as_ref().map(|shown| (shown.state, shown.repaired))).map(|(state, repaired)| view! {
            <RunStateChip state repaired text=Signal::derive(move || state_word(state, repaired).to_owned())/>
        })}
        <span class="quiet">{words}</span>
    }
}

/// Error, warnings, parameters and output.
#[component]
fn AttemptBody(shown: Memo<Option<Shown>>, is_sql: Memo<bool>) -> impl IntoView {
    // Kept apart, so that a running attempt's output is not drawn anew when only its time moves.
    let attempt = Memo::new(move |_| shown.get().and_then(|shown| shown.attempt));
    move || {
        let Some(attempt) = attempt.get() else {
            return view! { <p class="quiet">{tr!(runs.no_attempt)}</p> }.into_any();
        };
        let AttemptView { parameters, rows, cells, error, warnings, end, .. } = attempt;
        let is_empty = rows.is_none() && cells.iter().all(|cell| cell.items.is_empty()) && error.is_none();
        // What went wrong comes first; it is not said a second time below the cell that raised it.
        let cells = cells
            .into_iter()
            .map(|cell| CellOutput { error: cell.error.filter(|raised| Some(raised) != error.as_ref()), ..cell })
            .collect::<Vec<_>>();
        view! {
            {error.map(|error| view! { <Failure error/> })}
            {warnings.into_iter().map(|warning| view! {
                <p class="notice tone-warning run-notice">{icon(Icon::Warning)}<span>{warning}</span></p>
            }).collect_view()}
            {(!parameters.is_empty()).then(|| parameter_table(&parameters, is_sql.get()))}
            {(!cells.is_empty()).then(|| view! { <CellOutputs cells/> })}
            {rows.map(|output| view! { <TaskOutput output/> })}
            {is_empty.then(|| view! {
                <p class="quiet">{move || if end.is_some() { t().runs.no_output } else { t().runs.no_output_yet }}</p>
            })}
        }
        .into_any()
    }
}

/// Parameters with their origins. Those of SQL are shown as they stand in the text.
fn parameter_table(parameters: &[ParameterValue], is_sql: bool) -> impl IntoView + use<> {
    let rows = parameters
        .iter()
        .map(|parameter| {
            let name = if is_sql { format!(":{}", parameter.name) } else { parameter.name.clone() };
            let origin = parameter.origin;
            view! {
                <tr>
                    <th scope="row"><code>{name}</code></th>
                    <td><code>{parameter.value.clone()}</code></td>
                    <td>{move || origin_word(origin)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-scroll">
            <table class="table table-dense" aria-label=tr!(runs.parameters)>
                <thead>
                    <tr>
                        <th scope="col">{tr!(runs.parameter)}</th>
                        <th scope="col">{tr!(jobs.value)}</th>
                        <th scope="col">{tr!(runs.origin)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// JSON with a line for each field; other text as it is.
fn pretty(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| json.to_owned())
}
