//! The tutorials from their first step to their last, with every check; and what a reader makes of Python that is missing,
//! of recipes and of checks that do not hold.

#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_lessons::{Lesson, RecipeEntry};
use lakelet_workspace::{ActOutcome, LessonReader, NoPython, PythonHost, Workspace};
use serde_json::{Value, json};
use support::python::TutorialPython;
use support::{SharedLog, project, query, sql};

/// A workspace with a tutorial opened in it, and its lesson.
fn open(id: &str) -> (Workspace, Lesson) {
    let files = project(id);
    let mut lesson = lakelet_lessons::parse(&files[&format!("lessons/{id}/en.md")]).unwrap();
    lesson.fill(|path| files.get(path).cloned()).unwrap();
    let mut workspace = SharedLog::default().open();
    workspace.open_project(files).unwrap();
    (workspace, lesson)
}

/// `step kind: outcome` of each act that did not pass.
fn read(workspace: &mut Workspace, lesson: &Lesson, python: &mut dyn PythonHost) -> (usize, Vec<String>) {
    let mut n_passed = 0;
    let mut others = Vec::new();
    LessonReader::new(workspace, python).read(lesson, |step, act, outcome| match outcome {
        ActOutcome::Passed => n_passed += 1,
        ActOutcome::Failed(message) => others.push(format!("{step} {} failed: {message}", act.kind())),
        ActOutcome::Skipped(message) => others.push(format!("{step} {} skipped: {message}", act.kind())),
    });
    (n_passed, others)
}

/// A lesson of one step.
fn lesson(blocks: &str) -> Lesson {
    let front = "+++\nid = \"l\"\ntitle = \"L\"\nsummary = \"S\"\nversion = 1\n+++\n\n## Step {#s}\n\n";
    lakelet_lessons::parse(&format!("{front}{blocks}")).unwrap()
}

#[test]
fn the_tutorials_hold_what_they_say() {
    for id in ["t1", "t2", "t3"] {
        let (mut workspace, lesson) = open(id);
        let (n_passed, others) = read(&mut workspace, &lesson, &mut TutorialPython::default());
        assert!(others.is_empty(), "{id}: {}", others.join("\n"));
        assert!(n_passed > 30, "{id}: {n_passed}");
    }
}

#[test]
fn a_lesson_holds_on_sample_data_that_is_there_already() {
    for id in ["t1", "t2", "t3"] {
        let (mut workspace, lesson) = open(id);
        let recipe = workspace.bundle().lakelet.recipe.clone();
        let mut python = TutorialPython::default();
        let mut reader = LessonReader::new(&mut workspace, &mut python);
        assert!(matches!(reader.setup(), None | Some(ActOutcome::Passed)));
        for entry in &recipe {
            assert_eq!(reader.recipe_entry(entry), ActOutcome::Passed);
        }
        reader.read(&lesson, |step, _, outcome| assert_eq!(outcome, ActOutcome::Passed, "{id}, {step}"));
    }
}

#[test]
fn without_python_what_does_not_need_it_is_proven_all_the_same() {
    let (mut workspace, lesson) = open("t2");
    let (n_passed, others) = read(&mut workspace, &lesson, &mut NoPython);
    // The notebook job is run and checked four times; one of the checks is of an empty list of inputs.
    assert_eq!((n_passed, others.len()), (37, 8), "{}", others.join("\n"));
    assert!(others.iter().all(|line| line.contains("skipped: [PYTHON_NOT_AVAILABLE]")), "{}", others.join("\n"));
    let steps: Vec<&str> = others.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(steps, ["run", "run", "silent", "silent", "add-market", "add-market", "active", "active"]);
}

#[test]
fn a_failure_that_python_is_missing_for_proves_no_failure() {
    let (mut workspace, _) = open("t2");
    let failed = lesson(
        "```action\ndo: run\njob: Market Analysis\n```\n\n```check\nrun: {job: Market Analysis, state: FAILED}\n```\n",
    );
    for path in ["src/setup.sql", "src/control_table.sql"] {
        let text = workspace.files()[path].clone();
        sql(&mut workspace, &text);
    }
    let (n_passed, others) = read(&mut workspace, &failed, &mut NoPython);
    assert_eq!((n_passed, others.len()), (0, 2), "{others:?}");
    assert!(others[1].starts_with("s check skipped:"), "{others:?}");
}

