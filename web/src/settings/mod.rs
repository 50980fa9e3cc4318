//! Settings and help.

use lakelet_base::Limits;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::boundary::storage::{self, Safety, StorageState};
use crate::components::Dialog;
use crate::engine::calls;
use crate::messages::en::SettingsTexts;
use crate::messages::{Choose, bytes, count, fill, t, tr};
use crate::route::Route;
use crate::state::layout::Theme;
use crate::state::use_app;

/// Settings.
#[component]
pub fn SettingsScreen() -> impl IntoView {
    let app = use_app();
    let reset_open = RwSignal::new(false);
    let reset = move |_| {
        reset_open.set(false);
        spawn_local(async move {
            match calls::reset().await {
                Ok(()) => {
                    app.forget_workspace();
                    app.lesson.forget();
                    app.tabs.reset(None, "");
                    app.catalog_changed();
                    app.load_clock();
                    app.news.say(t().settings.reset_done);
                }
                Err(error) => app.news.fail(error),
            }
        });
    };
    view! {
        <section class="page">
            <h1>{tr!(settings.title)}</h1>
            // What has no room in the navigation of small screens.
            <nav class="more-places" aria-label=tr!(settings.places)>
                <ul>
                    <li><a href=Route::Home.to_string()>{tr!(frame.home)}</a></li>
                    <li><a href=Route::Notebook { path: None }.to_string()>{tr!(frame.notebooks)}</a></li>
                    <li><a href=Route::Flow.to_string()>{tr!(frame.flow)}</a></li>
                </ul>
            </nav>
            <p><ThemeSelect/></p>
            <h2>{tr!(settings.help)}</h2>
            <ul>
                <li><a href=Route::Help { page: "keys".to_owned() }.to_string()>{tr!(settings.keys_title)}</a></li>
                <li><a href=Route::Help { page: "limits".to_owned() }.to_string()>{tr!(settings.limits_title)}</a></li>
                <li><a href="licenses.txt">{tr!(settings.licenses)}</a></li>
            </ul>
            <h2>{tr!(settings.storage)}</h2>
            <Storage/>
            <button type="button" class="button button-danger" disabled=move || !app.is_ready() on:click=move |_| reset_open.set(true)>
                {tr!(settings.reset)}
            </button>
            <Dialog open=reset_open title=Signal::derive(tr!(settings.reset_title))>
                <p>{tr!(settings.reset_text)}</p>
                <div class="button-row">
                    <button type="button" class="button button-danger" on:click=reset>{tr!(settings.reset_confirm)}</button>
                    <button type="button" class="button" on:click=move |_| reset_open.set(false)>{tr!(common.cancel)}</button>
                </div>
            </Dialog>
        </section>
    }
}

/// How much is kept, and whether the browser has promised to keep it.
#[component]
fn Storage() -> impl IntoView {
    let app = use_app();
    let state = Memo::new(move |_| app.storage.get());
    let place = move || {
        let StorageState { state, reason, bytes: n_bytes, .. } = state.get();
        let size = bytes(n_bytes);
        match state {
            Safety::NotSaved => {
                let reason = reason.unwrap_or_default();
                fill(t().settings.storage_memory, &[("size", &size), ("reason", &reason)])
            }
            _ => fill(t().settings.storage_saved, &[("size", &size)]),
        }
    };
    let is_safe = move || !matches!(state.get().state, Safety::NotSaved | Safety::ReadOnly);
    let kept = move || match state.get().kept {
        Some(true) => t().settings.storage_kept,
        Some(false) => t().settings.storage_not_kept,
        None => t().settings.storage_unasked,
    };
    view! {
        <div role="group" aria-label=tr!(settings.storage)>
            <p>{place}</p>
            <Show when=is_safe>
                <p>{kept}</p>
                <Show when=move || state.get().kept != Some(true)>
                    <p><button type="button" class="button" on:click=move |_| {
                        // The answer comes with the state.
                        let _ = storage::persist();
                    }>{tr!(settings.storage_ask)}</button></p>
                </Show>
            </Show>
        </div>
    }
}

