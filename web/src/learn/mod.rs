//! Lessons: which there are, which is open, its panel.

mod actions;
mod blocks;
mod exercise;
mod panel;
mod project;
pub mod prose;
mod put;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use lakelet_lessons::{Block, Code, Lesson};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};

use crate::engine::{Answer, calls};
use crate::messages::en::Home;
use crate::messages::{Choose, fill, t, tr};
use crate::route::Route;
use crate::state::{App, draft, use_app};

pub use panel::LessonPanel;

const DRAFT: &str = "lesson";
/// The script that makes the tables a tutorial starts from.
const SETUP_PATH: &str = "src/setup.sql";

/// A tutorial as home and the list of lessons show it.
pub struct Tutorial {
    /// Project id.
    pub id: &'static str,
    /// Number in its name.
    pub number: u32,
    /// Name.
    pub title: Choose<Home>,
    /// What it is about, in a few words.
    pub topics: Choose<Home>,
    /// What happens in it.
    pub text: Choose<Home>,
}

/// The tutorials in their order.
pub static TUTORIALS: [Tutorial; 3] = [
    Tutorial { id: "t1", number: 1, title: |t| t.t1_title, topics: |t| t.t1_topics, text: |t| t.t1_text },
    Tutorial { id: "t2", number: 2, title: |t| t.t2_title, topics: |t| t.t2_topics, text: |t| t.t2_text },
    Tutorial { id: "t3", number: 3, title: |t| t.t3_title, topics: |t| t.t3_topics, text: |t| t.t3_text },
];

/// The number in a tutorial's name.
pub fn tutorial_number(id: &str) -> Option<u32> {
    TUTORIALS.iter().find(|tutorial| tutorial.id == id).map(|tutorial| tutorial.number)
}

/// The tutorial that comes after one.
pub fn tutorial_after(id: &str) -> Option<&'static Tutorial> {
    let place = TUTORIALS.iter().position(|tutorial| tutorial.id == id)?;
    TUTORIALS.get(place + 1)
}

/// A lesson with the files of its project.
#[derive(Debug, Clone)]
pub struct OpenLesson {
    /// The project's id.
    pub id: String,
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// The project's files: path → text.
    pub files: Arc<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Progress {
    /// The lesson whose files the workspace was given last.
    started: Option<String>,
    /// Step of each lesson.
    steps: BTreeMap<String, usize>,
}

/// The lesson beside the workspace.
#[derive(Clone, Copy)]
pub struct LessonState {
    open: RwSignal<Option<OpenLesson>>,
    wanted: RwSignal<Option<String>>,
    problem: RwSignal<Option<String>>,
    progress: RwSignal<Progress>,
}

impl LessonState {
    /// As it was left.
    pub fn new() -> Self {
        let progress: Progress = draft::load(DRAFT);
        Self {
            open: RwSignal::new(None),
            wanted: RwSignal::new(progress.started.clone()),
            problem: RwSignal::new(None),
            progress: RwSignal::new(progress),
        }
    }

    /// Whether there is a lesson to show. Reactive.
    pub fn is_open(self) -> bool {
        self.wanted.with(Option::is_some)
    }

    /// The lesson, once it is here. Reactive.
    pub fn get(self) -> Option<OpenLesson> {
        self.open.get()
    }

    /// The step shown of a lesson. Reactive.
    pub fn step(self, id: &str) -> Option<usize> {
        self.progress.with(|progress| progress.steps.get(id).copied())
    }

    /// The lesson whose files the workspace was given last. Reactive.
    pub fn started(self) -> Option<String> {
        self.progress.with(|progress| progress.started.clone())
    }

    fn set_step(self, id: &str, step: usize) {
        self.progress.update(|progress| {
            progress.steps.insert(id.to_owned(), step);
        });
        self.save();
    }

    fn set_started(self, id: &str) {
        self.progress.update(|progress| progress.started = Some(id.to_owned()));
        self.save();
    }

    /// The workspace was emptied: no lesson is open.
    pub fn forget(self) {
        self.progress.set(Progress::default());
        self.wanted.set(None);
        self.open.set(None);
        self.save();
    }

