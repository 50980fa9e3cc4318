//! What crosses between the page and the engine's worker: the only serde types that do.
//!
//! Messages travel as JSON text. The page sends [`Request`]s; the worker answers each with one [`Response`] of the
//! same id, and sends [`Event`]s in between. Rows never travel as data, only as pages of formatted cells.

mod data;
mod error;
mod job;
mod notebook;
mod pipeline;
mod statement;

pub use data::{
    CatalogView, CellText, ChangeRow, ChangesView, ColumnView, CommitView, FeedReader, HistoryVersion, KeyHistory,
    ResultHeader, ResultPage, SchemaView, TableKind, TableSummary, TableView, VersionsView, WatermarkView,
};
pub use error::{WireError, WireSuggestion};
pub use job::{
    AttemptView, ConcurrencyView, FaultSwitch, FaultsView, GraphEdge, GraphNode, GraphView, InputsPreview,
    IterationView, JobSummary, JobView, ParameterOrigin, ParameterValue, ProblemView, RepairRequest, RunChange,
    RunState, RunSummary, RunView, TaskOutputView, TaskRunView,
};
pub use notebook::{CellKind, CellOutput, CellView, NotebookView, OutputItem, PythonCall, PythonReply, WidgetView};
pub use pipeline::{
    AdvanceBy, AdvancePreview, AdvanceReport, ClockView, DatasetNode, DueItem, FAILED_REFRESHES_MAX, FAILED_RUNS_MAX,
    PipelineView, RefreshGroup, RefreshMode, RefreshReport, ScheduledRun,
};
pub use statement::{RunRange, ScriptReport, StatementReport, StatementState};

use serde::{Deserialize, Serialize};

/// Changes when a message changes meaning; the page refuses a worker of another version.
pub const PROTOCOL_VERSION: u32 = 2;

/// A numbered request of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Chosen by the page, unique while the answer is awaited.
    pub id: u64,
    /// What is asked.
    pub body: RequestBody,
}

