//! The tab "Timeline": attempts over time. Each bar is a link with a full name; the table of iterations says the same.

use leptos::prelude::*;

use crate::components::chip::run_state_look;
use crate::components::icon::icon;
use crate::jobs::run::RunPlace;
use crate::jobs::run::lanes::{Lane, Span, axis, lanes};
use crate::jobs::words::{duration, state_word};
use crate::messages::{fill, t, tr};

/// The tab.
#[component]
pub fn TimelineTab(place: RunPlace) -> impl IntoView {
    let drawn = Memo::new(move |_| place.shown.with(|run| run.as_ref().map(lanes)));
    view! {
        <p class="quiet">{tr!(runs.timeline_text)}</p>
        <div class="run-timeline" role="group" aria-label=tr!(runs.tab_timeline) tabindex="0">
            {move || drawn.get().map(|(lanes, length_ms)| view! {
                <div class="run-lanes">
                    <div class="run-lane run-axis" aria-hidden="true">
                        <span class="run-lane-name"></span>
                        <span class="run-lane-bars">
                            {axis(length_ms).into_iter().map(|mark| view! {
                                <span class="axis-label" style:left=format!("{:.3}%", 100.0 * mark / length_ms)>{mark_words(mark)}</span>
                            }).collect_view()}
                        </span>
                    </div>
                    {lanes.into_iter().map(|lane| lane_view(place, lane, length_ms)).collect_view()}
                </div>
            })}
        </div>
    }
}

fn mark_words(mark_ms: f64) -> String {
    if mark_ms == 0.0 { "0".to_owned() } else { duration(mark_ms) }
}

fn lane_view(place: RunPlace, lane: Lane, length_ms: f64) -> impl IntoView {
    let Lane { task, slot, spans } = lane;
    let is_first = slot.is_none_or(|slot| slot == 1);
    let task_name = task.clone();
    let name = move || match slot {
        Some(slot) => fill(t().runs.slot, &[("n", &slot.to_string())]),
        None => String::new(),
    };
    view! {
        {(is_first && slot.is_some()).then(|| view! { <div class="run-lane run-lane-head">{task_name.clone()}</div> })}
        <div class="run-lane">
            <span class="run-lane-name">{if slot.is_none() { task.clone() } else { String::new() }} {name}</span>
            <span class="run-lane-bars">
                {spans.into_iter().map(|span| bar(place, &task, span, length_ms)).collect_view()}
            </span>
        </div>
    }
}

fn bar(place: RunPlace, task: &str, span: Span, length_ms: f64) -> impl IntoView + use<> {
    let Span { iteration, attempt, state, from_ms, to_ms } = span;
    let index = iteration.as_ref().map(|(index, _)| *index);
    let label = match &iteration {
        Some((index, label)) => format!("#{index} {label}"),
        None => task.to_owned(),
    };
    let address = place.address(Some(task), index).to_string();
    let (tone, shape) = run_state_look(state, false);
    let shown = label.clone();
    let name = move || {
        let (n, from, took) = (attempt.to_string(), duration(from_ms), duration(to_ms - from_ms));
        fill(
            t().runs.bar,
            &[("item", &label), ("n", &n), ("state", state_word(state, false)), ("from", &from), ("took", &took)],
        )
    };
    view! {
        <a
            class=format!("run-bar {}", tone.class())
            href=address
            aria-label=name.clone()
            title=name
            style:left=format!("{:.3}%", 100.0 * from_ms / length_ms)
            style:width=format!("{:.3}%", 100.0 * (to_ms - from_ms) / length_ms)
        >
            {icon(shape)}
            <span>{shown}</span>
        </a>
    }
}
