//! The graph of tables: what reads what, and how fresh everything is.

use std::collections::BTreeMap;

use lakelet_base::{Diagnostic, Result};
use lakelet_graph::{Graph, LayoutOptions, Size, layout};
use lakelet_pipelines::{definitions, freshness, last_report, schedule_text};
use lakelet_protocol::{DatasetNode, GraphEdge, PipelineView};
use lakelet_store::Table;

use super::catalog::{full_name, kind};
use crate::core::Core;

const NODE: Size = Size { width: 240.0, height: 96.0 };
/// Wide enough for the words on an edge.
const LAYER_GAP: f64 = 128.0;

pub(crate) fn pipeline(core: &Core) -> Result<PipelineView> {
    let mut graph = Graph::new();
    let mut labels: BTreeMap<(String, String), String> = BTreeMap::new();
    let internal = |error: &dyn std::fmt::Display| Box::new(Diagnostic::internal(error));
    for table in core.store.all_tables().filter(|table| table.kind.is_visible()) {
        graph.add_node(full_name(&table.name));
    }
    let mut facts: BTreeMap<String, (String, Option<String>, Option<lakelet_protocol::RefreshMode>)> = BTreeMap::new();
    for definition in definitions(&core.store)? {
        let Some(table) = core.store.table_by_id(definition.table) else { continue };
        let name = full_name(&table.name);
        let fresh = freshness(&core.store, &definition)?;
        for source in &fresh.sources {
            let from = full_name(&source.name);
            graph.add_edge(&from, &name).map_err(|error| internal(&error))?;
            let label = match source.read_to {
                Some(version) => format!("read up to v{version}"),
                None => "not read yet".to_owned(),
            };
            labels.insert((from, name.clone()), label);
        }
        let mode = last_report(&core.store, definition.table)?.map(|report| report.mode);
        facts.insert(name, (fresh.text(), schedule_text(&definition), mode));
    }
    let drawn = layout(&graph, &|_| NODE, &LayoutOptions { layer_gap: LAYER_GAP, ..LayoutOptions::default() });
    let tables: BTreeMap<String, &Table> =
        core.store.all_tables().map(|table| (full_name(&table.name), table.as_ref())).collect();
    let nodes = drawn
        .nodes
        .iter()
        .filter_map(|node| {
            let table = tables.get(&node.key)?;
            let (freshness, schedule, last_mode) = facts.remove(&node.key).unwrap_or_default();
            Some(DatasetNode {
                name: node.key.clone(),
                short_name: table.name.name.clone(),
                kind: kind(table),
                version: table.latest_version(),
                n_rows: table.latest().n_rows() as u64,
                freshness,
                schedule,
                last_mode,
                x: node.x,
                y: node.y,
                width: node.width,
                height: node.height,
            })
        })
        .collect();
    let edges = drawn
        .edges
        .iter()
        .map(|edge| GraphEdge {
            from: edge.from.clone(),
            to: edge.to.clone(),
            points: edge.points.iter().map(|point| (point.x, point.y)).collect(),
            label: labels.get(&(edge.from.clone(), edge.to.clone())).cloned().unwrap_or_default(),
        })
        .collect();
    Ok(PipelineView { nodes, edges, width: drawn.width, height: drawn.height })
}
