use super::*;

const LESSON: &str = r#"+++
id = "x"
title = "X"
summary = "A lesson."
version = 1
+++

## First {#first}

```sql run path=src/setup.sql
```

```job path=resources/x.job.yml title="Use this job"
```
"#;

fn open_lesson() -> OpenLesson {
    let files = BTreeMap::from(
        [
            ("lessons/x/en.md", LESSON),
            ("src/setup.sql", "SELECT 1;\n"),
            ("resources/x.job.yml", "resources:\n  jobs: {}\n"),
        ]
        .map(|(path, text)| (path.to_owned(), text.to_owned())),
    );
    let mut lesson = lakelet_lessons::parse(LESSON).unwrap();
    lesson.fill(|path| files.get(path).cloned()).unwrap();
    OpenLesson { id: "x".to_owned(), lesson: Arc::new(lesson), files: Arc::new(files) }
}

#[test]
fn a_workspace_begins_without_the_jobs_its_reader_builds() {
    let files = first_files(&open_lesson());
    assert_eq!(files.keys().collect::<Vec<_>>(), ["lessons/x/en.md", "src/setup.sql"]);
}

#[test]
fn tutorials_have_numbers() {
    assert_eq!(["t1", "t3", "other"].map(tutorial_number), [Some(1), Some(3), None]);
    let after = ["t1", "t3", "other"].map(|id| tutorial_after(id).map(|tutorial| tutorial.number));
    assert_eq!(after, [Some(2), None, None]);
}

#[test]
fn files_are_given_until_their_reader_changes_them() {
    let open = open_lesson();
    let given = |path: &str, text: &str| put::is_given(&open, path, text);
    assert!(given("src/setup.sql", "SELECT 1;\n"));
    assert!(!given("src/setup.sql", "SELECT 2;\n"));
    assert!(!given("src/other.sql", "SELECT 1;\n"));
    assert!(given("resources/x.job.yml", "resources:\n  jobs: {}\n"));
    assert_eq!(put::notebook_file("\nprint(1)\n"), "# Databricks notebook source\n\nprint(1)\n");
}
