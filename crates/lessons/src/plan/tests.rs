use crate::parse;

use super::*;

const FRONT: &str = "+++\nid = \"t9\"\ntitle = \"T\"\nsummary = \"S\"\nversion = 1\n+++\n";

#[test]
fn exercises_fail_first_and_hold_after_the_solution() {
    let lesson = parse(&format!(
        "{FRONT}## A\n\n```sql run\nSELECT 1\n```\n\n```starter\nSELECT 0\n```\n\n```check\nrows: 1\n```\n\n```solution\nSELECT 2\n```\n\n```check\nrows: 2\n```\n"
    ))
    .unwrap();
    let acts: Vec<String> = lesson.steps[0]
        .acts()
        .iter()
        .map(|act| match act {
            Act::Check { must_hold, check } => format!("check {} {must_hold}", check.place.number),
            other => other.kind().to_owned(),
        })
        .collect();
    assert_eq!(acts, ["sql", "starter", "check 3 false", "check 5 false", "sql", "check 3 true", "check 5 true"]);
    let Act::Starter(Code::Sql(starter)) = lesson.steps[0].acts()[1] else { panic!() };
    assert!(starter.run);
}

#[test]
fn files_fill_the_blocks_that_name_them() {
    let text = format!(
        "{FRONT}## A\n\n```sql run path=src/setup.sql\n```\n\n```python notebook=src/a.py\n```\n\n```job path=resources/a.yml\nresources: {{}}\n```\n"
    );
    let mut lesson = parse(&text).unwrap();
    lesson
        .fill(|path| match path {
            "src/setup.sql" => Some("SELECT 1;\n".into()),
            "src/a.py" => Some("# Databricks notebook source\n\nprint(1)\n".into()),
            _ => None,
        })
        .unwrap();
    let [Block::Sql(sql), Block::Python(python), Block::Job(job)] = lesson.steps[0].blocks.as_slice() else { panic!() };
    assert_eq!(
        (sql.text.as_str(), python.text.as_str(), job.text.as_str()),
        ("SELECT 1;\n", "print(1)\n", "resources: {}\n")
    );
    assert_eq!(lesson.written_paths(), ["src/a.py", "resources/a.yml"]);
    let problems = parse(&text).unwrap().fill(|_| None).unwrap_err();
    assert_eq!(problems[0].to_string(), "line 9: The project has no file `src/setup.sql`.");
    assert_eq!(problems.len(), 2);
}
