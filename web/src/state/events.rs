//! News from the engine, the browser and storage, taken into the state.

use lakelet_protocol::{Event, EventBody};
use leptos::prelude::*;
use wasm_bindgen::prelude::Closure;

use crate::boundary::{dom, engine, storage};
use crate::engine::{EngineStatus, Phase};
use crate::route::Route;
use crate::state::App;

/// Begins to listen, for as long as the page lives.
pub fn listen(app: App) {
    let on_status = Closure::<dyn FnMut(String)>::new(move |json: String| take_status(app, EngineStatus::parse(&json)));
    engine::on_status(&on_status);
    on_status.forget();

    let on_event = Closure::<dyn FnMut(String)>::new(move |json: String| {
        // An event of another version is no event; the version check at the start has said so.
        if let Ok(event) = serde_json::from_str::<Event>(&json) {
            take_event(app, event.body);
        }
    });
    engine::on_event(&on_event);
    on_event.forget();

    let on_state = Closure::<dyn FnMut(String)>::new(move |json: String| {
        app.storage.set(serde_json::from_str(&json).unwrap_or_default());
    });
    storage::on_state(&on_state);
    on_state.forget();

    window_event_listener(leptos::ev::hashchange, move |_| app.route.set(Route::parse(&dom::hash())));
}

fn take_status(app: App, status: EngineStatus) {
    let became_ready = status.is_ready() && !app.engine.with_untracked(EngineStatus::is_ready);
    if let (Phase::Recovering, Some(reason)) = (&status.phase, &status.reason) {
        app.engine_stopped.set(Some(reason.clone()));
    }
    app.engine.set(status);
    if became_ready {
        app.catalog_changed();
        app.load_clock();
    }
}

fn take_event(app: App, event: EventBody) {
    match event {
        EventBody::StatementChanged { tab, report } => {
            if let Some(tab) = app.tabs.find(&tab) {
                tab.take_report(report);
            }
        }
        EventBody::Progress { n_rows } => app.progress.set(n_rows),
        EventBody::RunChanged(run) => app.runs.update(|runs| {
            runs.insert(run.summary.run_id, run);
        }),
        EventBody::NotebookChanged(notebook) => app.notebooks.update(|notebooks| {
            notebooks.insert(notebook.path.clone(), notebook);
        }),
        EventBody::CatalogChanged | EventBody::Refreshed(_) => app.catalog_changed(),
        EventBody::FilesChanged => app.files_changes.update(|n| *n += 1),
        EventBody::ClockMoved(clock) => app.clock.set(Some(clock)),
    }
}
