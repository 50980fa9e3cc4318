//! What is wrong with a field, below it.

use leptos::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::jobs::editor::JobEditor;
use crate::jobs::form::field_id;
use crate::jobs::places::Field;

/// The problems of a field, while it is being filled. The field's description names this by `<field's id>-problems`.
#[component]
pub fn FieldProblems(editor: JobEditor, nested: bool, field: Field) -> impl IntoView {
    let id = format!("{}-problems", field_id(&field));
    let problems = Memo::new(move |_| editor.problems_at(nested, &field));
    let lines = move || {
        problems.get().into_iter().map(|(is_error, words)| view! { <ProblemLine is_error words/> }).collect_view()
    };
    view! { <div class="task-problems" id=id>{lines}</div> }
}

/// One problem.
#[component]
pub fn ProblemLine(is_error: bool, words: String) -> impl IntoView {
    let (class, shape) = if is_error {
        ("task-problem tone-failure", Icon::Cross)
    } else {
        ("task-problem tone-warning", Icon::Warning)
    };
    view! { <p class=class>{icon(shape)}<span>{words}</span></p> }
}
