//! The files of the workspace's project. Jobs are what its bundle files say; nothing else defines one.

use std::collections::BTreeMap;

use lakelet_base::{Diagnostic, ErrorClass, Limits, Result, Seed, SimulatedClock, Timestamp};
use lakelet_bundle::{
    Bundle, JobResource, LakeletFile, Project, ProjectError, SETUP_PATH, normalize_path, read_bundle,
};
use lakelet_jobs::{Job, JobTrigger, PathStyle, ValidateOptions};
use lakelet_protocol::{EventBody, RequestBody, ResponseBody};
use lakelet_store::{CommitCause, Transaction};

use crate::core::Core;
use crate::jobs::{arm, runnable_settings};
use crate::views;
use crate::workspace::Workspace;

/// Documents with the text of a file each: `file/<path>`.
const FILE_PREFIX: &str = "file/";

const BAD_FILE: ErrorClass = ErrorClass::new("LAKELET_BAD_FILE", "42602");

/// The project as its documents have it, and what its bundle files mean.
pub(crate) struct ProjectFiles {
    project: Project,
    bundle: Bundle,
    /// What starts jobs by itself, by resource key; jobs without such are not in it.
    triggers: BTreeMap<String, Vec<JobTrigger>>,
}

impl ProjectFiles {
    /// Reads the files that the log holds.
    pub fn recover(core: &Core) -> Result<Self> {
        let mut project = Project::new();
        for (key, bytes) in core.store.documents(FILE_PREFIX) {
            project.put(key.strip_prefix(FILE_PREFIX).unwrap_or(key), bytes.to_vec()).map_err(bad_file)?;
        }
        Ok(Self::of(project))
    }

    fn of(project: Project) -> Self {
        let bundle = read_bundle(&project, None);
        Self::scratch(project, bundle)
    }

    /// Files that are not those of the workspace, to look at what they would mean.
    pub fn scratch(project: Project, bundle: Bundle) -> Self {
        let triggers = bundle.jobs.iter().filter_map(|job| Some((job.key.clone(), triggers_of(job)?))).collect();
        Self { project, bundle, triggers }
    }

    /// What starts jobs by itself, by resource key; jobs without such are not in it.
    pub fn triggers(&self) -> &BTreeMap<String, Vec<JobTrigger>> {
        &self.triggers
    }

    /// The files.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// What the bundle files say.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// What `lakelet.json` says.
    pub fn lakelet(&self) -> &LakeletFile {
        &self.bundle.lakelet
    }

    /// The seed of what looks random, where the project has one.
    pub fn seed(&self) -> Option<Seed> {
        self.project.contains(lakelet_bundle::LAKELET_PATH).then(|| Seed(self.lakelet().seed))
    }

    /// A job by its name, else by its key.
    pub fn job(&self, name: &str) -> Result<&JobResource> {
        self.bundle.job(name).ok_or_else(|| {
            let error =
                Diagnostic::new(ErrorClass::new("LAKELET_JOB_NOT_FOUND", "42704"), format!("There is no job {name}."));
            let nearest = lakelet_base::nearest_name(name, self.bundle.jobs.iter().map(JobResource::name));
            Box::new(match nearest {
                Some(nearest) => error.hint(format!("Did you mean {nearest}?")),
                None => error,
            })
        })
    }

    /// Replaces the files by those of `changed`: writes the differences into `transaction` and gives the project as it
    /// is once that is committed.
    pub fn changed(&self, changed: Project, transaction: &mut Transaction) -> Self {
        for (path, bytes) in changed.files() {
            if self.project.bytes(path) != Some(bytes.as_slice()) {
                transaction.put(format!("{FILE_PREFIX}{path}"), bytes.clone());
            }
        }
        for path in self.project.paths().filter(|path| !changed.contains(path)) {
            transaction.remove(format!("{FILE_PREFIX}{path}"));
        }
        Self::of(changed)
    }
}

fn triggers_of(resource: &JobResource) -> Option<Vec<JobTrigger>> {
    let options = ValidateOptions { limits: Limits::default(), paths: PathStyle::Bundle };
    let (job, _) = Job::read(&runnable_settings(resource), &options);
    Some(job.triggers().to_vec()).filter(|triggers| !triggers.is_empty())
}

pub(crate) fn bad_file(error: ProjectError) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(BAD_FILE, error.to_string()))
}

impl Workspace {
    /// The project's files by their paths. A file that is no text is left out.
    pub fn files(&self) -> BTreeMap<String, String> {
        let project = self.project.project();
        let texts = project.paths().filter_map(|path| Some((path.to_owned(), project.text(path)?.to_owned())));
        texts.collect()
    }

