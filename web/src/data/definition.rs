//! Columns, properties, and the statement that makes a table.

use lakelet_protocol::{ColumnView, TableView};
use leptos::prelude::*;

use crate::messages::{fill, t, tr};
use crate::names::short_name;

/// The tab "Columns".
#[component]
pub fn ColumnsTab(view: Signal<Option<TableView>>) -> impl IntoView {
    move || view.get().map(columns)
}

fn columns(view: TableView) -> impl IntoView {
    let name = view.summary.short_name;
    let rows = view.summary.columns.into_iter().map(|column| {
        let ColumnView { name, type_name, nullable, default, comment } = column;
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td><code>{type_name}</code></td>
                <td>{move || if nullable { t().common.yes } else { t().common.no }}</td>
                <td>{default.map(|default| view! { <code>{default}</code> })}</td>
                <td>{comment}</td>
            </tr>
        }
    });
    view! {
        <div class="table-scroll" tabindex="0">
            <table class="table" aria-label=move || fill(t().data.columns_of, &[("table", &name)])>
                <thead>
                    <tr>
                        <th scope="col">{tr!(data.column)}</th>
                        <th scope="col">{tr!(data.type_name)}</th>
                        <th scope="col">{tr!(data.nullable)}</th>
                        <th scope="col">{tr!(data.default)}</th>
                        <th scope="col">{tr!(data.comment)}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// The tab "Definition".
#[component]
pub fn DefinitionTab(view: Signal<Option<TableView>>) -> impl IntoView {
    move || view.get().map(definition)
}

fn definition(view: TableView) -> impl IntoView {
    let name = short_name(&view.summary.name);
    let statement = match view.definition {
        Some(text) => view! {
            <pre class="code" tabindex="0" aria-label=move || fill(t().data.definition_of, &[("table", &name)])><code>{text}</code></pre>
        }
        .into_any(),
        None => view! { <p class="quiet">{tr!(data.no_definition)}</p> }.into_any(),
    };
    let properties = view.properties.into_iter().map(|(key, value)| {
        view! { <tr><th scope="row"><code>{key}</code></th><td><code>{value}</code></td></tr> }
    });
    let properties = properties.collect_view();
    let has_properties = !properties.is_empty();
    view! {
        {statement}
        {view.schedule.map(|schedule| view! { <p><strong>{tr!(data.schedule)}</strong> " " {schedule}</p> })}
        {view.comment.map(|comment| view! { <p>{comment}</p> })}
        {has_properties.then(|| view! {
            <h2>{tr!(data.properties)}</h2>
            <div class="table-scroll" tabindex="0">
                <table class="table">
                    <thead><tr><th scope="col">{tr!(data.property)}</th><th scope="col">{tr!(data.value)}</th></tr></thead>
                    <tbody>{properties}</tbody>
                </table>
            </div>
        })}
    }
}
