//! The tasks of a job as boxes and lines.

use std::collections::BTreeMap;

use lakelet_graph::{Graph, LayoutOptions, Size, layout};
use lakelet_jobs::{Job, RunIf, Task, TaskKind};
use lakelet_protocol::{GraphEdge, GraphNode, GraphView};

const NODE: Size = Size { width: 240.0, height: 88.0 };
/// Room around the nested task of a For each, and for the words above it.
const NESTED_SIDE: f64 = 16.0;
const NESTED_TOP: f64 = 88.0;
const NESTED_BOTTOM: f64 = 16.0;

/// What pages call a task's type.
pub(super) fn type_word(type_name: &str) -> String {
    match type_name {
        "sql_task" => "SQL".to_owned(),
        "notebook_task" => "Notebook".to_owned(),
        "for_each_task" => "For each".to_owned(),
        "condition_task" => "If/else".to_owned(),
        "run_job_task" => "Run job".to_owned(),
        "pipeline_task" => "Pipeline".to_owned(),
        "spark_python_task" => "Python script".to_owned(),
        "" => "No type".to_owned(),
        other => other.strip_suffix("_task").unwrap_or(other).replace('_', " "),
    }
}

fn size(task: &Task) -> Size {
    match task.kind.nested() {
        Some(_) => Size { width: NODE.width + 2.0 * NESTED_SIDE, height: NESTED_TOP + NODE.height + NESTED_BOTTOM },
        None => NODE,
    }
}

/// Lays the tasks of a job out, in topological order as far as there is one.
pub(super) fn graph(job: &Job) -> GraphView {
    let tasks: BTreeMap<&str, &Task> = job.tasks().iter().map(|task| (task.key.as_str(), task)).collect();
    let graph = job.graph();
    let drawn = layout(&graph, &|key| tasks.get(key).map_or(NODE, |task| size(task)), &LayoutOptions::default());
    let order = task_order(&graph);
    let mut nodes: Vec<GraphNode> = drawn
        .nodes
        .iter()
        .filter_map(|node| {
            let task = tasks.get(node.key.as_str())?;
            Some(GraphNode {
                key: node.key.clone(),
                type_name: type_word(task.kind.type_name()),
                depends_on: task.depends_on.iter().map(|edge| edge.task_key.to_string()).collect(),
                x: node.x,
                y: node.y,
                width: node.width,
                height: node.height,
                children: task.kind.nested().map(nested).into_iter().collect(),
            })
        })
        .collect();
    nodes.sort_by_key(|node| order.get(&node.key).copied().unwrap_or(usize::MAX));
    let edges = drawn.edges.iter().map(|edge| GraphEdge {
        from: edge.from.clone(),
        to: edge.to.clone(),
        points: edge.points.iter().map(|point| (point.x, point.y)).collect(),
        label: tasks.get(edge.to.as_str()).map(|task| label(task, &edge.from)).unwrap_or_default(),
    });
    GraphView { nodes, edges: edges.collect(), width: drawn.width, height: drawn.height }
}

/// The place of each task in topological order; empty where tasks wait for each other.
pub(super) fn task_order(graph: &Graph) -> BTreeMap<String, usize> {
    let order = graph.topological_order().unwrap_or_default();
    order.into_iter().enumerate().map(|(place, key)| (key.to_owned(), place)).collect()
}

fn nested(task: &Task) -> GraphNode {
    GraphNode {
        key: task.key.to_string(),
        type_name: type_word(task.kind.type_name()),
        depends_on: Vec::new(),
        x: NESTED_SIDE,
        y: NESTED_TOP,
        width: NODE.width,
        height: NODE.height,
        children: Vec::new(),
    }
}

/// What an edge says: the branch it belongs to, or a condition that is not the usual one.
fn label(task: &Task, from: &str) -> String {
    let outcome = task.depends_on.iter().find(|edge| edge.task_key.as_str() == from).and_then(|edge| edge.outcome);
    if let Some(outcome) = outcome {
        return outcome.to_string();
    }
    if task.run_if == RunIf::default() || matches!(task.kind, TaskKind::Other(_)) {
        return String::new();
    }
    let word = RunIf::WORDS.iter().find(|(_, run_if)| *run_if == task.run_if).map_or("", |(word, _)| word);
    word.to_lowercase().replace('_', " ")
}
