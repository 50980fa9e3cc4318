//! `widget`: a program of calls, by a person or as a task of a job.

use indexmap::IndexMap;
use lakelet_base::{Limits, Timestamp};
use lakelet_jobs::{
    AttemptFinished, AttemptId, AttemptOutcome, AttemptOutput, AttemptWork, DbutilsError, Job, Origin, Parameter, Run,
    RunEffect, RunEvent, RunRequest, RunStart, StartAttempt, TaskError, TaskValues, ValidateOptions, Widgets,
    expand_braces, value_text,
};
use serde_json::{Map, Value, json};

use super::compare::{all_keys, contains, same, text_map, texts, unknown_key};
use super::{CaseOutcome, SqlRunner, Unusable};

const START: Timestamp = Timestamp::LESSON_START;
const TASK: &str = "task";

pub(super) fn run(input: &Value, expect: &Value, sql: &mut dyn SqlRunner) -> Result<CaseOutcome, Unusable> {
    let got = match input["where"].as_str() {
        Some("interactive") => {
            let mut session = Session::interactive();
            session.run(input, sql)?;
            session.record()
        }
        Some("job") => in_job(input, sql)?,
        other => return Err(format!("a program runs in a job or interactively, not {other:?}")),
    };
    all_keys(expect, got, |key, expected, got| {
        let value = got.get(key).unwrap_or(&Value::Null);
        Ok(match key {
            "values" | "error" | "step" | "state" | "result" => same(expected, value),
            // By name, or one for each reading call.
            "origins" if expected.is_array() => same(expected, &got["origins_in_order"]),
            "origins" => contains(value, expected),
            _ => return unknown_key(key),
        })
    })
}

/// Runs the program as the one task of a job; task values come from tasks before it.
fn in_job(input: &Value, sql: &mut dyn SqlRunner) -> Result<Value, Unusable> {
    let settings = settings(input)?;
    let options = ValidateOptions::default();
    let (job, _) = Job::read(&settings, &options);
    let request = match input.get("run_now") {
        None => RunRequest::default(),
        Some(request) => match RunRequest::from_value(request, &job, &options) {
            Ok(request) => request,
            Err(refused) => {
                let kind = refused.problems.iter().find(|p| p.is_error()).map(|p| p.kind.as_str());
                return Ok(json!({"error": kind, "message": refused.to_string()}));
            }
        },
    };
    let start = RunStart { run_id: 1, request, ..RunStart::default() };
    let (mut run, effects) = Run::start(job, start, START, &Limits::default()).map_err(|error| error.to_string())?;
    let mut start = find_start(&effects);
    for (key, values) in input["task_values"].as_object().into_iter().flatten() {
        let id = AttemptId { task_key: key.as_str().into(), iteration: None, attempt: 0 };
        let mut finished = AttemptFinished::new(id, AttemptOutcome::Succeeded { output: None });
        finished.task_values = values.as_object().cloned().unwrap_or_default().into_iter().collect();
        let effects = run.advance(RunEvent::AttemptFinished(Box::new(finished)), START);
        start = start.or_else(|| find_start(&effects));
    }
    let start = start.ok_or("the task did not start")?;
    let mut session = Session::in_job(&start, &run);
    session.run(input, sql)?;
    let mut finished = AttemptFinished::new(start.id.clone(), session.outcome());
    finished.widget_defaults =
        session.widgets.defaults_read().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut got = session.record();
    run.advance(RunEvent::AttemptFinished(Box::new(finished)), START);
    let task = run.task(TASK).ok_or("the task is not in the run")?;
    got["state"] = json!(task.state().as_str());
    let parameters = task.attempts().last().map(|attempt| attempt.parameters.as_slice()).unwrap_or_default();
    let origins = parameters.iter().map(|parameter| (parameter.name.clone(), json!(parameter.origin.as_str())));
    let origins: Map<String, Value> = origins.collect();
    got["origins"] = json!(origins);
    Ok(got)
}

fn find_start(effects: &[RunEffect]) -> Option<StartAttempt> {
    effects.iter().find_map(|effect| match effect {
        RunEffect::StartAttempt(start) if start.id.task_key.as_str() == TASK => Some((**start).clone()),
        _ => None,
    })
}

