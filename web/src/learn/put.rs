//! Project files that a lesson writes for its reader. What the reader has made of a file is asked for before it is lost.

use lakelet_lessons::{Block, Code, sql_files, tasks_with_sql_file};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::Dialog;
use crate::engine::{Answer, calls};
use crate::learn::OpenLesson;
use crate::messages::{fill, t, tr};
use crate::state::{App, use_app};

/// The condition of an answer about a job that another file has.
const JOB_EXISTS: &str = "LAKELET_JOB_ALREADY_EXISTS";

/// What a notebook file begins with.
const NOTEBOOK_HEADER: &str = "# Databricks notebook source\n";

/// The file of a notebook whose one cell a lesson gives.
pub fn notebook_file(text: &str) -> String {
    format!("{NOTEBOOK_HEADER}\n{}", text.trim_start_matches('\n'))
}

/// A file to be written.
#[derive(Debug, Clone)]
pub struct Put {
    /// Path in the lesson's project. SQL goes to the files that the reader's job has in its place.
    pub path: String,
    /// Its text.
    pub text: String,
    /// It defines a job, which is to be the only one of its name.
    pub is_job: bool,
    /// What comes when it is written.
    pub then: Callback<()>,
}

/// What is to be written once the reader agrees.
#[derive(Clone)]
struct Pending {
    put: Put,
    /// Where.
    paths: Vec<String>,
    /// Jobs of other files make place for it.
    replace: bool,
    question: String,
}

/// Writes files, with the question that may have to be asked first.
#[derive(Clone, Copy)]
pub struct Putter {
    app: App,
    asking: RwSignal<bool>,
    pending: RwSignal<Option<Pending>>,
}

impl Putter {
    /// For a component, whose view must hold [`PutQuestion`].
    pub fn new() -> Self {
        Self { app: use_app(), asking: RwSignal::new(false), pending: RwSignal::new(None) }
    }

    /// Writes a file, or asks first.
    pub fn put(self, put: Put) {
        spawn_local(async move {
            if let Err(error) = self.put_or_ask(put).await {
                self.app.news.fail(error);
            }
        });
    }

    async fn put_or_ask(self, put: Put) -> Answer<()> {
        let open = untrack(|| self.app.lesson.get());
        let paths = match &open {
            Some(open) if !put.is_job => homes(open, &put.path).await?,
            _ => vec![put.path.clone()],
        };
        let files = calls::files().await?;
        let mut lost = Vec::new();
        for path in paths.iter().filter(|path| files.contains(path)) {
            let present = calls::file(path.clone()).await?;
            let is_given = open.as_ref().is_some_and(|open| is_given(open, &put.path, &present));
            if present != put.text && !is_given {
                lost.push(path.clone());
            }
        }
        if lost.is_empty() {
            self.write(put, paths, false).await;
        } else {
            let question = fill(t().lesson.replace_file, &[("path", &lost.join(", "))]);
            self.ask(Pending { put, paths, replace: false, question });
        }
        Ok(())
    }

    async fn write(self, put: Put, paths: Vec<String>, replace: bool) {
        for path in &paths {
            let answer = match put.is_job {
                true => calls::save_job_file(path.clone(), put.text.clone(), replace).await,
                false => calls::save_file(path.clone(), Some(put.text.clone())).await,
            };
            match answer {
                Ok(()) => {}
                Err(error) if error.condition == JOB_EXISTS => {
                    let question = fill(t().lesson.replace_job, &[("message", &error.message)]);
                    return self.ask(Pending { put, paths, replace: true, question });
                }
                Err(error) => return self.app.news.fail(error),
            }
        }
        put.then.try_run(());
    }

    fn ask(self, pending: Pending) {
        // Nobody is there to answer when the step was left meanwhile.
        if self.pending.try_set(Some(pending)).is_none() {
            self.asking.set(true);
        }
    }

    fn agree(self) {
        self.asking.set(false);
        if let Some(Pending { put, paths, replace, .. }) = self.pending.get_untracked() {
            spawn_local(self.write(put, paths, replace));
        }
    }
}

/// Where a text of the lesson belongs in this workspace. The SQL of a task belongs to the file that the reader's own task
/// of that name runs, which is another one where the reader has built the job by hand.
async fn homes(open: &OpenLesson, path: &str) -> Answer<Vec<String>> {
    let tasks = tasks_with_sql_file(&open.files, path);
    let mut found: Vec<String> = Vec::new();
    for job in calls::jobs().await? {
        let wanted: Vec<&str> =
            tasks.iter().filter(|task| task.job == job.name).map(|task| task.task.as_str()).collect();
        if wanted.is_empty() {
            continue;
        }
        for (task, file) in sql_files(&calls::job(job.name).await?.settings) {
            if wanted.contains(&task.as_str()) && !found.contains(&file) {
                found.push(file);
            }
        }
    }
    Ok(if found.is_empty() { vec![path.to_owned()] } else { found })
}

/// The question.
#[component]
pub fn PutQuestion(putter: Putter) -> impl IntoView {
    let asking = putter.asking;
    let question = move || putter.pending.with(|pending| pending.as_ref().map(|pending| pending.question.clone()));
    view! {
        <Dialog open=asking title=Signal::derive(tr!(lesson.replace))>
            <p>{question}</p>
            <div class="button-row">
                <button type="button" class="button button-danger" on:click=move |_| putter.agree()>{tr!(lesson.replace_confirm)}</button>
                <button type="button" class="button" on:click=move |_| asking.set(false)>{tr!(common.cancel)}</button>
            </div>
        </Dialog>
    }
}

/// Whether a file is as the project began with it, or as the lesson has written it in one of its steps.
pub fn is_given(open: &OpenLesson, path: &str, text: &str) -> bool {
    let is_block = |block: &Block| match block {
        Block::Sql(sql) | Block::Starter(Code::Sql(sql)) | Block::Solution(Code::Sql(sql)) => {
            sql.path.as_deref() == Some(path) && sql.text == text
        }
        Block::Python(python) | Block::Starter(Code::Python(python)) | Block::Solution(Code::Python(python)) => {
            python.notebook == path && notebook_file(&python.text) == text
        }
        Block::Job(job) | Block::Starter(Code::Job(job)) | Block::Solution(Code::Job(job)) => {
            job.path == path && job.text == text
        }
        Block::Prose(_) | Block::Fold { .. } | Block::Action(_) | Block::Predict(_) | Block::Check(_) => false,
    };
    open.files.get(path).is_some_and(|file| file == text)
        || open.lesson.steps.iter().flat_map(|step| &step.blocks).any(is_block)
}
