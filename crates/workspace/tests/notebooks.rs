//! Notebooks that a person runs, and what Python can ask.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot go on")]

mod support;

use std::collections::BTreeMap;

use lakelet_protocol::{
    CellKind, EventBody, NotebookView, OutputItem, ParameterOrigin, PythonCall, PythonReply, RequestBody, ResponseBody,
};
use lakelet_workspace::{CellFinished, NoPython, PythonHost, RunCell, Workspace};
use serde_json::{Map, Value, json};
use support::python::{TutorialPython, call, finished, rows, widget};
use support::{SharedLog, ask, ask_with, query, run, sql, tutorial};

/// Python that is a function of the cell's source.
struct Scripted<F>(F);

impl<F: FnMut(&mut Workspace, &RunCell) -> CellFinished> PythonHost for Scripted<F> {
    fn run(&mut self, workspace: &mut Workspace, cell: RunCell) -> CellFinished {
        (self.0)(workspace, &cell)
    }
}

fn run_notebook(workspace: &mut Workspace, path: &str, cell: Option<u32>, python: &mut dyn PythonHost) -> NotebookView {
    let body = RequestBody::RunNotebook { path: path.to_owned(), cell, widgets: BTreeMap::new() };
    match ask_with(workspace, body, python).0.unwrap() {
        ResponseBody::Notebook(view) => view,
        other => panic!("{other:?}"),
    }
}

fn notebook(cells: &[&str]) -> String {
    format!("# Databricks notebook source\n{}\n", cells.join("\n\n# COMMAND ----------\n\n"))
}

#[test]
fn a_tutorial_notebook_runs_by_itself() {
    let mut workspace = tutorial(&SharedLog::default(), "t1");
    let path = "src/copy_incremental.py";
    let Ok(ResponseBody::Notebook(view)) = ask(&mut workspace, RequestBody::Notebook { path: path.to_owned() }) else {
        panic!()
    };
    assert_eq!(view.used_by, ["Incremental table copy > copy_tables > copy_incremental"]);
    let declared: Vec<_> = view.widgets.iter().map(|w| (w.name.as_str(), w.origin)).collect();
    assert_eq!(declared.len(), 4);
    assert_eq!(declared[0], ("source_table", ParameterOrigin::Default));

    let body = RequestBody::RunNotebook { path: path.to_owned(), cell: None, widgets: BTreeMap::new() };
    let (answer, events) = ask_with(&mut workspace, body, &mut TutorialPython::default());
    let Ok(ResponseBody::Notebook(view)) = answer else { panic!("{answer:?}") };
    assert!(!view.running);
    let output = view.cells[0].output.as_ref().unwrap();
    let [OutputItem::Text { text }] = output.items.as_slice() else { panic!("{output:?}") };
    assert!(text.starts_with("Copying 10 new rows from sales.raw_orders\n"), "{text}");
    assert_eq!(view.cells[0].executed, Some(1));
    assert!(view.widgets.iter().all(|widget| widget.origin == ParameterOrigin::Default));
    assert!(events.iter().any(|event| matches!(event, EventBody::NotebookChanged(_))));
    assert!(events.iter().any(|event| matches!(event, EventBody::CatalogChanged)));

    let widgets = BTreeMap::from([("source_table".to_owned(), "sales.raw_customers".to_owned())]);
    let body = RequestBody::RunNotebook { path: path.to_owned(), cell: None, widgets };
    let Ok(ResponseBody::Notebook(view)) = ask_with(&mut workspace, body, &mut TutorialPython::default()).0 else {
        panic!()
    };
    assert_eq!(view.widgets[0].value, "sales.raw_customers");
    assert_eq!(view.widgets[0].origin, ParameterOrigin::Run);
}

