//! What cells of a notebook gave: printed text, displayed tables, errors. Everything is text; nothing is parsed.

use std::sync::Arc;

use lakelet_protocol::{CellOutput, OutputItem, ResultHeader};
use leptos::prelude::*;

use crate::components::grid::GridRows;
use crate::components::{Failure, Grid};
use crate::messages::{count, fill, t, tr};

/// Outputs of several cells, as a run keeps them.
#[component]
pub fn CellOutputs(
    /// In the order of the cells.
    cells: Vec<CellOutput>,
) -> impl IntoView {
    let several = cells.iter().filter(|cell| !is_empty(cell)).count() > 1;
    let shown = cells
        .into_iter()
        .filter(|cell| !is_empty(cell))
        .map(|cell| {
            let number = (cell.cell + 1).to_string();
            view! {
                <section class="cell-output">
                    {several.then(|| view! { <h3 class="quiet">{move || fill(t().notebook.cell, &[("n", &number)])}</h3> })}
                    {cell_output(cell)}
                </section>
            }
        })
        .collect_view();
    view! { <div class="cell-outputs">{shown}</div> }
}

fn is_empty(cell: &CellOutput) -> bool {
    cell.items.is_empty() && cell.error.is_none()
}

/// What one cell gave.
pub fn cell_output(output: CellOutput) -> impl IntoView {
    let CellOutput { items, error, .. } = output;
    view! {
        {joined(items).into_iter().map(item).collect_view()}
        {error.map(|error| view! { <Failure error/> })}
    }
}

/// Text that was printed in pieces is one text.
fn joined(items: Vec<OutputItem>) -> Vec<OutputItem> {
    let mut joined: Vec<OutputItem> = Vec::new();
    for item in items {
        match (joined.last_mut(), item) {
            (Some(OutputItem::Text { text: before }), OutputItem::Text { text }) => before.push_str(&text),
            (_, item) => joined.push(item),
        }
    }
    joined
}

fn item(item: OutputItem) -> AnyView {
    match item {
        OutputItem::Text { text } => {
            view! { <pre class="printed">{text.trim_end_matches('\n').to_owned()}</pre> }.into_any()
        }
        OutputItem::Table { header, rows } => {
            let (all, shown) = (header.n_rows, rows.len() as u64);
            let header = ResultHeader { n_rows: shown, ..header };
            let cut = move || {
                let (shown, all) = (count(shown), count(all));
                fill(t().notebook.rows_cut, &[("shown", &shown), ("all", &all)])
            };
            view! {
                <Grid label=Signal::derive(tr!(notebook.displayed)) header rows=Some(GridRows::Ready(Arc::new(rows)))/>
                {(shown < all).then(|| view! { <p class="quiet">{cut}</p> })}
            }
            .into_any()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_text_are_joined() {
        let text = |text: &str| OutputItem::Text { text: text.to_owned() };
        let header = ResultHeader { result: 1, columns: Vec::new(), n_rows: 0 };
        let table = OutputItem::Table { header, rows: Vec::new() };
        let items = vec![text("a\n"), text("b\n"), table.clone(), text("c")];
        assert_eq!(joined(items), [text("a\nb\n"), table, text("c")]);
    }
}
