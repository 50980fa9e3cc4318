//! What is wrong with a job, as far as it can be told without running it.

use std::collections::BTreeSet;

use lakelet_base::nearest_name;
use lakelet_bundle::{
    CellKind, JobResource, Severity, declared_widgets, find_notebook, find_python_file, parse_notebook,
};
use lakelet_jobs::{
    Job, JobTrigger, MarkerReport, Origin, Parameter, PathStyle, Piece, Problem, Reference, SqlBody, Task, TaskKind,
    Template, UpstreamMember, ValidateOptions, validate,
};
use lakelet_protocol::ProblemView;
use serde_json::{Map, Value, json};

use super::output::plan_last_query;
use crate::core::Core;
use crate::project::ProjectFiles;

/// The warehouse of tasks that name none. There is only one here.
const WAREHOUSE: &str = "playground";

/// The settings of a job with what may be left out here: a warehouse, and its key in place of a name.
pub(crate) fn runnable_settings(resource: &JobResource) -> Value {
    let mut settings = resource.settings.clone();
    if let Some(job) = settings.as_object_mut() {
        job.entry("name").or_insert_with(|| json!(resource.name()));
        for task in job.get_mut("tasks").and_then(Value::as_array_mut).into_iter().flatten() {
            let mut next = Some(task);
            while let Some(task) = next {
                if let Some(sql) = task.get_mut("sql_task").and_then(Value::as_object_mut) {
                    sql.entry("warehouse_id").or_insert_with(|| json!(WAREHOUSE));
                }
                next = task.pointer_mut("/for_each_task/task");
            }
        }
    }
    settings
}

/// Everything that is wrong, errors first.
pub(super) fn problems(core: &Core, files: &ProjectFiles, resource: &JobResource) -> Vec<ProblemView> {
    let options = ValidateOptions { limits: core.limits.clone(), paths: PathStyle::Bundle };
    let settings = runnable_settings(resource);
    let mut found: Vec<ProblemView> = validate(&settings, &options).iter().map(problem_view).collect();
    let (job, _) = Job::read(&settings, &options);
    let mut checker = Checker { core, files, job: &job, found: Vec::new() };
    checker.check();
    found.append(&mut checker.found);
    found.extend(missing_warehouses(resource));
    found.extend(bundle_problems(files, resource));
    // The sort is stable: within errors and warnings the order of the settings stays.
    found.sort_by_key(|problem| problem.severity != "error");
    found
}

fn problem_view(problem: &Problem) -> ProblemView {
    let suggestion = problem.message.split_once("Did you mean '").and_then(|(_, rest)| rest.split_once('\''));
    ProblemView {
        severity: if problem.is_error() { "error" } else { "warning" }.to_owned(),
        kind: problem.kind.as_str().to_owned(),
        path: problem.path.clone(),
        message: problem.message.clone(),
        suggestion: suggestion.map(|(name, _)| format!("did you mean {name}?")),
    }
}

/// Databricks wants a warehouse where Lakelet does not.
fn missing_warehouses(resource: &JobResource) -> Vec<ProblemView> {
    let mut found = Vec::new();
    let tasks = resource.settings.get("tasks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (index, task) in tasks.iter().enumerate() {
        let mut next = Some((format!("tasks[{index}]"), task));
        while let Some((path, task)) = next {
            if task.get("sql_task").is_some_and(|sql| sql.get("warehouse_id").is_none_or(Value::is_null)) {
                found.push(warning(
                    "missing_required",
                    format!("{path}.sql_task.warehouse_id"),
                    "On Databricks this task needs a warehouse_id; here there is one for all.".to_owned(),
                ));
            }
            next = task.pointer("/for_each_task/task").map(|nested| (format!("{path}.for_each_task.task"), nested));
        }
    }
    found
}

