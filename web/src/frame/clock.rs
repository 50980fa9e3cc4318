//! The workspace clock and its moves, each shown before it happens.

use lakelet_protocol::{AdvanceBy, AdvancePreview, AdvanceReport, WireError};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::Dialog;
use crate::components::icon::{Icon, icon};
use crate::engine::calls;
use crate::messages::en::ClockTexts;
use crate::messages::{Choose, clock_text, count, fill, plural, t, tr};
use crate::names::short_name;
use crate::state::{App, use_app};

/// A move that has a button.
#[derive(Clone, Copy)]
struct Move {
    by: AdvanceBy,
    name: Choose<ClockTexts>,
    short: Choose<ClockTexts>,
    span: Choose<ClockTexts>,
}

const MOVES: [Move; 4] = [
    Move { by: AdvanceBy::Minutes { n: 1 }, name: |t| t.minute, short: |t| t.minute_short, span: |t| t.span_minute },
    Move { by: AdvanceBy::Minutes { n: 60 }, name: |t| t.hour, short: |t| t.hour_short, span: |t| t.span_hour },
    Move { by: AdvanceBy::Minutes { n: 24 * 60 }, name: |t| t.day, short: |t| t.day_short, span: |t| t.span_day },
    Move { by: AdvanceBy::NextSchedule, name: |t| t.next, short: |t| t.next_short, span: |t| t.span_next },
];

/// The group "Simulated clock".
#[component]
pub fn ClockWidget() -> impl IntoView {
    let app = use_app();
    let expanded = RwSignal::new(false);
    let preview_open = RwSignal::new(false);
    let preview = RwSignal::new(None::<(Move, AdvancePreview)>);
    let label = move || {
        let real = app.clock.with(|clock| clock.as_ref().is_some_and(|clock| !clock.simulated));
        if real { t().clock.real } else { t().clock.simulated }
    };
    let now = Memo::new(move |_| app.clock.with(|clock| clock.as_ref().map(|clock| clock.now)));
    let has_next =
        Memo::new(move |_| app.clock.with(|clock| clock.as_ref().is_some_and(|clock| clock.next_due.is_some())));
    let show_preview = move |chosen: Move| {
        spawn_local(async move {
            match calls::preview_advance(chosen.by).await {
                Ok(answer) => {
                    preview.set(Some((chosen, answer)));
                    preview_open.set(true);
                }
                Err(error) => app.news.fail(error),
            }
        });
    };
    let buttons = MOVES.map(|entry| {
        let disabled = move || !app.is_ready() || (matches!(entry.by, AdvanceBy::NextSchedule) && !has_next.get());
        view! {
            <button
                type="button"
                class="button-small clock-move"
                aria-label=move || (entry.name)(&t().clock)
                title=move || (entry.name)(&t().clock)
                disabled=disabled
                on:click=move |_| show_preview(entry)
            >
                {icon(Icon::Plus)}
                <span>{move || (entry.short)(&t().clock)}</span>
            </button>
        }
    });
    view! {
        <div class="clock" class:clock-expanded=move || expanded.get() role="group" aria-label=label>
            <button
                type="button"
                class="button-plain clock-now"
                aria-expanded=move || expanded.get().to_string()
                title=tr!(clock.show)
                on:click=move |_| expanded.update(|expanded| *expanded = !*expanded)
            >
                {icon(Icon::Clock)}
                {move || now.get().map(|now| view! { <time datetime=now.to_string()>{clock_text(now)}</time> })}
            </button>
            <span class="clock-moves">{buttons.into_iter().collect_view()}</span>
            <Dialog open=preview_open title=Signal::derive(tr!(clock.preview_title))>
                {move || preview.get().map(|(chosen, preview)| view! { <Preview chosen preview open=preview_open/> })}
            </Dialog>
        </div>
    }
}

