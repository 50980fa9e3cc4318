//! What is wrong with the fields of the form that is open, as the engine has told it of the settings.

use lakelet_protocol::{JobView, ProblemView};
use leptos::prelude::*;
use serde_json::Value;

use crate::jobs::editor::{JobEditor, OpenForm};
use crate::jobs::places::{Field, place};
use crate::jobs::settings::{task_key, tasks};
use crate::messages::t;
use crate::state::App;

/// Errors with which a task can be saved: what they miss may still come, as a notebook does that is written afterwards.
const MAY_STILL_COME: [&str; 3] = ["missing_file", "not_a_notebook", "input_key_missing"];
/// Something is empty. Whoever has not come to that field yet is not told so.
const MISSING: &str = "missing_required";
const DUPLICATE_KEY: &str = "duplicate_task_key";

/// A problem with its field.
#[derive(Debug, Clone, PartialEq)]
struct FormProblem {
    /// It is in the task that this one loops over.
    nested: bool,
    field: Field,
    problem: ProblemView,
}

impl FormProblem {
    fn is_error(&self) -> bool {
        self.problem.severity == "error"
    }

    fn words(&self) -> String {
        let suggestion = self.problem.suggestion.as_ref().map(|suggestion| format!(" ({suggestion})"));
        format!("{}{}", self.problem.message, suggestion.unwrap_or_default())
    }
}

/// The problems of a form over settings that are saved; `view` is what the engine says of both together.
fn form_problems(saved: &Value, open: &OpenForm, view: &JobView) -> Vec<FormProblem> {
    let place_of_new = tasks(saved).len();
    let index = open.saved_as.as_deref().and_then(|key| tasks(saved).iter().position(|task| task_key(task) == key));
    let index = index.unwrap_or(place_of_new);
    let nested_key = open.form.nested.as_ref().map(|nested| nested.key.as_str());
    view.problems
        .iter()
        .filter_map(|problem| {
            let at = place(&view.settings, &problem.path);
            let field = at.field.unwrap_or_else(|| Field::Other(String::new()));
            let here = (at.index == Some(index)).then_some(at.nested);
            // Of two tasks of one name the later is told; it is this form's matter all the same.
            let is_twin = |key: &str| problem.kind == DUPLICATE_KEY && problem.message.contains(&format!("'{key}'"));
            let nested = here
                .or_else(|| is_twin(&open.form.key).then_some(false))
                .or_else(|| nested_key.is_some_and(is_twin).then_some(true))?;
            Some(FormProblem { nested, field, problem: problem.clone() })
        })
        .collect()
}

/// Whether a problem of a field is shown at another: each parameter's with the list, those without a field at the end.
fn belongs(problem: &Field, shown: &Field) -> bool {
    match (problem, shown) {
        (Field::Parameter(_), Field::Parameters) | (Field::Other(_), Field::Other(_)) => true,
        _ => problem == shown,
    }
}

impl JobEditor {
    fn with_problems<T: Default>(self, read: impl FnOnce(&[FormProblem]) -> T) -> T {
        let Some(view) = self.view() else { return T::default() };
        let saved = self.saved_settings();
        let found = self.open.with(|open| open.as_ref().map(|open| form_problems(&saved, open, &view)));
        found.map(|found| read(&found)).unwrap_or_default()
    }

    /// What is wrong with a field of the open form: whether it is an error, and the words. Reactive.
    pub fn problems_at(self, nested: bool, field: &Field) -> Vec<(bool, String)> {
        let tells_missing = self.refused.get();
        self.with_problems(|found| {
            let is_shown = |problem: &&FormProblem| {
                problem.nested == nested
                    && belongs(&problem.field, field)
                    && (tells_missing || problem.problem.kind != MISSING || !problem.is_error())
            };
            found.iter().filter(is_shown).map(|problem| (problem.is_error(), problem.words())).collect()
        })
    }

    /// Whether a field of the open form holds an error. Reactive.
    pub fn is_wrong(self, nested: bool, field: &Field) -> bool {
        self.problems_at(nested, field).iter().any(|(is_error, _)| *is_error)
    }

