//! What the statements of a tab's last run did, one below the other.

use lakelet_protocol::{StatementReport, StatementState, WireError};
use leptos::prelude::*;

use crate::boundary::dom;
use crate::components::error_card::{ErrorCard, ScriptActions};
use crate::components::icon::{Icon, icon};
use crate::components::{Grid, Tone};
use crate::messages::en::Sql;
use crate::messages::{Choose, duration_ms, fill, plural, t, tr};
use crate::state::{EditorTab, use_app};

/// How often the time of a running statement is shown anew.
const TICK: std::time::Duration = std::time::Duration::from_millis(200);

/// Word, colors and shape of a state.
pub fn state_look(state: StatementState) -> (Choose<Sql>, Tone, Icon, &'static str) {
    match state {
        StatementState::Waiting => (|t| t.state_waiting, Tone::Neutral, Icon::Clock, "waiting"),
        StatementState::Running => (|t| t.state_running, Tone::Running, Icon::Ring, "running"),
        StatementState::Done => (|t| t.state_done, Tone::Success, Icon::Check, "done"),
        StatementState::Failed => (|t| t.state_failed, Tone::Failure, Icon::Cross, "failed"),
        StatementState::Canceled => (|t| t.state_canceled, Tone::Canceled, Icon::Stop, "canceled"),
        StatementState::NotRun => (|t| t.state_not_run, Tone::Neutral, Icon::Dash, "notRun"),
    }
}

/// The results.
#[component]
pub fn Results(
    /// Whose.
    tab: EditorTab,
    /// What can be done in the script.
    actions: ScriptActions,
) -> impl IntoView {
    let statements = tab.statements.clone();
    let none = {
        let statements = statements.clone();
        Memo::new(move |_| statements.with(Vec::is_empty))
    };
    view! {
        <section class="results" aria-label=tr!(sql.results)>
            <Show when=move || none.get()><p class="quiet results-empty">{tr!(sql.results_empty)}</p></Show>
            <For each=move || statements.get() key=identity let(report)>
                <Statement report text=tab.text_run.get_untracked() actions/>
            </For>
        </section>
    }
}

/// What makes a report another one to look at. Its text alone does not: a run replaces the whole list.
fn identity(report: &StatementReport) -> (u32, StatementStateKey, Option<u64>, usize) {
    (report.index, StatementStateKey(report.state), report.result.as_ref().map(|result| result.result), report.start)
}

#[derive(PartialEq, Eq)]
struct StatementStateKey(StatementState);

impl std::hash::Hash for StatementStateKey {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::mem::discriminant(&self.0).hash(state);
    }
}

#[component]
fn Statement(report: StatementReport, text: String, actions: ScriptActions) -> impl IntoView {
    let StatementReport { index, label, state, result, rows_affected, message, error, warnings, elapsed_ms, .. } =
        report;
    let number = (index + 1).to_string();
    let (word, tone, shape, _) = state_look(state);
    let n_rows = result.as_ref().map(|result| result.n_rows);
    let facts = move || {
        let mut facts = vec![word(&t().sql).to_owned()];
        facts.extend(n_rows.map(|n| plural(t().common.n_rows, n)));
        facts.extend(rows_affected.map(|n| plural(t().sql.rows_affected, n)));
        if matches!(state, StatementState::Done | StatementState::Failed) {
            facts.push(duration_ms(elapsed_ms));
        }
        facts.join(" · ")
    };
    let grid_label = {
        let number = number.clone();
        Signal::derive(move || fill(t().sql.result_of, &[("n", &number)]))
    };
    let heading = move || fill(t().sql.statement, &[("n", &number)]);
    let card =
        |error: WireError, warning: bool| view! { <ErrorCard error text=text.clone() warning actions=Some(actions)/> };
    view! {
        <article class=format!("statement {}", tone.class()) aria-label=heading>
            <header class="statement-head">
                {icon(shape)}
                <span class="statement-number">{index + 1}</span>
                <code class="statement-label">{label}</code>
                <span class="statement-facts">
                    {facts}
                    {(state == StatementState::Running).then(|| view! { " · " <Running/> })}
                </span>
            </header>
            {message.map(|message| view! { <p class="statement-message">{message}</p> })}
            {(state == StatementState::NotRun).then(|| view! { <p class="statement-message quiet">{tr!(sql.not_run_why)}</p> })}
            {error.map(|error| card(error, false))}
            {warnings.into_iter().map(|warning| card(warning, true)).collect_view()}
            {result.map(|header| view! { <Grid label=grid_label header/> })}
        </article>
    }
}

/// Time and rows of the statement that runs.
#[component]
fn Running() -> impl IntoView {
    let app = use_app();
    let start = dom::now_ms();
    let elapsed = RwSignal::new(0.0);
    if let Ok(handle) = set_interval_with_handle(move || elapsed.set(dom::now_ms() - start), TICK) {
        on_cleanup(move || handle.clear());
    }
    move || {
        let n_rows = app.progress.get();
        let rows = (n_rows > 0).then(|| format!(" · {}", plural(t().sql.running_rows, n_rows)));
        format!("{}{}", duration_ms(elapsed.get()), rows.unwrap_or_default())
    }
}