#[test]
fn cells_of_all_kinds_share_a_session() {
    let log = SharedLog::default();
    let mut workspace = log.open();
    let text = notebook(&[
        "# MAGIC %md\n# MAGIC # Title",
        "# MAGIC %sql\n# MAGIC CREATE OR REPLACE TEMPORARY VIEW v AS SELECT id FROM range(3);\n# MAGIC CREATE OR REPLACE TABLE t AS SELECT * FROM v;\n# MAGIC INSERT INTO t VALUES (9)",
        "python",
        "# MAGIC %sql\n# MAGIC SELECT id, :who AS who FROM v ORDER BY id",
    ]);
    workspace.save_file("src/n.py", Some(text)).unwrap();
    let mut namespaces = Vec::new();
    let mut python = Scripted(|workspace: &mut Workspace, cell: &RunCell| {
        namespaces.push((cell.notebook, cell.fresh, cell.filename.clone()));
        widget(workspace, "text", &["who", "Ana", "Who"]).unwrap();
        let counted = rows(workspace, "SELECT count(*) FROM v").unwrap();
        assert_eq!(counted, [[json!(3)]]);
        CellFinished::Succeeded
    });
    let view = run_notebook(&mut workspace, "src/n.py", None, &mut python);
    let kinds: Vec<CellKind> = view.cells.iter().map(|cell| cell.kind).collect();
    assert_eq!(kinds, [CellKind::Markdown, CellKind::Sql, CellKind::Python, CellKind::Sql]);
    assert!(view.cells[0].output.is_none());
    let items = &view.cells[1].output.as_ref().unwrap().items;
    let [OutputItem::Table { header, rows: shown }] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!(header.columns[0].name, "num_affected_rows");
    assert_eq!(shown[0][0].as_deref(), Some("1"));
    let [OutputItem::Table { header, rows: shown }] = view.cells[3].output.as_ref().unwrap().items.as_slice() else {
        panic!()
    };
    assert_eq!((header.n_rows, shown[2][1].as_deref()), (3, Some("Ana")));
    // The handle is open for the grid.
    let page = ask(&mut workspace, RequestBody::FetchPage { result: header.result, row_from: 1, n_rows: 5 }).unwrap();
    let ResponseBody::Page(page) = page else { panic!() };
    assert_eq!(page.rows.len(), 2);

    let mut again = Scripted(|workspace: &mut Workspace, cell: &RunCell| {
        namespaces.push((cell.notebook, cell.fresh, cell.filename.clone()));
        // The session of before is still there.
        assert!(rows(workspace, "SELECT count(*) FROM v").is_ok());
        CellFinished::Succeeded
    });
    let view = run_notebook(&mut workspace, "src/n.py", Some(2), &mut again);
    assert_eq!(view.cells[2].executed, Some(4));
    assert_eq!(view.cells[3].executed, Some(3));
    assert_eq!(namespaces, [(1, true, "n, cell 3".to_owned()), (1, false, "n, cell 3".to_owned())]);
}

#[test]
fn an_error_ends_the_notebook_and_keeps_its_condition() {
    let mut workspace = SharedLog::default().open();
    let text = notebook(&["one", "# MAGIC %sql\n# MAGIC SELECT 1", "# MAGIC %run ./other"]);
    workspace.save_file("src/n.py", Some(text)).unwrap();
    let mut python = Scripted(|workspace: &mut Workspace, _: &RunCell| {
        let outcome = rows(workspace, "SELECT CAST('x' AS INT)").map(|_| ());
        let exception = &outcome.as_ref().unwrap_err().0;
        assert_eq!(exception, "NumberFormatException");
        finished(outcome)
    });
    let view = run_notebook(&mut workspace, "src/n.py", None, &mut python);
    let error = view.cells[0].output.as_ref().unwrap().error.as_ref().unwrap();
    assert_eq!((error.condition.as_str(), error.sqlstate.as_str()), ("CAST_INVALID_INPUT", "22018"));
    assert!(error.hint.as_ref().unwrap().starts_with("Traceback"));
    assert!(view.cells[1].output.is_none());
    let view = run_notebook(&mut workspace, "src/n.py", Some(2), &mut NoPython);
    assert_eq!(view.cells[2].output.as_ref().unwrap().error.as_ref().unwrap().condition, "UNSUPPORTED_FEATURE");
    let view = run_notebook(&mut workspace, "src/n.py", Some(0), &mut NoPython);
    assert_eq!(view.cells[0].output.as_ref().unwrap().error.as_ref().unwrap().condition, "PYTHON_NOT_AVAILABLE");
    let plain = CellFinished::Failed {
        exception: "ZeroDivisionError".to_owned(),
        message: "division by zero".to_owned(),
        traceback: "Traceback".to_owned(),
    };
    let view = run_notebook(
        &mut workspace,
        "src/n.py",
        Some(0),
        &mut Scripted(|_: &mut Workspace, _: &RunCell| plain.clone()),
    );
    assert_eq!(view.cells[0].output.as_ref().unwrap().error.as_ref().unwrap().condition, "ZeroDivisionError");
}

