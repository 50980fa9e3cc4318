//! Which tasks of a project's jobs a file belongs to.

use std::collections::BTreeMap;

use lakelet_bundle::{normalize_path, parse_yaml};
use serde_json::Value;

/// A task of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobTask {
    /// The job's name.
    pub job: String,
    /// The task's key; that of a nested task where it is one.
    pub task: String,
}

/// The SQL tasks of a project's jobs that run the file `path`. Bundle files that cannot be read have none.
pub fn tasks_with_sql_file(files: &BTreeMap<String, String>, path: &str) -> Vec<JobTask> {
    let mut found = Vec::new();
    for (file, text) in files.iter().filter(|(file, _)| file.ends_with(".yml") || file.ends_with(".yaml")) {
        let bundle = parse_yaml(text).map(|yaml| yaml.to_json()).unwrap_or_default();
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let jobs = bundle.pointer("/resources/jobs").and_then(Value::as_object).into_iter().flatten();
        for (key, settings) in jobs {
            let name = settings.get("name").and_then(Value::as_str).unwrap_or(key);
            for (task, written) in sql_files(settings) {
                if normalize_path(format!("{folder}/{written}").trim_start_matches('/')).as_deref() == Some(path) {
                    found.push(JobTask { job: name.to_owned(), task });
                }
            }
        }
    }
    found
}

/// The file of each SQL task of a job's settings as it is written there, by the task's key; nested tasks too.
pub fn sql_files(settings: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for task in settings.get("tasks").and_then(Value::as_array).into_iter().flatten() {
        let mut next = Some(task);
        while let Some(task) = next {
            let key = task.get("task_key").and_then(Value::as_str).unwrap_or_default();
            if let Some(path) = task.pointer("/sql_task/file/path").and_then(Value::as_str) {
                found.push((key.to_owned(), path.to_owned()));
            }
            next = task.pointer("/for_each_task/task");
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOBS: &str = "\
resources:
  jobs:
    a:
      name: Market Analysis
      tasks:
        - task_key: read
          sql_task: {file: {path: ../src/read.sql}}
        - task_key: loop
          for_each_task:
            task:
              task_key: one
              sql_task: {file: {path: ../src/one.sql}}
    b:
      tasks: [{task_key: again, sql_task: {file: {path: ../src/read.sql}}}]
";

    #[test]
    fn a_file_belongs_to_the_tasks_that_run_it() {
        let files = [("resources/jobs.yml", JOBS), ("resources/broken.yml", "a: ["), ("src/read.sql", "SELECT 1")];
        let files: BTreeMap<String, String> = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
        let tasks = |path| {
            tasks_with_sql_file(&files, path)
                .into_iter()
                .map(|found| format!("{} / {}", found.job, found.task))
                .collect::<Vec<_>>()
        };
        assert_eq!(tasks("src/read.sql"), ["Market Analysis / read", "b / again"]);
        assert_eq!(tasks("src/one.sql"), ["Market Analysis / one"]);
        assert_eq!(tasks("src/none.sql"), [] as [&str; 0]);
    }
}
