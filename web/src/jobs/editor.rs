//! A job on the reader's desk: as it is saved, with the form that is open over it.

use std::collections::BTreeMap;

use lakelet_protocol::{InputsPreview, JobView, WireError};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use crate::boundary::dom;
use crate::engine::calls;
use crate::jobs::places::Field;
use crate::jobs::settings::{self, task, with_name, with_task, without_task};
use crate::jobs::task_form::TaskForm;
use crate::messages::{fill, plural, t};
use crate::route::{JobPlace, Route};
use crate::state::App;

/// A form that is open.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenForm {
    /// The name that the task is saved under; `None` for a new one.
    pub saved_as: Option<String>,
    /// Its fields.
    pub form: TaskForm,
}

/// One job's editor.
#[derive(Clone, Copy)]
pub struct JobEditor {
    /// Tells editors apart, whatever their jobs are called.
    pub id: u32,
    /// The job's saved name.
    pub name: RwSignal<String>,
    /// The job as it is saved; `None` before it is here.
    pub saved: RwSignal<Option<JobView>>,
    /// Why it is not here.
    pub missing: RwSignal<Option<WireError>>,
    /// The open form.
    pub open: RwSignal<Option<OpenForm>>,
    /// Counts forms that were opened: another one is another form in the page.
    pub n_opened: RwSignal<u32>,
    /// The part of the form shown is the nested task.
    pub nested: RwSignal<bool>,
    /// What the job would be with the open form, as the engine sees it.
    pub draft: RwSignal<Option<JobView>>,
    /// Why something that the reader asked for could not be done.
    pub failure: RwSignal<Option<WireError>>,
    /// Something is being saved.
    pub saving: RwSignal<bool>,
    /// The open form was to be saved and could not be: what is still empty is pointed out too.
    pub refused: RwSignal<bool>,
    /// The field that is to get the focus once it is in the page.
    pub focus: RwSignal<Option<Field>>,
    /// Text of the JSON tab, while it is not what is saved.
    pub json: RwSignal<Option<String>>,
    /// The settings that were saved when typing into the JSON tab began.
    json_over: StoredValue<Value>,
    /// Forms that were left with changes.
    left: StoredValue<BTreeMap<String, OpenForm>>,
}

impl JobEditor {
    pub(super) fn new(job: &str) -> Self {
        Self {
            id: dom::unique_number(),
            name: RwSignal::new(job.to_owned()),
            saved: RwSignal::default(),
            missing: RwSignal::default(),
            open: RwSignal::default(),
            n_opened: RwSignal::default(),
            nested: RwSignal::default(),
            draft: RwSignal::default(),
            failure: RwSignal::default(),
            saving: RwSignal::default(),
            refused: RwSignal::default(),
            focus: RwSignal::default(),
            json: RwSignal::default(),
            json_over: StoredValue::default(),
            left: StoredValue::default(),
        }
    }

    /// The settings as they are saved. Reactive.
    pub fn saved_settings(self) -> Value {
        self.saved.with(|saved| saved.as_ref().map_or(Value::Null, |saved| saved.settings.clone()))
    }

    /// The settings with the open form. Reactive.
    pub fn settings(self) -> Value {
        let saved = self.saved_settings();
        self.open.with(|open| match open {
            Some(open) if is_changed(&saved, open) => with_task(&saved, open.saved_as.as_deref(), &open.form),
            _ => saved,
        })
    }

    /// Whether the open form holds changes. Reactive.
    pub fn is_dirty(self) -> bool {
        self.open.with(|open| {
            open.as_ref().is_some_and(|open| {
                self.saved.with(|saved| saved.as_ref().is_some_and(|saved| is_changed(&saved.settings, open)))
            })
        })
    }

    /// Whether there are changes that a run would not know of: in the open form, or in the JSON tab. Reactive.
    pub fn has_unsaved(self) -> bool {
        self.is_dirty() || self.json.with(Option::is_some)
    }

    /// Takes in what the JSON tab says; `None` when that is what the form says.
    pub fn type_json(self, text: Option<String>) {
        if self.json.with_untracked(Option::is_none) {
            self.json_over.set_value(untrack(|| self.saved_settings()));
        }
        self.json.set(text);
    }

