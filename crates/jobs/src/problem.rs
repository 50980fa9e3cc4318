//! What validation finds in the settings of a job.

use std::fmt;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The job runs, though perhaps not as its author thinks.
    Warning,
    /// The job does not run.
    Error,
}

/// One finding: what is wrong, where, and how to put it right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The rule that is broken.
    pub kind: ProblemKind,
    /// Dotted JSON path into the settings, such as `tasks[1].for_each_task.concurrency`: the field that is wrong, the
    /// list where a list is too long, `tasks[0]` where a task as a whole is. Empty for the settings as a whole.
    pub path: String,
    /// A sentence for a learner.
    pub message: String,
    /// Whether it prevents a run.
    pub severity: Severity,
}

impl Problem {
    /// Whether it prevents a run.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Problem {
    /// `tasks[0].task_key: message`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// Settings that cannot be a job: at least one problem is an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSettings {
    /// Everything found, in the order of the settings.
    pub problems: Vec<Problem>,
}

impl fmt::Display for InvalidSettings {
    /// The errors, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().filter(|problem| problem.is_error()).enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidSettings {}

macro_rules! problem_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The rules of job settings, named as the golden cases name them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ProblemKind {
            $($(#[$doc])* $variant,)*
        }

        impl ProblemKind {
            /// The name in snake case, stable over releases.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

problem_kinds! {
    /// A field that must be there is not.
    MissingRequired = "missing_required",
    /// A field holds another JSON type than it can.
    WrongType = "wrong_type",
    /// A task key with other characters than letters, digits, `_` and `-`, or not 1 to 100 of them.
    BadTaskKey = "bad_task_key",
    /// Two tasks of one key.
    DuplicateTaskKey = "duplicate_task_key",
    /// A task depends on itself.
    SelfDependency = "self_dependency",
    /// A task depends on one that is not in the job.
    UnknownDependency = "unknown_dependency",
    /// Tasks wait for each other in a circle.
    DependencyCycle = "dependency_cycle",
    /// A word that is none of those allowed.
    BadEnum = "bad_enum",
    /// An outcome that is neither `"true"` nor `"false"`.
    BadOutcome = "bad_outcome",
    /// An outcome on an edge from a task that is no If/else.
    OutcomeOnNonCondition = "outcome_on_non_condition",
    /// A timeout on a For each task itself.
    TimeoutOnForEach = "timeout_on_for_each",
    /// A timeout on an If/else task.
    TimeoutOnCondition = "timeout_on_condition",
    /// Retries on a For each task itself.
    RetriesOnForEach = "retries_on_for_each",
    /// Retries on an If/else task.
    RetriesOnCondition = "retries_on_condition",
    /// A For each inside a For each.
    NestedForEach = "nested_for_each",
    /// A concurrency outside 1 to 100.
    ConcurrencyOutOfRange = "concurrency_out_of_range",
    /// For each inputs that are a JSON list instead of text.
    InputsNotString = "inputs_not_string",
    /// Literal For each inputs that are not JSON.
    InputsNotJson = "inputs_not_json",
    /// Literal For each inputs that are JSON but no array.
    InputsNotArray = "inputs_not_array",
    /// Literal For each inputs with too many characters; as a warning: with more than Databricks' pages promise.
    InputsTooLong = "inputs_too_long",
    /// A wrong member of a known reference namespace.
    InvalidReference = "invalid_reference",
    /// A reference to a task that need not be finished by then.
    ReferenceNotUpstream = "reference_not_upstream",
    /// `output` of a task that has none.
    OutputNamespaceUnsupported = "output_namespace_unsupported",
    /// A task without a type, or with several.
    TaskTypeCount = "task_type_count",
    /// A SQL task without file, query, alert or dashboard.
    SqlTaskBodyMissing = "sql_task_body_missing",
    /// A SQL task with several of them.
    SqlTaskBodyCount = "sql_task_body_count",
    /// Parameters for an alert.
    AlertParameters = "alert_parameters",
    /// A workspace path that does not begin with `/`.
    PathNotAbsolute = "path_not_absolute",
    /// A path in a Git source that begins with `/` or `./`.
    PathNotRelative = "path_not_relative",
    /// A job parameter name with other characters than letters, digits, `_`, `-` and `.`.
    BadParameterName = "bad_parameter_name",
    /// Two job parameters of one name.
    DuplicateParameterName = "duplicate_parameter_name",
    /// A job parameter value with more characters than Databricks' pages promise.
    ParameterTooLong = "parameter_too_long",
    /// `job_parameters` beside one of the older parameter fields in a run request.
    JobParametersConflict = "job_parameters_conflict",
    /// More than 25 tags.
    TooManyTags = "too_many_tags",
    /// More tasks than a job may have.
    TooManyTasks = "too_many_tasks",
    /// A name past its limit.
    NameTooLong = "name_too_long",
    /// A description past its limit.
    DescriptionTooLong = "description_too_long",
    /// `max_concurrent_runs` outside 0 to 1,000.
    MaxConcurrentRunsRange = "max_concurrent_runs_range",
    /// `schedule` beside `continuous`.
    ScheduleAndContinuous = "schedule_and_continuous",
    /// `triggers` beside `schedule`, `trigger` or `continuous`.
    TriggersWithLegacyTrigger = "triggers_with_legacy_trigger",
    /// A schedule that is no Quartz cron expression.
    BadCron = "bad_cron",
    /// A time zone that is not known.
    BadTimeZone = "bad_timezone",
    /// A table name without three parts.
    BadTableName = "bad_table_name",
    /// No table name in a table trigger, or more than 10.
    TableNamesCount = "table_names_count",
    /// A watched location that is no folder.
    BadUrl = "bad_url",
    /// A number below its least value.
    BelowMinimum = "below_minimum",
    /// A setting that stands where it does nothing.
    MisplacedField = "misplaced_field",
    /// A run request names a task that is not in the job.
    UnknownTask = "unknown_task",
    /// A task parameter that a job parameter of the same name replaces.
    ShadowedTaskParameter = "shadowed_task_parameter",
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