fn settings(input: &Value) -> Result<Value, Unusable> {
    let given = |key: &str| input.get(key).cloned().unwrap_or_else(|| json!({}));
    let body = match input["task_type"].as_str().unwrap_or("notebook_task") {
        "notebook_task" => {
            json!({"notebook_task": {"notebook_path": "/n", "base_parameters": given("base_parameters")}})
        }
        "sql_task" => {
            let parameters = given("sql_parameters");
            json!({"sql_task": {"warehouse_id": "w", "file": {"path": "/q.sql"}, "parameters": parameters}})
        }
        "spark_python_task" => {
            let parameters = input.get("parameters").cloned().unwrap_or_else(|| json!([]));
            json!({"spark_python_task": {"python_file": "/x.py", "parameters": parameters}})
        }
        other => return Err(format!("no program runs in a {other}")),
    };
    let before: Vec<&String> = input["task_values"].as_object().into_iter().flat_map(Map::keys).collect();
    let mut tasks: Vec<Value> =
        before.iter().map(|key| json!({"task_key": key, "notebook_task": {"notebook_path": "/n"}})).collect();
    let mut task = body;
    task["task_key"] = json!(TASK);
    task["depends_on"] = before.iter().map(|key| json!({"task_key": key})).collect();
    tasks.push(task);
    let parameters = text_map(&given("job_parameters"));
    let parameters: Vec<Value> =
        parameters.iter().map(|(name, value)| json!({"name": name, "default": value})).collect();
    Ok(json!({"parameters": parameters, "tasks": tasks}))
}

/// A program at work.
struct Session<'r> {
    widgets: Widgets,
    task_values: TaskValues,
    run: Option<&'r Run>,
    parameters: Vec<Parameter>,
    arguments: Vec<String>,
    /// What the reading calls gave, in order.
    values: Vec<Value>,
    /// Where the values of widgets that were read come from, by name.
    origins: Vec<(String, &'static str)>,
    /// Condition, message and step of the call that failed.
    failure: Option<(String, String, usize)>,
    /// What the notebook ended itself with.
    result: Option<String>,
}

impl<'r> Session<'r> {
    fn interactive() -> Self {
        Self {
            widgets: Widgets::interactive(),
            task_values: TaskValues::interactive(&Limits::default()),
            run: None,
            parameters: Vec::new(),
            arguments: Vec::new(),
            values: Vec::new(),
            origins: Vec::new(),
            failure: None,
            result: None,
        }
    }

    fn in_job(start: &StartAttempt, run: &'r Run) -> Self {
        let arguments = match &start.work {
            AttemptWork::SparkPython { arguments, .. } => arguments.clone(),
            _ => Vec::new(),
        };
        Self {
            widgets: Widgets::in_job(&start.parameters),
            task_values: TaskValues::in_job(&Limits::default()),
            run: Some(run),
            parameters: start.parameters.clone(),
            arguments,
            ..Session::interactive()
        }
    }

