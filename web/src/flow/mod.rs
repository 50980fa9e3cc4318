//! The pipeline view: tables, what reads what, how fresh each is.

use lakelet_protocol::{DatasetNode, PipelineView, TableKind};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::icon::{Icon, icon};
use crate::components::{Chip, GraphCanvas, PlacedNode, Switch, Tone, asked, loaded};
use crate::data::kind_word;
use crate::data::refreshes::{mode_word, refresh, refresh_one};
use crate::engine::calls;
use crate::frame::kind_icon;
use crate::messages::{fill, plural, t, tr};
use crate::names::parse_table_name;
use crate::route::{Route, TableTab};
use crate::state::{App, use_app};

/// The screen.
#[component]
pub fn FlowScreen() -> impl IntoView {
    let app = use_app();
    let answer = asked(move || app.catalog_changes.get(), |_| calls::pipeline());
    let as_list = RwSignal::new(false);
    view! {
        <section class="page">
            <h1>{tr!(flow.title)}</h1>
            {loaded(answer, move |pipeline: PipelineView| {
                if pipeline.nodes.is_empty() {
                    return view! { <p class="quiet">{tr!(flow.empty)}</p> }.into_any();
                }
                view! { <Pipeline pipeline as_list/> }.into_any()
            })}
        </section>
    }
}

#[component]
fn Pipeline(pipeline: PipelineView, as_list: RwSignal<bool>) -> impl IntoView {
    let app = use_app();
    let stale: Vec<String> = pipeline
        .nodes
        .iter()
        .filter(|node| is_refreshed(node.kind) && node.freshness != "fresh")
        .map(|node| node.name.clone())
        .collect();
    let none_stale = stale.is_empty();
    let refresh_all = move |_| {
        let stale = stale.clone();
        // Nodes come in topological order: what is upstream is refreshed first.
        spawn_local(async move {
            for table in stale {
                if !refresh_one(app, table, false).await {
                    break;
                }
            }
            app.catalog_changed();
        });
    };
    let shared = StoredValue::new(pipeline);
    view! {
        <div class="toolbar">
            <button type="button" class="button" disabled=move || none_stale || !app.is_ready() on:click=refresh_all>
                {icon(Icon::Refresh)}{tr!(flow.refresh_stale)}
            </button>
            <Switch label=Signal::derive(tr!(flow.show_list)) on=as_list/>
        </div>
        {move || shared.with_value(|pipeline| if as_list.get() {
            node_list(app, pipeline).into_any()
        } else {
            view! {
                <div class="graph-wide">{graph(app, pipeline)}</div>
                // Small screens always have the list.
                <div class="graph-narrow">{node_list(app, pipeline)}</div>
            }.into_any()
        })}
    }
}

fn is_refreshed(kind: TableKind) -> bool {
    matches!(kind, TableKind::StreamingTable | TableKind::MaterializedView)
}

fn graph(app: App, pipeline: &PipelineView) -> impl IntoView + use<> {
    let nodes = pipeline
        .nodes
        .iter()
        .map(|node| PlacedNode {
            key: node.name.clone(),
            x: node.x,
            y: node.y,
            width: node.width,
            height: node.height,
            content: node_card(app, node).into_any(),
        })
        .collect();
    view! {
        <GraphCanvas
            label=Signal::derive(tr!(flow.graph))
            size=(pipeline.width, pipeline.height)
            nodes
            edges=pipeline.edges.clone()
        />
    }
}

fn address(name: &str) -> Option<String> {
    parse_table_name(name).map(|table| Route::Table { table, tab: TableTab::default(), version: None }.to_string())
}

/// The facts of a table that its box and its list entry show. Reactive.
fn facts(node: &DatasetNode) -> Vec<String> {
    let texts = t();
    let mut facts = vec![kind_word(node.kind).to_owned()];
    if node.kind != TableKind::View {
        facts.push(fill(texts.flow.node_version, &[("n", &node.version.to_string())]));
        facts.push(plural(texts.common.n_rows, node.n_rows));
    }
    facts.extend(node.last_mode.map(|mode| mode_word(mode).to_owned()));
    facts
}

fn freshness_chip(node: &DatasetNode) -> Option<impl IntoView + use<>> {
    if node.freshness.is_empty() {
        return None;
    }
    let (tone, shape) = match node.freshness.as_str() {
        "fresh" => (Tone::Success, Icon::Check),
        _ => (Tone::Warning, Icon::Warning),
    };
    let text = Signal::stored(node.freshness.clone());
    Some(view! { <Chip tone shape text/> })
}

fn node_card(app: App, node: &DatasetNode) -> impl IntoView + use<> {
    let described = {
        let node = node.clone();
        move || {
            let mut words = vec![node.short_name.clone()];
            words.extend(facts(&node));
            words.extend(Some(node.freshness.clone()).filter(|text| !text.is_empty()));
            words.extend(node.schedule.clone());
            words.join(", ")
        }
    };
    let short_facts = {
        let node = node.clone();
        move || facts(&node).into_iter().skip(1).collect::<Vec<_>>().join(" · ")
    };
    let target = address(&node.name);
    let key = node.name.clone();
    view! {
        <div class="dataset" class:dataset-refreshed=is_refreshed(node.kind)>
            <a class="dataset-name" data-node-key=key tabindex="-1" href=target aria-label=described>
                {icon(kind_icon(node.kind))}
                <span>{node.short_name.clone()}</span>
            </a>
            <span class="dataset-facts">{short_facts}</span>
            <span class="dataset-foot">
                {freshness_chip(node)}
                {refresh_button(app, node, true)}
            </span>
        </div>
    }
}

/// The button that refreshes a table; `small` has no word on it.
fn refresh_button(app: App, node: &DatasetNode, small: bool) -> Option<impl IntoView + use<>> {
    if !is_refreshed(node.kind) {
        return None;
    }
    let (name, short_name) = (node.name.clone(), node.short_name.clone());
    let name_of = move || fill(t().flow.refresh_table, &[("table", &short_name)]);
    Some(view! {
        <button
            type="button"
            class=if small { "button-plain" } else { "button-small" }
            aria-label=name_of.clone()
            title=name_of
            disabled=move || !app.is_ready()
            on:click=move |_| refresh(app, name.clone(), false)
        >
            {if small { icon(Icon::Refresh).into_any() } else { (tr!(flow.refresh)).into_any() }}
        </button>
    })
}

fn node_list(app: App, pipeline: &PipelineView) -> impl IntoView + use<> {
    let entries = pipeline
        .nodes
        .iter()
        .map(|node| {
            let shown = node.clone();
            let target = address(&node.name);
            view! {
                <li class="card dataset-entry">
                    <p class="dataset-title">{icon(kind_icon(node.kind))}<a href=target>{node.short_name.clone()}</a></p>
                    <p class="quiet">{move || facts(&shown).join(" · ")}</p>
                    {node.schedule.clone().map(|schedule| view! { <p class="quiet">{schedule}</p> })}
                    <p class="dataset-foot">{freshness_chip(node)} {refresh_button(app, node, false)}</p>
                </li>
            }
        })
        .collect_view();
    view! { <ol class="dataset-list" aria-label=tr!(flow.list)>{entries}</ol> }
}
