use proptest::prelude::*;

use super::*;

const SOURCE: &str = "\
# Databricks notebook source
# DBTITLE 1,Read parameters
dbutils.widgets.text(\"market\", \"NL\", \"Market\")

print(1)

# COMMAND ----------

# MAGIC %sql
# MAGIC SELECT *
# MAGIC
# MAGIC FROM t

# COMMAND ----------

# MAGIC %md # Title

# COMMAND ----------

# MAGIC %run ./other
";

fn cell(kind: CellKind, title: Option<&str>, source: &str, line: u32) -> NotebookCell {
    NotebookCell { kind, title: title.map(str::to_owned), source: source.to_owned(), line }
}

#[test]
fn source_format_reads() {
    let notebook = parse_notebook(SOURCE, "src/a.py").unwrap();
    assert_eq!(
        notebook.cells,
        [
            cell(
                CellKind::Python,
                Some("Read parameters"),
                "dbutils.widgets.text(\"market\", \"NL\", \"Market\")\n\nprint(1)",
                3
            ),
            cell(CellKind::Sql, None, "SELECT *\n\nFROM t", 10),
            cell(CellKind::Markdown, None, "# Title", 16),
            cell(CellKind::Magic("run".into()), None, "%run ./other", 20),
        ]
    );
    let written = write_notebook(&notebook);
    assert_eq!(written, SOURCE.replace("%md # Title", "%md\n# MAGIC # Title"));
}

#[test]
fn sql_notebooks_use_their_own_comment_sign() {
    let text =
        "-- Databricks notebook source\nSELECT 1\n\n-- COMMAND ----------\n\n-- MAGIC %python\n-- MAGIC print(1)\n";
    let notebook = parse_notebook(text, "a.sql").unwrap();
    assert_eq!(notebook.cells, [cell(CellKind::Sql, None, "SELECT 1", 2), cell(CellKind::Python, None, "print(1)", 7)]);
    assert_eq!(write_notebook(&notebook), text);
}

#[test]
fn other_files_are_no_notebooks() {
    let error = parse_notebook("print(1)\n", "src/a.py").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1: src/a.py is not a notebook: its first line must be `# Databricks notebook source`."
    );
    assert!(!is_notebook("print(1)", "a.py") && is_notebook(SOURCE, "a.py") && !is_notebook(SOURCE, "a.sql"));
    assert!(parse_notebook("{}", "a.ipynb").unwrap_err().message.contains("no list of cells"));
    assert_eq!(parse_notebook("{\n\n", "a.ipynb").unwrap_err().line, 3);
}

#[test]
fn jupyter_reads_and_keeps_what_it_does_not_know() {
    let text = r##"{
      "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# T\n", "text"]},
        {"cell_type": "code", "execution_count": 3, "id": "x", "outputs": [{"output_type": "stream"}],
         "metadata": {"application/vnd.databricks.v1+cell": {"title": "Query"}}, "source": "%sql\nSELECT 1"},
        {"cell_type": "code", "metadata": {}, "source": ["print(1)"], "outputs": []}
      ],
      "metadata": {"application/vnd.databricks.v1+notebook": {"language": "python", "notebookName": "n"}},
      "nbformat": 4, "nbformat_minor": 5, "later": true
    }"##;
    let mut notebook = parse_notebook(text, "a.ipynb").unwrap();
    assert_eq!(
        notebook.cells,
        [
            cell(CellKind::Markdown, None, "# T\ntext", 1),
            cell(CellKind::Sql, Some("Query"), "SELECT 1", 2),
            cell(CellKind::Python, None, "print(1)", 3),
        ]
    );
    let same: Value = serde_json::from_str(&write_notebook(&notebook)).unwrap();
    assert_eq!(same, serde_json::from_str::<Value>(text).unwrap());
    notebook.cells[2].source = "print(2)\n".into();
    let changed: Value = serde_json::from_str(&write_notebook(&notebook)).unwrap();
    assert_eq!(changed["cells"][1]["id"], "x");
    assert_eq!(changed["cells"][2]["source"][0], "print(2)\n");
    let new = Notebook::python("b.ipynb", "1");
    assert_eq!(parse_notebook(&write_notebook(&new), "b.ipynb").unwrap().cells[0].source, "1");
}

#[test]
fn widgets_are_found_where_they_are_plain() {
    let source = r#"
# dbutils.widgets.text("comment", "x")
s = "dbutils.widgets.text('string', 'x')"
dbutils.widgets.text("source_table",     "sales.raw_orders",  "Source table")
dbutils.widgets.text(name='b', defaultValue="it's \"b\"")
dbutils.widgets.dropdown("d", "x", ["x", 'y',
    "z"], "Letters")
dbutils.widgets.text("computed", default_value())
dbutils.widgets.text("joined", "a" + "b")
dbutils.widgets.text("two", "a" 'b',)
my_dbutils.widgets.text("other", "x")
dbutils.widgets.text("b", "second")
dbutils.widgets.multiselect("m", "x", choices)
x = dbutils.widgets.get("source_table")
dbutils.widgets.text("open", "
"#;
    let widgets = declared_widgets(&Notebook::python("a.py", source));
    let names: Vec<&str> = widgets.iter().map(|widget| widget.name.as_str()).collect();
    assert_eq!(names, ["source_table", "b", "d", "two"]);
    assert_eq!((widgets[0].default.as_str(), widgets[0].label.as_str()), ("sales.raw_orders", "Source table"));
    assert_eq!((widgets[1].default.as_str(), widgets[1].label.as_str()), ("it's \"b\"", "b"));
    assert_eq!((widgets[2].kind, widgets[2].choices.join(",").as_str()), (WidgetKind::Dropdown, "x,y,z"));
    assert_eq!(widgets[3].default, "ab");
}

proptest! {
    #[test]
    fn notebooks_of_any_text_are_read_and_scanned(
        text in any::<String>(),
        parts in prop::collection::vec(prop_oneof![
            Just("# MAGIC %sql\n"), Just("# MAGIC\n"), Just("# COMMAND ----------\n"), Just("dbutils.widgets.text("),
            Just("\"\"\""), Just("'a', "), Just("[\n"), Just(")"), Just("# DBTITLE 1,x\n"), Just("é=\\\n"),
        ], 0..20),
    ) {
        for path in ["a.py", "a.sql", "a.ipynb"] {
            let _ = parse_notebook(&text, path);
            let text = format!("# Databricks notebook source\n{}{text}", parts.concat());
            if let Ok(notebook) = parse_notebook(&text, path) {
                declared_widgets(&notebook);
                let again = parse_notebook(&write_notebook(&notebook), path).unwrap();
                // Writing settles blank lines and the place of magic words; after that nothing changes.
                prop_assert_eq!(write_notebook(&again), write_notebook(&parse_notebook(&write_notebook(&again), path).unwrap()));
            }
        }
    }
}