    /// The text of the JSON tab was saved. What was typed since is over the new settings.
    pub fn json_is_saved(self, text: &str) {
        if self.json.with_untracked(|json| json.as_deref() == Some(text)) {
            self.json.set(None);
        }
        self.json_over.set_value(untrack(|| self.saved_settings()));
    }

    /// Whether other settings were saved since typing into the JSON tab began: its text would undo them. Reactive.
    pub fn is_json_outdated(self) -> bool {
        self.json.with(Option::is_some) && {
            let saved = self.saved_settings();
            self.json_over.with_value(|over| *over != saved)
        }
    }

    /// The job as it stands on the desk. Reactive.
    pub fn view(self) -> Option<JobView> {
        if self.is_dirty() {
            let draft = self.draft.get();
            if draft.is_some() {
                return draft;
            }
        }
        self.saved.get()
    }

    /// What the inputs of the open For each come to. Reactive.
    pub fn inputs(self) -> Option<InputsPreview> {
        let key = self.open.with(|open| open.as_ref().map(|open| open.form.key.clone()))?;
        self.view()?.inputs.into_iter().find(|inputs| inputs.task_key == key)
    }

    /// Takes the job in as it is saved now. An open form stays, unless its task is gone or nothing was changed in it.
    pub fn take(self, view: JobView) {
        self.missing.set(None);
        self.open.update(|open| {
            let Some(form) = open else { return };
            let Some(key) = &form.saved_as else { return };
            let before = untrack(|| self.saved_settings());
            match task(&view.settings, key) {
                None => *open = None,
                Some(task) if !is_changed(&before, form) => form.form = TaskForm::read(task),
                Some(_) => {}
            }
        });
        self.saved.set(Some(view));
    }

    /// Opens the form of a task, or of the task that loops over it. What was typed into another form is kept.
    pub fn open_task(self, key: &str) {
        let saved = untrack(|| self.saved_settings());
        let Some(outer) = settings::outer_task(&saved, key).map(str::to_owned) else { return };
        self.nested.set(outer != key);
        let is_open =
            |open: &Option<OpenForm>| open.as_ref().is_some_and(|open| open.saved_as.as_ref() == Some(&outer));
        if self.open.with_untracked(is_open) {
            return;
        }
        self.leave();
        let kept = self.left.try_update_value(|left| left.remove(&outer)).flatten();
        let form = task(&saved, &outer).map(TaskForm::read).unwrap_or_default();
        self.show(kept.unwrap_or(OpenForm { saved_as: Some(outer), form }));
    }

    /// Opens the form of a new task: an empty one, or the one that was begun.
    pub fn open_new(self) {
        self.nested.set(false);
        if self.open.with_untracked(|open| open.as_ref().is_some_and(|open| open.saved_as.is_none())) {
            return;
        }
        self.leave();
        let kept = self.left.try_update_value(|left| left.remove("")).flatten();
        self.show(kept.unwrap_or(OpenForm { saved_as: None, form: TaskForm::default() }));
    }

    /// Puts the form away; what was typed into it is forgotten.
    pub fn close(self) {
        self.open.set(None);
        self.draft.set(None);
    }

    fn show(self, open: OpenForm) {
        self.failure.set(None);
        self.draft.set(None);
        self.refused.set(false);
        self.open.set(Some(open));
        self.n_opened.update(|n| *n += 1);
    }

    fn leave(self) {
        if !untrack(|| self.is_dirty()) {
            return;
        }
        if let Some(open) = self.open.get_untracked() {
            let key = open.saved_as.clone().unwrap_or_default();
            self.left.update_value(|left| {
                left.insert(key, open);
            });
        }
    }

    /// Changes the part of the form that is shown.
    pub fn edit(self, nested: bool, change: impl FnOnce(&mut TaskForm)) {
        self.open.update(|open| {
            if let Some(form) = open.as_mut().and_then(|open| open.form.part_mut(nested)) {
                change(form);
            }
        });
    }

