//! Pieces of a step: prose, code to insert, things to do.

use lakelet_lessons::{ActionBlock, Block, Code, JobBlock, PythonBlock, SqlBlock};
use lakelet_protocol::RunRange;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::jobs::{JobEditor, RunQuestion};
use crate::learn::actions::{perform, unsaved_job};
use crate::learn::exercise::{CheckCard, PredictCard};
use crate::learn::prose::prose;
use crate::learn::put::{Put, PutQuestion, Putter, notebook_file};
use crate::messages::{fill, t, tr};
use crate::route::{JobPlace, Route};
use crate::sql::{run, show_tab};
use crate::state::{App, use_app};

/// A piece of a step.
pub fn block(block: &Block) -> AnyView {
    match block {
        Block::Prose(nodes) => prose(nodes),
        Block::Fold { title, body } => {
            view! { <details class="fold"><summary>{title.clone()}</summary>{prose(body)}</details> }.into_any()
        }
        Block::Sql(block) => view! { <SqlCode block=block.clone()/> }.into_any(),
        Block::Python(block) => view! { <PythonCode block=block.clone()/> }.into_any(),
        Block::Job(block) => view! { <JobCode block=block.clone()/> }.into_any(),
        Block::Action(block) => view! { <Action block=block.clone()/> }.into_any(),
        Block::Predict(question) => view! { <PredictCard question=question.clone()/> }.into_any(),
        Block::Check(check) => view! { <CheckCard check=check.clone()/> }.into_any(),
        Block::Starter(code) => code_view(code),
        Block::Solution(code) => view! {
            <details class="fold"><summary>{tr!(lesson.solution)}</summary>{code_view(code)}</details>
        }
        .into_any(),
    }
}

fn code_view(code: &Code) -> AnyView {
    match code {
        Code::Sql(block) => view! { <SqlCode block=block.clone()/> }.into_any(),
        Code::Python(block) => view! { <PythonCode block=block.clone()/> }.into_any(),
        Code::Job(block) => view! { <JobCode block=block.clone()/> }.into_any(),
    }
}

/// Where a block's statements go: the tab it names, else one named after the step.
fn tab_title(app: App, block: &SqlBlock) -> String {
    let step_title = || {
        let open = app.lesson.open.get_untracked()?;
        let index = untrack(|| app.lesson.step(&open.id)).unwrap_or(0);
        open.lesson.steps.get(index).map(|step| format!("{} {}", index + 1, step.heading))
    };
    block.tab.clone().or_else(step_title).unwrap_or_default()
}

/// Puts statements into their tab and shows it; runs just them when asked to.
fn insert_sql(app: App, title: &str, text: &str, then_run: bool) {
    let text = text.trim_end();
    let tab = app.tabs.open(title, text);
    show_tab(app, &tab);
    app.news.say(fill(t().sql.inserted, &[("tab", title)]));
    if then_run {
        let whole = tab.text.get_untracked();
        // What stood in the tab before is not run again.
        let range = match whole.rfind(text) {
            Some(start) if whole.trim() != text.trim() => RunRange::Selection { start, end: start + text.len() },
            _ => RunRange::All,
        };
        run(app, &tab, range);
    }
}

/// The sample data: shown, to be run by the reader.
#[component]
pub fn Setup(text: String) -> impl IntoView {
    let app = use_app();
    let insert = {
        let text = text.clone();
        move |then_run: bool| insert_sql(app, t().sql.setup_tab, &text, then_run)
    };
    let run_it = insert.clone();
    view! {
        <section class="code-block" role="group" aria-label=tr!(lesson.prepare)>
            <h3>{tr!(lesson.prepare)}</h3>
            <p>{tr!(lesson.prepare_text)}</p>
            <pre class="code code-tall" tabindex="0"><code>{text}</code></pre>
            <div class="button-row">
                <button type="button" class="button-small" on:click=move |_| insert(false)>{tr!(lesson.insert)}</button>
                <button type="button" class="button-small" disabled=move || !app.is_ready() on:click=move |_| run_it(true)>
                    {tr!(lesson.insert_and_run)}
                </button>
            </div>
        </section>
    }
}

