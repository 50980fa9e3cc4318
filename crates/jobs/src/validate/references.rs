//! Whether every reference will have something to refer to.

use std::collections::BTreeSet;

use crate::job::Job;
use crate::problem::ProblemKind;
use crate::read::Reader;
use crate::reference::{Piece, Reference, Template, UpstreamMember};
use crate::task::{SqlBody, TaskKind};

pub(super) fn check(job: &Job, reader: &mut Reader<'_>) {
    for (index, parameter) in job.parameters().iter().enumerate() {
        let at = format!("parameters[{index}].default");
        for_each_reference(&parameter.default, &at, reader, &mut |reference, source, reader| {
            if !is_of_job(reference) {
                let message =
                    format!("{source}: the default of a job parameter can refer to the job and the run only.");
                reader.error(ProblemKind::InvalidReference, at.clone(), message);
            }
        });
    }
    let graph = job.graph();
    for (index, task) in job.tasks().iter().enumerate() {
        let upstream: BTreeSet<&str> = graph.ancestors(task.key.as_str()).into_iter().collect();
        for field in task.templates() {
            let at = format!("tasks[{index}].{}", field.path);
            for_each_reference(field.text, &at, reader, &mut |reference, source, reader| match reference {
                Reference::Upstream { task: key, member } => {
                    if upstream.contains(key.as_str()) {
                        check_member(job, key, member, source, &at, reader);
                    } else {
                        not_upstream(job, task.key.as_str(), key, source, &at, reader);
                    }
                }
                Reference::Input(_) if !field.nested => {
                    let message = format!("{source}: 'input' has a value only in the nested task of a For each.");
                    reader.error(ProblemKind::InvalidReference, at.clone(), message);
                }
                Reference::JobParameter(name) if !job.parameters().iter().any(|known| known.name == *name) => {
                    let names = job.parameters().iter().map(|parameter| parameter.name.as_str());
                    let nearest = lakelet_base::nearest_name(name, names);
                    let hint = nearest.map(|nearest| format!(" Did you mean '{nearest}'?")).unwrap_or_default();
                    let message = format!("{source}: the job has no parameter '{name}'.{hint}");
                    reader.error(ProblemKind::InvalidReference, at.clone(), message);
                }
                _ => {}
            });
        }
    }
}

/// What `check` does with a reference: itself, its text, and where to note problems.
type CheckReference<'c> = dyn FnMut(&Reference, &str, &mut Reader<'_>) + 'c;

fn for_each_reference(text: &str, at: &str, reader: &mut Reader<'_>, check: &mut CheckReference<'_>) {
    for piece in Template::parse(text).pieces {
        match piece {
            Piece::Text(_) => {}
            Piece::Reference { source, reference } => check(&reference, source, reader),
            Piece::Invalid { message, .. } => reader.error(ProblemKind::InvalidReference, at, message),
        }
    }
}

/// Whether a reference can be resolved before any task starts.
pub(crate) fn is_of_job(reference: &Reference) -> bool {
    match reference {
        Reference::JobId
        | Reference::JobName
        | Reference::JobRunId
        | Reference::JobRepairCount
        | Reference::JobStartTime(_)
        | Reference::TriggerType
        | Reference::TriggerTime(_)
        | Reference::TriggerFileLocation
        | Reference::TriggerUpdatedTables
        | Reference::TriggerCommitTimestamp(..)
        | Reference::TriggerTableVersion(_)
        | Reference::Backfill(_)
        | Reference::WorkspaceId
        | Reference::WorkspaceUrl => true,
        // A parameter that refers to another could do so in a circle.
        Reference::JobParameter(_)
        | Reference::TaskName
        | Reference::TaskRunId
        | Reference::TaskExecutionCount
        | Reference::TaskNotebookPath
        | Reference::TaskRetryCount
        | Reference::Upstream { .. }
        | Reference::Input(_) => false,
    }
}

fn not_upstream(job: &Job, task: &str, key: &str, source: &str, at: &str, reader: &mut Reader<'_>) {
    let why = if job.task(key).is_some() {
        format!("task '{key}' need not have ended when '{task}' starts. Let '{task}' depend on it.")
    } else {
        let nearest = lakelet_base::nearest_name(key, job.tasks().iter().map(|task| task.key.as_str()));
        let hint = nearest.map(|nearest| format!(" Did you mean '{nearest}'?")).unwrap_or_default();
        format!("there is no task '{key}' in this job.{hint}")
    };
    reader.error(ProblemKind::ReferenceNotUpstream, at, format!("{source}: {why}"));
}

fn check_member(job: &Job, key: &str, member: &UpstreamMember, source: &str, at: &str, reader: &mut Reader<'_>) {
    let Some(task) = job.task(key).filter(|_| member.is_output()) else {
        return;
    };
    match &task.kind {
        TaskKind::Sql(sql) => {
            let is_alert = matches!(sql.body, Some(SqlBody::Alert(_)));
            let wants_alert = *member == UpstreamMember::AlertState;
            // A body that is missing altogether has been reported.
            if sql.body.is_some() && (wants_alert != is_alert || !(is_alert || sql.has_rows())) {
                let message = format!("{source}: task {} has no such output.", job.describe(key));
                reader.error(ProblemKind::InvalidReference, at, message);
            }
        }
        _ => {
            let message = format!(
                "{source}: Unsupported task type for the 'output' namespace. Task {} has no output; SQL tasks have.",
                job.describe(key)
            );
            reader.error(ProblemKind::OutputNamespaceUnsupported, at, message);
        }
    }
}
