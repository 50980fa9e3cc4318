//! The tutorials of this repository: they read without a problem, hold the statements of their originals to the letter,
//! agree with the files of their projects, and are listed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot read its files has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lakelet_lessons::{Block, Lesson, parse, parse_translation};
use serde_json::{Value, json};

const TUTORIALS: [&str; 3] = ["t1", "t2", "t3"];

fn projects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../projects")
}

/// Path in the project → text.
fn files(id: &str) -> BTreeMap<String, String> {
    fn collect(folder: &Path, prefix: &str, out: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            if entry.path().is_dir() {
                collect(&entry.path(), &path, out);
            } else {
                out.insert(path, fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    collect(&projects().join(id), "", &mut out);
    out
}

fn english(id: &str) -> Lesson {
    let files = files(id);
    let text = &files[&format!("lessons/{id}/en.md")];
    let mut lesson = parse(text).unwrap_or_else(|problems| panic!("{id}: {problems:#?}"));
    lesson.fill(|path| files.get(path).cloned()).unwrap_or_else(|problems| panic!("{id}: {problems:#?}"));
    lesson
}

#[test]
fn every_lesson_reads_and_every_step_is_complete() {
    for id in TUTORIALS {
        let lesson = english(id);
        assert_eq!(lesson.id, id);
        for step in &lesson.steps {
            let has = |kind: &str| step.blocks.iter().any(|block| block.kind() == kind);
            assert!(has("check"), "{id}/{}: no check", step.id);
            let first = match step.blocks.first() {
                Some(Block::Prose(nodes)) => format!("{:?}", nodes[0]),
                _ => String::new(),
            };
            assert!(first.contains("Goal: "), "{id}/{}: no goal", step.id);
            assert!(step.acts().len() >= 2, "{id}/{}: nothing to do", step.id);
        }
    }
}

#[test]
fn translations_fit() {
    for id in TUTORIALS {
        let files = files(id);
        if let Some(text) = files.get(&format!("lessons/{id}/pt-BR.md")) {
            let lesson = parse_translation(text, &english(id)).unwrap_or_else(|problems| panic!("{id}: {problems:#?}"));
            assert_eq!(lesson.steps.len(), english(id).steps.len());
        }
    }
}

#[test]
fn statements_of_the_originals_stand_to_the_letter() {
    for id in TUTORIALS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/statements/{id}.txt"));
        let originals = fs::read_to_string(path).unwrap();
        let lesson = english(id);
        let code: Vec<&str> = lesson
            .steps
            .iter()
            .flat_map(|step| &step.blocks)
            .filter_map(|block| match block {
                Block::Sql(block) => Some(block.text.as_str()),
                Block::Python(block) => Some(block.text.as_str()),
                _ => None,
            })
            .collect();
        for original in originals.split("\n====\n") {
            let original = original.trim_end();
            assert!(code.iter().any(|code| code.contains(original)), "{id} has lost\n{original}");
        }
    }
}

#[test]
fn lesson_and_project_hold_the_same_code() {
    for id in TUTORIALS {
        let files = files(id);
        let lesson = english(id);
        let mut last: BTreeMap<String, String> = BTreeMap::new();
        let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for block in lesson.steps.iter().flat_map(|step| &step.blocks) {
            let (path, text) = match block {
                Block::Sql(block) => (block.path.clone(), block.text.clone()),
                Block::Python(block) => {
                    (Some(block.notebook.clone()), format!("# Databricks notebook source\n{}", block.text))
                }
                Block::Job(block) => (Some(block.path.clone()), block.text.clone()),
                _ => continue,
            };
            if let Some(path) = path {
                seen.entry(path.clone()).or_default().push(text.clone());
                last.insert(path, text);
            }
        }
        // A file may pass through other states in the lesson; what the project holds is one of them.
        for (path, texts) in seen {
            let file = files.get(&path).unwrap_or_else(|| panic!("{id} has no {path}"));
            assert!(texts.contains(file), "{id}/{path} is not what the lesson writes");
        }
    }
}

#[test]
fn the_index_lists_every_project() {
    let expected: Vec<Value> = TUTORIALS
        .iter()
        .map(|id| {
            let lesson = english(id);
            let portuguese = files(id).get(&format!("lessons/{id}/pt-BR.md")).map(|text| {
                let lesson = parse_translation(text, &lesson).unwrap();
                json!({"pt-BR": {"title": lesson.title, "summary": lesson.summary}})
            });
            let languages: Vec<&str> = ["en", "pt-BR"]
                .into_iter()
                .filter(|language| files(id).contains_key(&format!("lessons/{id}/{language}.md")))
                .collect();
            json!({
                "id": id,
                "title": lesson.title,
                "summary": lesson.summary,
                "minutes": lesson.minutes,
                "steps": lesson.steps.len(),
                "languages": languages,
                "translations": portuguese.unwrap_or_else(|| json!({})),
                "files": files(id).into_keys().collect::<Vec<_>>(),
            })
        })
        .collect();
    let expected = json!({ "projects": expected });
    let actual: Value = serde_json::from_str(&fs::read_to_string(projects().join("index.json")).unwrap()).unwrap();
    assert_eq!(actual, expected, "projects/index.json should be\n{}", serde_json::to_string_pretty(&expected).unwrap());
}