    /// Something of the part of the form that is shown; the default when there is none. Reactive.
    pub fn field<T: Default>(self, nested: bool, read: impl FnOnce(&TaskForm) -> T) -> T {
        self.open.with(|open| open.as_ref().and_then(|open| open.form.part(nested)).map(read)).unwrap_or_default()
    }

    /// Loads the job. A failure stays with what there was. A job that has another name by now is shown under that.
    pub async fn load(self, app: App) {
        let asked = self.name.get_untracked();
        match calls::job(asked.clone()).await {
            Ok(view) if view.name != asked && app.jobs.known(&view.name).is_some() => {
                app.jobs.forget(&asked);
                follow_rename(app, &asked, &view.name);
            }
            Ok(view) => {
                let name = view.name.clone();
                self.take(view);
                self.take_name(app, &asked, &name);
            }
            Err(error) if self.saved.with_untracked(Option::is_none) => self.missing.set(Some(error)),
            Err(error) => self.failure.set(Some(error)),
        }
    }

    /// Asks the engine what it thinks of the settings with the open form. Its answer, if it is about the settings as they
    /// still are.
    pub async fn check(self) -> Option<JobView> {
        let settings = untrack(|| self.settings());
        match calls::validate_job(settings.clone()).await {
            // An answer about settings that are no more is no answer.
            Ok(view) if untrack(|| self.settings()) == settings => {
                self.failure.set(None);
                self.draft.set(Some(view.clone()));
                Some(view)
            }
            Ok(_) => None,
            Err(error) => {
                self.failure.set(Some(error));
                None
            }
        }
    }

    /// Checks at the reader's wish and says what came of it.
    pub fn check_and_tell(self, app: App) {
        spawn_local(async move {
            let Some(view) = self.check().await else { return };
            let texts = t();
            app.news.say(match view.problems.len() {
                0 => texts.sql.no_problems.to_owned(),
                n => plural(texts.sql.n_problems, n as u64),
            });
        });
    }

    /// Saves the open form, unless it holds errors; whether that worked.
    pub async fn save_task(self, app: App) -> bool {
        let Some(open) = self.open.get_untracked() else { return true };
        if self.point_out_errors(app, &open).await {
            return false;
        }
        let settings = with_task(&untrack(|| self.saved_settings()), open.saved_as.as_deref(), &open.form);
        let n_opened = self.n_opened.get_untracked();
        if !self.save(app, settings, Some(&open)).await {
            return false;
        }
        let key = open.form.key.clone();
        let words = if open.saved_as.is_some() { t().jobs.task_saved } else { t().jobs.task_created };
        app.news.say(fill(words, &[("task", &key)]));
        if self.n_opened.get_untracked() != n_opened {
            return true;
        }
        if open.saved_as.is_none() {
            self.nested.set(false);
        }
        let saved = self
            .saved
            .with_untracked(|saved| saved.as_ref().and_then(|saved| task(&saved.settings, &key)).map(TaskForm::read));
        self.open.update(|now| {
            // What was typed while the answer was awaited stays, as changes that are not saved.
            if let (Some(now), Some(saved)) = (now, saved)
                && now.form == open.form
            {
                now.form = saved;
            }
        });
        true
    }

    /// Deletes a task.
    pub async fn delete_task(self, app: App, key: String) {
        let settings = without_task(&untrack(|| self.saved_settings()), &key);
        let n_opened = self.n_opened.get_untracked();
        if self.save(app, settings, None).await {
            self.left.update_value(|left| {
                left.remove(&key);
            });
            // A form that was opened meanwhile is another task's.
            if self.n_opened.get_untracked() == n_opened {
                self.close();
                let job = self.name.get_untracked();
                let shown = app.route.get_untracked();
                if matches!(shown, Route::Jobs(JobPlace::Task { job: shown, .. }) if shown == job) {
                    app.go_instead(&Route::Jobs(JobPlace::Job { job }));
                }
            }
            app.news.say(fill(t().jobs.task_deleted, &[("task", &key)]));
        }
    }