/// The combobox "Theme".
#[component]
pub fn ThemeSelect() -> impl IntoView {
    let layout = use_app().layout;
    view! {
        <label class="field">
            <span>{tr!(settings.theme)}</span>
            <select
                class="input"
                prop:value=move || layout.theme().key()
                on:change=move |event| {
                    if let Some(theme) = Theme::from_key(&event_target_value(&event)) {
                        layout.set_theme(theme);
                    }
                }
            >
                {Theme::ALL.map(|theme| view! {
                    <option value=theme.key() selected=move || layout.theme() == theme>{move || theme_name(theme)}</option>
                }).into_iter().collect_view()}
            </select>
        </label>
    }
}

fn theme_name(theme: Theme) -> &'static str {
    let texts = &t().settings;
    match theme {
        Theme::System => texts.theme_system,
        Theme::Light => texts.theme_light,
        Theme::Dark => texts.theme_dark,
    }
}

/// A help page.
#[component]
pub fn HelpScreen() -> impl IntoView {
    let app = use_app();
    move || match app.route.get() {
        Route::Help { page } if page == "limits" => view! { <LimitsPage/> }.into_any(),
        _ => view! { <KeysPage/> }.into_any(),
    }
}

/// Keys and what they do: the one list there is of them.
const KEYS: [(&str, Choose<SettingsTexts>); 9] = [
    ("Ctrl+Enter", |t| t.key_run),
    ("Ctrl+Shift+Enter", |t| t.key_run_all),
    ("Ctrl+.", |t| t.key_cancel),
    ("Ctrl+S", |t| t.key_save),
    ("Esc", |t| t.key_leave),
    ("F8, Shift+F8", |t| t.key_problem),
    ("Alt+1 … Alt+8", |t| t.key_rail),
    ("← ↑ → ↓, Home, End, Ctrl+Home, Ctrl+End, PgUp, PgDn", |t| t.key_grid),
    ("← ↑ → ↓, Enter", |t| t.key_graph),
];

#[component]
fn KeysPage() -> impl IntoView {
    view! {
        <section class="page">
            <h1>{tr!(settings.keys_title)}</h1>
            <p>{tr!(settings.keys_text)}</p>
            <div class="table-scroll" tabindex="0">
                <table class="table">
                    <thead><tr><th scope="col">{tr!(settings.key)}</th><th scope="col">{tr!(settings.action)}</th></tr></thead>
                    <tbody>
                        {KEYS.map(|(keys, action)| view! {
                            <tr><th scope="row"><kbd>{keys}</kbd></th><td>{move || action(&t().settings)}</td></tr>
                        }).into_iter().collect_view()}
                    </tbody>
                </table>
            </div>
        </section>
    }
}

#[component]
fn LimitsPage() -> impl IntoView {
    let limits = Limits::default();
    let rows: [(Choose<SettingsTexts>, usize); 9] = [
        (|t| t.limit_script_bytes, limits.script_bytes_max),
        (|t| t.limit_statements, limits.statements_max),
        (|t| t.limit_nesting, limits.nesting_depth_max),
        (|t| t.limit_result_rows, limits.result_rows_max),
        (|t| t.limit_store_bytes, limits.store_bytes_max),
        (|t| t.limit_iterations, limits.for_each_iterations_max),
        (|t| t.limit_concurrency, limits.for_each_concurrency_max),
        (|t| t.limit_output_rows, limits.task_output_rows_max),
        (|t| t.limit_output_bytes, limits.task_output_bytes_max),
    ];
    view! {
        <section class="page">
            <h1>{tr!(settings.limits_title)}</h1>
            <p>{tr!(settings.limits_text)}</p>
            <div class="table-scroll" tabindex="0">
                <table class="table">
                    <tbody>
                        {rows.map(|(name, limit)| view! {
                            <tr><th scope="row">{move || name(&t().settings)}</th><td class="number">{move || count(limit as u64)}</td></tr>
                        }).into_iter().collect_view()}
                    </tbody>
                </table>
            </div>
        </section>
    }
}
