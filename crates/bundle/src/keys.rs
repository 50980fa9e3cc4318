//! Which keys of a bundle mean something here, which are kept without effect, and which nobody knows.
//!
//! The lists are those of the Databricks CLI's JSON schema; what stands in none of them is probably a typing mistake.

use lakelet_base::nearest_name;

use crate::problem::{BundleProblem, PROBLEMS_MAX, did_you_mean};
use crate::yaml::Yaml;

/// How a map's keys are to be taken.
struct Keys {
    /// What the map is, for messages.
    of: &'static str,
    used: &'static [&'static str],
    /// Kept, no effect.
    kept: &'static [&'static str],
    /// Kept, but what they ask for does not happen.
    unsupported: &'static [&'static str],
}

const ROOT: Keys = Keys {
    of: "a bundle",
    used: &["bundle", "include", "variables", "targets", "resources"],
    kept: &[
        "workspace",
        "permissions",
        "run_as",
        "presets",
        "sync",
        "experimental",
        "scripts",
        "python",
        "environments",
    ],
    unsupported: &["artifacts"],
};

const RESOURCES: Keys = Keys {
    of: "`resources`",
    used: &["jobs", "pipelines"],
    kept: &[],
    unsupported: &[
        "alerts",
        "apps",
        "clusters",
        "dashboards",
        "database_catalogs",
        "database_instances",
        "experiments",
        "external_locations",
        "genie_spaces",
        "model_serving_endpoints",
        "models",
        "quality_monitors",
        "registered_models",
        "schemas",
        "secret_scopes",
        "sql_warehouses",
        "synced_database_tables",
        "volumes",
        "catalogs",
        "postgres_branches",
        "postgres_endpoints",
        "postgres_projects",
    ],
};

const JOB: Keys = Keys {
    of: "a job",
    used: &[
        "name",
        "description",
        "tasks",
        "parameters",
        "max_concurrent_runs",
        "queue",
        "timeout_seconds",
        "schedule",
        "trigger",
        "tags",
    ],
    kept: &[
        "budget_policy_id",
        "deployment",
        "edit_mode",
        "email_notifications",
        "environments",
        "format",
        "git_source",
        "health",
        "job_clusters",
        "lifecycle",
        "notification_settings",
        "parent_path",
        "performance_target",
        "permissions",
        "run_as",
        "usage_policy_id",
        "webhook_notifications",
    ],
    unsupported: &["continuous", "triggers"],
};

const TASK: Keys = Keys {
    of: "a task",
    used: &[
        "task_key",
        "description",
        "depends_on",
        "run_if",
        "disabled",
        "max_retries",
        "min_retry_interval_millis",
        "retry_on_timeout",
        "timeout_seconds",
        "notebook_task",
        "sql_task",
        "for_each_task",
        "condition_task",
        "run_job_task",
        "pipeline_task",
    ],
    kept: &[
        "compute",
        "disable_auto_optimization",
        "email_notifications",
        "environment_key",
        "existing_cluster_id",
        "health",
        "job_cluster_key",
        "libraries",
        "new_cluster",
        "notification_settings",
        "webhook_notifications",
    ],
    unsupported: &[
        "ai_runtime_task",
        "alert_task",
        "clean_rooms_notebook_task",
        "dashboard_task",
        "dbt_cloud_task",
        "dbt_platform_task",
        "dbt_task",
        "gen_ai_compute_task",
        "power_bi_task",
        "python_operator_task",
        "python_wheel_task",
        "spark_jar_task",
        "spark_python_task",
        "spark_submit_task",
    ],
};

const PIPELINE: Keys = Keys {
    of: "a pipeline",
    used: &["name", "catalog", "schema", "target", "libraries", "configuration", "parameters"],
    kept: &[
        "allow_duplicate_names",
        "budget_policy_id",
        "cascade_on_destroy",
        "channel",
        "clusters",
        "continuous",
        "deployment",
        "development",
        "edition",
        "environment",
        "event_log",
        "filters",
        "id",
        "lifecycle",
        "notifications",
        "permissions",
        "photon",
        "restart_window",
        "root_path",
        "run_as",
        "serverless",
        "storage",
        "tags",
        "trigger",
        "usage_policy_id",
    ],
    unsupported: &["gateway_definition", "ingestion_definition"],
};

/// Names what a bundle file holds that has no effect here, cannot be done here, or is unknown.
pub(crate) fn check_keys(file: &str, root: &Yaml, problems: &mut Vec<BundleProblem>) {
    check(file, root, &ROOT, problems);
    let Some(resources) = root.get("resources") else { return };
    check(file, resources, &RESOURCES, problems);
    for job in resources.get("jobs").map(Yaml::entries).unwrap_or_default() {
        check(file, &job.value, &JOB, problems);
        for task in job.value.get("tasks").map(Yaml::items).unwrap_or_default() {
            check_task(file, task, problems);
        }
    }
    for pipeline in resources.get("pipelines").map(Yaml::entries).unwrap_or_default() {
        check(file, &pipeline.value, &PIPELINE, problems);
    }
}

fn check_task(file: &str, task: &Yaml, problems: &mut Vec<BundleProblem>) {
    let mut next = Some(task);
    while let Some(task) = next {
        check(file, task, &TASK, problems);
        next = task.get("for_each_task").and_then(|loop_task| loop_task.get("task"));
    }
}

fn check(file: &str, map: &Yaml, keys: &Keys, problems: &mut Vec<BundleProblem>) {
    for entry in map.entries() {
        let key = entry.key.as_str();
        if problems.len() >= PROBLEMS_MAX {
            return;
        }
        if keys.used.contains(&key) {
        } else if keys.kept.contains(&key) {
            let message = format!("`{key}` has no effect in Lakelet; it is kept.");
            problems.push(BundleProblem::note(file, entry.line, "no_effect", message));
        } else if keys.unsupported.contains(&key) {
            let message = format!("Lakelet does not support `{key}`; it is kept for Databricks.");
            problems.push(BundleProblem::warning(file, entry.line, "not_supported", message));
        } else {
            let known = || [keys.used, keys.kept, keys.unsupported].concat();
            let hint = did_you_mean(problems, || nearest_name(key, known()));
            let message = format!("`{key}` is not a key of {}; it is kept.{hint}", keys.of);
            problems.push(BundleProblem::warning(file, entry.line, "unknown_key", message));
        }
    }
}