/// What a move would do, and the buttons that do it.
#[component]
fn Preview(chosen: Move, preview: AdvancePreview, open: RwSignal<bool>) -> impl IntoView {
    let app = use_app();
    let n_jobs = preview.due.iter().filter(|item| item.what == "job").count() as u64;
    let n_refreshes = preview.due.len() as u64 - n_jobs;
    let from = app.clock.with_untracked(|clock| clock.as_ref().map(|clock| clock_text(clock.now))).unwrap_or_default();
    let to = clock_text(preview.to);
    let sentence = move || {
        let texts = &t().clock;
        let span = (chosen.span)(texts);
        if n_jobs + n_refreshes == 0 {
            return fill(texts.preview_nothing, &[("span", span)]);
        }
        let (refreshes, jobs) = (plural(texts.n_refreshes, n_refreshes), plural(texts.n_jobs, n_jobs));
        fill(texts.preview_runs, &[("span", span), ("refreshes", &refreshes), ("jobs", &jobs)])
    };
    let items = preview.due.into_iter().map(|item| {
        let is_job = item.what == "job";
        view! {
            <li>
                <strong>{short_name(&item.name)}</strong>
                " "
                <span class="quiet">{move || if is_job { t().clock.job } else { t().clock.refresh }}</span>
                <span class="due-detail">{item.detail}</span>
                <span class="quiet due-at">{clock_text(item.at)}</span>
            </li>
        }
    });
    let advance = move |run_due: bool| {
        open.set(false);
        spawn_local(move_clock(app, chosen.by, run_due));
    };
    view! {
        <p>{move || fill(t().clock.preview_from, &[("now", &from), ("to", &to)])}</p>
        <p>{sentence}</p>
        <ol class="due-list">{items.collect_view()}</ol>
        <div class="button-row">
            <button type="button" class="button button-primary" on:click=move |_| advance(true)>{tr!(clock.advance)}</button>
            <Show when=move || n_jobs + n_refreshes != 0>
                <button type="button" class="button" on:click=move |_| advance(false)>{tr!(clock.advance_only)}</button>
            </Show>
        </div>
    }
}

async fn move_clock(app: App, by: AdvanceBy, run_due: bool) {
    app.running.update(|n| *n += 1);
    let answer = calls::advance(by, run_due).await;
    app.running.update(|n| *n = n.saturating_sub(1));
    match answer {
        Ok(report) => {
            app.news.say(fill(t().clock.moved, &[("now", &clock_text(report.clock.now))]));
            if let Some(error) = failures(&report) {
                app.news.fail(error);
            }
            app.clock.set(Some(report.clock));
        }
        Err(error) => app.news.fail(error),
    }
    app.catalog_changed();
}

/// What failed on the way, as one error: with the condition of the first, and every failed refresh and run by name.
pub(crate) fn failures(report: &AdvanceReport) -> Option<WireError> {
    let texts = untrack(|| &t().clock);
    let mut lines = Vec::new();
    if report.n_failed != 0 {
        let all = plural(texts.n_refreshes, report.n_refreshes);
        lines.push(fill(texts.refreshes_failed, &[("n", &count(report.n_failed)), ("all", &all)]));
        lines.extend(report.failed.iter().map(|failed| {
            let named = [("table", failed.table.as_str()), ("at", &clock_text(failed.at)), ("message", &failed.reason)];
            fill(texts.refresh_failed, &named)
        }));
        let n_more = report.n_failed.saturating_sub(report.failed.len() as u64);
        if n_more != 0 {
            lines.push(fill(texts.refreshes_failed_more, &[("n", &count(n_more))]));
        }
    }
    if report.n_failed_runs != 0 {
        let all = plural(texts.n_runs, report.n_runs);
        lines.push(fill(texts.runs_failed, &[("n", &count(report.n_failed_runs)), ("all", &all)]));
        lines.extend(report.failed_runs.iter().map(|failed| {
            let message = failed.error.message.as_str();
            fill(texts.run_failed, &[("job", &failed.job), ("at", &clock_text(failed.at)), ("message", message)])
        }));
        let n_more = report.n_failed_runs.saturating_sub(report.failed_runs.len() as u64);
        if n_more != 0 {
            lines.push(fill(texts.runs_failed_more, &[("n", &count(n_more))]));
        }
    }
    let of_refresh = || report.failed.first().and_then(|failed| failed.error.clone());
    let cause = of_refresh().or_else(|| report.failed_runs.first().map(|failed| failed.error.clone()));
    (!lines.is_empty()).then(|| WireError {
        condition: cause.as_ref().map(|cause| cause.condition.clone()).unwrap_or_default(),
        sqlstate: cause.as_ref().map(|cause| cause.sqlstate.clone()).unwrap_or_default(),
        message: lines.join("\n"),
        hint: cause.and_then(|cause| cause.hint),
        line: None,
        column: None,
        start: None,
        end: None,
        suggestions: Vec::new(),
    })
}
