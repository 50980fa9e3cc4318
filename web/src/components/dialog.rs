//! Modal dialogs: the browser's own, which keep the focus inside and give it back.

use leptos::html;
use leptos::prelude::*;

use crate::boundary::dom;
use crate::components::icon::{Icon, icon};
use crate::messages::tr;

/// A modal dialog. Its content exists only while it is open. Esc and the close button set `open` to false.
#[component]
pub fn Dialog(
    /// Whether it is shown.
    open: RwSignal<bool>,
    /// Its heading and accessible name.
    #[prop(into)]
    title: Signal<String>,
    /// Content.
    children: ChildrenFn,
) -> impl IntoView {
    let children = StoredValue::new(children);
    // It stays until the browser has closed it: only then does the focus go back to where it came from.
    let present = RwSignal::new(false);
    Effect::new(move || {
        if open.get() {
            present.set(true);
        }
    });
    view! {
        <Show when=move || present.get()>
            <OpenDialog open present title>{children.with_value(|children| children())}</OpenDialog>
        </Show>
    }
}

#[component]
fn OpenDialog(
    open: RwSignal<bool>,
    present: RwSignal<bool>,
    title: Signal<String>,
    children: Children,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    let title_id = format!("dialog-{}", dom::unique_number());
    let heading_id = title_id.clone();
    Effect::new(move || {
        let Some(dialog) = element.get() else { return };
        match (open.get(), dialog.open()) {
            // Refused only for a dialog that is not in the document or already open.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let closed = move |_| {
        open.set(false);
        present.set(false);
    };
    view! {
        <dialog node_ref=element class="dialog" aria-labelledby=title_id on:close=closed>
            <header class="dialog-header">
                <h2 id=heading_id>{title}</h2>
                <button type="button" class="button-plain" aria-label=tr!(common.close) on:click=move |_| open.set(false)>
                    {icon(Icon::Close)}
                </button>
            </header>
            <div class="dialog-body">{children()}</div>
        </dialog>
    }
}