    /// Gives the job another name; whether that worked.
    pub async fn rename(self, app: App, name: String) -> bool {
        let settings = with_name(&untrack(|| self.saved_settings()), &name);
        self.save(app, settings, None).await
    }

    /// Saves settings and takes in what came of them; whether that worked. `form` is the open one, if it is in them.
    pub async fn save(self, app: App, settings: Value, form: Option<&OpenForm>) -> bool {
        self.saving.set(true);
        let before = self.name.get_untracked();
        let n_opened = self.n_opened.get_untracked();
        let answer = calls::save_job(Some(before.clone()), settings).await;
        self.saving.set(false);
        match answer {
            Ok(view) => {
                self.failure.set(None);
                self.draft.set(None);
                if let Some(form) = form {
                    self.name_saved(form, n_opened);
                }
                let name = view.name.clone();
                self.take(view);
                self.take_name(app, &before, &name);
                true
            }
            Err(error) => {
                app.news.say_urgently(error.message.clone());
                self.failure.set(Some(error));
                false
            }
        }
    }

    fn take_name(self, app: App, before: &str, after: &str) {
        if after != before {
            app.jobs.rename(before, after);
            self.name.set(after.to_owned());
            follow_rename(app, before, after);
        }
    }

    /// A form was saved: it has its task's name from now on, whether it is still open or was left meanwhile.
    fn name_saved(self, saved: &OpenForm, n_opened: u32) {
        let key = saved.form.key.clone();
        if self.n_opened.get_untracked() == n_opened {
            self.open.update(|open| {
                if let Some(open) = open {
                    open.saved_as = Some(key);
                }
            });
            return;
        }
        self.left.update_value(|left| {
            // One that was left as it was saved holds no changes any more.
            if let Some(form) = left.remove(saved.saved_as.as_deref().unwrap_or_default())
                && form.form != saved.form
            {
                left.insert(key.clone(), OpenForm { saved_as: Some(key), form: form.form });
            }
        });
    }

    /// Deletes the job and leaves its page.
    pub async fn delete_job(self, app: App) {
        let name = self.name.get_untracked();
        match calls::delete_job(name.clone()).await {
            Ok(()) => {
                app.jobs.forget(&name);
                app.go_instead(&Route::Jobs(JobPlace::List));
                app.news.say(fill(t().jobs.job_deleted, &[("job", &name)]));
            }
            Err(error) => self.failure.set(Some(error)),
        }
    }
}

/// Whether a form says something else than the settings it was opened over.
fn is_changed(saved: &Value, open: &OpenForm) -> bool {
    match open.saved_as.as_deref().and_then(|key| task(saved, key)) {
        Some(task) => TaskForm::read(task) != open.form,
        None => open.form != TaskForm::default(),
    }
}

/// The address shows the new name, wherever in the job the reader is.
fn follow_rename(app: App, before: &str, after: &str) {
    let Route::Jobs(place) = app.route.get_untracked() else { return };
    let job = after.to_owned();
    let place = match place {
        JobPlace::Job { job: shown } if shown == before => JobPlace::Job { job },
        JobPlace::Task { job: shown, task } if shown == before => JobPlace::Task { job, task },
        JobPlace::Runs { job: shown } if shown == before => JobPlace::Runs { job },
        _ => return,
    };
    app.go_instead(&Route::Jobs(place));
}

/// Creates a job, with a name that is free, and goes to it.
pub async fn create_job(app: App, settings: impl FnOnce(&str) -> Value, wanted: &str, is_new: bool) {
    let jobs = match calls::jobs().await {
        Ok(jobs) => jobs,
        Err(error) => return app.news.fail(error),
    };
    let name = settings::free_name(wanted, jobs.iter().map(|job| job.name.as_str()));
    match calls::save_job(None, settings(&name)).await {
        Ok(view) => {
            let job = view.name.clone();
            let editor = app.jobs.get(&job);
            editor.close();
            editor.take(view);
            if is_new {
                app.jobs.made.set(Some(editor.id));
            }
            app.go(&Route::Jobs(JobPlace::Job { job }));
        }
        Err(error) => app.news.fail(error),
    }
}
