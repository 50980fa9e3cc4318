//! Notebooks: the list, and the page of one with its cells, widgets and outputs.
//!
//! Edits are saved as they are made, into the notebook's file; `source` writes it. What cells print and show comes from
//! the engine and is drawn as text and tables only.

mod cell;
mod editor;
mod list;
mod outputs;
mod page;
mod seen;
mod source;
mod widget_bar;

use leptos::prelude::*;

use crate::route::Route;
use crate::state::use_app;

use list::NotebookList;
pub use outputs::CellOutputs;
use page::NotebookPage;
pub use seen::Seen;
pub use source::is_notebook_path;

/// The screen.
#[component]
pub fn NotebookScreen() -> impl IntoView {
    let app = use_app();
    let path = Memo::new(move |before: Option<&Option<String>>| match app.route.get() {
        Route::Notebook { path } => path,
        _ => before.cloned().flatten(),
    });
    move || match path.get() {
        Some(path) => view! { <NotebookPage path/> }.into_any(),
        None => view! { <NotebookList/> }.into_any(),
    }
}
