//! The binary as its users call it: output, exit codes, folders that outlive a process.
#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const NOW: &str = "2026-03-02T09:00:00Z";

fn lakelet(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lakelet"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    lakelet(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// A new folder of this test's own below cargo's folder for tests.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn project(name: &str) -> String {
    format!("{}/../../projects/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn rows_come_as_table_csv_or_json() {
    let query = "SELECT 1 AS n, 'a,b' AS t, CAST(NULL AS STRING) AS z";
    let rows = |format: &str| stdout(&output(&["sql", "-c", query, "--format", format]));
    assert!(rows("table").contains("| 1 | a,b | NULL |"), "{}", rows("table"));
    assert_eq!(rows("csv"), "n,t,z\n1,\"a,b\",\n");
    let json: serde_json::Value = serde_json::from_str(&rows("json")).unwrap();
    assert_eq!(json["columns"][1], serde_json::json!({"name": "t", "type": "string"}));
    assert_eq!(json["rows"], serde_json::json!([[1, "a,b", null]]));
}

#[test]
fn statements_come_from_standard_input_too() {
    let mut child =
        lakelet(&["sql", "-", "--format", "csv"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"CREATE TABLE t (id INT); INSERT INTO t VALUES (7); SELECT * FROM t")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).ends_with("id\n7\n"), "{}", stdout(&output));
}

#[test]
fn a_failed_statement_says_where_and_ends_with_1() {
    let output = output(&["sql", "-c", "SELECT 1;\nSELECT nope"]);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    for part in ["[UNRESOLVED_COLUMN", "SQLSTATE: 42703", "line 2, column 8", "^"] {
        assert!(said.contains(part), "{said}");
    }
    assert!(stdout(&output).contains("| 1 |"), "what ran before is shown");
}

