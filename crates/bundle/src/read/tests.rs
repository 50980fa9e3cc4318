use serde_json::json;

use super::*;

const DATABRICKS: &str = "\
bundle:
  name: demo
include:
  - resources/*.yml
  - missing/*.yml
variables:
  warehouse_id:
    lookup: {warehouse: x}
  retries:
    default: 1
  unset: {}
workspace:
  host: https://<your-workspace>
resource: {}
targets:
  dev:
    default: true
    variables:
      retries: 2
    resources:
      jobs:
        a:
          tasks:
            - task_key: loop
              for_each_task: {concurrency: 4}
  prod:
    mode: production
";

const JOB: &str = "\
resources:
  jobs:
    a:
      name: Job ${bundle.target}
      max_retires: 3
      job_clusters: []
      tasks:
        - task_key: read
          sql_task:
            warehouse_id: ${var.warehouse_id}
            file:
              path: ../src/read.sql
        - task_key: loop
          depends_on:
            - task_key: read
          for_each_task:
            inputs: \"{{tasks.read.output.rows}}\"
            concurrency: 2
            task:
              task_key: nested
              max_retries: ${var.retries}
              notebook_task:
                notebook_path: /Workspace/Users/<username>/process
                base_parameters:
                  x: \"{{input.x}}\"
        - task_key: other
          dbt_task: {commands: [dbt run]}
          description: ${var.unset}
        - task_key: gone
          notebook_task:
            notebook_path: ../src/proces
";

fn project() -> Project {
    Project::from_files([
        ("databricks.yml", DATABRICKS),
        ("resources/a.job.yml", JOB),
        ("src/read.sql", "SELECT 1"),
        ("src/process.py", "# Databricks notebook source\n"),
        ("lakelet.json", "{\"format\": 1, \"title\": \"Demo\", \"seed\": 5}"),
    ])
    .unwrap()
}

#[test]
fn a_bundle_is_read_with_its_target() {
    let bundle = read_bundle(&project(), None);
    assert_eq!((bundle.name.as_deref(), bundle.target.as_deref()), (Some("demo"), Some("dev")));
    assert_eq!(bundle.targets, ["dev", "prod"]);
    assert_eq!((bundle.lakelet.title.as_str(), bundle.lakelet.seed), ("Demo", 5));
    let job = bundle.job("Job dev").unwrap();
    assert_eq!((job.key.as_str(), job.path.as_str(), job.line), ("a", "resources/a.job.yml", 3));
    let tasks = &job.settings["tasks"];
    assert_eq!(tasks[0]["sql_task"], json!({"warehouse_id": "${var.warehouse_id}", "file": {"path": "src/read.sql"}}));
    assert_eq!(tasks[1]["for_each_task"]["concurrency"], json!(4));
    let nested = &tasks[1]["for_each_task"]["task"];
    assert_eq!(nested["max_retries"], json!(2));
    assert_eq!(nested["notebook_task"]["notebook_path"], "src/process.py");
    assert_eq!(job.line_of("tasks[1].for_each_task.task.notebook_task.notebook_path"), 23);
    assert_eq!((job.line_of("tasks[1].retry"), job.line_of("nothing")), (13, 3));
    let prod = read_bundle(&project(), Some("prod"));
    assert_eq!(prod.job("a").unwrap().settings["tasks"][1]["for_each_task"]["concurrency"], json!(2));
    assert_eq!(bundle.referenced_job("${resources.jobs.a.id}").map(|job| job.key.as_str()), Some("a"));
}

#[test]
fn problems_name_file_and_line() {
    let problems: Vec<String> = read_bundle(&project(), None)
        .problems
        .iter()
        .map(|problem| format!("{:?} {problem}", problem.severity))
        .collect();
    assert_eq!(
        problems,
        [
            "Warning databricks.yml:5: No file matches `missing/*.yml`.",
            "Note databricks.yml:12: `workspace` has no effect in Lakelet; it is kept.",
            "Error databricks.yml:13: The placeholder `<your-workspace>` is not filled in.",
            "Warning databricks.yml:14: `resource` is not a key of a bundle; it is kept. Did you mean `resources`?",
            "Warning resources/a.job.yml:5: `max_retires` is not a key of a job; it is kept.",
            "Note resources/a.job.yml:6: `job_clusters` has no effect in Lakelet; it is kept.",
            "Warning resources/a.job.yml:27: Lakelet does not support `dbt_task`; it is kept for Databricks.",
            "Error resources/a.job.yml:28: The variable `unset` has no value: give it a `default`.",
            "Error resources/a.job.yml:31: There is no file `src/proces`. Did you mean `src/process.py`?",
        ]
    );
}

#[test]
fn broken_files_leave_the_rest_readable() {
    let mut project = project();
    project
        .put_text("resources/b.yml", "resources:\n  jobs:\n    a: {}\n    c: [1]\n    d: {name: Job dev}\n")
        .unwrap();
    project.put_text("resources/c.yml", "a: [\n").unwrap();
    project.put("resources/d.yml", vec![0xff]).unwrap();
    project.put_text("lakelet.json", "[]").unwrap();
    let bundle = read_bundle(&project, Some("dve"));
    let errors: Vec<String> = bundle
        .problems
        .iter()
        .filter(|problem| problem.kind != "no_effect" && !problem.file.starts_with("resources/a"))
        .map(ToString::to_string)
        .collect();
    assert!(errors.contains(&"databricks.yml:1: There is no target `dve`. Did you mean `dev`?".to_owned()));
    assert!(errors.contains(&"resources/b.yml:3: The job `a` is defined in resources/a.job.yml already.".to_owned()));
    assert!(errors.contains(&"resources/b.yml:4: `c` must be a map of settings, not a list.".to_owned()));
    assert!(errors.iter().any(|error| error.starts_with("resources/c.yml:2: This is not YAML")), "{errors:#?}");
    assert!(errors.contains(&"resources/d.yml:1: This file is not UTF-8 text.".to_owned()));
    assert!(errors.iter().any(|error| error.starts_with("lakelet.json:1: This must be a map")));
    assert_eq!(bundle.jobs.len(), 2);
}

#[test]
fn a_project_without_a_bundle_file_is_read_and_told_so() {
    let project = Project::from_files([("resources/a.yml", "resources:\n  jobs:\n    a: {name: A}\n")]).unwrap();
    let bundle = read_bundle(&project, None);
    assert_eq!(bundle.jobs[0].name(), "A");
    assert!(bundle.problems[0].message.contains("no databricks.yml"));
    assert_eq!(read_bundle(&Project::new(), None), Bundle::default());
}

#[test]
fn pipelines_are_read_too() {
    let project = Project::from_files([
        ("databricks.yml", "bundle: {name: p}\ninclude: [\"resources/*.yml\"]\n"),
        (
            "resources/p.pipeline.yml",
            "resources:\n  pipelines:\n    p:\n      name: P\n      catalog: main\n      libraries:\n        - glob: {include: ../src/p/**}\n        - file: {path: ../src/a.sql}\n",
        ),
        ("src/a.sql", ""),
    ])
    .unwrap();
    let bundle = read_bundle(&project, None);
    assert_eq!(bundle.problems, []);
    assert_eq!(
        bundle.pipelines[0].settings["libraries"],
        json!([{"glob": {"include": "src/p/**"}}, {"file": {"path": "src/a.sql"}}])
    );
}

#[test]
fn large_bundles_are_read_up_to_a_limit() {
    let mut jobs = String::from("resources:\n  jobs:\n");
    for index in 0..1_200 {
        jobs.push_str(&format!("    j{index}: {{name: n{index}, unknown_key_{index}: 1}}\n"));
    }
    let includes = vec!["resources/*.yml"; 101].join(", ");
    let bundle_file = format!("bundle: {{name: x}}\ninclude: [{includes}, \"{}\"]\n", "*".repeat(500));
    let files = [("databricks.yml", bundle_file), ("resources/jobs.yml", jobs)];
    let bundle = read_bundle(&Project::from_files(files).unwrap(), None);
    assert_eq!(bundle.jobs.len(), 1_000);
    assert_eq!(bundle.problems.len(), 501);
    assert!(bundle.problems.iter().any(|problem| problem.kind == "too_many" && problem.line == 1_003));
    assert!(bundle.problems.iter().any(|problem| problem.kind == "too_many" && problem.file == "databricks.yml"));
    assert!(bundle.problems.iter().any(|problem| problem.kind == "more"));
}
