//! The banner: name, how safe the work is, clock, lesson.

use leptos::prelude::*;

use crate::boundary::engine;
use crate::boundary::storage::Safety;
use crate::components::icon::{Icon, icon};
use crate::frame::clock::ClockWidget;
use crate::messages::{fill, t, tr};
use crate::route::Route;
use crate::settings::ThemeSelect;
use crate::state::use_app;

/// The banner.
#[component]
pub fn Banner() -> impl IntoView {
    let app = use_app();
    let in_workspace = Memo::new(move |_| app.route.with(Route::is_in_workspace));
    let safety = Memo::new(move |_| app.storage.with(|storage| storage.state));
    let words = move || {
        let texts = &t().frame;
        let reason = app.storage.with(|storage| storage.reason.clone()).unwrap_or_default();
        match safety.get() {
            Safety::Starting => String::new(),
            Safety::Saving => texts.saving.to_owned(),
            Safety::Saved => texts.saved.to_owned(),
            Safety::NotSaved => fill(texts.not_saved, &[("reason", &reason)]),
            Safety::ReadOnly => fill(texts.read_only, &[("reason", &reason)]),
        }
    };
    let has_lesson = Memo::new(move |_| app.lesson.is_open());
    view! {
        <header class="banner">
            <a class="brand" href="#/">
                <svg class="brand-mark" viewBox="0 0 24 24" aria-hidden="true">
                    <path d="M2 8c3 0 3-2.500 6-2.500S11 8 14 8s3-2.500 6-2.500M2 13c3 0 3-2.500 6-2.500S11 13 14 13s3-2.500 6-2.500M2 18c3 0 3-2.500 6-2.500S11 18 14 18s3-2.500 6-2.500"></path>
                </svg>
                <span>{tr!(common.product)}</span>
            </a>
            <span class="saved" class:saved-not=move || matches!(safety.get(), Safety::NotSaved | Safety::ReadOnly)>{words}</span>
            <Show when=move || safety.get() == Safety::ReadOnly>
                <button type="button" class="button-small" on:click=move |_| engine::take_over()>{tr!(frame.take_over)}</button>
            </Show>
            <span class="banner-space"></span>
            <Show when=move || app.route.with(|route| matches!(route, Route::Home))>
                <div class="banner-theme"><ThemeSelect/></div>
            </Show>
            <Show when=move || in_workspace.get()><ClockWidget/></Show>
            <Show when=move || in_workspace.get() && has_lesson.get()>
                <button
                    type="button"
                    class="button-small lesson-toggle"
                    aria-expanded=move || app.layout.lesson_open.get().to_string()
                    on:click=move |_| app.layout.lesson_open.update(|open| *open = !*open)
                >
                    {icon(Icon::Learn)}
                    <span>{move || if app.layout.lesson_open.get() { t().frame.hide_lesson } else { t().frame.show_lesson }}</span>
                </button>
            </Show>
        </header>
    }
}
