//! How a target's overrides change a definition.

use serde_json::Value;

/// Merges `over` into `base`: maps key by key, tasks by `task_key`, job parameters by `name`, job clusters by
/// `job_cluster_key`, other lists by appending, everything else by replacing.
pub(crate) fn merge(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(&key) {
                    None => {
                        base.insert(key, value);
                    }
                    Some(place) => match (identity(&key), place, value) {
                        (Some(id), Value::Array(base), Value::Array(over)) => merge_items(base, over, id),
                        (None, Value::Array(base), Value::Array(over)) => base.extend(over),
                        (_, place, value) => merge(place, value),
                    },
                }
            }
        }
        (base, over) => *base = over,
    }
}

/// The key that tells the items of a list apart.
pub(crate) fn identity(list: &str) -> Option<&'static str> {
    match list {
        "tasks" => Some("task_key"),
        "parameters" => Some("name"),
        "job_clusters" => Some("job_cluster_key"),
        _ => None,
    }
}

fn merge_items(base: &mut Vec<Value>, over: Vec<Value>, id: &str) {
    for item in over {
        let known = item.get(id).and_then(|key| base.iter_mut().find(|base| base.get(id) == Some(key)));
        match known {
            Some(place) => merge(place, item),
            None => base.push(item),
        }
    }
}
