use super::*;
use crate::read::read_bundle;

const BUNDLE: &str = "bundle:\n  name: demo\ninclude:\n  - resources/*.yml\nvariables:\n  warehouse_id: {lookup: {warehouse: x}}\n  n: {default: 2}\n";

const JOBS: &str = "\
# All jobs of the shop
resources:
  jobs:
    a:
      name: A
      later_key: {x: 1}
      tasks:
        # the list
        - task_key: read
          sql_task:
            warehouse_id: ${var.warehouse_id}
            file:
              path: ../src/read.sql
        - task_key: loop
          for_each_task:
            inputs: \"{{tasks.read.output.rows}}\"
            concurrency: ${var.n}
            task:
              task_key: nested
              notebook_task:
                notebook_path: /Workspace/Users/<username>/process

    # the other one
    b:
      name: B
";

fn project() -> Project {
    Project::from_files([
        ("databricks.yml", BUNDLE),
        ("resources/jobs.yml", JOBS),
        ("src/read.sql", "SELECT 1 AS x"),
        ("src/process.py", "# Databricks notebook source\n"),
    ])
    .unwrap()
}

fn saved(change: impl FnOnce(&mut Value)) -> (Project, Value) {
    let mut project = project();
    let bundle = read_bundle(&project, None);
    let mut settings = with_sql_texts(&project, &bundle.jobs[0].settings);
    change(&mut settings);
    save_job(&mut project, &bundle, Some("a"), &settings).unwrap();
    let again = read_bundle(&project, None);
    let read = with_sql_texts(&project, &again.jobs[0].settings);
    assert_eq!(read, settings, "what was saved is what is read");
    (project, settings)
}

#[test]
fn saving_unchanged_settings_changes_nothing() {
    assert_eq!(saved(|_| ()).0, project());
}

#[test]
fn a_change_keeps_spellings_and_neighbors() {
    let (project, _) = saved(|settings| {
        settings["tasks"][1]["for_each_task"]["task"]["max_retries"] = json!(1);
        settings["tasks"][0]["description"] = json!("yes");
    });
    let expected = JOBS
        .replace("        # the list\n", "")
        .replace("later_key: {x: 1}", "later_key:\n        x: 1")
        .replace("../src/read.sql\n", "../src/read.sql\n          description: \"yes\"\n")
        .replace("<username>/process\n", "<username>/process\n              max_retries: 1\n");
    assert_eq!(project.text("resources/jobs.yml"), Some(expected.as_str()));
}

#[test]
fn changed_paths_are_written_from_the_file_that_holds_them() {
    let (project, _) = saved(|settings| {
        settings["tasks"][1]["for_each_task"]["task"]["notebook_task"]["notebook_path"] = json!("src/read.sql");
        settings["tasks"][1]["for_each_task"]["concurrency"] = json!(3);
    });
    let text = project.text("resources/jobs.yml").unwrap();
    assert!(text.contains("notebook_path: ../src/read.sql") && text.contains("concurrency: 3"), "{text}");
}

#[test]
fn sql_texts_go_to_their_files() {
    let (project, _) = saved(|settings| settings["tasks"][0]["sql_task"]["query"]["text"] = json!("SELECT 2"));
    assert_eq!(project.text("src/read.sql"), Some("SELECT 2"));
    assert_eq!(project.text("resources/jobs.yml"), Some(JOBS));
}

#[test]
fn of_tasks_that_share_a_file_the_changed_text_counts() {
    let save = |texts: [&str; 2]| {
        let mut project = project();
        let bundle = read_bundle(&project, None);
        let mut settings = bundle.jobs[0].settings.clone();
        let task = |key: &str, text: &str| json!({"task_key": key, "sql_task": {"file": {"path": "src/read.sql"}, "query": {"text": text}}});
        settings["tasks"] = json!([task("read", texts[0]), task("again", texts[1])]);
        save_job(&mut project, &bundle, Some("a"), &settings)?;
        Ok(project.text("src/read.sql").unwrap().to_owned())
    };
    let old = project().text("src/read.sql").unwrap().to_owned();
    assert_eq!(save(["SELECT 2", &old]), Ok("SELECT 2".to_owned()));
    assert_eq!(save([&old, "SELECT 2"]), Ok("SELECT 2".to_owned()));
    assert_eq!(save(["SELECT 2", "SELECT 2"]), Ok("SELECT 2".to_owned()));
    assert_eq!(save([&old, &old]), Ok(old.clone()));
    assert_eq!(save(["SELECT 2", "SELECT 3"]), Err(SaveError::SharedFile { path: "src/read.sql".to_owned() }));
}

