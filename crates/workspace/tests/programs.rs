//! Jobs that run Python files as programs.
#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_protocol::{RequestBody, ResponseBody, RunState};
use lakelet_workspace::{CellFinished, PythonHost, RunCell, Workspace};
use serde_json::json;
use support::{SharedLog, ask, run};

/// Notes what it is to run, and says how that ended.
struct Notes {
    cells: Vec<RunCell>,
    end: CellFinished,
}

impl PythonHost for Notes {
    fn run(&mut self, _: &mut Workspace, cell: RunCell) -> CellFinished {
        self.cells.push(cell);
        self.end.clone()
    }
}

fn with_job(python_file: &str) -> Workspace {
    let mut workspace = SharedLog::default().open();
    let text = Some("import sys\nprint(sys.argv)".to_owned());
    ask(&mut workspace, RequestBody::SaveFile { path: "src/load.py".to_owned(), text }).unwrap();
    let settings = json!({"name": "load", "tasks": [{"task_key": "load", "spark_python_task": {
        "python_file": python_file, "parameters": ["--day", "{{job.start_time.iso_date}}"]}}]});
    ask(&mut workspace, RequestBody::SaveJob { job: None, settings }).unwrap();
    workspace
}

#[test]
fn a_program_gets_its_arguments() {
    for python_file in ["src/load.py", "/Workspace/Users/<username>/load.py"] {
        let mut workspace = with_job(python_file);
        let mut python = Notes { cells: Vec::new(), end: CellFinished::Succeeded };
        let view = run(&mut workspace, "load", &mut python);
        assert_eq!(view.summary.state, RunState::Success, "{python_file}");
        let cell = &python.cells[0];
        assert_eq!(cell.source, "import sys\nprint(sys.argv)");
        assert_eq!((cell.filename.as_str(), cell.fresh), ("load.py", true));
        assert_eq!(cell.arguments.as_deref().unwrap(), ["--day", "2026-03-02"]);
    }
}

#[test]
fn a_program_that_fails_fails_its_task() {
    let mut workspace = with_job("src/load.py");
    let end = CellFinished::Failed {
        exception: "ProgramExit".to_owned(),
        message: "The program ended with sys.exit(3).".to_owned(),
        traceback: String::new(),
    };
    let view = run(&mut workspace, "load", &mut Notes { cells: Vec::new(), end });
    assert_eq!(view.summary.state, RunState::Failed);
}

#[test]
fn a_file_that_is_not_there_is_told_before_a_run() {
    let mut workspace = with_job("src/laod.py");
    let view = match ask(&mut workspace, RequestBody::Job { job: "load".to_owned() }).unwrap() {
        ResponseBody::Job(view) => view,
        other => panic!("{other:?}"),
    };
    let problem = view.problems.iter().find(|problem| problem.kind == "missing_file").unwrap();
    assert_eq!(problem.path, "tasks[0].spark_python_task.python_file");
    assert_eq!(problem.suggestion.as_deref(), Some("did you mean src/load.py?"));
}
