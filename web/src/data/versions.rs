//! The histories of an SCD type 2 table: a lane for each key, a bar for each version.

use lakelet_base::TableName;
use lakelet_protocol::{HistoryVersion, KeyHistory, TableView, VersionsView};
use leptos::prelude::*;

use crate::components::grid::cell_content;
use crate::components::icon::{Icon, icon};
use crate::components::{Chip, Switch, Tone, asked, loaded};
use crate::data::table::insert_query;
use crate::data::timeline::{Axis, common_start, index_at, n_valid_at, valid_at};
use crate::engine::calls;
use crate::messages::{count, fill, plural, t, tr};
use crate::names::short_name;
use crate::state::use_app;

/// The tab "Versions".
#[component]
pub fn VersionsTab(table: TableName, view: Signal<Option<TableView>>) -> impl IntoView {
    let app = use_app();
    let is_history = Memo::new(move |_| view.with(|view| view.as_ref().and_then(|view| view.scd_type) == Some(2)));
    // What a reader has chosen stays when the table changes.
    let chosen = Chosen { as_of: RwSignal::new(None), version: RwSignal::new(None), as_table: RwSignal::new(false) };
    move || {
        if !is_history.get() {
            return view! { <p>{tr!(data.not_scd2)} " " <span class="quiet">{tr!(data.not_scd2_hint)}</span></p> }
                .into_any();
        }
        let name = table.to_string();
        let answer = asked(move || app.catalog_changes.get(), move |_| calls::versions(name.clone()));
        view! { {loaded(answer, move |view: VersionsView| view! { <Histories view chosen/> })} }.into_any()
    }
}

#[derive(Clone, Copy)]
struct Chosen {
    /// Number of the axis value looked at.
    as_of: RwSignal<Option<u32>>,
    /// Id of the selected version.
    version: RwSignal<Option<String>>,
    as_table: RwSignal<bool>,
}

#[component]
fn Histories(view: VersionsView, chosen: Chosen) -> impl IntoView {
    let name = short_name(&view.table);
    let n_versions: u64 = view.histories.iter().map(|history| history.versions.len() as u64).sum();
    let (n_keys, n_shown, n_unread) = (view.n_keys, view.histories.len() as u64, view.n_unread);
    let column = view.sequence_by.clone();
    let invariants = view.invariants.clone();
    let shared = StoredValue::new(view);
    view! {
        <section class="versions" role="region" aria-label=move || fill(t().data.versions_of, &[("table", &name)])>
            <p class="versions-facts">
                {move || format!("{} · {}", plural(t().data.n_keys, n_keys), plural(t().data.n_versions, n_versions))}
                " "
                {(n_unread > 0).then(|| {
                    let text = Signal::derive(move || fill(t().frame.stale, &[("n", &count(n_unread))]));
                    view! { <Chip tone=Tone::Warning shape=Icon::Warning text/> }
                })}
            </p>
            <p class="quiet">{move || fill(t().data.versions_caption, &[("column", &column)])}</p>
            <ul class="invariants" aria-label=tr!(data.invariants)>
                {invariants.into_iter().map(|(words, holds)| {
                    let (tone, shape) = if holds { (Tone::Success, Icon::Check) } else { (Tone::Failure, Icon::Cross) };
                    let text = Signal::derive(move || {
                        format!("{words}: {}", if holds { t().data.ok } else { t().data.broken })
                    });
                    view! { <li><Chip tone shape text/></li> }
                }).collect_view()}
            </ul>
            <AsOfBar shared chosen/>
            <Switch label=Signal::derive(tr!(data.show_as_table)) on=chosen.as_table/>
            {move || if chosen.as_table.get() {
                shared.with_value(|view| version_table(view, chosen)).into_any()
            } else {
                shared.with_value(|view| timeline(view, chosen)).into_any()
            }}
            {(n_shown < n_keys).then(|| view! {
                <p class="quiet">{move || fill(t().data.keys_cut, &[("shown", &count(n_shown)), ("all", &count(n_keys))])}</p>
            })}
            {move || {
                let id = chosen.version.get()?;
                shared.with_value(|view| selected_version(view, &id))
            }}
        </section>
    }
}

