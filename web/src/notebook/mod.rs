//! Notebooks: the list and the page of one.

use leptos::prelude::*;

use crate::components::{asked, loaded};
use crate::engine::calls;
use crate::messages::tr;
use crate::route::Route;
use crate::state::use_app;

/// The screen.
#[component]
pub fn NotebookScreen() -> impl IntoView {
    let app = use_app();
    let answer = asked(move || app.catalog_changes.get(), |_| calls::files());
    view! {
        <section class="page">
            <h1>{tr!(notebook.title)}</h1>
            {loaded(answer, move |files: Vec<String>| {
                let notebooks: Vec<String> =
                    files.into_iter().filter(|path| path.ends_with(".py") || path.ends_with(".ipynb")).collect();
                if notebooks.is_empty() {
                    return view! { <p class="quiet">{tr!(notebook.none)}</p> }.into_any();
                }
                notebooks.into_iter().map(|path| {
                    let address = Route::Notebook { path: Some(path.clone()) }.to_string();
                    view! { <p><a href=address>{path}</a></p> }
                }).collect_view().into_any()
            })}
        </section>
    }
}
