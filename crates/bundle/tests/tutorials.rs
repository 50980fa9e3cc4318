//! The tutorials' projects are bundles without a problem.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its files has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use lakelet_bundle::{Project, SETUP_PATH, declared_widgets, parse_notebook, read_bundle, sql_task_text};

fn project(id: &str) -> Project {
    fn collect(root: &Path, folder: PathBuf, project: &mut Project) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(root, path, project);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                project.put(&name, fs::read(&path).unwrap()).unwrap();
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../projects").join(id);
    let mut project = Project::new();
    collect(&root, root.clone(), &mut project);
    project
}

#[test]
fn every_tutorial_reads_without_a_problem() {
    for (id, jobs) in [
        ("t1", vec!["Incremental table copy"]),
        ("t2", vec!["Market Analysis", "Market Analysis SQL", "Market totals"]),
        ("t3", vec![]),
    ] {
        let project = project(id);
        let bundle = read_bundle(&project, None);
        assert_eq!(bundle.problems, [], "{id}");
        assert_eq!(bundle.jobs.iter().map(|job| job.name()).collect::<Vec<_>>(), jobs);
        assert_eq!(bundle.lakelet.lesson.as_ref().map(|lesson| lesson.id.as_str()), Some(id));
        let lakelet = project.text("lakelet.json").unwrap();
        assert_eq!(bundle.lakelet.to_text(), lakelet, "{id}: lakelet.json is not in its canonical form");
        for job in &bundle.jobs {
            assert!(sql_task_text(&project, &job.settings["tasks"][0]["sql_task"]).is_some(), "{}", job.name());
        }
    }
    assert!(project("t1").contains(SETUP_PATH) && project("t2").contains(SETUP_PATH));
}

#[test]
fn their_notebooks_declare_the_parameters_that_jobs_pass() {
    for (id, job, task) in [("t1", "incremental_table_copy", 1), ("t2", "market_analysis", 1)] {
        let project = project(id);
        let bundle = read_bundle(&project, None);
        let nested = &bundle.job(job).unwrap().settings["tasks"][task]["for_each_task"]["task"]["notebook_task"];
        let path = nested["notebook_path"].as_str().unwrap();
        let notebook = parse_notebook(project.text(path).unwrap(), path).unwrap();
        let widgets: Vec<String> = declared_widgets(&notebook).into_iter().map(|widget| widget.name).collect();
        let passed: Vec<&String> = nested["base_parameters"].as_object().unwrap().keys().collect();
        assert_eq!(widgets.iter().collect::<Vec<_>>(), passed);
    }
}
