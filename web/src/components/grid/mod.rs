//! A grid of rows that are fetched as they come into view: a million rows cost as much as thirty.

mod columns;
mod focus;
mod pages;
mod window;

use std::sync::Arc;

use lakelet_protocol::{CellText, ColumnView, ResultHeader};
use leptos::prelude::*;
use leptos::{ev, html};

use crate::boundary::dom::{self, SizeObserver};
use crate::components::Dialog;
use crate::components::error_card::Failure;
use crate::messages::{plural, t, tr};

use focus::{Place, Pressed, moved};
pub use pages::GridRows;
use pages::Pages;
use window::RowWindow;

const ROW_HEIGHT: f64 = 28.0;
const HEADER_HEIGHT: f64 = 32.0;
/// Rows shown before the grid scrolls.
const ROWS_SHOWN: u64 = 10;
/// The same where a grid is what its screen is about.
const ROWS_SHOWN_TALL: u64 = 18;

/// What the parts of one grid share.
#[derive(Clone, Copy)]
struct GridState {
    id: u32,
    columns: StoredValue<Arc<Vec<ColumnView>>>,
    n_rows: u64,
    pages: Pages,
    edges: Memo<Vec<f64>>,
    scroll: RwSignal<(f64, f64)>,
    viewport: RwSignal<(f64, f64)>,
    active: RwSignal<Place>,
    opened: RwSignal<Option<(String, CellText)>>,
    viewer_open: RwSignal<bool>,
}

impl GridState {
    fn window(self) -> RowWindow {
        let viewport = (self.viewport.get().1 - HEADER_HEIGHT).max(ROW_HEIGHT);
        RowWindow { n_rows: self.n_rows, row_height: ROW_HEIGHT, viewport }
    }

    fn n_columns(self) -> usize {
        self.columns.with_value(|columns| columns.len())
    }

    fn cell_id(self, place: Place) -> String {
        format!("cell-{}-{}-{}", self.id, place.row, place.column)
    }

    /// Width of the column of row numbers.
    fn number_width(self) -> f64 {
        number_width(self.n_rows)
    }
}

fn number_width(n_rows: u64) -> f64 {
    26.0 + n_rows.to_string().len() as f64 * 8.5
}