/// Everything the page can ask for. Nothing here runs anything unless its name says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RequestBody {
    /// Loads a project's files into the workspace (path → text) and remembers its lesson; runs nothing.
    /// Answer: `Done`.
    OpenProject {
        /// Path in the project → text.
        files: std::collections::BTreeMap<String, String>,
    },
    /// Forgets everything and starts an empty workspace. Answer: `Done`.
    Reset,
    /// Runs statements of a script. Answer: `Script`, after `StatementChanged` events.
    RunScript {
        /// Which editor tab: names results, and keeps `USE` apart for each tab.
        tab: String,
        /// The whole text.
        text: String,
        /// Which part of it.
        range: RunRange,
        /// Values of `:name` parameters, as text or other JSON scalars.
        params: serde_json::Map<String, serde_json::Value>,
        /// `catalog.schema` where it begins, as [`ScriptReport::current_schema`] says it. Without it, or where that schema
        /// is not there any more, it begins where the tab's last script ended.
        #[serde(default)]
        schema: Option<String>,
    },
    /// Stops whatever runs, statement, job run or refresh. Answer: `Done` (at once).
    Cancel,
    /// Rows of a result. Answer: `Page`.
    FetchPage {
        /// From [`ResultHeader::result`].
        result: u64,
        /// First row, 0-based.
        row_from: u64,
        /// At most this many; cut at `Limits::rows_per_page_max`.
        n_rows: u32,
    },
    /// The result is not needed any more. Answer: `Done`.
    CloseResult {
        /// From [`ResultHeader::result`].
        result: u64,
    },
    /// Answer: `Catalog`.
    Catalog,
    /// Answer: `Table`.
    Table {
        /// Three-part name as in [`TableSummary::name`].
        table: String,
    },
    /// Opens the rows of a table's version as a result. Answer: `Result`.
    OpenRows {
        /// Three-part name.
        table: String,
        /// Latest when absent.
        version: Option<u64>,
    },
    /// The change feed between two versions, both included. Answer: `Changes`.
    Changes {
        /// Three-part name.
        table: String,
        /// First version.
        from: u64,
        /// Last version, latest when absent.
        to: Option<u64>,
    },
    /// The histories of an SCD type 2 table's keys. Answer: `Versions`.
    Versions {
        /// Three-part name.
        table: String,
    },
    /// Answer: `Refreshes`, newest first.
    Refreshes {
        /// Three-part name.
        table: String,
    },
    /// Tables as nodes, what reads what, freshness. Answer: `Pipeline`.
    Pipeline,
    /// Refreshes one table now. Answer: `Refreshes` with the one report.
    Refresh {
        /// Three-part name.
        table: String,
        /// FULL
        full: bool,
    },
    /// Control tables with a watermark and how far their sources are. Answer: `Watermarks`.
    Watermarks,
    /// Answer: `Clock`.
    Clock,
    /// What a move of the clock would run. Answer: `AdvancePreview`.
    PreviewAdvance {
        /// How far.
        by: AdvanceBy,
    },
    /// Moves the clock; a refresh that fails on the way does not stop it. Answer: `Advanced`.
    Advance {
        /// How far.
        by: AdvanceBy,
        /// Whether due schedules run.
        run_due: bool,
    },
    /// Answer: `Jobs`.
    Jobs,
    /// Answer: `Job`.
    Job {
        /// Job's name.
        job: String,
    },
    /// Checks settings without saving them. Answer: `Job` (the view such a job would have).
    ValidateJob {
        /// Databricks Jobs settings JSON.
        settings: serde_json::Value,
    },
    /// Creates or replaces a job. Answer: `Job`.
    SaveJob {
        /// Present name; `None` for a new job.
        job: Option<String>,
        /// Databricks Jobs settings JSON; SQL tasks may carry their text in `sql_task.query.text`.
        settings: serde_json::Value,
    },
    /// Answer: `Done`.
    DeleteJob {
        /// Job's name.
        job: String,
    },
    /// The rows a SQL task would pass on, without running the job. Answer: `Output`.
    PreviewOutput {
        /// SQL text.
        sql: String,
        /// Values of its parameters.
        params: serde_json::Map<String, serde_json::Value>,
    },
    /// Starts a run. Answer: `Run` as soon as it is planned; `RunChanged` events follow.
    RunJob {
        /// Job's name.
        job: String,
        /// Job parameters that replace defaults.
        params: serde_json::Map<String, serde_json::Value>,
        /// Tasks to run: `key`, `+key` with what is upstream, `key+` with what is downstream, `+key+`; all when empty.
        #[serde(default)]
        only: Vec<String>,
    },
    /// Runs again what failed. Answer: `Run` as soon as it is planned.
    Repair {
        /// The run.
        run_id: u64,
        /// What to run again.
        repair: RepairRequest,
    },
    /// Answer: `Run`.
    Run {
        /// The run.
        run_id: u64,
    },
    /// Answer: `Runs`, newest first.
    Runs {
        /// Job's name.
        job: String,
    },
    /// Sets one of the fault switches of the lessons. Answer: `Done`.
    SetFault {
        /// The switch and its new position.
        fault: FaultSwitch,
    },
    /// Answer: `Files`: paths of the project's files.
    Files,
    /// Answer: `File`.
    File {
        /// Path in the project.
        path: String,
    },
    /// Answer: `Done`.
    SaveFile {
        /// Path in the project.
        path: String,
        /// New text; `None` deletes it.
        text: Option<String>,
    },
    /// Writes a bundle file so that each of its jobs is the only one of its name: one in another file makes place for it,
    /// and its runs go on as the new one's. Answer: `Done`.
    SaveJobFile {
        /// Path in the project.
        path: String,
        /// New text.
        text: String,
        /// Whether jobs of other files make place. Without it, `LAKELET_JOB_ALREADY_EXISTS` where one would have to.
        replace: bool,
    },
    /// Answer: `Notebook`.
    Notebook {
        /// Path in the project, or a workspace path that maps to one.
        path: String,
    },
    /// Runs a notebook's cells outside a job. Answer: `Notebook` with outputs, after `NotebookChanged` events.
    RunNotebook {
        /// Path in the project.
        path: String,
        /// 0-based cell to run; all when absent.
        cell: Option<u32>,
        /// Widget values that the reader changed.
        widgets: std::collections::BTreeMap<String, String>,
    },
}

