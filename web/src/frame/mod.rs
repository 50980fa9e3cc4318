//! What stands around every screen: banner, rail, catalog, lesson, status bar.

mod banner;
mod catalog_tree;
mod clock;
pub mod keys;
mod rail;
mod status_bar;
pub mod tree;

use leptos::prelude::*;

use crate::boundary::dom;
use crate::components::Failure;
use crate::components::icon::{Icon, icon};
use crate::learn::LessonPanel;
use crate::messages::{fill, t, tr};
use crate::state::use_app;

use banner::Banner;
use catalog_tree::CatalogPanel;
pub use catalog_tree::{CatalogTree, kind_icon};
pub(crate) use clock::failures;
use rail::Rail;
use status_bar::StatusBar;

/// The frame with a screen in it.
#[component]
pub fn Frame(children: Children) -> impl IntoView {
    let app = use_app();
    let in_workspace = Memo::new(move |_| app.route.with(crate::route::Route::is_in_workspace));
    let has_lesson = Memo::new(move |_| in_workspace.get() && app.lesson.is_open());
    let lesson_shown = move || has_lesson.get() && app.layout.lesson_open.get();
    view! {
        <div class="frame" class:frame-bare=move || !in_workspace.get()>
            <a class="skip-link" href="#main" on:click=move |event| {
                event.prevent_default();
                dom::focus("main");
            }>{tr!(frame.skip_to_main)}</a>
            <Show when=lesson_shown>
                <a class="skip-link" href="#lesson" on:click=move |event| {
                    event.prevent_default();
                    dom::focus("lesson");
                }>{tr!(frame.skip_to_lesson)}</a>
            </Show>
            <Banner/>
            <Rail/>
            <Show when=move || in_workspace.get()>
                <CatalogPanel/>
            </Show>
            <main id="main" class="main" tabindex="-1">
                <Alerts/>
                {children()}
            </main>
            <Show when=lesson_shown>
                <LessonPanel/>
            </Show>
            <StatusBar/>
        </div>
    }
}

/// What must not be overlooked: the engine stopped, something failed that has no place of its own.
#[component]
fn Alerts() -> impl IntoView {
    let app = use_app();
    view! {
        <Show when=move || app.engine_stopped.with(Option::is_some)>
            <div class="alert tone-warning" role="alert">
                {icon(Icon::Warning)}
                <p>
                    {move || app.engine_stopped.get().map(|reason| fill(t().frame.engine_stopped, &[("reason", &reason)]))}
                    " "
                    {tr!(frame.engine_back)}
                </p>
                <button type="button" class="button-small" on:click=move |_| app.engine_stopped.set(None)>{tr!(common.dismiss)}</button>
            </div>
        </Show>
        {move || app.news.failure.get().map(|error| view! {
            <div class="alert-failure" role="alert">
                <Failure error/>
                <button type="button" class="button-small" on:click=move |_| app.news.failure.set(None)>{tr!(common.dismiss)}</button>
            </div>
        })}
        <div class="for-ears" role="alert">{move || app.news.urgent.get()}</div>
    }
}