    /// What the bundle files of the project say, with their problems.
    pub fn bundle(&self) -> &Bundle {
        self.project.bundle()
    }

    /// The script that makes the project's sample data, where there is one.
    pub fn setup_script(&self) -> Option<&str> {
        self.project.project().text(SETUP_PATH)
    }

    /// Takes a project's files over in place of those that are there. Runs nothing. The clock of a workspace in which
    /// nothing has happened yet becomes the project's.
    ///
    /// # Errors
    /// A path that no file can have, or more than a project can hold.
    pub fn open_project(&mut self, files: BTreeMap<String, String>) -> Result<()> {
        self.open_project_at(files, None)
    }

    /// The same; the clock of a workspace in which nothing has happened yet becomes simulated and begins at `start`, if it
    /// is given, whatever the project says.
    ///
    /// # Errors
    /// As [`Workspace::open_project`].
    pub fn open_project_at(&mut self, files: BTreeMap<String, String>, start: Option<Timestamp>) -> Result<()> {
        let project = Project::from_files(files).map_err(bad_file)?;
        let is_new = self.core.store.sequence() == 0;
        let mut transaction = self.core.store.begin();
        let changed = self.project.changed(project, &mut transaction);
        let lakelet = changed.lakelet();
        let clock = start.or(lakelet.clock).or_else(|| lakelet.lesson.is_some().then_some(Timestamp::LESSON_START));
        if let Some(start) = clock.filter(|_| is_new) {
            self.core.clock = Box::new(SimulatedClock::new(start));
            self.core.save_clock(&mut transaction);
        }
        arm(&self.core, &changed, &mut transaction)?;
        self.core.commit(transaction, &CommitCause::default())?;
        self.take_project(changed);
        self.outbox.event(EventBody::ClockMoved(views::clock(&self.core, &self.project)?));
        Ok(())
    }

    /// Writes a file of the project, or removes it.
    ///
    /// # Errors
    /// A path that no file can have, or more than a project can hold.
    pub fn save_file(&mut self, path: &str, text: Option<String>) -> Result<()> {
        let mut project = self.project.project().clone();
        match text {
            Some(text) => project.put_text(path, text).map_err(bad_file)?,
            None => {
                project.remove(&normalize_path(path).unwrap_or_default());
            }
        }
        self.save_project(project)
    }

    /// Commits what a project has become.
    pub(crate) fn save_project(&mut self, project: Project) -> Result<()> {
        let mut transaction = self.core.store.begin();
        let changed = self.project.changed(project, &mut transaction);
        self.commit_project(changed, transaction)
    }

    /// Commits a change of the project's files together with what else stands in `transaction`.
    pub(crate) fn commit_project(&mut self, changed: ProjectFiles, mut transaction: Transaction) -> Result<()> {
        arm(&self.core, &changed, &mut transaction)?;
        let is_other_schedule = changed.triggers() != self.project.triggers();
        self.core.commit(transaction, &CommitCause::default())?;
        self.take_project(changed);
        if is_other_schedule {
            self.outbox.event(EventBody::ClockMoved(views::clock(&self.core, &self.project)?));
        }
        Ok(())
    }

    /// The project is another one, as it was committed.
    fn take_project(&mut self, changed: ProjectFiles) {
        self.project = changed;
        self.outbox.event(EventBody::FilesChanged);
    }

    /// Answers requests about jobs, notebooks and files at once, or starts something that answers later (`None`).
    pub(crate) fn answer_project(&mut self, id: u64, body: RequestBody) -> Result<Option<ResponseBody>> {
        let answer = match body {
            RequestBody::Files => ResponseBody::Files(self.project.project().paths().map(str::to_owned).collect()),
            RequestBody::File { path } => ResponseBody::File(self.file_text(&path)?),
            RequestBody::SaveFile { path, text } => {
                self.save_file(&path, text)?;
                ResponseBody::Done
            }
            RequestBody::Notebook { path } => ResponseBody::Notebook(self.notebook_view(&path)?),
            RequestBody::RunNotebook { path, cell, widgets } => {
                self.start_notebook(id, &path, cell, widgets)?;
                return Ok(None);
            }
            other => return self.answer_jobs(id, other),
        };
        Ok(Some(answer))
    }

    /// The text of a file.
    pub(crate) fn file_text(&self, path: &str) -> Result<String> {
        let project = self.project.project();
        project.text(path).map(str::to_owned).ok_or_else(|| {
            let error = Diagnostic::new(BAD_FILE, format!("The project has no text file {path}."));
            Box::new(match project.nearest_path(path) {
                Some(nearest) => error.hint(format!("Did you mean {nearest}?")),
                None => error,
            })
        })
    }
}