    fn run(&mut self, input: &Value, sql: &mut dyn SqlRunner) -> Result<(), Unusable> {
        let program = input["program"].as_array().ok_or("a program must be a list of calls")?;
        for (step, call) in program.iter().enumerate() {
            if let Err((condition, message)) = self.call(call, input, sql)? {
                self.failure = Some((condition, message, step));
                break;
            }
            if self.result.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// One call: a name and its arguments. The inner error is the program's.
    fn call(
        &mut self,
        call: &Value,
        input: &Value,
        sql: &mut dyn SqlRunner,
    ) -> Result<Result<(), (String, String)>, Unusable> {
        let text = |position: usize| value_text(&call[position]);
        let name = text(1);
        let done = match text(0).as_str() {
            "text" => {
                self.widgets.text(&name, &text(2));
                Ok(())
            }
            "combobox" => {
                self.widgets.combobox(&name, &text(2));
                Ok(())
            }
            "dropdown" => self.widgets.dropdown(&name, &text(2), &texts(&call[3])),
            "multiselect" => self.widgets.multiselect(&name, &text(2), &texts(&call[3])),
            "ui_select" | "ui_set" => {
                let chosen = if call[2].is_array() { texts(&call[2]) } else { vec![text(2)] };
                self.widgets.select(&name, &chosen)
            }
            "get" => self.widgets.get(&name).map(|value| {
                self.values.push(json!(value));
                self.origins.push((name.clone(), self.widgets.origin(&name).map_or("", Origin::as_str)));
            }),
            "getArgument" => {
                let value = self.widgets.get_argument(&name, &text(2));
                self.values.push(json!(value));
                Ok(())
            }
            "getAll" => {
                let all = self.widgets.get_all();
                self.values.push(json!(all));
                Ok(())
            }
            "remove" => self.widgets.remove(&name),
            "removeAll" => {
                self.widgets.remove_all();
                Ok(())
            }
            "taskValues.get" => self.task_value(call).map(|value| self.values.push(value)),
            "taskValues.set" => match call.get(2).or_else(|| input.get("generate")) {
                Some(value) => self.task_values.set(&name, generated(value)),
                None => return Err("taskValues.set needs a value".to_owned()),
            },
            "exit" => {
                self.result = Some(name);
                Ok(())
            }
            "raise" => return Ok(Err(("raised".to_owned(), name))),
            "argv" => {
                self.values.push(json!(self.arguments));
                Ok(())
            }
            "sql" => match self.sql(&name, input, sql) {
                Ok(rows) => {
                    self.values.push(rows);
                    Ok(())
                }
                Err(condition) => return Ok(Err((condition, String::new()))),
            },
            other => return Err(format!("there is no call '{other}'")),
        };
        Ok(done.map_err(|error: DbutilsError| (error.kind.as_str().to_owned(), error.message)))
    }

    fn task_value(&self, call: &Value) -> Result<Value, DbutilsError> {
        let (task_key, key) = (value_text(&call[1]), value_text(&call[2]));
        let stored = self.run.and_then(|run| run.task_value(&task_key, &key));
        self.task_values.get(&task_key, &key, call.get(3), call.get(4), stored)
    }

    fn sql(&self, text: &str, input: &Value, sql: &mut dyn SqlRunner) -> Result<Value, String> {
        let parameters: IndexMap<String, String> =
            self.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.value.clone())).collect();
        let tables = input["tables"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, n_rows)| Some((name.clone(), usize::try_from(n_rows.as_u64()?).ok()?)));
        let rows = sql.run(&expand_braces(text, &self.parameters), &parameters, &tables.collect())?;
        Ok(json!(rows))
    }

    fn outcome(&self) -> AttemptOutcome {
        match &self.failure {
            Some((condition, message, _)) => {
                AttemptOutcome::Failed { error: TaskError::new(condition, message), output: None }
            }
            None => AttemptOutcome::Succeeded { output: self.result.clone().map(AttemptOutput::Text) },
        }
    }

    fn record(&self) -> Value {
        let mut got =
            json!({"values": self.values, "state": if self.failure.is_some() { "FAILED" } else { "SUCCESS" }});
        let by_name: Map<String, Value> = self.origins.iter().map(|(name, from)| (name.clone(), json!(from))).collect();
        got["origins"] = json!(by_name);
        got["origins_in_order"] = self.origins.iter().map(|(_, from)| json!(from)).collect();
        if let Some(result) = &self.result {
            got["result"] = json!(result);
        }
        // What a notebook raises itself is its state, not an error of a call.
        if let Some((condition, message, step)) = &self.failure.as_ref().filter(|(name, _, _)| name != "raised") {
            got["error"] = json!(condition);
            got["message"] = json!(message);
            got["step"] = json!(step);
        }
        got
    }
}

/// A value as it is, or text of the size that a case asks for.
fn generated(value: &Value) -> Value {
    let size = ["_bytes", "_chars", "bytes", "chars"].into_iter().find_map(|key| value.get(key)?.as_u64());
    match size.and_then(|size| usize::try_from(size).ok()) {
        Some(size) if value.as_object().is_some_and(|object| object.len() == 1) => json!("x".repeat(size)),
        _ => value.clone(),
    }
}
