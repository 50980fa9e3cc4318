//! The fields of an If/else.

use leptos::prelude::*;

use crate::jobs::editor::JobEditor;
use crate::jobs::form::field_id;
use crate::jobs::form::problems::FieldProblems;
use crate::jobs::form::reference_field::ReferenceField;
use crate::jobs::places::Field;
use crate::jobs::task_form::{OPS, TaskForm};
use crate::messages::tr;

/// Two values and how to compare them.
#[component]
pub fn ConditionFields(editor: JobEditor, nested: bool) -> impl IntoView {
    let operator_id = field_id(&Field::Operator);
    let present = Memo::new(move |_| editor.field(nested, |form| form.op.clone()));
    let choose = move |event: leptos::ev::Event| {
        let chosen = event_target_value(&event);
        editor.edit(nested, |form| form.op = chosen);
    };
    let options = OPS.map(|(op, sign)| {
        view! { <option value=op prop:selected=move || present.with(|present| present == op)>{sign}</option> }
    });
    view! {
        <Operand editor nested field=Field::Left of=|form| &mut form.left/>
        <div class="task-field">
            <label for=operator_id.clone()>{tr!(jobs.operator)}</label>
            <select class="input" id=operator_id aria-describedby="task-operator-problems" on:change=choose>
                {options.into_iter().collect_view()}
            </select>
            <FieldProblems editor nested field=Field::Operator/>
        </div>
        <Operand editor nested field=Field::Right of=|form| &mut form.right/>
        <p class="task-hint" id="task-condition-hint">{tr!(jobs.condition_hint)} " " {tr!(jobs.condition_then)}</p>
    }
}

/// One of the values.
#[component]
fn Operand(editor: JobEditor, nested: bool, field: Field, of: fn(&mut TaskForm) -> &mut String) -> impl IntoView {
    let id = field_id(&field);
    let label = match field {
        Field::Left => tr!(jobs.left),
        _ => tr!(jobs.right),
    };
    let described_by = match field {
        Field::Left => "task-condition-hint task-left-problems",
        _ => "task-condition-hint task-right-problems",
    };
    let value = Signal::derive(move || editor.field(nested, |form| of(&mut form.clone()).clone()));
    view! {
        <div class="task-field">
            <label for=id.clone()>{label}</label>
            <ReferenceField
                editor
                nested
                id
                value
                on_edit=Callback::new(move |text| editor.edit(nested, |form| *of(form) = text))
                described_by=Some(described_by)
                field=Some(field.clone())
            />
            <FieldProblems editor nested field/>
        </div>
    }
}
