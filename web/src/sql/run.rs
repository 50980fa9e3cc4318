//! Running a tab's script and what comes of it.

use lakelet_protocol::{RunRange, ScriptReport, StatementReport, StatementState, WireError};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::boundary::engine;
use crate::engine::{ENGINE_DOWN, calls};
use crate::messages::{fill, plural, t};
use crate::sql::parameters::{parameter_names, values};
use crate::state::catalog::made;
use crate::state::{App, EditorTab};

/// The condition of an answer to a request that the reader stopped.
const CANCELED: &str = "OPERATION_CANCELED";

/// Runs a part of a tab's script. What the last run left is closed. Nothing happens while the tab runs.
pub fn run(app: App, tab: &EditorTab, range: RunRange) {
    if tab.running.get_untracked() {
        return;
    }
    let text = tab.text.get_untracked();
    if text.trim().is_empty() {
        app.news.say(t().sql.nothing_to_run);
        return;
    }
    close_results(&tab.statements.get_untracked());
    tab.statements.set(Vec::new());
    tab.text_run.set(text.clone());
    tab.running.set(true);
    app.progress.set(0);
    app.running.update(|n| *n += 1);
    let schema = tab.schema.get_untracked();
    let params = values(&parameter_names(&text), &tab.parameters.get_untracked());
    let tab = tab.clone();
    spawn_local(async move {
        let before = app.catalog.get_untracked();
        let answer = calls::run_script(tab.id.clone(), text, range, params, schema).await;
        app.running.update(|n| *n = n.saturating_sub(1));
        tab.running.set(false);
        match answer {
            Ok(report) => {
                take_script(app, &tab, report);
                app.load_catalog().await;
                app.catalog_changes.update(|n| *n += 1);
                let said =
                    app.catalog.with_untracked(|after| after.as_ref().and_then(|after| made(before.as_ref(), after)));
                if let Some(words) = said {
                    app.news.say(words);
                }
            }
            Err(error) => take_failure(app, &tab, error),
        }
    });
}

/// Stops whatever runs.
pub fn cancel() {
    engine::cancel();
}

/// Tells the worker that results are not needed any more.
pub fn close_results(statements: &[StatementReport]) {
    for result in statements.iter().filter_map(|statement| statement.result.as_ref()) {
        let result = result.result;
        // A result that is gone already is as good as closed.
        spawn_local(async move {
            let _ = calls::close_result(result).await;
        });
    }
}

fn take_script(app: App, tab: &EditorTab, report: ScriptReport) {
    tab.schema.set(Some(report.current_schema));
    let texts = &t().sql;
    let failed = report.statements.iter().find(|statement| statement.state == StatementState::Failed);
    let canceled = report.statements.iter().any(|statement| statement.state == StatementState::Canceled);
    let n_done = report.statements.iter().filter(|statement| statement.state == StatementState::Done).count();
    match failed.and_then(|statement| Some((statement.index, statement.error.as_ref()?))) {
        Some((index, error)) => app.news.say_urgently(fill(
            texts.script_failed,
            &[("n", &(index + 1).to_string()), ("condition", &error.condition), ("message", &error.message)],
        )),
        None if canceled => app.news.say(texts.script_canceled),
        None if n_done == 0 => app.news.say(texts.nothing_to_run),
        None => app.news.say(plural(texts.script_done, n_done as u64)),
    }
    tab.statements.set(report.statements);
}

/// There is no report: the engine stopped, or was stopped, or refused the script as a whole.
fn take_failure(app: App, tab: &EditorTab, error: WireError) {
    if error.condition == CANCELED {
        tab.end_statements(StatementState::Canceled);
        app.news.say(t().sql.script_canceled);
        return;
    }
    let had_statements = tab.statements.with_untracked(|statements| !statements.is_empty());
    tab.end_statements(StatementState::Failed);
    if error.condition == ENGINE_DOWN && had_statements {
        let mut left = Some(error);
        tab.statements.update(|statements| {
            if let Some(failed) = statements
                .iter_mut()
                .find(|statement| statement.state == StatementState::Failed && statement.error.is_none())
            {
                failed.error = left.take();
            }
        });
    } else {
        app.news.fail(error);
    }
}