#[test]
fn a_wrong_call_ends_with_2() {
    let before_the_last_commit = ["--now", "2026-03-01T09:00:00Z"];
    let workspace = folder("wrong_call");
    let workspace = workspace.to_str().unwrap();
    let made = output(&["sql", "--workspace", workspace, "--now", NOW, "-c", "CREATE TABLE t (id INT)"]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let calls: [&[&str]; 5] = [
        &["nope"],
        &["sql", "-c", "SELECT 1", "--format", "xml"],
        &["sql", "-c", "SELECT 1", "--now", "yesterday"],
        &["run", &project("t2"), "--job", "nope"],
        &["sql", "--workspace", workspace, before_the_last_commit[0], before_the_last_commit[1], "-c", "SELECT 1"],
    ];
    for call in calls {
        let output = output(call);
        assert_eq!(code(&output), 2, "{call:?}");
        assert!(!output.stderr.is_empty(), "{call:?}");
    }
}

#[test]
fn a_workspace_folder_keeps_its_tables() {
    let folder = folder("kept");
    let workspace = folder.to_str().unwrap();
    let run = |text: &str| output(&["sql", "--workspace", workspace, "--format", "csv", "-c", text]);
    assert_eq!(code(&run("CREATE TABLE t (id INT); INSERT INTO t VALUES (1), (2)")), 0);
    assert_eq!(code(&run("INSERT INTO t VALUES (3); SELECT nope")), 1);
    assert_eq!(stdout(&run("SELECT count(*) AS n FROM t")), "n\n3\n");
    // What a process that was killed had not finished writing.
    let log = folder.join("log.0");
    let mut bytes = std::fs::read(&log).unwrap();
    bytes.truncate(bytes.len() - 3);
    std::fs::write(&log, bytes).unwrap();
    let after = run("SELECT count(*) AS n FROM t");
    assert_eq!(stdout(&after), "n\n2\n");
    assert!(stderr(&after).contains("never finished"), "{}", stderr(&after));
}

#[test]
fn a_job_runs_with_its_iterations() {
    let output = output(&["run", &project("t2"), "--job", "market_analysis_sql"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stdout(&output);
    for line in ["run 1, SUCCESS", "#0 NL · EUR  SUCCESS", "#1 UK · GBP  SUCCESS", "#2 US · USD  SUCCESS"] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn a_notebook_without_python_fails_by_name() {
    let output = output(&["run", &project("t2"), "--job", "market_analysis"]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("PYTHON_NOT_AVAILABLE"), "{}", stdout(&output));
}

#[test]
fn a_lesson_that_is_wrong_fails_its_check() {
    let folder = folder("wrong_lesson");
    std::fs::create_dir_all(folder.join("lessons/x")).unwrap();
    let lesson = "+++\nid = \"x\"\ntitle = \"X\"\nsummary = \"A lesson.\"\nversion = 1\n+++\n\n## First {#first}\n\n```check\nsay: Two\nsql: SELECT 1\nrows: [[ANSWER]]\n```\n";
    let check = |answer: &str| {
        std::fs::write(folder.join("lessons/x/en.md"), lesson.replace("ANSWER", answer)).unwrap();
        output(&["check", folder.to_str().unwrap()])
    };
    assert_eq!(code(&check("1")), 0, "{}", stdout(&check("1")));
    let wrong = check("2");
    assert_eq!(code(&wrong), 1);
    assert!(stdout(&wrong).contains("\"pass\":false"), "{}", stdout(&wrong));
}

/// A project whose job divides by what the table `t` holds, once for each of two rows.
const DIVIDING_JOB: &str = r#"
resources:
  jobs:
    divide:
      name: Divide
      tasks:
        - task_key: rows
          for_each_task:
            inputs: "[1, 2]"
            task:
              task_key: row
              sql_task:
                warehouse_id: w
                file: {path: ../src/row.sql}
                parameters: {id: "{{input}}"}
"#;

#[test]
fn a_run_is_repaired_where_it_failed() {
    let project = folder("repair_project");
    let workspace = folder("repair_workspace");
    for (path, text) in [
        ("databricks.yml", "bundle:\n  name: divide\ninclude:\n  - resources/*.yml\n"),
        ("resources/divide.job.yml", DIVIDING_JOB),
        ("src/row.sql", "SELECT 10 / d FROM t WHERE id = CAST(:id AS INT)"),
    ] {
        let file = project.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let call = |arguments: &[&str]| output(&[arguments, &["--workspace", workspace.to_str().unwrap()]].concat());
    call(&["sql", "--now", NOW, "-c", "CREATE TABLE t (id INT, d INT); INSERT INTO t VALUES (1, 1), (2, 0)"]);
    let failed = call(&["run", project.to_str().unwrap()]);
    assert_eq!(code(&failed), 1);
    assert!(stdout(&failed).contains("run 1, FAILED"), "{}", stdout(&failed));
    assert!(stdout(&failed).contains("DIVIDE_BY_ZERO"), "{}", stdout(&failed));

    let again = call(&["repair", "1"]);
    assert_eq!(code(&again), 1, "it fails as before: {}", stdout(&again));
    call(&["sql", "-c", "UPDATE t SET d = 5 WHERE id = 2"]);
    let repaired = call(&["repair", "1", "--iteration", "rows:1", "--format", "json"]);
    assert_eq!(code(&repaired), 0, "{}", stderr(&repaired));
    let run: serde_json::Value = serde_json::from_str(&stdout(&repaired)).unwrap();
    assert_eq!((&run["state"], &run["repair_count"]), (&"SUCCESS".into(), &2.into()));
    let attempts = |index: usize| run["tasks"][0]["iterations"][index]["attempts"].as_array().unwrap().len();
    assert_eq!((attempts(0), attempts(1)), (1, 3), "what succeeded is not run again");

    let unknown = call(&["repair", "9"]);
    assert_eq!(code(&unknown), 1);
    assert!(stderr(&unknown).contains("9"), "{}", stderr(&unknown));
}

#[test]
fn a_repair_that_names_nothing_is_a_wrong_call() {
    let nowhere = folder("repair_nowhere");
    let wrong = output(&["repair", "1", "--workspace", nowhere.to_str().unwrap()]);
    assert_eq!(code(&wrong), 2);
    assert!(!nowhere.exists(), "nothing is made");
    for iteration in ["rows", ":1", "rows:x", "rows:-1"] {
        let wrong = output(&["repair", "1", "--workspace", ".", "--iteration", iteration]);
        assert_eq!(code(&wrong), 2, "{iteration}");
        assert!(stderr(&wrong).contains("KEY:INDEX"), "{}", stderr(&wrong));
    }
}