/// A grid.
#[component]
pub fn Grid(
    /// Accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// Columns and number of rows.
    header: ResultHeader,
    /// Where rows come from; the result of the header when absent.
    #[prop(optional_no_strip)]
    rows: Option<GridRows>,
    /// Shows more rows before it scrolls.
    #[prop(optional)]
    tall: bool,
) -> impl IntoView {
    let ResultHeader { result, columns, n_rows } = header;
    let columns = Arc::new(columns);
    let pages = Pages::new(rows.unwrap_or(GridRows::Result(result)));
    let widths = Memo::new({
        let columns = Arc::clone(&columns);
        move |_| columns::widths(&columns, pages.sample().as_deref().map_or(&[][..], |rows| rows.as_slice()))
    });
    let edges = Memo::new(move |_| widths.with(|widths| columns::edges(widths, number_width(n_rows))));
    let state = GridState {
        id: dom::unique_number(),
        columns: StoredValue::new(columns),
        n_rows,
        pages,
        edges,
        scroll: RwSignal::new((0.0, 0.0)),
        viewport: RwSignal::new((800.0, HEADER_HEIGHT + ROW_HEIGHT * n_rows.min(ROWS_SHOWN) as f64)),
        active: RwSignal::new(Place::default()),
        opened: RwSignal::new(None),
        viewer_open: RwSignal::new(false),
    };
    let n_columns = state.n_columns();
    let element = NodeRef::<html::Div>::new();
    let observer = StoredValue::new_local(None::<SizeObserver>);
    Effect::new(move || {
        if let Some(element) = element.get() {
            observer.set_value(SizeObserver::watch(&element, move |width, height| {
                let _ = state.viewport.try_set((width, height));
            }));
        }
    });
    let drawn = Memo::new(move |_| state.window().rows(state.scroll.get().1));
    Effect::new(move || state.pages.want(drawn.get()));
    // The focused row stays in the document when it is scrolled away, so that Tab still finds the grid.
    let row_numbers = move || {
        let rows = drawn.get();
        let active = state.active.get().row.checked_sub(1).filter(|row| *row < n_rows && !rows.contains(row));
        active.into_iter().chain(rows).collect::<Vec<_>>()
    };
    let on_scroll = move |_| {
        if let Some(element) = element.get_untracked() {
            state.scroll.set((f64::from(element.scroll_left()), f64::from(element.scroll_top())));
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let key = event.key();
        if key == "Enter" {
            event.prevent_default();
            open_active(state);
            return;
        }
        let pressed = Pressed { key: &key, control: event.ctrl_key() || event.meta_key() };
        let rows_per_page = (untrack(|| state.window()).viewport / ROW_HEIGHT) as u64;
        let place = state.active.get_untracked();
        let Some(next) = moved(place, pressed, n_rows, n_columns, rows_per_page.max(1)) else { return };
        event.prevent_default();
        state.active.set(next);
        if let Some(element) = element.get_untracked() {
            show_cell(state, &element, next);
        }
    };
    view! {
        <div
            class="grid"
            role="grid"
            aria-label=label
            aria-rowcount=(n_rows + 1).to_string()
            aria-colcount=n_columns.to_string()
            node_ref=element
            style:height=natural_height(n_rows, if tall { ROWS_SHOWN_TALL } else { ROWS_SHOWN })
            on:scroll=on_scroll
            on:keydown=on_key
        >
            <HeaderRow state/>
            <div class="grid-rows" role="rowgroup" style:height=move || px(state.window().height()) style:width=move || px(total_width(state))>
                <For each=row_numbers key=|row| *row let(row)>
                    <GridRow state row/>
                </For>
            </div>
        </div>
        <p class="grid-foot quiet">
            {move || format!("{} × {}", plural(t().common.n_rows, n_rows), plural(t().common.n_columns, n_columns as u64))}
        </p>
        {move || state.pages.error.get().map(|error| view! { <Failure error/> })}
        <Dialog open=state.viewer_open title=Signal::derive(move || state.opened.get().map(|(name, _)| name).unwrap_or_default())>
            <pre class="cell-viewer">{move || state.opened.get().map(|(_, cell)| cell_content(cell))}</pre>
        </Dialog>
    }
}

fn px(pixels: f64) -> String {
    format!("{pixels:.1}px")
}

fn total_width(state: GridState) -> f64 {
    state.edges.with(|edges| edges.last().copied().unwrap_or(0.0))
}

/// A height for so many rows and a scroll bar below them.
fn natural_height(n_rows: u64, n_shown: u64) -> String {
    px(HEADER_HEIGHT + ROW_HEIGHT * n_rows.clamp(1, n_shown) as f64 + 18.0)
}

#[component]
fn HeaderRow(state: GridState) -> impl IntoView {
    let columns = state.columns.get_value();
    let cells = columns.iter().enumerate().map(|(index, column)| {
        let place = Place { row: 0, column: index };
        let title = column
            .comment
            .clone()
            .map_or_else(|| column.type_name.clone(), |comment| format!("{}: {comment}", column.type_name));
        view! {
            <div
                class="grid-cell grid-head"
                class:grid-number=columns::is_number(&column.type_name)
                role="columnheader"
                id=state.cell_id(place)
                aria-colindex=(index + 1).to_string()
                aria-rowindex="1"
                title=title
                tabindex=move || if state.active.get() == place { "0" } else { "-1" }
                style:left=move || px(edge(state, index))
                style:width=move || px(edge(state, index + 1) - edge(state, index))
                on:focus=move |_| state.active.set(place)
            >
                <span class="grid-head-name">{column.name.clone()}</span>
                <span class="grid-head-type">{columns::short_type(&column.type_name)}</span>
            </div>
        }
    });
    view! {
        <div class="grid-header" role="rowgroup" style:width=move || px(total_width(state))>
            <div class="grid-row" role="row" aria-rowindex="1">
                <div class="grid-cell grid-head grid-row-number" role="presentation" style:width=px(state.number_width())></div>
                {cells.collect_view()}
            </div>
        </div>
    }
}

fn edge(state: GridState, index: usize) -> f64 {
    state.edges.with(|edges| edges.get(index).copied().unwrap_or(0.0))
}

#[component]
fn GridRow(state: GridState, row: u64) -> impl IntoView {
    let cells = Memo::new(move |_| state.pages.row(row));
    let shown_columns = Memo::new(move |_| {
        state.edges.with(|edges| columns::seen(edges, state.scroll.get().0, state.viewport.get().0))
    });
    let row_index = (row + 2).to_string();
    let column_numbers = move || {
        let shown = shown_columns.get();
        let active = state.active.get();
        let extra = Some(active.column)
            .filter(|column| active.row == row + 1 && !shown.contains(column) && *column < state.n_columns());
        extra.into_iter().chain(shown).collect::<Vec<_>>()
    };
    let row_index_for_cells = row_index.clone();
    view! {
        <div
            class="grid-row"
            class:grid-row-odd={row % 2 == 1}
            role="row"
            aria-rowindex=row_index
            style:top=move || px(state.window().top(row, state.scroll.get().1))
        >
            <div class="grid-cell grid-row-number" role="presentation" style:width=px(state.number_width())>{row + 1}</div>
            <For each=column_numbers key=|column| *column let(column)>
                {
                    let place = Place { row: row + 1, column };
                    let right = state.columns.with_value(|columns| columns.get(column).is_some_and(|column| columns::is_number(&column.type_name)));
                    let row_index = row_index_for_cells.clone();
                    view! {
                        <div
                            class="grid-cell"
                            class:grid-number=right
                            role="gridcell"
                            id=state.cell_id(place)
                            aria-colindex=(column + 1).to_string()
                            aria-rowindex=row_index
                            tabindex=move || if state.active.get() == place { "0" } else { "-1" }
                            style:left=move || px(edge(state, column))
                            style:width=move || px(edge(state, column + 1) - edge(state, column))
                            on:focus=move |_| state.active.set(place)
                            on:dblclick=move |_| open_active(state)
                        >
                            {move || cells.with(|cells| match cells {
                                Some(cells) => cell_content(cells.get(column).cloned().flatten()),
                                None => view! { <span class="grid-pending">"…"</span> }.into_any(),
                            })}
                        </div>
                    }
                }
            </For>
        </div>
    }
}

/// A cell's content: NULL, an empty text and a text look different.
pub fn cell_content(cell: CellText) -> AnyView {
    match cell {
        None => view! { <span class="cell-null">"NULL"</span> }.into_any(),
        Some(text) if text.is_empty() => view! { <span class="cell-empty">{tr!(grid.empty)}</span> }.into_any(),
        Some(text) => text.into_any(),
    }
}

/// Opens the focused cell in the viewer.
fn open_active(state: GridState) {
    let Place { row, column } = state.active.get_untracked();
    let Some(name) = state.columns.with_value(|columns| columns.get(column).map(|column| column.name.clone())) else {
        return;
    };
    let Some(cells) = row.checked_sub(1).and_then(|row| untrack(|| state.pages.row(row))) else { return };
    if let Some(cell) = cells.into_iter().nth(column) {
        state.opened.set(Some((name, cell)));
        state.viewer_open.set(true);
    }
}

/// Scrolls a cell into view and moves the focus to it.
fn show_cell(state: GridState, element: &web_sys::HtmlElement, place: Place) {
    let (left, top) = state.scroll.get_untracked();
    let window = untrack(|| state.window());
    let (viewport_width, _) = state.viewport.get_untracked();
    let new_top = place.row.checked_sub(1).map_or(top, |row| window.scroll_to(row, top));
    let (start, end) = untrack(|| (edge(state, place.column) - state.number_width(), edge(state, place.column + 1)));
    let new_left = left.min(start).max(end - viewport_width).max(0.0);
    element.set_scroll_top(new_top.round() as i32);
    element.set_scroll_left(new_left.round() as i32);
    state.scroll.set((new_left.round(), new_top.round()));
    let id = state.cell_id(place);
    request_animation_frame(move || {
        if let Some(cell) = dom::by_id(&id) {
            let _ = cell.focus();
        }
    });
}