#[test]
fn a_new_job_brings_its_files() {
    let mut project = Project::new();
    let bundle = read_bundle(&project, None);
    let settings = json!({"name": "Market Analysis!", "tasks": [
        {"task_key": "read", "sql_task": {"query": {"text": "SELECT 1"}}},
        {"task_key": "again", "for_each_task": {"inputs": "[1]", "task": {
            "task_key": "read", "sql_task": {"query": {"text": "SELECT 2"}, "warehouse_id": "w"}}}},
    ]});
    assert_eq!(save_job(&mut project, &bundle, None, &settings).unwrap(), "market_analysis");
    let bundle = read_bundle(&project, None);
    assert_eq!(bundle.problems, []);
    let job = bundle.job("Market Analysis!").unwrap();
    assert_eq!(
        job.settings["tasks"][0]["sql_task"],
        json!({"file": {"path": "src/read.sql"}, "warehouse_id": "${var.warehouse_id}"})
    );
    assert_eq!(
        sql_task_text(&project, &job.settings["tasks"][1]["for_each_task"]["task"]["sql_task"]),
        Some("SELECT 2")
    );
    assert_eq!(project.text("src/market_analysis/read.sql"), Some("SELECT 2"));
    assert!(project.text("resources/market_analysis.job.yml").unwrap().contains("path: ../src/read.sql"));
    // The same name once more gets a key of its own.
    assert_eq!(save_job(&mut project, &bundle, None, &settings).unwrap(), "market_analysis_2");
    let bundle = read_bundle(&project, None);
    assert_eq!(bundle.jobs.len(), 2);
    // It shares no file with the first: an edit of one would change the other.
    let paths: Vec<&Value> =
        bundle.jobs.iter().map(|job| &job.settings["tasks"][0]["sql_task"]["file"]["path"]).collect();
    assert_eq!(paths, ["src/read.sql", "src/market_analysis/read_2.sql"]);
}

#[test]
fn a_new_sql_task_takes_a_file_that_says_the_same_and_is_nobodys() {
    let add = |project: &mut Project, key: &str, text: &str| {
        let bundle = read_bundle(project, None);
        let mut settings = bundle.jobs[0].settings.clone();
        settings["tasks"].as_array_mut().unwrap().push(json!({"task_key": key, "sql_task": {"query": {"text": text}}}));
        save_job(project, &bundle, Some("a"), &settings).unwrap();
        let bundle = read_bundle(project, None);
        let tasks = bundle.jobs[0].settings["tasks"].as_array().unwrap();
        tasks.last().unwrap()["sql_task"]["file"]["path"].as_str().unwrap().to_owned()
    };
    let mut project = project();
    project.put_text("src/list.sql", "SELECT 3").unwrap();
    project.put_text("src/notes.sql", "-- mine").unwrap();
    assert_eq!(add(&mut project, "list", "SELECT 3"), "src/list.sql");
    assert_eq!(add(&mut project, "list-", "SELECT 3"), "src/a/list.sql", "the file is another task's by now");
    assert_eq!(add(&mut project, "list+", "SELECT 4"), "src/a/list_2.sql");
    assert_eq!(add(&mut project, "notes", "SELECT 5"), "src/a/notes.sql");
    assert_eq!(project.text("src/notes.sql"), Some("-- mine"));
}

#[test]
fn new_and_changed_sql_tasks_name_a_warehouse() {
    let tasks = "      tasks:\n        - task_key: old\n          sql_task: {file: {path: ../src/read.sql}}\n";
    let file = format!("resources:\n  jobs:\n    a:\n      name: A\n{tasks}");
    let bundle_file = "# mine\nbundle:\n  name: x\ninclude:\n  - resources/*.yml\n";
    let mut project =
        Project::from_files([("databricks.yml", bundle_file), ("resources/a.yml", file.as_str())]).unwrap();
    project.put_text("src/read.sql", "SELECT 1").unwrap();
    let warehouses = |project: &mut Project, change: &dyn Fn(&mut Value)| {
        let bundle = read_bundle(project, None);
        let mut settings = bundle.jobs[0].settings.clone();
        change(&mut settings);
        save_job(project, &bundle, Some("a"), &settings).unwrap();
        let bundle = read_bundle(project, None);
        assert_eq!(bundle.problems, []);
        let tasks = bundle.jobs[0].settings["tasks"].as_array().unwrap();
        tasks.iter().map(|task| task["sql_task"].get("warehouse_id").cloned()).collect::<Vec<_>>()
    };
    let named = Some(json!("${var.warehouse_id}"));
    let found = warehouses(&mut project, &|settings| {
        let task = json!({"task_key": "new", "sql_task": {"query": {"text": "SELECT 2"}}});
        settings["tasks"].as_array_mut().unwrap().push(task);
    });
    assert_eq!(found, [None, named.clone()], "what was not touched stays as its author wrote it");
    assert!(project.text("databricks.yml").unwrap().starts_with(bundle_file));
    let found =
        warehouses(&mut project, &|settings| settings["tasks"][0]["sql_task"]["parameters"] = json!({"a": "1"}));
    assert_eq!(found, [named.clone(), named]);
}