/// What reading the bundle found about this job. Missing files are told with their place in the settings instead.
fn bundle_problems(files: &ProjectFiles, resource: &JobResource) -> Vec<ProblemView> {
    let bundle = files.bundle();
    let same_file = bundle.jobs.iter().filter(|job| job.path == resource.path).map(|job| job.line);
    let end = same_file.filter(|line| *line > resource.line).min().unwrap_or(u32::MAX);
    bundle
        .problems
        .iter()
        .filter(|problem| problem.file == resource.path && (resource.line..end).contains(&problem.line))
        .filter(|problem| problem.kind != "missing_file" && problem.severity != Severity::Note)
        .map(|problem| ProblemView {
            severity: if problem.severity == Severity::Error { "error" } else { "warning" }.to_owned(),
            kind: problem.kind.to_owned(),
            path: format!("{}:{}", problem.file, problem.line),
            message: problem.message.clone(),
            suggestion: None,
        })
        .collect()
}

fn warning(kind: &str, path: String, message: String) -> ProblemView {
    ProblemView { severity: "warning".to_owned(), kind: kind.to_owned(), path, message, suggestion: None }
}

fn error(kind: &str, path: String, message: String) -> ProblemView {
    ProblemView { severity: "error".to_owned(), ..warning(kind, path, message) }
}

struct Checker<'a> {
    core: &'a Core,
    files: &'a ProjectFiles,
    job: &'a Job,
    found: Vec<ProblemView>,
}