    fn save(self) {
        self.progress.with_untracked(|progress| draft::save(DRAFT, progress));
    }
}

/// Opens the lesson that the address names, and the step.
pub fn follow_route(app: App) {
    Effect::new(move || {
        if let Route::Lesson { lesson, step } = app.route.get() {
            if let Some(step) = step {
                app.lesson.set_step(&lesson, step);
            }
            app.lesson.wanted.set(Some(lesson));
        }
    });
    Effect::new(move || {
        let Some(id) = app.lesson.wanted.get() else { return };
        if app.lesson.open.with_untracked(|open| open.as_ref().is_some_and(|open| open.id == id)) {
            return;
        }
        spawn_local(async move {
            match project::fetch_lesson(&id).await {
                Ok(open) if app.lesson.wanted.get_untracked().as_ref() == Some(&open.id) => {
                    app.lesson.problem.set(None);
                    app.lesson.open.set(Some(open));
                }
                Ok(_) => {}
                Err(message) => app.lesson.problem.set(Some(message)),
            }
        });
    });
    // A lesson opened by its address in an empty workspace gives it its files; that runs nothing.
    Effect::new(move || {
        let Some(open) = app.lesson.open.get() else { return };
        if !app.is_ready() || app.lesson.started().is_some() {
            return;
        }
        spawn_local(async move {
            if calls::files().await.is_ok_and(|files| files.is_empty()) {
                give_files(app, &open).await;
            }
        });
    });
}

/// Starts a tutorial: its files go into the workspace, its lesson stands beside the editor. Runs nothing. Unless `reset`
/// empties the workspace first, nothing that is there is lost: files of the same name stay as they are.
pub fn start(app: App, id: String, reset: bool) {
    app.layout.lesson_open.set(true);
    app.lesson.set_step(&id, 0);
    app.go(&Route::Lesson { lesson: id.clone(), step: None });
    spawn_local(async move {
        let open = match project::fetch_lesson(&id).await {
            Ok(open) => open,
            Err(message) => {
                app.lesson.problem.set(Some(message));
                return;
            }
        };
        app.lesson.open.set(Some(open.clone()));
        if reset {
            if let Err(error) = calls::reset().await {
                app.news.fail(error);
                return;
            }
            app.forget_workspace();
            app.tabs.reset(None, "");
        }
        if let Some(setup) = open.files.get(SETUP_PATH) {
            app.tabs.open(t().sql.setup_tab, setup);
        }
        app.lesson.set_started(&id);
        give_files(app, &open).await;
    });
}

/// Adds the lesson's files to those of the workspace.
async fn add_files(open: &OpenLesson) -> Answer<()> {
    let files = first_files(open);
    let present = calls::files().await?;
    if present.is_empty() {
        return calls::open_project(files).await;
    }
    for (path, text) in files.into_iter().filter(|(path, _)| !present.contains(path)) {
        calls::save_file(path, Some(text)).await?;
    }
    Ok(())
}

async fn give_files(app: App, open: &OpenLesson) {
    match add_files(open).await {
        Ok(()) => {
            app.lesson.set_started(&open.id);
            let number = tutorial_number(&open.id).map(|number| number.to_string()).unwrap_or_default();
            app.news.say(fill(t().lesson.started, &[("n", &number)]));
            app.load_clock();
            app.catalog_changed();
        }
        Err(error) => app.news.fail(error),
    }
}

/// The files that a workspace begins with. Jobs that the lesson lets its reader build are not among them: they come with
/// the step that builds them.
fn first_files(open: &OpenLesson) -> BTreeMap<String, String> {
    let mut files = open.files.as_ref().clone();
    for block in open.lesson.steps.iter().flat_map(|step| &step.blocks) {
        if let Block::Job(job) | Block::Starter(Code::Job(job)) | Block::Solution(Code::Job(job)) = block {
            files.remove(&job.path);
        }
    }
    files
}

/// The list of lessons.
#[component]
pub fn LessonsScreen() -> impl IntoView {
    let app = use_app();
    let entries = TUTORIALS.iter().map(|tutorial| {
        let route = Route::Lesson { lesson: tutorial.id.to_owned(), step: None };
        let id = tutorial.id;
        let step = move || app.lesson.step(id);
        view! {
            <li class="lesson-entry">
                <a href=route.to_string()>{move || (tutorial.title)(&t().home)}</a>
                <p>{move || (tutorial.text)(&t().home)}</p>
                {move || step().map(|step| view! {
                    <p class="quiet">{fill(t().home.resume, &[("n", &(step + 1).to_string())])}</p>
                })}
            </li>
        }
    });
    view! {
        <section class="page">
            <h1>{tr!(home.lessons_title)}</h1>
            <ul class="lesson-list">{entries.collect_view()}</ul>
        </section>
    }
}
