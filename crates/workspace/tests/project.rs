//! The files of a project, and the clock they ask for.

mod support;

use std::collections::BTreeMap;

use lakelet_base::{Limits, Seed, Timestamp};
use lakelet_protocol::{RequestBody, ResponseBody};
use lakelet_workspace::{ClockMode, Workspace, WorkspaceOptions};
use support::{SharedLog, ask, project, query, sql};

fn files(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn opening_a_project_runs_nothing_and_keeps_every_file() {
    let mut workspace = SharedLog::default().open();
    let mut expected = project("t3");
    expected.insert("unknown/file.txt".to_owned(), "kept".to_owned());
    ask(&mut workspace, RequestBody::OpenProject { files: expected.clone() }).unwrap();
    assert_eq!(workspace.files(), expected);
    assert_eq!(query(&mut workspace, "SHOW TABLES"), [""; 0]);
    // Another project takes its place.
    ask(&mut workspace, RequestBody::OpenProject { files: files(&[("a.sql", "SELECT 1")]) }).unwrap();
    let Ok(ResponseBody::Files(paths)) = ask(&mut workspace, RequestBody::Files) else { panic!() };
    assert_eq!(paths, ["a.sql"]);
}

#[test]
fn files_are_written_read_and_removed() {
    let mut workspace = SharedLog::default().open();
    let save =
        |text: Option<&str>| RequestBody::SaveFile { path: "src/./a.sql".to_owned(), text: text.map(str::to_owned) };
    let file = |path: &str| RequestBody::File { path: path.to_owned() };
    ask(&mut workspace, save(Some("SELECT 1"))).unwrap();
    assert_eq!(ask(&mut workspace, file("src/a.sql")), Ok(ResponseBody::File("SELECT 1".to_owned())));
    let error = ask(&mut workspace, file("src/b.sql")).unwrap_err();
    assert_eq!(error.hint.as_deref(), Some("Did you mean src/a.sql?"));
    let body = RequestBody::SaveFile { path: "../a".to_owned(), text: Some(String::new()) };
    assert_eq!(ask(&mut workspace, body).unwrap_err().condition, "LAKELET_BAD_FILE");
    let body = RequestBody::SaveFile { path: "src/a.sql".to_owned(), text: None };
    ask(&mut workspace, body).unwrap();
    assert!(workspace.files().is_empty());
}

#[test]
fn a_new_workspace_takes_the_clock_of_the_project() {
    let log = SharedLog::default();
    let mut workspace = log.open();
    let lakelet = r#"{"format": 1, "clock": "2030-01-01T00:00:00Z"}"#;
    workspace.open_project(files(&[("lakelet.json", lakelet)])).unwrap();
    assert_eq!(workspace.now().to_string(), "2030-01-01T00:00:00Z");
    sql(&mut workspace, "CREATE TABLE t (n INT)");
    let now = workspace.now();
    // Later a project changes no clock.
    let lakelet = r#"{"format": 1, "clock": "2040-01-01T00:00:00Z"}"#;
    workspace.open_project(files(&[("lakelet.json", lakelet)])).unwrap();
    assert_eq!(workspace.now(), now);
    drop(workspace);
    assert_eq!(log.open().now(), now);
}

#[test]
fn a_lesson_has_a_simulated_clock_wherever_it_is_opened() {
    let log = SharedLog::default();
    let open = || {
        let options = WorkspaceOptions {
            clock: ClockMode::Real { system: Box::new(|| Timestamp::LESSON_START.plus_millis(99_000_000_000)) },
            limits: Limits::default(),
            seed: Seed::default(),
            measured_ms: Box::new(|| 0.0),
        };
        Workspace::open(Box::new(log.clone()), options).unwrap().0
    };
    let mut workspace = open();
    workspace.open_project(project("t2")).unwrap();
    assert_eq!(workspace.now(), Timestamp::LESSON_START);
    drop(workspace);
    assert_eq!(open().now(), Timestamp::LESSON_START);
}

#[test]
fn a_project_too_large_is_refused_and_changes_nothing() {
    let mut workspace = SharedLog::default().open();
    workspace.open_project(files(&[("a.sql", "SELECT 1")])).unwrap();
    let many: BTreeMap<String, String> = (0..1_001).map(|n| (format!("f{n}.sql"), String::new())).collect();
    assert!(workspace.open_project(many).is_err());
    assert_eq!(workspace.files().len(), 1);
}
