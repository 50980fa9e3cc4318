//! The tasks of a job as boxes and lines, and as a list that says the same.

use lakelet_protocol::{GraphNode, GraphView};
use leptos::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::components::{GraphCanvas, PlacedNode, RunStateChip};
use crate::jobs::node::NodeFacts;
use crate::messages::tr;

/// Answers what a box says: the node, and the task that loops over it if one does. Reactive.
pub type FactsOf = Callback<(GraphNode, Option<String>), NodeFacts>;

/// The graph, on large screens or as a list where somebody wants that; on small screens always the list.
#[component]
pub fn TaskGraph(
    /// Boxes and lines with their places.
    graph: Signal<GraphView>,
    /// What each box says.
    facts: FactsOf,
    /// The task that is shown beside the graph.
    selected: Signal<Option<String>>,
    /// Called with the name of the task whose box is chosen.
    on_open: Callback<String>,
    /// Shows the list.
    as_list: RwSignal<bool>,
) -> impl IntoView {
    // Drawn again only when boxes move: the states in them change on their own.
    let graph = Memo::new(move |_| graph.get());
    move || {
        let graph = graph.get();
        if as_list.get() {
            return view! { <div class="task-list-only">{task_list(&graph, facts, selected, on_open)}</div> }
                .into_any();
        }
        view! {
            <div class="graph-wide">{canvas(&graph, facts, selected, on_open)}</div>
            <div class="graph-narrow">{task_list(&graph, facts, selected, on_open)}</div>
        }
        .into_any()
    }
}

fn canvas(
    graph: &GraphView,
    facts: FactsOf,
    selected: Signal<Option<String>>,
    on_open: Callback<String>,
) -> impl IntoView + use<> {
    let mut placed = Vec::new();
    for node in &graph.nodes {
        placed.push(PlacedNode {
            key: node.key.clone(),
            x: node.x,
            y: node.y,
            width: node.width,
            height: node.height,
            content: task_box(node, facts, selected, on_open).into_any(),
        });
        for child in &node.children {
            placed.push(PlacedNode {
                key: nested_key(&node.key, &child.key),
                x: node.x + child.x,
                y: node.y + child.y,
                width: child.width,
                height: child.height,
                content: task_button(child, Some(&node.key), facts, selected, on_open).into_any(),
            });
        }
    }
    view! {
        <GraphCanvas
            label=Signal::derive(tr!(jobs.graph))
            size=(graph.width, graph.height)
            nodes=placed
            edges=graph.edges.clone()
        />
    }
}

fn task_list(
    graph: &GraphView,
    facts: FactsOf,
    selected: Signal<Option<String>>,
    on_open: Callback<String>,
) -> impl IntoView + use<> {
    let entries = graph
        .nodes
        .iter()
        .map(|node| {
            let nested = node
                .children
                .iter()
                .map(|child| view! { <li>{task_button(child, Some(&node.key), facts, selected, on_open)}</li> })
                .collect_view();
            let has_nested = !node.children.is_empty();
            view! {
                <li>
                    {task_button(node, None, facts, selected, on_open)}
                    {has_nested.then(|| view! { <ul class="task-list-nested">{nested}</ul> })}
                </li>
            }
        })
        .collect_view();
    view! { <ol class="task-list" aria-label=tr!(jobs.list)>{entries}</ol> }
}

/// The key of a box inside another one: a nested task may be called as another task is.
fn nested_key(outer: &str, nested: &str) -> String {
    format!("{outer}/{nested}")
}

/// A box. One that holds another box is a frame with its words on top, so that neither lies over the other.
fn task_box(
    node: &GraphNode,
    facts: FactsOf,
    selected: Signal<Option<String>>,
    on_open: Callback<String>,
) -> impl IntoView + use<> {
    let button = task_button(node, None, facts, selected, on_open);
    match node.children.first() {
        None => button.into_any(),
        Some(child) => {
            let top = format!("{}px", child.y);
            view! { <div class="task-frame"><div class="task-frame-head" style:height=top>{button}</div></div> }
                .into_any()
        }
    }
}

/// A task's button.
fn task_button(
    node: &GraphNode,
    outer: Option<&str>,
    facts: FactsOf,
    selected: Signal<Option<String>>,
    on_open: Callback<String>,
) -> impl IntoView + use<> {
    let key = node.key.clone();
    let box_key = outer.map_or_else(|| key.clone(), |outer| nested_key(outer, &key));
    let facts = {
        let (node, outer) = (node.clone(), outer.map(str::to_owned));
        Memo::new(move |_| facts.run((node.clone(), outer.clone())))
    };
    let is_selected = {
        let key = key.clone();
        Memo::new(move |_| selected.with(|selected| selected.as_ref() == Some(&key)))
    };
    let (type_name, shape) = (node.type_name.clone(), type_icon(&node.type_name));
    let title = key.clone();
    let shown_key = key.clone();
    view! {
        <button
            type="button"
            class="task-node"
            data-node-key=box_key
            aria-label=move || facts.with(NodeFacts::name)
            aria-current=move || is_selected.get().then_some("true")
            on:click=move |_| on_open.run(key.clone())
        >
            // In the order of the name, so that what is read is what can be spoken; styles put the type on top. What the
            // name says in other words is drawn by styles alone.
            <span class="task-key" title=title>{shown_key}</span>
            " "
            <span class="task-type" data-more=move || facts.with(NodeFacts::concurrency_words).map(|words| format!("· {words}"))>
                {icon(shape)}
                <span>{type_name}</span>
            </span>
            " "
            <span class="task-state" data-more=move || facts.with(NodeFacts::detail_words)>
                {move || {
                    let (state, repaired) = facts.with(|facts| (facts.state, facts.repaired));
                    let words = move || facts.with(NodeFacts::state_words).to_owned();
                    view! { <RunStateChip state repaired text=Signal::derive(words)/> }
                }}
            </span>
            {move || facts.with(segments)}
        </button>
    }
}

/// The bar of a For each: how its iterations stand.
fn segments(facts: &NodeFacts) -> Option<impl IntoView + use<>> {
    if facts.segments.is_empty() {
        return None;
    }
    let parts = facts
        .segments
        .iter()
        .map(|(state, share)| {
            let (tone, _) = crate::components::chip::run_state_look(*state, false);
            view! { <span class=format!("segment {}", tone.class()) style:flex-grow=format!("{share:.4}")></span> }
        })
        .collect_view();
    Some(view! { <span class="segments" aria-hidden="true">{parts}</span> })
}

/// The icon of a task's type, by its word.
pub fn type_icon(type_name: &str) -> Icon {
    match type_name {
        "SQL" => Icon::Sql,
        "Notebook" => Icon::Notebook,
        "For each" => Icon::Refresh,
        "If/else" => Icon::Branch,
        "Run job" => Icon::Play,
        _ => Icon::Jobs,
    }
}
