//! The rows that a SQL task passes on.

use std::sync::Arc;

use lakelet_protocol::{ColumnView, ResultHeader, TaskOutputView};
use leptos::prelude::*;

use crate::components::Grid;
use crate::components::grid::GridRows;
use crate::components::icon::{Icon, icon};
use crate::messages::{bytes, plural, t, tr};

/// Rows as a grid, and the JSON that other tasks read.
#[component]
pub fn TaskOutput(
    /// What is passed on.
    output: TaskOutputView,
) -> impl IntoView {
    let TaskOutputView { json, n_rows, n_bytes, columns, rows, warnings } = output;
    let n_shown = rows.len() as u64;
    let size = move || format!("{} · {}", plural(t().common.n_rows, n_rows), bytes(n_bytes));
    let has_columns = !columns.is_empty();
    let header = ResultHeader { result: 0, columns: columns.into_iter().map(untyped).collect(), n_rows: n_shown };
    view! {
        <div class="task-output">
            <p class="output-size">{size}</p>
            {warnings.into_iter().map(|warning| view! {
                <p class="notice tone-warning run-notice">{icon(Icon::Warning)}<span>{warning}</span></p>
            }).collect_view()}
            {has_columns.then(|| view! {
                <Grid label=Signal::derive(tr!(runs.output_rows)) header rows=Some(GridRows::Ready(Arc::new(rows)))/>
            })}
            <details class="fold">
                <summary>{tr!(runs.output_json)}</summary>
                <pre class="code code-tall"><code>{pretty(&json)}</code></pre>
            </details>
        </div>
    }
}

/// What is passed on has lost its types.
fn untyped(name: String) -> ColumnView {
    ColumnView { name, type_name: String::new(), nullable: true, default: None, comment: None }
}

fn pretty(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| json.to_owned())
}