#[component]
fn SqlCode(block: SqlBlock) -> impl IntoView {
    let app = use_app();
    let label = block.title.clone().or_else(|| block.tab.clone());
    let (text, runs, button) = (block.text.trim_end().to_owned(), block.run, block.title.clone());
    let putter = Putter::new();
    let insert = move |then_run: bool| {
        let title = tab_title(app, &block);
        let text = block.text.clone();
        // A task reads the file, not the tab. It is written first, so that what runs next finds it.
        match block.path.clone() {
            Some(path) => {
                let written = text.clone();
                let then = Callback::new(move |()| insert_sql(app, &title, &text, then_run));
                putter.put(Put { path, text: written, is_job: false, then });
            }
            None => insert_sql(app, &title, &text, then_run),
        }
    };
    let run_it = insert.clone();
    view! {
        <section class="code-block" role="group" aria-label=move || label.clone().unwrap_or_else(|| t().lesson.code.to_owned())>
            <pre class="code" tabindex="0"><code>{text}</code></pre>
            <div class="button-row">
                <button type="button" class="button-small" on:click=move |_| insert(false)>{tr!(lesson.insert)}</button>
                {runs.then(|| view! {
                    <button type="button" class="button-small" disabled=move || !app.is_ready() on:click=move |_| run_it(true)>
                        {move || button.clone().unwrap_or_else(|| t().lesson.insert_and_run.to_owned())}
                    </button>
                })}
            </div>
            <PutQuestion putter/>
        </section>
    }
}

#[component]
fn PythonCode(block: PythonBlock) -> impl IntoView {
    let app = use_app();
    let PythonBlock { text, notebook, .. } = block;
    let shown = text.trim_end().to_owned();
    let place = Route::Notebook { path: Some(notebook.clone()) };
    let address = place.to_string();
    let link = {
        let notebook = notebook.clone();
        move || fill(t().lesson.notebook, &[("path", &notebook)])
    };
    let putter = Putter::new();
    let insert = move |_| {
        let place = place.clone();
        let then = Callback::new(move |()| app.go(&place));
        putter.put(Put { path: notebook.clone(), text: notebook_file(&text), is_job: false, then });
    };
    view! {
        <section class="code-block" role="group" aria-label=tr!(lesson.code)>
            <pre class="code code-tall" tabindex="0"><code>{shown}</code></pre>
            <div class="button-row">
                <button type="button" class="button-small" disabled=move || !app.is_ready() on:click=insert>{tr!(lesson.insert)}</button>
                <a href=address>{link}</a>
            </div>
            <PutQuestion putter/>
        </section>
    }
}

#[component]
fn JobCode(block: JobBlock) -> impl IntoView {
    let app = use_app();
    let JobBlock { text, path, title, .. } = block;
    let shown = text.trim_end().to_owned();
    let putter = Putter::new();
    let insert = move |_| {
        let then = Callback::new(move |()| app.go(&Route::Jobs(JobPlace::List)));
        putter.put(Put { path: path.clone(), text: text.clone(), is_job: true, then });
    };
    view! {
        <section class="code-block" role="group" aria-label=tr!(lesson.code)>
            <pre class="code code-tall" tabindex="0"><code>{shown}</code></pre>
            <div class="button-row">
                <button type="button" class="button-small" disabled=move || !app.is_ready() on:click=insert>
                    {move || title.clone().unwrap_or_else(|| t().lesson.insert.to_owned())}
                </button>
            </div>
            <PutQuestion putter/>
        </section>
    }
}

#[component]
fn Action(block: ActionBlock) -> impl IntoView {
    let app = use_app();
    let ActionBlock { entries, title, .. } = block;
    let asking = RwSignal::new(false);
    let job = RwSignal::new(None::<JobEditor>);
    let go_on = {
        let entries = entries.clone();
        Callback::new(move |()| spawn_local(perform(app, entries.clone())))
    };
    let click = move |_| match unsaved_job(app, &entries) {
        Some(editor) => {
            job.set(Some(editor));
            asking.set(true);
        }
        None => go_on.run(()),
    };
    view! {
        <div class="button-row">
            <button type="button" class="button" disabled=move || !app.is_ready() on:click=click>
                {move || title.clone().unwrap_or_else(|| t().lesson.do_it.to_owned())}
            </button>
            <RunQuestion asking editor=job.into() on_run=go_on/>
        </div>
    }
}
