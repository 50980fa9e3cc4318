//! The tab "Runs": runs side by side.

use lakelet_protocol::{RunSummary, RunView};
use leptos::prelude::*;

use crate::components::chip::run_state_look;
use crate::components::icon::icon;
use crate::components::{asked, loaded};
use crate::engine::{Answer, calls};
use crate::jobs::editor::JobEditor;
use crate::jobs::list::LastRun;
use crate::jobs::matrix::{MatrixCell, MatrixRow, RUNS_SHOWN, rows};
use crate::jobs::run::newest;
use crate::jobs::words::{duration, is_repaired, state_word};
use crate::messages::{clock_text, fill, t, tr};
use crate::route::{JobPlace, Route};
use crate::state::use_app;

/// What the tab shows.
#[derive(Debug, Clone)]
struct Runs {
    /// Those side by side, oldest first.
    shown: Vec<RunView>,
    /// Those before them, newest first.
    older: Vec<RunSummary>,
}

/// The tab.
#[component]
pub fn RunsTab(editor: JobEditor) -> impl IntoView {
    let app = use_app();
    // A run that has ended is another picture; what happens meanwhile is not asked for again.
    let ended =
        Memo::new(move |_| app.runs.with(|runs| runs.values().filter(|run| run.summary.state.is_final()).count()));
    let answer = asked(
        move || {
            ended.track();
            app.catalog_changes.track();
            editor.name.get()
        },
        fetch,
    );
    view! {
        {loaded(answer, move |runs: Runs| {
            let job = editor.name.get_untracked();
            if runs.shown.is_empty() {
                return view! { <p class="quiet">{tr!(runs.none)}</p> }.into_any();
            }
            let shown: Vec<RunView> = runs.shown.into_iter().map(|run| newest(app, run)).collect();
            let older = runs.older;
            view! {
                {matrix(&job, &shown)}
                {(!older.is_empty()).then(|| view! {
                    <h2>{tr!(runs.older)}</h2>
                    <ul class="older-runs">
                        {older.into_iter().map(|run| {
                            let started = clock_text(run.started);
                            view! { <li><LastRun run/> " " <span class="quiet">{started}</span></li> }
                        }).collect_view()}
                    </ul>
                })}
            }
            .into_any()
        })}
    }
}

async fn fetch(job: String) -> Answer<Runs> {
    let mut summaries = calls::runs(job).await?;
    let older = summaries.split_off(summaries.len().min(RUNS_SHOWN));
    let mut shown = Vec::new();
    for summary in summaries.iter().rev() {
        shown.push(calls::run(summary.run_id).await?);
    }
    Ok(Runs { shown, older })
}

fn matrix(job: &str, runs: &[RunView]) -> impl IntoView + use<> {
    let name = job.to_owned();
    let columns: Vec<RunSummary> = runs.iter().map(|run| run.summary.clone()).collect();
    let longest = columns.iter().filter_map(run_ms).fold(1.0, f64::max);
    let heads = columns
        .iter()
        .map(|run| {
            let height = run_ms(run).map_or(0.0, |ms| 100.0 * ms / longest);
            let (tone, _) = run_state_look(run.state, is_repaired(run));
            let took = run_ms(run).map(duration).unwrap_or_default();
            let run = run.clone();
            view! {
                <th scope="col" class="matrix-run">
                    <span class="matrix-bar" aria-hidden="true">
                        <span class=format!("matrix-fill {}", tone.class()) style:height=format!("{height:.0}%")></span>
                    </span>
                    <LastRun run/>
                    <span class="quiet matrix-took">{took}</span>
                </th>
            }
        })
        .collect_view();
    let body = rows(runs)
        .into_iter()
        .map(|row| {
            let cells = row
                .cells
                .iter()
                .zip(&columns)
                .map(|(cell, run)| view! { <td>{cell.map(|cell| matrix_cell(&row, cell, run))}</td> })
                .collect_view();
            let is_item = row.item.is_some();
            let title = row.item.clone().unwrap_or_else(|| row.task.clone());
            view! { <tr><th scope="row" class:matrix-item=is_item>{title}</th>{cells}</tr> }
        })
        .collect_view();
    view! {
        <div class="table-scroll">
            <table class="table table-dense matrix" aria-label=move || fill(t().runs.matrix, &[("job", &name)])>
                <thead><tr><th scope="col">{tr!(jobs.task)}</th>{heads}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
}

fn matrix_cell(row: &MatrixRow, cell: MatrixCell, run: &RunSummary) -> impl IntoView + use<> {
    let address = Route::Jobs(JobPlace::Run {
        job: run.job.clone(),
        run: run.number,
        task: Some(row.task.clone()),
        iteration: cell.iteration,
    })
    .to_string();
    let (tone, shape) = run_state_look(cell.state, cell.repaired);
    let title = row.item.clone().unwrap_or_else(|| row.task.clone());
    let number = run.number.to_string();
    let name = move || {
        let state = state_word(cell.state, cell.repaired);
        let name = fill(t().runs.matrix_cell, &[("item", &title), ("n", &number), ("state", state)]);
        match cell.duration_ms {
            Some(ms) => format!("{name}, {}", duration(ms)),
            None => name,
        }
    };
    view! {
        <a class=format!("matrix-cell {}", tone.class()) href=address aria-label=name.clone() title=name>
            {icon(shape)}
            <span>{cell.duration_ms.map(duration)}</span>
        </a>
    }
}

fn run_ms(run: &RunSummary) -> Option<f64> {
    Some((run.ended?.0 - run.started.0) as f64 / 1e3)
}
