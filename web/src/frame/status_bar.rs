//! The status bar: engine, last message, size.

use leptos::prelude::*;

use crate::boundary::engine;
use crate::engine::Phase;
use crate::messages::{bytes, fill, plural, t, tr};
use crate::state::{App, use_app};

/// The status bar.
#[component]
pub fn StatusBar() -> impl IntoView {
    let app = use_app();
    let failed = Memo::new(move |_| app.engine.with(|engine| matches!(engine.phase, Phase::Failed { .. })));
    let progress = move || match app.engine.with(|engine| engine.phase.clone()) {
        Phase::Downloading { done, total } if total > 0 => Some((done, total)),
        _ => None,
    };
    let size = move || {
        app.catalog.with(|catalog| {
            let size = catalog.as_ref()?.size_bytes;
            Some(fill(t().frame.size, &[("size", &bytes(size))]))
        })
    };
    view! {
        <footer class="status-bar" aria-label=tr!(frame.status_bar) role="contentinfo">
            <span class="engine-status" role="status" aria-label=tr!(frame.engine_status)>{move || engine_words(app)}</span>
            {move || progress().map(|(done, total)| view! {
                <progress aria-label=tr!(frame.engine_status) max=total.to_string() value=done.to_string()></progress>
            })}
            <Show when=move || failed.get()>
                <button type="button" class="button-small" on:click=move |_| engine::retry()>{tr!(frame.retry)}</button>
            </Show>
            <span class="last-message" role="status" aria-label=tr!(frame.messages)>{move || app.news.status.get()}</span>
            <span class="status-extra">{size}</span>
            <span class="status-extra">{tr!(frame.zone)}</span>
        </footer>
    }
}

/// The engine's status in words. Reactive.
fn engine_words(app: App) -> String {
    let texts = &t().frame;
    let status = app.engine.get();
    match status.phase {
        Phase::Idle => texts.engine_idle.to_owned(),
        Phase::Downloading { done, total: 0 } => fill(texts.engine_downloading_unknown, &[("done", &bytes(done))]),
        Phase::Downloading { done, total } => {
            fill(texts.engine_downloading, &[("done", &megabytes(done)), ("total", &megabytes(total))])
        }
        Phase::Compiling => texts.engine_compiling.to_owned(),
        Phase::Recovering => texts.engine_recovering.to_owned(),
        Phase::Ready => plural(texts.engine_ready, u64::from(status.threads)),
        Phase::Failed { message } => fill(texts.engine_failed, &[("message", &message)]),
    }
}

/// Always in megabytes, so that the unit does not jump while the number grows.
fn megabytes(n: u64) -> String {
    format!("{:.1} MB", n as f64 / 1e6)
}
