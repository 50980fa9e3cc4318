//! Project files that a lesson writes for its reader. What the reader has made of a file is asked for before it is lost.

use lakelet_lessons::{Block, Code};
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
    /// Path in the project.
    pub path: String,
    /// Its text.
    pub text: String,
    /// It defines a job, which is to be the only one of its name.
    pub is_job: bool,
    /// What comes when it is written.
    pub then: Callback<()>,
}

/// Writes files, with the question that may have to be asked first.
#[derive(Clone, Copy)]
pub struct Putter {
    app: App,
    asking: RwSignal<bool>,
    /// What is to be written once the reader agrees, whether other files' jobs make place for it, and the question.
    pending: RwSignal<Option<(Put, bool, String)>>,
}

impl Putter {
    /// For a component, whose view must hold [`PutQuestion`].
    pub fn new() -> Self {
        Self { app: use_app(), asking: RwSignal::new(false), pending: RwSignal::new(None) }
    }

    /// Writes a file, or asks first.
    pub fn put(self, put: Put) {
        spawn_local(async move {
            match self.would_lose(&put).await {
                Ok(true) => {
                    let question = fill(t().lesson.replace_file, &[("path", &put.path)]);
                    self.ask(put, false, question);
                }
                Ok(false) => self.write(put, false).await,
                Err(error) => self.app.news.fail(error),
            }
        });
    }

    /// Whether the file is there and is the reader's work.
    async fn would_lose(self, put: &Put) -> Answer<bool> {
        if !calls::files().await?.contains(&put.path) {
            return Ok(false);
        }
        let present = calls::file(put.path.clone()).await?;
        let is_given = untrack(|| self.app.lesson.get()).is_some_and(|open| is_given(&open, &put.path, &present));
        Ok(present != put.text && !is_given)
    }

    async fn write(self, put: Put, replace: bool) {
        let Put { path, text, is_job, .. } = put.clone();
        let answer = match is_job {
            true => calls::save_job_file(path, text, replace).await,
            false => calls::save_file(path, Some(text)).await,
        };
        match answer {
            Ok(()) => {
                put.then.try_run(());
            }
            Err(error) if error.condition == JOB_EXISTS => {
                self.ask(put, true, fill(t().lesson.replace_job, &[("message", &error.message)]));
            }
            Err(error) => self.app.news.fail(error),
        }
    }

    fn ask(self, put: Put, replace: bool, question: String) {
        // Nobody is there to answer when the step was left meanwhile.
        if self.pending.try_set(Some((put, replace, question))).is_none() {
            self.asking.set(true);
        }
    }

    fn agree(self) {
        self.asking.set(false);
        if let Some((put, replace, _)) = self.pending.get_untracked() {
            spawn_local(self.write(put, replace));
        }
    }
}

/// The question.
#[component]
pub fn PutQuestion(putter: Putter) -> impl IntoView {
    let asking = putter.asking;
    let question = move || putter.pending.with(|pending| pending.as_ref().map(|(_, _, question)| question.clone()));
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