#[test]
fn an_include_is_added_where_it_is_missing() {
    let mut project = Project::from_files([("databricks.yml", "# mine\nbundle:\n  name: x\n")]).unwrap();
    let bundle = read_bundle(&project, None);
    save_job(&mut project, &bundle, None, &json!({"name": "J"})).unwrap();
    assert_eq!(project.text("databricks.yml"), Some("# mine\nbundle:\n  name: x\ninclude:\n  - resources/*.yml\n"));
    assert_eq!(read_bundle(&project, None).jobs.len(), 1);
    let mut broken = Project::from_files([("databricks.yml", "a: [")]).unwrap();
    let before = broken.clone();
    let error = save_job(&mut broken, &read_bundle(&before, None), None, &json!({})).unwrap_err();
    assert!(error.to_string().starts_with("databricks.yml must be mended first"));
    assert_eq!(broken, before);
}

#[test]
fn one_line_maps_are_written_anew() {
    let text = "resources: {jobs: {a: {name: A}, b: {name: B}}}\n";
    let mut project = Project::from_files([("databricks.yml", BUNDLE), ("resources/jobs.yml", text)]).unwrap();
    let bundle = read_bundle(&project, None);
    save_job(&mut project, &bundle, Some("a"), &json!({"name": "A", "max_concurrent_runs": 2})).unwrap();
    let expected = "resources:\n  jobs:\n    a:\n      name: A\n      max_concurrent_runs: 2\n    b:\n      name: B\n";
    assert_eq!(project.text("resources/jobs.yml"), Some(expected));
}

#[test]
fn removing_a_job_leaves_the_others() {
    let mut project = project();
    let bundle = read_bundle(&project, None);
    remove_job(&mut project, &bundle.jobs[0]).unwrap();
    assert_eq!(
        project.text("resources/jobs.yml"),
        Some("# All jobs of the shop\nresources:\n  jobs:\n\n    # the other one\n    b:\n      name: B\n")
    );
    let bundle = read_bundle(&project, None);
    remove_job(&mut project, &bundle.jobs[0]).unwrap();
    assert!(!project.contains("resources/jobs.yml"));
}

#[test]
fn yaml_and_json_of_a_job_are_read() {
    assert_eq!(job_from_yaml("name: A\n").unwrap(), json!({"name": "A"}));
    assert_eq!(job_from_yaml("{\"name\": \"A\"}").unwrap(), json!({"name": "A"}));
    assert_eq!(job_from_yaml("resources: {jobs: {x: {name: A}}}").unwrap(), json!({"name": "A"}));
    assert!(job_from_yaml(JOBS).is_err() && job_from_yaml("[1]").is_err());
    let settings = json!({"name": "A", "tasks": [{"task_key": "t"}]});
    assert_eq!(job_from_yaml(&job_to_yaml(&settings)).unwrap(), settings);
}

#[test]
fn what_a_target_sets_stays_with_the_target() {
    let targets = "\ntargets:\n  dev:\n    default: true\n    resources:\n      jobs:\n        a:\n          max_concurrent_runs: 3\n          tasks:\n            - task_key: loop\n              for_each_task: {concurrency: 9}\n            - task_key: extra\n              notebook_task: {notebook_path: src/process.py}\n";
    let mut project = project();
    project.put_text("databricks.yml", format!("{BUNDLE}{targets}")).unwrap();
    let bundle = read_bundle(&project, None);
    let job = bundle.job("A").unwrap();
    assert_eq!(job.settings["max_concurrent_runs"], json!(3));

    // A change beside it is written, and nothing of the target's leaks into the job's own file.
    let mut settings = job.settings.clone();
    settings["tasks"][0]["description"] = json!("the list");
    let mut changed = project.clone();
    save_job(&mut changed, &bundle, Some("a"), &settings).unwrap();
    let text = changed.text("resources/jobs.yml").unwrap();
    assert!(text.contains("description: the list"), "{text}");
    for other in ["max_concurrent_runs", "extra", "concurrency: 9"] {
        assert!(!text.contains(other), "{text}");
    }
    assert_eq!(read_bundle(&changed, None).job("A").unwrap().settings, settings);

    // A change of what the target sets would have no effect.
    let mut settings = job.settings.clone();
    settings["tasks"][1]["for_each_task"]["concurrency"] = json!(2);
    let mut changed = project.clone();
    let error = save_job(&mut changed, &bundle, Some("a"), &settings).unwrap_err();
    assert!(
        matches!(&error, SaveError::Overridden { target, path } if target == "dev" && path.ends_with("concurrency")),
        "{error:?}"
    );
    assert_eq!(changed.text("resources/jobs.yml"), project.text("resources/jobs.yml"));
}
