//! An on-off switch.

use leptos::prelude::*;

/// A switch with its words.
#[component]
pub fn Switch(
    /// Words and accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// Whether it is on.
    on: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <button
            type="button"
            role="switch"
            class="switch"
            aria-checked=move || on.get().to_string()
            on:click=move |_| on.update(|on| *on = !*on)
        >
            <span class="switch-track" aria-hidden="true"><span class="switch-thumb"></span></span>
            <span>{label}</span>
        </button>
    }
}