#[test]
fn checks_that_do_not_hold_say_why() {
    let outcome = |blocks: &str| {
        let mut workspace = SharedLog::default().open();
        sql(&mut workspace, "CREATE TABLE t AS SELECT 1 AS n");
        let (_, others) = read(&mut workspace, &lesson(blocks), &mut NoPython);
        others.join("\n")
    };
    let check = |yaml: &str| outcome(&format!("```check\n{yaml}\n```\n"));
    assert_eq!(check("table: t\nrows: [[1]]\nversion: 0"), "");
    assert_eq!(check("table: t\nrows: 2"), "s check failed: Expected 2 rows, found 1.");
    assert_eq!(check("table: t\nversion: 3"), "s check failed: Expected version 3 of t, found 0.");
    assert_eq!(check("table: u\nversion: 0"), "s check failed: There is no table u.");
    assert_eq!(check("table: u"), "s check failed: there is no u");
    assert_eq!(check("table: s.u\nexists: false"), "");
    assert_eq!(check("table: t\nexists: false"), "s check failed: t is still there");
    assert_eq!(check("file: a.sql"), "s check failed: there is no file a.sql");
    assert_eq!(check("run: SUCCESS"), "s check failed: There is no run yet.");
    assert_eq!(check("job: J"), "s check failed: There is no job J.");
    assert_eq!(check("rows: 1"), "s check failed: no statement of the step has given rows yet");
    assert!(check("clock: \"2030-01-01T00:00:00Z\"").starts_with("s check failed: Expected the clock at 2030"));
    // What a name leads to is no longer a question where the name is none.
    assert!(check("table: 't t'\nexists: false").contains("PARSE_SYNTAX_ERROR"));
    assert_eq!(
        check("sql: DELETE FROM t\nrows: 0"),
        "s check failed: a check only looks, and this statement changes something"
    );
}

#[test]
fn the_last_result_is_that_of_the_nearest_block_that_ran() {
    let mut workspace = SharedLog::default().open();
    let blocks = "```sql run\nSELECT 1; SELECT 2 AS n\n```\n\n```check\n- sql: SELECT 3\n  rows: [[3]]\n- rows: [[2]]\n```\n\n\
                  ```sql run fails=TABLE_OR_VIEW_NOT_FOUND tab=\"a\"\nSELECT * FROM nowhere\n```\n\n```check\nrows: [[2]]\n```\n\n\
                  ```sql run fails=DIVIDE_BY_ZERO tab=\"b\"\nSELECT * FROM nowhere\n```\n";
    let (n_passed, others) = read(&mut workspace, &lesson(blocks), &mut NoPython);
    assert_eq!(n_passed, 3);
    assert_eq!(others[0], "s check failed: no statement of the step has given rows yet");
    assert!(others[1].starts_with("s sql failed: [TABLE_OR_VIEW_NOT_FOUND]"), "{others:?}");
}

#[test]
fn an_exercise_must_not_be_solved_before_it_begins() {
    let exercise = |starter: &str| {
        let mut workspace = SharedLog::default().open();
        let blocks = format!(
            "```starter\n{starter}\n```\n\n```check\ntable: t\nrows: 1\n```\n\n\
             ```solution\nCREATE OR REPLACE TABLE t AS SELECT 1 AS n\n```\n"
        );
        read(&mut workspace, &lesson(&blocks), &mut NoPython)
    };
    assert_eq!(exercise("CREATE TABLE t AS SELEC 1"), (4, Vec::new()));
    let (_, others) = exercise("CREATE TABLE t AS SELECT 1 AS n");
    assert_eq!(others, ["s check failed: the exercise is solved before it begins"]);
}

fn recipe_entry(value: &Value) -> RecipeEntry {
    RecipeEntry::from_json(value, "recipe[0]").unwrap()
}

#[test]
fn recipes_move_the_clock_refresh_and_keep_tabs_apart() {
    let mut workspace = SharedLog::default().open();
    let mut python = NoPython;
    let mut reader = LessonReader::new(&mut workspace, &mut python);
    let mut run = |value: Value| reader.recipe_entry(&recipe_entry(&value));
    assert_eq!(
        run(json!({"do": "sql", "text": "CREATE SCHEMA s; USE SCHEMA s; CREATE TABLE t (n INT)"})),
        ActOutcome::Passed
    );
    assert_eq!(run(json!({"do": "sql", "tab": "other", "text": "CREATE TABLE u (n INT)"})), ActOutcome::Passed);
    let view = "CREATE MATERIALIZED VIEW v SCHEDULE REFRESH EVERY 1 DAY AS SELECT count(*) AS c FROM t;
                INSERT INTO t VALUES (1)";
    assert_eq!(run(json!({"do": "sql", "at": "2026-03-05T10:00:00.5Z", "text": view})), ActOutcome::Passed);
    assert_eq!(run(json!({"do": "refresh", "table": "v"})), ActOutcome::Passed);
    assert!(matches!(run(json!({"do": "refresh", "table": "w"})), ActOutcome::Failed(_)));
    assert_eq!(run(json!({"do": "advance", "to": "2026-03-09T10:00:00.25Z"})), ActOutcome::Passed);
    let ActOutcome::Failed(message) = run(json!({"do": "advance", "to": "2026-03-09T09:00:00Z"})) else { panic!() };
    assert!(message.contains("LAKELET_CLOCK_BACKWARDS"), "{message}");
    let ActOutcome::Failed(message) = run(json!({"do": "sql", "file": "a.sql"})) else { panic!() };
    assert!(message.contains("no text file a.sql"), "{message}");
    // An instant that has passed already is no reason to wait.
    assert_eq!(run(json!({"do": "sql", "at": "2026-03-01T00:00:00Z", "text": "SELECT 1"})), ActOutcome::Passed);

    assert_eq!(query(&mut workspace, "SELECT * FROM s.v"), ["1"]);
    assert_eq!(query(&mut workspace, "SELECT count(*) FROM default.u"), ["0"]);
    assert_eq!(workspace.now().to_string(), "2026-03-09T10:00:00.250000Z");
}
