//! Home: what this is, the tutorials, the workspace there is.

use leptos::prelude::*;

use crate::components::Dialog;
use crate::learn::{TUTORIALS, Tutorial, start};
use crate::messages::{fill, plural, t, tr};
use crate::route::Route;
use crate::state::catalog::tables;
use crate::state::{App, use_app};

/// The screen.
#[component]
pub fn HomeScreen() -> impl IntoView {
    let app = use_app();
    let chosen = RwSignal::new(String::new());
    let ask_open = RwSignal::new(false);
    let n_tables = Memo::new(move |_| n_tables(app));
    let is_empty = Memo::new(move |_| {
        app.catalog.with(|catalog| catalog.as_ref().map(|catalog| tables(catalog).next().is_none()))
    });
    let begin = Callback::new(move |id: String| {
        if n_tables.get_untracked() == 0 {
            start(app, id, false);
        } else {
            chosen.set(id);
            ask_open.set(true);
        }
    });
    let holds = move |text: &'static str| fill(text, &[("tables", &plural(t().common.n_tables, n_tables.get()))]);
    let answer = move |reset: bool| {
        ask_open.set(false);
        start(app, chosen.get_untracked(), reset);
    };
    view! {
        <section class="page home">
            <header class="home-head">
                <h1>{tr!(home.title)}</h1>
                <p class="home-tagline">{tr!(home.tagline)}</p>
            </header>
            <h2>{tr!(home.start_heading)}</h2>
            <div class="home-tutorials">
                {TUTORIALS.iter().map(|tutorial| view! { <TutorialCard tutorial begin/> }).collect_view()}
            </div>
            <section class="home-blank">
                // Nothing is said of a workspace before the engine has told what is in it.
                <h2>{move || match is_empty.get() {
                    Some(true) => t().home.blank_heading,
                    _ => t().home.workspace_heading,
                }}</h2>
                {move || is_empty.get().map(|is_empty| match is_empty {
                    true => view! { <p>{tr!(home.blank_text)}</p> }.into_any(),
                    false => view! {
                        <p>{move || holds(t().home.workspace_holds)}</p>
                        <p class="quiet">{tr!(home.workspace_empty_it)} " " <a href=Route::Settings.to_string()>{tr!(frame.settings)}</a>"."</p>
                    }
                    .into_any(),
                })}
                <a class="button" href=Route::Sql { tab: None }.to_string()>{tr!(home.open_workspace)}</a>
            </section>
            <Show when=move || !app.is_ready()><p class="quiet">{tr!(home.engine_note)}</p></Show>
            <Dialog open=ask_open title=Signal::derive(tr!(home.replace_title))>
                <p>{move || holds(t().home.replace_text)}</p>
                <div class="button-row">
                    <button type="button" class="button button-primary" on:click=move |_| answer(true)>{tr!(home.replace_reset)}</button>
                    <button type="button" class="button" on:click=move |_| answer(false)>{tr!(home.replace_keep)}</button>
                </div>
            </Dialog>
        </section>
    }
}

fn n_tables(app: App) -> u64 {
    app.catalog.with(|catalog| catalog.as_ref().map_or(0, |catalog| tables(catalog).count() as u64))
}

#[component]
fn TutorialCard(tutorial: &'static Tutorial, begin: Callback<String>) -> impl IntoView {
    let app = use_app();
    let Tutorial { id, number, title, topics, text } = *tutorial;
    let resumed = Memo::new(move |_| {
        app.lesson.started().is_some_and(|started| started == id).then(|| app.lesson.step(id)).flatten()
    });
    let start_words = move || fill(t().home.start, &[("n", &number.to_string())]);
    view! {
        <article class="card tutorial" aria-label=move || title(&t().home)>
            <h3>{move || title(&t().home)}</h3>
            {picture(number)}
            <p class="tutorial-topics">{move || topics(&t().home)}</p>
            <p>{move || text(&t().home)}</p>
            <div class="button-row">
                <button type="button" class="button button-primary" on:click=move |_| begin.run(id.to_owned())>{start_words}</button>
                {move || resumed.get().map(|step| view! {
                    <a class="button" href=Route::Lesson { lesson: id.to_owned(), step: Some(step) }.to_string()>
                        {fill(t().home.resume, &[("n", &(step + 1).to_string())])}
                    </a>
                })}
            </div>
        </article>
    }
}

/// A small picture of what a tutorial is about; words beside it say the same.
fn picture(number: u32) -> AnyView {
    match number {
        3 => view! {
            <svg class="tutorial-picture" viewBox="0 0 240 64" aria-hidden="true">
                <path class="picture-line" d="M12 56h216"></path>
                <rect class="picture-old" x="12" y="8" width="84" height="10" rx="3"></rect>
                <rect class="picture-new" x="100" y="8" width="128" height="10" rx="3"></rect>
                <rect class="picture-new" x="12" y="24" width="216" height="10" rx="3"></rect>
                <rect class="picture-old" x="40" y="40" width="96" height="10" rx="3"></rect>
                <path class="picture-mark" d="M136 37v16"></path>
            </svg>
        }
        .into_any(),
        _ => view! {
            <svg class="tutorial-picture" viewBox="0 0 240 64" aria-hidden="true">
                <rect class="picture-box" x="8" y="22" width="58" height="20" rx="4"></rect>
                <path class="picture-line" d="M66 32h34M94 27l6 5-6 5"></path>
                <rect class="picture-box" x="104" y="4" width="128" height="56" rx="6"></rect>
                <rect class="picture-new" x="116" y="12" width="104" height="9" rx="3"></rect>
                <rect class="picture-new" x="116" y="27" width="104" height="9" rx="3"></rect>
                <rect class=if number == 1 { "picture-old" } else { "picture-failed" } x="116" y="42" width="64" height="9" rx="3"></rect>
            </svg>
        }
        .into_any(),
    }
}