#[test]
fn python_raises_what_pyspark_raises() {
    let mut workspace = SharedLog::default().open();
    workspace.save_file("src/n.py", Some(notebook(&["one"]))).unwrap();
    let mut seen = Vec::new();
    let mut python = Scripted(|workspace: &mut Workspace, _: &RunCell| {
        for text in
            ["SELECT * FROM nowhere", "SELEC 1", "SELECT 1 / 0", "SELECT CAST('x' AS DATE)", "SELECT 1; SELECT 2", ""]
        {
            let (exception, error) = *rows(workspace, text).unwrap_err();
            seen.push(format!("{exception} {}", error.condition));
        }
        let (exception, error) = *widget(workspace, "get", &["none"]).unwrap_err();
        assert!(error.message.contains("No input widget named none is defined"));
        seen.push(exception);
        let args = json!({"taskKey": "a", "key": "k"}).as_object().unwrap().clone();
        let task_value = PythonCall::TaskValue { method: "get".to_owned(), args };
        seen.push(call(workspace, task_value).unwrap_err().0);
        let columns = PythonCall::Sql { text: "SELECT 1 / 0 AS x".to_owned(), args: Map::new(), collect: false };
        let reply = call(workspace, columns).unwrap();
        assert_eq!(reply, PythonReply::Rows { columns: vec![("x".to_owned(), "double".to_owned())], rows: Vec::new() });
        CellFinished::Succeeded
    });
    run_notebook(&mut workspace, "src/n.py", None, &mut python);
    assert_eq!(
        seen,
        [
            "AnalysisException TABLE_OR_VIEW_NOT_FOUND",
            "ParseException PARSE_SYNTAX_ERROR",
            "ArithmeticException DIVIDE_BY_ZERO",
            "DateTimeException CAST_INVALID_INPUT",
            "ParseException PARSE_SYNTAX_ERROR",
            "ParseException PARSE_SYNTAX_ERROR",
            "InputWidgetNotDefined",
            "TypeError",
        ]
    );
}

#[test]
fn tables_are_saved_in_every_mode() {
    let mut workspace = SharedLog::default().open();
    workspace.save_file("src/n.py", Some(notebook(&["one"]))).unwrap();
    let mut python = Scripted(|workspace: &mut Workspace, _: &RunCell| {
        let mut save = |mode: &str, n: u32| {
            let query = format!("SELECT 'x' AS b, {n} AS a");
            let save = PythonCall::SaveAsTable { query, table: "`t`".to_owned(), mode: mode.to_owned() };
            call(workspace, save).map(|_| ()).map_err(|raised| raised.1.condition)
        };
        assert_eq!(save("append", 1), Ok(()));
        assert_eq!(save("append", 2), Ok(()));
        assert_eq!(save("error", 3), Err("TABLE_OR_VIEW_ALREADY_EXISTS".to_owned()));
        assert_eq!(save("ignore", 4), Ok(()));
        assert_eq!(save("sideways", 4), Err("INVALID_SAVE_MODE".to_owned()));
        CellFinished::Succeeded
    });
    run_notebook(&mut workspace, "src/n.py", None, &mut python);
    assert_eq!(query(&mut workspace, "SELECT a, b FROM t ORDER BY a"), ["1 x", "2 x"]);
    let mut python = Scripted(|workspace: &mut Workspace, _: &RunCell| {
        let query = "SELECT 5 AS a, 'y' AS b".to_owned();
        let save = PythonCall::SaveAsTable { query, table: "t".to_owned(), mode: "overwrite".to_owned() };
        finished(call(workspace, save).map(|_| ()))
    });
    run_notebook(&mut workspace, "src/n.py", None, &mut python);
    assert_eq!(query(&mut workspace, "SELECT a, b FROM t"), ["5 y"]);
}