impl Checker<'_> {
    fn check(&mut self) {
        for trigger in self.job.triggers() {
            if let JobTrigger::Unwatched { path } = trigger {
                let message = "Lakelet does not watch this, so that it starts no run here. It is kept for Databricks.";
                self.found.push(warning("not_supported", path.clone(), message.to_owned()));
            }
        }
        for (index, task) in self.job.tasks().iter().enumerate() {
            let path = format!("tasks[{index}]");
            self.check_task(task, &path);
            if let TaskKind::ForEach(for_each) = &task.kind {
                self.check_task(&for_each.task, &format!("{path}.for_each_task.task"));
                self.check_input_keys(task, &for_each.inputs, &path);
            }
        }
    }

    fn check_task(&mut self, task: &Task, path: &str) {
        match &task.kind {
            TaskKind::Sql(sql) => {
                if let Some(SqlBody::File { path: file, .. }) = &sql.body {
                    self.check_sql(task, file, path);
                }
            }
            TaskKind::Notebook(notebook) => self.check_notebook(task, &notebook.notebook_path, path),
            TaskKind::SparkPython(python) => self.check_python_file(&python.python_file, path),
            _ => {}
        }
    }

    /// The parameters that a task will be given, without their values.
    fn parameters(&self, task: &Task) -> Vec<Parameter> {
        let own = task.kind.parameters().into_iter().flat_map(|own| own.keys().map(String::as_str));
        let of_job = self.job.parameters().iter().map(|parameter| parameter.name.as_str());
        own.chain(of_job).map(|name| Parameter::new(name, "", Origin::Task)).collect()
    }

    fn check_sql(&mut self, task: &Task, file: &str, path: &str) {
        if is_template(file) {
            return;
        }
        let at = format!("{path}.sql_task.file.path");
        let Some(text) = self.files.project().text(file) else {
            self.missing_file(file, "file", at);
            return;
        };
        if text.trim().is_empty() {
            self.found.push(error("missing_required", at, "The task has no SQL.".to_owned()));
        }
        let report = MarkerReport::new(text, &self.parameters(task));
        if let Some(message) = report.message() {
            self.found.push(warning("unbound_parameter", format!("{path}.sql_task.parameters"), message));
        }
    }

    fn check_notebook(&mut self, task: &Task, written: &str, path: &str) {
        if is_template(written) {
            return;
        }
        let project = self.files.project();
        let at = format!("{path}.notebook_task.notebook_path");
        let found = find_notebook(project, written);
        let Some((found, text)) = found.as_deref().and_then(|found| Some((found, project.text(found)?))) else {
            self.missing_file(written, "notebook", at);
            return;
        };
        let notebook = match parse_notebook(text, found) {
            Ok(notebook) => notebook,
            Err(problem) => {
                self.found.push(error("not_a_notebook", at, format!("{found}, {problem}")));
                return;
            }
        };
        let given: BTreeSet<String> = self.parameters(task).into_iter().map(|parameter| parameter.name).collect();
        let widgets: Vec<String> = declared_widgets(&notebook).into_iter().map(|widget| widget.name).collect();
        let forgotten: Vec<&str> = widgets.iter().filter(|name| !given.contains(*name)).map(String::as_str).collect();
        if !forgotten.is_empty() {
            let message = format!(
                "{} parameters are passed, the notebook defines {} widgets. Not passed: {}; their defaults are used.",
                given.len(),
                widgets.len(),
                forgotten.join(", ")
            );
            let at = format!("{path}.notebook_task.base_parameters");
            self.found.push(warning("widget_without_parameter", at, message));
        }
        let magic = notebook.cells.iter().find_map(|cell| match &cell.kind {
            CellKind::Magic(word) => Some(word),
            _ => None,
        });
        if let Some(word) = magic {
            let message = format!("{found} has a cell with %{word}, which Lakelet does not run.");
            self.found.push(warning("not_supported", at, message));
        }
    }

    fn check_python_file(&mut self, written: &str, path: &str) {
        if !is_template(written) && find_python_file(self.files.project(), written).is_none() {
            self.missing_file(written, "Python file", format!("{path}.spark_python_task.python_file"));
        }
    }

    fn missing_file(&mut self, written: &str, what: &str, at: String) {
        let nearest = self.files.project().nearest_path(written);
        let message = format!("The project has no {what} {written}.");
        let suggestion = nearest.map(|nearest| format!("did you mean {nearest}?"));
        self.found.push(ProblemView { suggestion, ..error("missing_file", at, message) });
    }

    /// `{{input.x}}` where the elements are known to have no `x`.
    fn check_input_keys(&mut self, task: &Task, inputs: &str, path: &str) {
        let Some(keys) = self.keys_of_inputs(inputs) else { return };
        for reference in task.references().into_iter().filter(|reference| reference.nested) {
            let Reference::Input(trail) = &reference.reference else { continue };
            let Some(key) = trail.first().filter(|key| !keys.contains(key)) else { continue };
            let nearest = nearest_name(key, keys.iter().map(String::as_str));
            self.found.push(ProblemView {
                suggestion: nearest.map(|nearest| format!("did you mean {nearest}?")),
                ..error(
                    "input_key_missing",
                    format!("{path}.{}", reference.path),
                    format!("The inputs have no field {key}; they have {}.", keys.join(", ")),
                )
            });
        }
    }

    fn keys_of_inputs(&self, inputs: &str) -> Option<Vec<String>> {
        if let Ok(Value::Array(elements)) = serde_json::from_str::<Value>(inputs) {
            let mut keys: Vec<String> = Vec::new();
            for element in &elements {
                let fields = element.as_object()?;
                keys.extend(fields.keys().filter(|key| !keys.contains(key)).cloned().collect::<Vec<_>>());
            }
            return (!elements.is_empty()).then_some(keys);
        }
        let source = rows_of(inputs)?;
        let text = sql_text(self.files, self.job, &source)?;
        // Values do not matter for the columns, unless they name a table; then nothing can be said.
        let task = self.job.task(&source)?;
        let values: Map<String, Value> =
            self.parameters(task).into_iter().map(|parameter| (parameter.name, json!(""))).collect();
        let planned = plan_last_query(self.core, text, &values).ok()??;
        Some(planned.columns.iter().map(|column| column.name.clone()).collect())
    }
}

/// The task whose rows a text is, and nothing else: `{{tasks.read.output.rows}}`.
pub(super) fn rows_of(inputs: &str) -> Option<String> {
    let template = Template::parse(inputs);
    let mut rows = None;
    for piece in &template.pieces {
        match piece {
            Piece::Text(text) if text.trim().is_empty() => {}
            Piece::Reference { reference: Reference::Upstream { task, member: UpstreamMember::Rows }, .. }
                if rows.is_none() =>
            {
                rows = Some(task.clone());
            }
            _ => return None,
        }
    }
    rows
}

/// The text of a SQL task of the job.
pub(super) fn sql_text<'f>(files: &'f ProjectFiles, job: &Job, task: &str) -> Option<&'f str> {
    match &job.task(task)?.kind {
        TaskKind::Sql(sql) => match &sql.body {
            Some(SqlBody::File { path, .. }) => files.project().text(path),
            _ => None,
        },
        _ => None,
    }
}

fn is_template(text: &str) -> bool {
    Template::parse(text).references().next().is_some() || text.contains("${")
}
