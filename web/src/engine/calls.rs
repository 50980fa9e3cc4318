//! One function for each request, with the type of its answer.

use std::collections::BTreeMap;

use lakelet_protocol::{
    AdvanceBy, AdvancePreview, AdvanceReport, CatalogView, ChangesView, ClockView, FaultSwitch, JobSummary, JobView,
    NotebookView, PipelineView, RefreshReport, RepairRequest, RequestBody, ResponseBody, ResultHeader, ResultPage,
    RunRange, RunSummary, RunView, ScriptReport, TableView, TaskOutputView, VersionsView, WatermarkView,
};
use serde_json::{Map, Value};

use super::{Answer, down, send};

/// Writes a function that sends a request and takes the one kind of answer that belongs to it.
macro_rules! calls {
    ($($(#[$meta:meta])* $name:ident($($field:ident: $type:ty),*) = $request:ident -> $answer:ident($view:ty);)*) => {
        $($(#[$meta])*
        ///
        /// # Errors
        /// Those of [`send`].
        pub async fn $name($($field: $type),*) -> Answer<$view> {
            match send(RequestBody::$request { $($field),* }).await? {
                ResponseBody::$answer(view) => Ok(view),
                other => Err(unexpected(stringify!($request), &other)),
            }
        })*
    };
}

/// The same for requests whose answer is that they are done.
macro_rules! commands {
    ($($(#[$meta:meta])* $name:ident($($field:ident: $type:ty),*) = $request:ident;)*) => {
        $($(#[$meta])*
        ///
        /// # Errors
        /// Those of [`send`].
        pub async fn $name($($field: $type),*) -> Answer<()> {
            match send(RequestBody::$request { $($field),* }).await? {
                ResponseBody::Done => Ok(()),
                other => Err(unexpected(stringify!($request), &other)),
            }
        })*
    };
}

fn unexpected(request: &str, answer: &ResponseBody) -> lakelet_protocol::WireError {
    let kind = serde_json::to_value(answer).ok().and_then(|value| value["kind"].as_str().map(str::to_owned));
    down(&format!("It answered {request} with {}.", kind.as_deref().unwrap_or("something else")))
}

calls! {
    /// Runs statements of a script.
    run_script(tab: String, text: String, range: RunRange, params: Map<String, Value>, schema: Option<String>) = RunScript -> Script(ScriptReport);
    /// Rows of a result.
    fetch_page(result: u64, row_from: u64, n_rows: u32) = FetchPage -> Page(ResultPage);
    /// Opens the rows of a table's version.
    open_rows(table: String, version: Option<u64>) = OpenRows -> Result(ResultHeader);
    /// Everything in the catalog.
    catalog() = Catalog -> Catalog(CatalogView);
    /// A table's page.
    table(table: String) = Table -> Table(TableView);
    /// The change feed between two versions.
    changes(table: String, from: u64, to: Option<u64>) = Changes -> Changes(ChangesView);
    /// The histories of an SCD type 2 table's keys.
    versions(table: String) = Versions -> Versions(VersionsView);
    /// What a table's refreshes did.
    refreshes(table: String) = Refreshes -> Refreshes(Vec<RefreshReport>);
    /// The pipeline graph.
    pipeline() = Pipeline -> Pipeline(PipelineView);
    /// Refreshes a table now.
    refresh(table: String, full: bool) = Refresh -> Refreshes(Vec<RefreshReport>);
    /// Control tables with a watermark.
    watermarks() = Watermarks -> Watermarks(Vec<WatermarkView>);
    /// The clock.
    clock() = Clock -> Clock(ClockView);
    /// What a move of the clock would run.
    preview_advance(by: AdvanceBy) = PreviewAdvance -> AdvancePreview(AdvancePreview);
    /// Moves the clock.
    advance(by: AdvanceBy, run_due: bool) = Advance -> Advanced(AdvanceReport);
    /// All jobs.
    jobs() = Jobs -> Jobs(Vec<JobSummary>);
    /// A job's page.
    job(job: String) = Job -> Job(JobView);
    /// The page that a job with such settings would have.
    validate_job(settings: Value) = ValidateJob -> Job(JobView);
    /// Creates or replaces a job.
    save_job(job: Option<String>, settings: Value) = SaveJob -> Job(JobView);
    /// The rows a SQL task would pass on.
    preview_output(sql: String, params: Map<String, Value>) = PreviewOutput -> Output(TaskOutputView);
    /// Starts a run.
    run_job(job: String, params: Map<String, Value>, only: Vec<String>) = RunJob -> Run(RunView);
    /// Runs again what failed.
    repair(run_id: u64, repair: RepairRequest) = Repair -> Run(RunView);
    /// A run's page.
    run(run_id: u64) = Run -> Run(RunView);
    /// A job's runs.
    runs(job: String) = Runs -> Runs(Vec<RunSummary>);
    /// Paths of the project's files.
    files() = Files -> Files(Vec<String>);
    /// A file of the project.
    file(path: String) = File -> File(String);
    /// A notebook.
    notebook(path: String) = Notebook -> Notebook(NotebookView);
    /// Runs a notebook's cells outside a job.
    run_notebook(path: String, cell: Option<u32>, widgets: BTreeMap<String, String>) = RunNotebook -> Notebook(NotebookView);
}

commands! {
    /// Loads a project's files into the workspace; runs nothing.
    open_project(files: BTreeMap<String, String>) = OpenProject;
    /// Forgets everything.
    reset() = Reset;
    /// A result is not needed any more.
    close_result(result: u64) = CloseResult;
    /// Deletes a job.
    delete_job(job: String) = DeleteJob;
    /// Fault switches of the lessons.
    set_fault(fault: FaultSwitch) = SetFault;
    /// Writes a bundle file so that each of its jobs is the only one of its name.
    save_job_file(path: String, text: String, replace: bool) = SaveJobFile;
    /// Writes or deletes a file of the project.
    save_file(path: String, text: Option<String>) = SaveFile;
}