/// The answer to the request of the same id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The request's id.
    pub id: u64,
    /// What was asked for, or why it cannot be had.
    pub body: Result<ResponseBody, WireError>,
}

/// One variant for each kind of answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum ResponseBody {
    /// It is done.
    Done,
    /// See [`RequestBody::RunScript`].
    Script(ScriptReport),
    /// See [`RequestBody::FetchPage`].
    Page(ResultPage),
    /// See [`RequestBody::OpenRows`].
    Result(ResultHeader),
    /// See [`RequestBody::Catalog`].
    Catalog(CatalogView),
    /// See [`RequestBody::Table`].
    Table(TableView),
    /// See [`RequestBody::Changes`].
    Changes(ChangesView),
    /// See [`RequestBody::Versions`].
    Versions(VersionsView),
    /// See [`RequestBody::Refreshes`].
    Refreshes(Vec<RefreshReport>),
    /// See [`RequestBody::Pipeline`].
    Pipeline(PipelineView),
    /// See [`RequestBody::Watermarks`].
    Watermarks(Vec<WatermarkView>),
    /// See [`RequestBody::Clock`].
    Clock(ClockView),
    /// See [`RequestBody::PreviewAdvance`].
    AdvancePreview(AdvancePreview),
    /// See [`RequestBody::Advance`].
    Advanced(AdvanceReport),
    /// See [`RequestBody::Jobs`].
    Jobs(Vec<JobSummary>),
    /// See [`RequestBody::Job`].
    Job(JobView),
    /// See [`RequestBody::PreviewOutput`].
    Output(TaskOutputView),
    /// See [`RequestBody::Run`].
    Run(RunView),
    /// See [`RequestBody::Runs`].
    Runs(Vec<RunSummary>),
    /// See [`RequestBody::Files`].
    Files(Vec<String>),
    /// See [`RequestBody::File`].
    File(String),
    /// See [`RequestBody::Notebook`].
    Notebook(NotebookView),
}

/// Something happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Counts up from 1 for each worker.
    pub seq: u64,
    /// What.
    pub body: EventBody,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum EventBody {
    /// A statement of a running script changed state.
    StatementChanged {
        /// Editor tab.
        tab: String,
        /// Its report so far.
        report: StatementReport,
    },
    /// Rows seen by the running statement so far.
    Progress {
        /// Rows.
        n_rows: u64,
    },
    /// A run moved on.
    RunChanged(RunView),
    /// A notebook's cell produced output.
    NotebookChanged(NotebookView),
    /// Tables, versions or definitions changed.
    CatalogChanged,
    /// Files of the project were written or removed, and with them perhaps jobs.
    FilesChanged,
    /// The clock moved.
    ClockMoved(ClockView),
    /// A refresh ended.
    Refreshed(RefreshReport),
}

/// A message from worker to page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "message", rename_all = "snake_case")]
pub enum Message {
    /// Answer to a request.
    Response(Response),
    /// News.
    Event(Event),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_json() {
        let request = Request { id: 7, body: RequestBody::FetchPage { result: 1, row_from: 0, n_rows: 10 } };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(text, r#"{"id":7,"body":{"kind":"fetch_page","result":1,"row_from":0,"n_rows":10}}"#);
        assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
        let message = Message::Response(Response { id: 7, body: Ok(ResponseBody::Done) });
        let text = serde_json::to_string(&message).unwrap();
        assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message);
    }
}
