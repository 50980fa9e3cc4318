//! A notebook's page.

use lakelet_bundle::{CellKind, Notebook, declared_widgets, find_notebook};
use lakelet_jobs::{Origin, WidgetKind};
use lakelet_protocol::{CellView, NotebookView, ParameterOrigin, WidgetView};
use serde_json::Value;

use super::OpenNotebook;
use super::execution::NotebookExecution;
use crate::project::ProjectFiles;

pub(super) fn notebook(
    notebook: &Notebook,
    open: Option<&OpenNotebook>,
    running: bool,
    used_by: Vec<String>,
) -> NotebookView {
    let cells = notebook.cells.iter().enumerate().map(|(index, cell)| {
        let kept = u32::try_from(index).ok().and_then(|index| open?.outputs.get(&index));
        CellView {
            kind: kind(&cell.kind),
            title: cell.title.clone(),
            source: cell.source.clone(),
            output: kept.map(|(output, _)| output.clone()),
            executed: kept.map(|(_, executed)| *executed),
        }
    });
    NotebookView {
        path: notebook.path.clone(),
        cells: cells.collect(),
        widgets: widgets(notebook, open.map(|open| &open.execution)),
        running,
        used_by,
    }
}

/// Cells with another magic command show it in their source; whoever runs them is told.
fn kind(kind: &CellKind) -> lakelet_protocol::CellKind {
    match kind {
        CellKind::Python | CellKind::Magic(_) => lakelet_protocol::CellKind::Python,
        CellKind::Sql => lakelet_protocol::CellKind::Sql,
        CellKind::Markdown => lakelet_protocol::CellKind::Markdown,
    }
}

/// The widgets that ran; before anything has run, those that the source plainly declares.
fn widgets(notebook: &Notebook, execution: Option<&NotebookExecution>) -> Vec<WidgetView> {
    if let Some(execution) = execution.filter(|execution| !execution.looks.is_empty()) {
        let mut widgets = execution.widgets.clone();
        return widgets
            .get_all()
            .into_iter()
            .map(|(name, value)| {
                let look = execution.looks.get(&name);
                WidgetView {
                    label: look.map_or_else(|| name.clone(), |look| look.label.clone()),
                    widget: execution.widgets.kind(&name).map_or("text", widget_word).to_owned(),
                    choices: look.map(|look| look.choices.clone()).unwrap_or_default(),
                    origin: execution.widgets.origin(&name).map_or(ParameterOrigin::Default, origin),
                    name,
                    value,
                }
            })
            .collect();
    }
    let declared = declared_widgets(notebook).into_iter();
    let view = |widget: lakelet_bundle::DeclaredWidget| WidgetView {
        widget: widget.kind.name().to_owned(),
        name: widget.name,
        label: widget.label,
        choices: widget.choices,
        value: widget.default,
        origin: ParameterOrigin::Default,
    };
    declared.map(view).collect()
}

fn widget_word(kind: WidgetKind) -> &'static str {
    match kind {
        WidgetKind::Text => "text",
        WidgetKind::Dropdown => "dropdown",
        WidgetKind::Combobox => "combobox",
        WidgetKind::Multiselect => "multiselect",
    }
}

/// Where a value comes from, as the page knows it.
pub(crate) fn origin(origin: Origin) -> ParameterOrigin {
    match origin {
        Origin::Job => ParameterOrigin::Job,
        Origin::Task => ParameterOrigin::Task,
        Origin::Run => ParameterOrigin::Run,
        Origin::Default => ParameterOrigin::Default,
    }
}

/// `job > task` of every task that runs the notebook.
pub(super) fn used_by(files: &ProjectFiles, path: &str) -> Vec<String> {
    let mut users = Vec::new();
    for job in &files.bundle().jobs {
        let tasks = job.settings.get("tasks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for task in tasks {
            let mut trail = job.name().to_owned();
            let mut next = Some(task);
            while let Some(task) = next {
                trail = format!("{trail} > {}", task.get("task_key").and_then(Value::as_str).unwrap_or_default());
                let written = task.pointer("/notebook_task/notebook_path").and_then(Value::as_str);
                if written.and_then(|written| find_notebook(files.project(), written)).as_deref() == Some(path) {
                    users.push(trail.clone());
                }
                next = task.pointer("/for_each_task/task");
            }
        }
    }
    users
}
