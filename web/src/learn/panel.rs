//! The panel with the lesson's present step.

use lakelet_lessons::{Lesson, Step};
use leptos::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::components::{Dialog, Splitter};
use crate::learn::blocks::{Setup, block};
use crate::learn::prose::prose;
use crate::learn::{OpenLesson, SETUP_PATH, start, tutorial_after, tutorial_number};
use crate::messages::{fill, t, tr};
use crate::route::Route;
use crate::state::layout::Panel;
use crate::state::{App, use_app};

/// The complementary "Lesson".
#[component]
pub fn LessonPanel() -> impl IntoView {
    let app = use_app();
    view! {
        <aside
            id="lesson"
            class="lesson"
            class:lesson-folded=move || app.layout.lesson_folded.get()
            tabindex="-1"
            aria-label=tr!(lesson.panel)
            style:width=move || format!("{}px", app.layout.size(Panel::Lesson))
        >
            <Splitter panel=Panel::Lesson label=Signal::derive(tr!(frame.lesson_width))/>
            <div class="lesson-inner">
            {move || match (app.lesson.get(), app.lesson.problem.get()) {
                (Some(open), _) => view! { <OpenPanel open/> }.into_any(),
                (None, Some(message)) => view! {
                    <p>{fill(t().lesson.unavailable, &[("message", &message)])}</p>
                    <a href=Route::Lessons.to_string()>{tr!(lesson.choose)}</a>
                }
                .into_any(),
                (None, None) => view! { <p class="quiet">{tr!(common.loading)}</p> }.into_any(),
            }}
            </div>
        </aside>
    }
}

#[component]
fn OpenPanel(open: OpenLesson) -> impl IntoView {
    let app = use_app();
    let OpenLesson { id, lesson, files } = open;
    let n_steps = lesson.steps.len();
    let folded = app.layout.lesson_folded;
    let step = {
        let id = id.clone();
        Memo::new(move |_| app.lesson.step(&id).unwrap_or(0).min(n_steps.saturating_sub(1)))
    };
    let go = {
        let id = id.clone();
        Callback::new(move |step: usize| go_to_step(app, &id, step))
    };
    let headings: Vec<String> = lesson.steps.iter().map(|step| step.heading.clone()).collect();
    let (end_id, end_headings) = (StoredValue::new(id.clone()), StoredValue::new(headings.clone()));
    let is_last = move || step.get() + 1 >= n_steps;
    let setup = files.get(SETUP_PATH).cloned();
    let other = {
        let id = id.clone();
        Memo::new(move |_| app.lesson.started().is_some_and(|started| started != id))
    };
    let number = tutorial_number(&id).map(|number| number.to_string()).unwrap_or_default();
    let reset_id = StoredValue::new(id.clone());
    let shown = {
        let lesson = lesson.clone();
        move || lesson.steps.get(step.get()).map(|shown| step_view(&lesson, shown, step.get(), setup.clone()))
    };
    view! {
        <header class="lesson-head">
            <p class="lesson-title">{lesson.title.clone()}</p>
            <button
                type="button"
                class="button-plain lesson-fold"
                aria-expanded=move || (!folded.get()).to_string()
                aria-label=move || if folded.get() { t().lesson.unfold } else { t().lesson.fold }
                on:click=move |_| folded.update(|folded| *folded = !*folded)
            >
                {move || icon(if folded.get() { Icon::ArrowUp } else { Icon::ArrowDown })}
            </button>
            <label class="lesson-steps">
                <span class="for-ears">{tr!(lesson.steps)}</span>
                <select
                    class="input"
                    prop:value=move || step.get().to_string()
                    on:change=move |event| {
                        if let Ok(step) = event_target_value(&event).parse() {
                            go.run(step);
                        }
                    }
                >
                    {headings.into_iter().enumerate().map(|(index, heading)| view! {
                        <option value=index.to_string()>{format!("{}. {heading}", index + 1)}</option>
                    }).collect_view()}
                </select>
            </label>
        </header>
        <Show when=move || other.get()>
            <div class="lesson-other">
                <p>{tr!(lesson.not_started)}</p>
                <button type="button" class="button" on:click={
                    let id = id.clone();
                    move |_| start(app, id.clone(), false)
                }>
                    {
                        let number = number.clone();
                        move || fill(t().home.start, &[("n", &number)])
                    }
                </button>
            </div>
        </Show>
        <div class="lesson-body">
            {shown}
            <Show when=is_last><End id=end_id.get_value() headings=end_headings.get_value()/></Show>
            <Show when=move || !other.get()><ResetButton id=reset_id.get_value()/></Show>
        </div>
        <footer class="lesson-foot button-row">
            <button type="button" class="button" disabled=move || step.get() == 0 on:click=move |_| go.run(step.get_untracked().saturating_sub(1))>
                {tr!(lesson.back)}
            </button>
            <span class="quiet">{move || {
                fill(t().lesson.step_of, &[("n", &(step.get() + 1).to_string()), ("all", &n_steps.to_string())])
            }}</span>
            {move || match is_last() {
                true => view! { <a class="button button-primary" href=Route::Home.to_string()>{tr!(lesson.end_home)}</a> }.into_any(),
                false => view! {
                    <button type="button" class="button button-primary" on:click=move |_| go.run(step.get_untracked() + 1)>
                        {tr!(lesson.next)}
                    </button>
                }
                .into_any(),
            }}
        </footer>
    }
}

