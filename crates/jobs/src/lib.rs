//! Jobs and their runs, after Databricks Jobs: settings, references, For each, conditions, retries, repair.
//!
//! A job is its settings JSON ([`Job`]), checked by [`validate`]. Everything here is a pure function of what goes in:
//! no I/O, no clock, no randomness. Instants, ids and the results of attempts come from the host.

mod job;
mod notebook;
mod output;
mod parameters;
mod problem;
mod read;
mod reference;
mod run;
mod run_if;
mod run_request;
mod sql_text;
mod state;
mod task;
mod validate;
mod value;

pub use job::{Admission, Job, JobParameter, JobTrigger, TableUpdateTrigger, effective_settings};
pub use notebook::{DbutilsError, DbutilsErrorKind, TaskValues, WidgetKind, Widgets};
pub use output::{OutputColumn, OutputProblem, OverLimit, TaskOutput, TaskOutputBuilder};
pub use parameters::{Origin, Parameter, key_value_parameters};
pub use problem::{InvalidSettings, Problem, ProblemKind, Severity};
pub use read::{PathStyle, Source, ValidateOptions};
pub use reference::{
    JobContext, OutputRows, Piece, Reference, ReferenceContext, ReferenceError, ReferenceErrorKind, TableUpdate,
    TaskContext, Template, TimePart, Trigger, TriggerKind, UpstreamMember, UpstreamOutput, UpstreamTask, resolve,
};
pub use run::{
    Attempt, AttemptFinished, AttemptId, AttemptOutcome, AttemptOutput, AttemptWork, ErrorCount, ForEachRun,
    ForEachStats, HistoryItem, Iteration, Notice, NoticeKind, RepairError, RepairErrorKind, RepairPlan, RepairRequest,
    Run, RunEffect, RunEvent, RunStart, StartAttempt, TaskError, TaskRun,
};
pub use run_if::{Decision, EndedDependency, decide, job_result};
pub use run_request::RunRequest;
pub use sql_text::{MarkerReport, expand_braces, parameter_markers};
pub use state::{ResultState, State};
pub use task::{
    ConditionOp, ConditionTask, Dependency, ForEach, NotANumber, NotebookTask, PipelineTask, RetryPolicy, RunIf,
    RunJobTask, SparkPythonTask, SqlBody, SqlTask, Task, TaskKey, TaskKind, TaskReference, TemplateField,
};
pub use validate::{validate, validate_request};
pub use value::value_text;
