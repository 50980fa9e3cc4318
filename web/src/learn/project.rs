//! The files of a tutorial, fetched from beside the page.

use std::collections::BTreeMap;
use std::sync::Arc;

use lakelet_lessons::{Lesson, parse};
use serde::Deserialize;

use crate::boundary::files::{Fetching, fetch};
use crate::learn::OpenLesson;

/// What `projects/index.json` says.
#[derive(Deserialize)]
struct Index {
    projects: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    files: Vec<String>,
}

impl Index {
    fn files(self, id: &str) -> Option<Vec<String>> {
        self.projects.into_iter().find(|project| project.id == id).map(|project| project.files)
    }
}

/// Fetches a project and reads its lesson.
///
/// # Errors
/// A sentence that says what is missing or wrong.
pub async fn fetch_lesson(id: &str) -> Result<OpenLesson, String> {
    let index = fetch("projects/index.json").text().await?;
    let index: Index = serde_json::from_str(&index).map_err(|error| format!("projects/index.json: {error}"))?;
    let paths = index.files(id).ok_or_else(|| format!("There is no project {id}."))?;
    // All are under way before the first is awaited.
    let fetching: Vec<(&String, Fetching)> =
        paths.iter().map(|path| (path, fetch(&format!("projects/{id}/{}", encode_path(path))))).collect();
    let mut files = BTreeMap::new();
    for (path, fetching) in fetching {
        files.insert(path.clone(), fetching.text().await?);
    }
    let lesson = read_lesson(id, &files)?;
    Ok(OpenLesson { id: id.to_owned(), lesson: Arc::new(lesson), files: Arc::new(files) })
}

/// The lesson among a project's files, with the code that stands in other files.
fn read_lesson(id: &str, files: &BTreeMap<String, String>) -> Result<Lesson, String> {
    let path = format!("lessons/{id}/en.md");
    let text = files.get(&path).ok_or_else(|| format!("{path} is missing."))?;
    let problems = |problems: Vec<lakelet_lessons::LessonProblem>| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        format!("{path}: {}", lines.join("; "))
    };
    let mut lesson = parse(text).map_err(problems)?;
    lesson.fill(|path| files.get(path).cloned()).map_err(problems)?;
    Ok(lesson)
}

/// A path for an address: only what would end or change it is encoded.
fn encode_path(path: &str) -> String {
    path.chars()
        .map(|c| match c {
            '%' => "%25".to_owned(),
            '?' => "%3F".to_owned(),
            '#' => "%23".to_owned(),
            ' ' => "%20".to_owned(),
            other => other.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_found_by_id() {
        let text = r#"{"projects":[{"id":"t1","title":"x","files":["a.sql"]}]}"#;
        let read = || serde_json::from_str::<Index>(text).unwrap();
        assert_eq!(read().files("t1"), Some(vec!["a.sql".to_owned()]));
        assert_eq!(read().files("t2"), None);
    }

    #[test]
    fn paths_keep_their_slashes() {
        assert_eq!(encode_path("src/a b#1.sql"), "src/a%20b%231.sql");
    }

    #[test]
    fn a_missing_lesson_is_named() {
        assert_eq!(read_lesson("t9", &BTreeMap::new()).unwrap_err(), "lessons/t9/en.md is missing.");
    }
}
