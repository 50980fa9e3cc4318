//! The line between two panels: dragged, or moved by arrow keys.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::state::layout::Panel;
use crate::state::use_app;

const KEY_STEP: f64 = 24.0;

/// A separator that changes the size of `panel`.
#[component]
pub fn Splitter(
    /// Whose size it changes.
    panel: Panel,
    /// Accessible name.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    let layout = use_app().layout;
    let (min, max) = panel.bounds();
    let dragged = RwSignal::new(None::<(f64, f64)>);
    // The lesson stands right of its separator: dragging left makes it larger.
    let sign = if panel == Panel::Lesson { -1.0 } else { 1.0 };
    let across = panel != Panel::Editor;
    let place = move |event: &ev::PointerEvent| f64::from(if across { event.client_x() } else { event.client_y() });
    let on_down = move |event: ev::PointerEvent| {
        event.prevent_default();
        if let Some(element) = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) {
            let _ = element.set_pointer_capture(event.pointer_id());
        }
        dragged.set(Some((place(&event), untrack(|| layout.size(panel)))));
    };
    let on_move = move |event: ev::PointerEvent| {
        if let Some((start, size)) = dragged.get_untracked() {
            layout.resize(panel, size + sign * (place(&event) - start));
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let size = untrack(|| layout.size(panel));
        let next = match (event.key().as_str(), across) {
            ("ArrowRight", true) | ("ArrowDown", false) => size + sign * KEY_STEP,
            ("ArrowLeft", true) | ("ArrowUp", false) => size - sign * KEY_STEP,
            ("Home", _) => min,
            ("End", _) => max,
            _ => return,
        };
        event.prevent_default();
        layout.resize(panel, next);
    };
    view! {
        <div
            class="splitter"
            class:splitter-across=across
            role="separator"
            tabindex="0"
            aria-label=label
            aria-orientation=if across { "vertical" } else { "horizontal" }
            aria-valuemin=min.to_string()
            aria-valuemax=max.to_string()
            aria-valuenow=move || format!("{:.0}", layout.size(panel))
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=move |_| dragged.set(None)
            on:pointercancel=move |_| dragged.set(None)
            on:keydown=on_key
        ></div>
    }
}