    /// Asks the engine about the open form. If it holds an error with which it must not be saved, goes to its field.
    pub(super) async fn point_out_errors(self, app: App, open: &OpenForm) -> bool {
        // Without an answer it is for the saving to say what is wrong.
        let Some(view) = self.check().await else { return false };
        let found = untrack(|| form_problems(&self.saved_settings(), open, &view));
        let refuses =
            |problem: &&FormProblem| problem.is_error() && !MAY_STILL_COME.contains(&problem.problem.kind.as_str());
        let Some(first) = found.iter().find(refuses) else {
            self.refused.set(false);
            return false;
        };
        self.refused.set(true);
        self.nested.set(first.nested);
        self.focus.set(Some(first.field.clone()));
        app.news.say_urgently(format!("{} {}", t().jobs.not_saved_because, first.words()));
        true
    }
}

#[cfg(test)]
mod tests {
    use lakelet_protocol::GraphView;
    use serde_json::json;

    use super::*;
    use crate::jobs::settings::with_task;
    use crate::jobs::task_form::{TaskForm, TaskType};

    fn view(saved: &Value, open: &OpenForm, problems: &[(&str, &str, &str)]) -> JobView {
        let problem = |(kind, path, message): &(&str, &str, &str)| ProblemView {
            severity: "error".to_owned(),
            kind: (*kind).to_owned(),
            path: (*path).to_owned(),
            message: (*message).to_owned(),
            suggestion: None,
        };
        JobView {
            name: "J".to_owned(),
            settings: with_task(saved, open.saved_as.as_deref(), &open.form),
            graph: GraphView { nodes: Vec::new(), edges: Vec::new(), width: 0.0, height: 0.0 },
            problems: problems.iter().map(problem).collect(),
            inputs: Vec::new(),
            runs: Vec::new(),
            triggers: Vec::new(),
            next_due: None,
            faults: lakelet_protocol::FaultsView::default(),
        }
    }

    fn found(saved: &Value, open: &OpenForm, problems: &[(&str, &str, &str)]) -> Vec<(bool, Field)> {
        let found = form_problems(saved, open, &view(saved, open, problems));
        found.into_iter().map(|problem| (problem.nested, problem.field)).collect()
    }

    #[test]
    fn a_form_is_told_its_own_problems() {
        let saved = json!({ "tasks": [{ "task_key": "a" }, { "task_key": "b" }] });
        let nested = Some(Box::new(TaskForm { key: "n".into(), ..TaskForm::default() }));
        let form = TaskForm { key: "loop".into(), kind: TaskType::ForEach, nested, ..TaskForm::default() };
        let open = OpenForm { saved_as: None, form };
        let problems = [
            ("bad_task_key", "tasks[0].task_key", ""),
            ("concurrency_out_of_range", "tasks[2].for_each_task.concurrency", ""),
            ("missing_file", "tasks[2].for_each_task.task.notebook_task.notebook_path", ""),
            ("missing_required", "tasks[2].for_each_task.task", ""),
        ];
        assert_eq!(
            found(&saved, &open, &problems),
            [(false, Field::Concurrency), (true, Field::Path), (false, Field::Nested)]
        );
    }

    #[test]
    fn a_name_that_is_used_is_a_problem_of_the_form_that_takes_it() {
        let saved = json!({ "tasks": [{ "task_key": "a" }, { "task_key": "b" }] });
        let open = OpenForm { saved_as: Some("a".into()), form: TaskForm { key: "b".into(), ..TaskForm::default() } };
        // The engine tells the later of the two.
        let problems = [("duplicate_task_key", "tasks[1].task_key", "There is another task 'b' in this job.")];
        assert_eq!(found(&saved, &open, &problems), [(false, Field::Name)]);
    }

    #[test]
    fn each_parameter_is_told_with_the_list() {
        assert!(belongs(&Field::Parameter("a".into()), &Field::Parameters));
        assert!(belongs(&Field::Other("max_retries".into()), &Field::Other(String::new())));
        assert!(!belongs(&Field::Name, &Field::Path));
    }
}