/// Looks at one value of the axis.
#[component]
fn AsOfBar(shared: StoredValue<VersionsView>, chosen: Chosen) -> impl IntoView {
    let app = use_app();
    let n_values = shared.with_value(|view| u32::try_from(view.axis.len()).unwrap_or(u32::MAX));
    let as_of = chosen.as_of;
    let value_of =
        move |index: u32| shared.with_value(|view| view.axis.get(index as usize).cloned()).unwrap_or_default();
    let text = move || as_of.get().map(value_of).unwrap_or_default();
    let sentence = move || {
        let index = as_of.get()?;
        let n = shared.with_value(|view| n_valid_at(view, index));
        Some(fill(&plural(t().data.as_of_count, n), &[("value", &value_of(index))]))
    };
    let step = move |by: i64| {
        let present = as_of.get_untracked().map_or(if by < 0 { i64::from(n_values) } else { -1 }, i64::from);
        let next = (present + by).clamp(0, i64::from(n_values.saturating_sub(1)));
        as_of.set(u32::try_from(next).ok());
    };
    let insert = move |_| {
        let Some(index) = as_of.get_untracked() else { return };
        let (table, value) = shared.with_value(|view| (view.table.clone(), value_of(index)));
        let literal = if value.parse::<f64>().is_ok() { value } else { format!("'{value}'") };
        let query = format!(
            "SELECT *\nFROM {table}\nWHERE __START_AT <= {literal} AND (__END_AT > {literal} OR __END_AT IS NULL);"
        );
        insert_query(app, &query);
    };
    view! {
        <div class="as-of">
            <label class="version-slider">
                <span>{tr!(data.as_of)}</span>
                <input
                    type="range"
                    min="0"
                    max=n_values.saturating_sub(1).to_string()
                    prop:value=move || as_of.get().unwrap_or(n_values.saturating_sub(1)).to_string()
                    aria-valuetext=move || as_of.get().map_or_else(|| t().data.as_of_all.to_owned(), value_of)
                    on:input=move |event| as_of.set(event_target_value(&event).parse().ok())
                />
            </label>
            <button type="button" class="button-plain" aria-label=tr!(data.as_of_previous) on:click=move |_| step(-1)>{icon(Icon::ChevronLeft)}</button>
            <input
                class="input as-of-value"
                type="text"
                aria-label=tr!(data.as_of_value)
                placeholder=tr!(data.as_of_all)
                prop:value=text
                on:change=move |event| {
                    let value = event_target_value(&event);
                    as_of.set(if value.trim().is_empty() { None } else { shared.with_value(|view| index_at(&view.axis, &value)) });
                }
            />
            <button type="button" class="button-plain" aria-label=tr!(data.as_of_next) on:click=move |_| step(1)>{icon(Icon::ChevronRight)}</button>
            <button type="button" class="button-small" disabled=move || as_of.get().is_none() on:click=move |_| as_of.set(None)>{tr!(data.as_of_all)}</button>
            <button type="button" class="button-small" disabled=move || as_of.get().is_none() on:click=insert>{tr!(data.insert_as_of)}</button>
            <p role="status" class="as-of-words">{sentence}</p>
        </div>
    }
}

fn timeline(view: &VersionsView, chosen: Chosen) -> impl IntoView + use<> {
    let axis = Axis::new(view.axis.len());
    let start = common_start(&view.axis);
    let shared = start.trim_end().to_owned();
    let n_characters = view.axis.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let labels = axis.labels(n_characters - start.chars().count().min(n_characters)).into_iter().map(|label| {
        let text = view.axis.get(label.index as usize).and_then(|text| text.get(start.len()..)).unwrap_or_default();
        view! {
            <span
                class="axis-label"
                class:axis-label-before=label.is_before
                style:left=format!("{:.2}%", axis.position(label.index))
            >
                {text.to_owned()}
            </span>
        }
    });
    let lanes = view.histories.iter().map(|history| lane(axis, history, chosen)).collect_view();
    view! {
        <div class="timeline" role="group" aria-label=tr!(data.timeline) tabindex="0">
            <div class="timeline-extent">
                <div class="lane lane-axis" aria-hidden="true">
                    <span class="lane-key lane-shared">{shared}</span>
                    <div class="lane-bars">{labels.collect_view()}</div>
                </div>
                {lanes}
                <div class="lane-cover" aria-hidden="true">
                    {move || chosen.as_of.get().map(|index| view! {
                        <span class="as-of-line" style:left=format!("{:.2}%", axis.position(index))></span>
                    })}
                </div>
            </div>
        </div>
    }
}

