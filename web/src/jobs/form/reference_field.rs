//! A line of text that may hold references: while one is open, what could stand in it is offered below.

use leptos::prelude::*;

use crate::boundary::dom;
use crate::jobs::editor::JobEditor;
use crate::jobs::places::Field;
use crate::jobs::references::{completed, offers, open_reference};
use crate::messages::tr;

/// The field. It has no visible label of its own: give it an id that a label points to, or a name.
#[component]
pub fn ReferenceField(
    /// The job.
    editor: JobEditor,
    /// It belongs to the task that a loop runs.
    nested: bool,
    /// Id in the document.
    #[prop(into)]
    id: String,
    /// Accessible name, where no label points here.
    #[prop(optional_no_strip)]
    name: Option<Signal<String>>,
    /// Name of the parameter, so that a problem can lead here.
    #[prop(optional_no_strip)]
    parameter: Option<Signal<String>>,
    /// Text.
    #[prop(into)]
    value: Signal<String>,
    /// Called with the text after each edit.
    on_edit: Callback<String>,
    /// Id of what describes it.
    #[prop(optional_no_strip)]
    described_by: Option<&'static str>,
    /// The field whose problems it has.
    #[prop(optional_no_strip)]
    field: Option<Field>,
) -> impl IntoView {
    let focused = RwSignal::new(false);
    let list = Memo::new(move |_| {
        if !focused.get() {
            return Vec::new();
        }
        value.with(|value| {
            let Some(typed) = open_reference(value) else { return Vec::new() };
            let Some(form) = editor.open.with(|open| open.as_ref().map(|open| open.form.clone())) else {
                return Vec::new();
            };
            let item = editor.inputs().and_then(|inputs| inputs.first.into_iter().next());
            offers(&editor.saved_settings(), &form, nested, item.as_deref(), typed)
        })
    });
    let input_id = StoredValue::new(id.clone());
    let choose = move |offer: &str| {
        on_edit.run(completed(&value.get_untracked(), offer));
        input_id.with_value(|id| dom::focus(id));
    };
    view! {
        <div
            class="reference-field"
            on:focusin=move |_| focused.set(true)
            on:focusout=move |event| {
                // The focus may only have moved to one of the offers.
                use wasm_bindgen::JsCast;
                let inside = event
                    .current_target()
                    .and_then(|here| here.dyn_into::<web_sys::Element>().ok())
                    .zip(event.related_target().and_then(|target| target.dyn_into::<web_sys::Node>().ok()))
                    .is_some_and(|(here, target)| here.contains(Some(&target)));
                focused.set(inside);
            }
        >
            <input
                type="text"
                class="input input-code"
                id=id
                autocomplete="off"
                spellcheck="false"
                aria-label=move || name.map(|name| name.get())
                aria-describedby=described_by
                aria-invalid=move || field.as_ref().is_some_and(|field| editor.is_wrong(nested, field)).then_some("true")
                data-parameter=move || parameter.map(|parameter| parameter.get())
                prop:value=value
                on:input=move |event| on_edit.run(event_target_value(&event))
            />
            <Show when=move || list.with(|list| !list.is_empty())>
                <ul class="reference-offers" aria-label=tr!(jobs.references)>
                    {move || list.get().into_iter().map(|offer| {
                        let chosen = offer.clone();
                        view! {
                            <li><button type="button" class="button-small" on:click=move |_| choose(&chosen)><code>{offer}</code></button></li>
                        }
                    }).collect_view()}
                </ul>
            </Show>
        </div>
    }
}
