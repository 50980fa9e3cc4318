//! The widgets of a notebook: a field for each, which says where its value comes from.

use lakelet_protocol::{ParameterOrigin, WidgetView};
use leptos::prelude::*;

use crate::messages::{t, tr};
use crate::notebook::editor::NotebookEditor;

/// The bar; nothing for a notebook without widgets.
#[component]
pub fn WidgetBar(editor: NotebookEditor) -> impl IntoView {
    // Fields stay while only values change, so that a run does not take the focus away.
    let shapes = Memo::new(move |_| {
        let shape = |widget: &WidgetView| {
            (widget.name.clone(), widget.label.clone(), widget.widget.clone(), widget.choices.clone())
        };
        editor.widgets.with(|widgets| widgets.iter().map(shape).collect::<Vec<_>>())
    });
    view! {
        <Show when=move || shapes.with(|shapes| !shapes.is_empty())>
            <section class="widget-bar" aria-label=tr!(notebook.widgets)>
                <For each=move || shapes.get() key=Clone::clone let((name, label, widget, choices))>
                    <WidgetField editor name label widget choices/>
                </For>
            </section>
        </Show>
    }
}

#[component]
fn WidgetField(
    editor: NotebookEditor,
    name: String,
    label: String,
    widget: String,
    choices: Vec<String>,
) -> impl IntoView {
    let key = StoredValue::new(name.clone());
    let (id, described, list) =
        (format!("widget-{name}"), format!("widget-origin-{name}"), format!("widget-list-{name}"));
    let engine = Memo::new(move |_| {
        editor.widgets.with(|widgets| {
            let widget = widgets.iter().find(|widget| key.with_value(|key| widget.name == *key))?;
            Some((widget.value.clone(), widget.origin))
        })
    });
    let changed = Memo::new(move |_| editor.changed.with(|changed| changed.get(&key.get_value()).cloned()));
    let value = Memo::new(move |_| changed.get().or_else(|| engine.get().map(|(value, _)| value)).unwrap_or_default());
    let origin = move || {
        let texts = &t().notebook;
        match (changed.get(), engine.get().map(|(_, origin)| origin)) {
            (Some(_), _) => texts.origin_changed,
            (None, Some(ParameterOrigin::Run)) => texts.origin_run,
            (None, Some(ParameterOrigin::Job | ParameterOrigin::Task)) => texts.origin_job,
            (None, Some(ParameterOrigin::Default) | None) => texts.origin_default,
        }
    };
    let is_changed = move || changed.with(Option::is_some);
    let edit = move |text: String| {
        let same = engine.get_untracked().is_some_and(|(value, _)| value == text);
        editor.changed.update(|changed| {
            // A value that the last run was given has to be given again.
            let was_given = matches!(engine.get_untracked(), Some((_, ParameterOrigin::Run)));
            match same && !was_given {
                true => changed.remove(&key.get_value()),
                false => changed.insert(key.get_value(), text),
            };
        });
    };
    let options = choices
        .iter()
        .map(|choice| {
            let choice = choice.clone();
            let shown = choice.clone();
            let selected = {
                let choice = choice.clone();
                move || value.get() == choice
            };
            view! { <option value=choice prop:selected=selected>{shown}</option> }
        })
        .collect_view();
    let extra_label = (label != name && !label.is_empty()).then(|| view! { <span class="widget-label">{label}</span> });
    let field = match widget.as_str() {
        "dropdown" => view! {
            <select class="input" id=id.clone() aria-describedby=described.clone() on:change=move |event| edit(event_target_value(&event))>
                {options}
            </select>
        }
        .into_any(),
        "combobox" => view! {
            <input
                type="text" class="input" id=id.clone() list=list.clone() aria-describedby=described.clone() autocomplete="off"
                prop:value=value on:input=move |event| edit(event_target_value(&event))
            />
            <datalist id=list>{options}</datalist>
        }
        .into_any(),
        _ => view! {
            <input
                type="text" class="input" id=id.clone() aria-describedby=described.clone() autocomplete="off"
                prop:value=value on:input=move |event| edit(event_target_value(&event))
            />
        }
        .into_any(),
    };
    let several = (widget == "multiselect").then(|| choices.join(", "));
    view! {
        <div class="widget">
            <label for=id>{name}</label>
            {field}
            <p class="widget-foot">
                <span class="widget-origin" id=described class:widget-changed=is_changed>{origin}</span>
                {extra_label}
                {several.map(|choices| view! { <span class="widget-label">{tr!(notebook.choices)} " " {choices}</span> })}
            </p>
        </div>
    }
}