fn lane(axis: Axis, history: &KeyHistory, chosen: Chosen) -> impl IntoView + use<> {
    let bars = history.versions.iter().map(|version| bar(axis, history, version, chosen)).collect_view();
    view! {
        <div class="lane">
            <span class="lane-key">{history.label.clone()}</span>
            <div class="lane-bars">{bars}</div>
        </div>
    }
}

fn bar(axis: Axis, history: &KeyHistory, version: &HistoryVersion, chosen: Chosen) -> impl IntoView + use<> {
    let span = axis.span(version);
    let open = version.end.is_none();
    let key = history.label.clone();
    let (label, start, end) = (version.label.clone(), version.start.clone(), version.end.clone());
    let shown = label.clone();
    let name = move || {
        let values = [("key", key.as_str()), ("label", label.as_str()), ("start", start.as_str())];
        match &end {
            Some(end) => fill(t().data.bar, &[&values[..], &[("end", end.as_str())]].concat()),
            None => fill(t().data.bar_open, &values),
        }
    };
    let title = name.clone();
    let id = version.id.clone();
    let is_chosen = {
        let id = id.clone();
        Memo::new(move |_| chosen.version.with(|chosen| chosen.as_ref() == Some(&id)))
    };
    let validity = version.clone();
    let dimmed = Memo::new(move |_| chosen.as_of.get().is_some_and(|index| !valid_at(&validity, index)));
    view! {
        <button
            type="button"
            class="bar"
            class:bar-open=open
            class:bar-dimmed=move || dimmed.get()
            aria-label=name
            title=title
            aria-pressed=move || is_chosen.get().to_string()
            style:left=format!("{:.2}%", span.left)
            style:width=format!("{:.2}%", span.width)
            on:click=move |_| chosen.version.update(|chosen| {
                *chosen = if chosen.as_ref() == Some(&id) { None } else { Some(id.clone()) };
            })
        >
            <span class="bar-label">{shown}</span>
        </button>
    }
}

fn version_table(view: &VersionsView, chosen: Chosen) -> impl IntoView + use<> {
    let rows = view.histories.iter().flat_map(|history| history.versions.iter().map(move |version| (history, version)));
    let rows = rows
        .map(|(history, version)| {
            let open = version.end.is_none();
            let validity = version.clone();
            let marked = move || chosen.as_of.get().is_some_and(|index| valid_at(&validity, index));
            let id = version.id.clone();
            view! {
                <tr class:row-marked=marked>
                    <th scope="row">{history.label.clone()}</th>
                    <td>
                        <button type="button" class="button-plain button-link" on:click=move |_| chosen.version.set(Some(id.clone()))>
                            {version.label.clone()}
                        </button>
                    </td>
                    <td><code>{version.start.clone()}</code></td>
                    <td>{cell_content(version.end.clone())}</td>
                    <td>{move || if open { t().data.open } else { t().data.closed }}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-scroll" tabindex="0">
            <table class="table table-dense" aria-label=tr!(data.timeline)>
                <thead>
                    <tr>
                        <th scope="col">{tr!(data.key)}</th>
                        <th scope="col">{tr!(data.values)}</th>
                        <th scope="col">{tr!(data.start)}</th>
                        <th scope="col">{tr!(data.end)}</th>
                        <th scope="col">{tr!(data.state)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn selected_version(view: &VersionsView, id: &str) -> Option<impl IntoView + use<>> {
    let (history, version) = view.histories.iter().find_map(|history| {
        history.versions.iter().find(|version| version.id == id).map(|version| (history, version))
    })?;
    let values =
        version.values.iter().cloned().map(|(name, cell)| view! { <dt>{name}</dt> <dd>{cell_content(cell)}</dd> });
    Some(view! {
        <section class="card selected-version" aria-label=tr!(data.selected_version)>
            <h3>{history.label.clone()} ": " {version.label.clone()}</h3>
            <dl class="facts">
                {values.collect_view()}
                <dt>"__START_AT"</dt> <dd><code>{version.start.clone()}</code></dd>
                <dt>"__END_AT"</dt> <dd>{cell_content(version.end.clone())}</dd>
            </dl>
        </section>
    })
}
