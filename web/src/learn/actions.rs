//! Things a lesson does when its reader presses the button: each as if the reader had done it.

use lakelet_lessons::{AdvanceTo, Fault, RecipeAction, RecipeEntry, Script};
use lakelet_protocol::{AdvanceBy, FaultSwitch, RepairRequest, RunRange};
use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::engine::{Answer, calls};
use crate::frame::failures;
use crate::jobs::{JobEditor, unsaved_editor};
use crate::messages::t;
use crate::route::{JobPlace, Route};
use crate::state::App;

/// Does entries one after the other; the first that fails ends it.
pub async fn perform(app: App, entries: Vec<RecipeEntry>) {
    app.running.update(|n| *n += 1);
    for entry in entries {
        if let Err(error) = perform_one(app, entry.action).await {
            app.news.fail(error);
            break;
        }
    }
    app.running.update(|n| *n = n.saturating_sub(1));
    app.load_clock();
    app.catalog_changed();
}

/// The first job that entries run or repair although its page holds changes that are not saved.
pub fn unsaved_job(app: App, entries: &[RecipeEntry]) -> Option<JobEditor> {
    entries.iter().find_map(|entry| match &entry.action {
        RecipeAction::RunJob { job, .. } | RecipeAction::Repair { job, .. } => unsaved_editor(app, job),
        _ => None,
    })
}

async fn perform_one(app: App, action: RecipeAction) -> Answer<()> {
    match action {
        RecipeAction::Sql { script, tab } => {
            let text = match script {
                Script::Text(text) => text,
                Script::File(path) => calls::file(path).await?,
            };
            let title = tab.unwrap_or_else(|| t().lesson.code.to_owned());
            let tab = app.tabs.open(&title, &text);
            crate::sql::show_tab(app, &tab);
            crate::sql::run(app, &tab, RunRange::All);
        }
        RecipeAction::RunJob { job, parameters } => {
            let params: Map<String, Value> =
                parameters.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
            let run = calls::run_job(job, params, Vec::new()).await?;
            go_to_run(app, run.summary.job, run.summary.number);
        }
        RecipeAction::Repair { job, tasks, iterations } => {
            let Some(newest) = calls::runs(job).await?.into_iter().next() else { return Ok(()) };
            let iterations =
                iterations.into_iter().filter_map(|(task, index)| Some((task, u32::try_from(index).ok()?))).collect();
            calls::repair(newest.run_id, RepairRequest { tasks, iterations }).await?;
            go_to_run(app, newest.job, newest.number);
        }
        RecipeAction::RunNotebook { notebook, widgets } => {
            app.go(&Route::Notebook { path: Some(notebook.clone()) });
            calls::run_notebook(notebook, None, widgets.into_iter().collect()).await?;
        }
        RecipeAction::Refresh { table, full } => {
            calls::refresh(table, full).await?;
        }
        RecipeAction::Advance { to, run_due } => advance(app, to, run_due).await?,
        RecipeAction::Fault(fault) => {
            calls::set_fault(match fault {
                Fault::FailAfterAppend(iteration) => FaultSwitch::FailAfterAppend { iteration },
                Fault::Conflict(on) => FaultSwitch::Conflict { on },
            })
            .await?;
        }
    }
    Ok(())
}

async fn advance(app: App, to: AdvanceTo, run_due: bool) -> Answer<()> {
    let by = match to {
        AdvanceTo::Minutes(minutes) => AdvanceBy::Minutes { n: u32::try_from(minutes).unwrap_or(u32::MAX) },
        AdvanceTo::NextSchedule => AdvanceBy::NextSchedule,
        AdvanceTo::Instant(instant) => {
            let now = calls::clock().await?.now;
            let minutes = (instant.millis() - now.millis() + 59_999) / 60_000;
            AdvanceBy::Minutes { n: u32::try_from(minutes).unwrap_or(0) }
        }
    };
    if by != (AdvanceBy::Minutes { n: 0 }) {
        let report = calls::advance(by, run_due).await?;
        let failed = failures(&report);
        app.clock.set(Some(report.clock));
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(())
}

fn go_to_run(app: App, job: String, run: u64) {
    app.go(&Route::Jobs(JobPlace::Run { job, run, task: None, iteration: None }));
}