/// Behind the last step: what was done, and where to go from here.
#[component]
fn End(
    /// The lesson.
    id: String,
    /// Its steps.
    headings: Vec<String>,
) -> impl IntoView {
    let next = tutorial_after(&id).map(|tutorial| {
        let address = Route::Lesson { lesson: tutorial.id.to_owned(), step: None }.to_string();
        let number = tutorial.number.to_string();
        view! { <p><a href=address>{move || fill(t().lesson.end_next, &[("n", &number)])}</a></p> }
    });
    view! {
        <section class="lesson-end" aria-label=tr!(lesson.end)>
            <h2>{tr!(lesson.end)}</h2>
            <p>{tr!(lesson.end_text)}</p>
            <ol>{headings.into_iter().map(|heading| view! { <li>{heading}</li> }).collect_view()}</ol>
            {next}
        </section>
    }
}

/// Starts the lesson over in an emptied workspace.
#[component]
fn ResetButton(id: String) -> impl IntoView {
    let app = use_app();
    let asked = RwSignal::new(false);
    let reset = move |_| {
        asked.set(false);
        start(app, id.clone(), true);
    };
    view! {
        <p class="lesson-reset">
            <button type="button" class="button-small" disabled=move || !app.is_ready() on:click=move |_| asked.set(true)>
                {tr!(lesson.reset)}
            </button>
        </p>
        <Dialog open=asked title=Signal::derive(tr!(lesson.reset))>
            <p>{tr!(lesson.reset_text)}</p>
            <div class="button-row">
                <button type="button" class="button button-danger" on:click=reset.clone()>{tr!(lesson.reset_confirm)}</button>
                <button type="button" class="button" on:click=move |_| asked.set(false)>{tr!(common.cancel)}</button>
            </div>
        </Dialog>
    }
}

/// Another step: the address follows where it names the step, and stays where the reader works elsewhere.
fn go_to_step(app: App, id: &str, step: usize) {
    if app.route.with_untracked(|route| matches!(route, Route::Lesson { .. })) {
        app.go(&Route::Lesson { lesson: id.to_owned(), step: Some(step) });
    } else {
        app.lesson.set_step(id, step);
    }
}

fn step_view(lesson: &Lesson, step: &Step, index: usize, setup: Option<String>) -> AnyView {
    let intro = (index == 0 && !lesson.intro.is_empty()).then(|| prose(&lesson.intro));
    // A lesson that shows the sample data itself needs no second place for it.
    let shows_setup = lesson
        .steps
        .iter()
        .flat_map(|step| &step.blocks)
        .any(|block| matches!(block, lakelet_lessons::Block::Sql(sql) if sql.path.as_deref() == Some(SETUP_PATH)));
    let setup = setup.filter(|_| index == 0 && !shows_setup);
    view! {
        {intro}
        <h2>{step.heading.clone()}</h2>
        {setup.map(|text| view! { <Setup text/> })}
        {step.blocks.iter().map(block).collect_view()}
    }
    .into_any()
}
