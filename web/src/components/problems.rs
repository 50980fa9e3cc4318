//! The list of what is wrong with what stands on a screen.

use leptos::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::messages::{plural, t, tr};

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A warning rather than an error.
    pub warning: bool,
    /// Where, in words: `Line 3`, `tasks[1]`.
    pub place: String,
    /// Condition or kind.
    pub kind: String,
    /// A sentence.
    pub message: String,
    /// A likely correction in words.
    pub suggestion: Option<String>,
}

/// The region with the list. `on_open` is called with the number of the entry that is chosen.
#[component]
pub fn Problems(
    /// Errors first.
    #[prop(into)]
    problems: Signal<Vec<Problem>>,
    /// Goes to an entry's place, where there is one to go to.
    #[prop(optional_no_strip)]
    on_open: Option<Callback<usize>>,
) -> impl IntoView {
    let n_problems = Memo::new(move |_| problems.with(Vec::len));
    let heading = move || match n_problems.get() {
        0 => t().sql.no_problems.to_owned(),
        n => plural(t().sql.n_problems, n as u64),
    };
    view! {
        <section class="problems" aria-label=tr!(sql.problems) class:problems-none=move || n_problems.get() == 0>
            <p class="problems-head">{heading}</p>
            <ul aria-label=tr!(sql.problems)>
                {move || {
                    problems.get().into_iter().enumerate().map(|(index, problem)| entry(index, problem, on_open)).collect_view()
                }}
            </ul>
        </section>
    }
}

fn entry(index: usize, problem: Problem, on_open: Option<Callback<usize>>) -> impl IntoView {
    let Problem { warning, place, kind, message, suggestion } = problem;
    let words = view! {
        {icon(if warning { Icon::Warning } else { Icon::Cross })}
        <span><span class="problem-place">{place}</span> " " <strong>{kind}</strong> " " {message}
        {suggestion.map(|suggestion| view! { " " <em>{suggestion}</em> })}</span>
    };
    let class = if warning { "problem tone-warning" } else { "problem tone-failure" };
    match on_open {
        Some(on_open) => view! {
            <li class=class><button type="button" class="button-plain" on:click=move |_| on_open.run(index)>{words}</button></li>
        }
        .into_any(),
        None => view! { <li class=class>{words}</li> }.into_any(),
    }
}