#[test]
fn task_values_go_from_notebook_to_notebook() {
    let mut workspace = SharedLog::default().open();
    workspace.save_file("src/a.py", Some(notebook(&["set"]))).unwrap();
    workspace.save_file("src/b.py", Some(notebook(&["get", "after"]))).unwrap();
    let settings = json!({"name": "J", "tasks": [
        {"task_key": "a", "notebook_task": {"notebook_path": "src/a.py"}},
        {"task_key": "b", "depends_on": [{"task_key": "a"}], "notebook_task": {
            "notebook_path": "src/b", "base_parameters": {"n": "{{tasks.a.values.n}}"}}},
    ]});
    ask(&mut workspace, RequestBody::SaveJob { job: None, settings }).unwrap();
    let mut ran = Vec::new();
    let mut python = Scripted(|workspace: &mut Workspace, cell: &RunCell| {
        ran.push(cell.filename.clone());
        let mut task_value = |method: &str, args: Value| {
            let args = args.as_object().unwrap().clone();
            match call(workspace, PythonCall::TaskValue { method: method.to_owned(), args }).unwrap() {
                PythonReply::Value { value } => value,
                other => panic!("{other:?}"),
            }
        };
        if cell.filename.starts_with("a,") {
            task_value("set", json!({"key": "n", "value": 42}));
            return CellFinished::Succeeded;
        }
        assert_eq!(task_value("get", json!({"taskKey": "a", "key": "n"})), json!(42));
        assert_eq!(widget(workspace, "get", &["n"]).unwrap(), "42");
        call(workspace, PythonCall::Exit { value: "done".to_owned() }).unwrap();
        CellFinished::Exited { value: "done".to_owned() }
    });
    let view = run(&mut workspace, "J", &mut python);
    assert_eq!(view.summary.state.word(), "Succeeded");
    // What comes after the exit does not run.
    assert_eq!(ran, ["a, cell 1", "b, cell 1"]);
    let record = workspace.run_json(view.summary.run_id).unwrap();
    assert_eq!(record["tasks"][1]["attempts"][0]["output"], json!({"text": "done"}));
}

#[test]
fn sql_notebooks_need_no_python() {
    let mut workspace = SharedLog::default().open();
    let text = "-- Databricks notebook source\nCREATE TABLE t AS SELECT 1 AS n\n\n-- COMMAND ----------\n\nSELECT n + CAST(:more AS INT) AS n FROM t\n";
    workspace.save_file("src/n.sql", Some(text.to_owned())).unwrap();
    let settings = json!({"name": "J", "tasks": [
        {"task_key": "a", "notebook_task": {"notebook_path": "src/n.sql", "warehouse_id": "w", "base_parameters": {"more": "4"}}},
    ]});
    ask(&mut workspace, RequestBody::SaveJob { job: None, settings }).unwrap();
    let view = run(&mut workspace, "J", &mut NoPython);
    let cells = &view.tasks[0].attempts[0].cells;
    let Some(OutputItem::Table { rows, .. }) = cells[0].items.first() else { panic!("{view:?}") };
    assert_eq!(rows, &[[Some("5".to_owned())]]);
    sql(&mut workspace, "DROP TABLE t");
}

#[test]
fn a_notebook_is_canceled_between_cells() {
    let mut workspace = SharedLog::default().open();
    workspace.save_file("src/n.py", Some(notebook(&["one", "two"]))).unwrap();
    let body = RequestBody::RunNotebook { path: "src/n.py".to_owned(), cell: None, widgets: BTreeMap::new() };
    workspace.submit(lakelet_protocol::Request { id: 1, body });
    let cell = loop {
        if let Some(cell) = workspace.step().run_cell {
            break cell;
        }
    };
    workspace.submit(lakelet_protocol::Request { id: 2, body: RequestBody::Cancel });
    workspace.cell_finished(cell.execution, CellFinished::Succeeded);
    let mut conditions = Vec::new();
    loop {
        let step = workspace.step();
        assert!(step.run_cell.is_none());
        for message in step.messages {
            if let lakelet_protocol::Message::Response(response) = message {
                conditions.push(response.body.err().map(|error| error.condition));
            }
        }
        if step.idle {
            break;
        }
    }
    assert_eq!(conditions, [Some("OPERATION_CANCELED".to_owned()), None]);
}
