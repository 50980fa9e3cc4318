//! The clock, and what a move of it would run.

use lakelet_base::Result;
use lakelet_pipelines::{definition_of, due_until, freshness};
use lakelet_protocol::{AdvanceBy, AdvancePreview, ClockView, DueItem};

use super::catalog::full_name;
use crate::advance::{next_instant, target};
use crate::core::Core;
use crate::jobs::runs_due_until;
use crate::project::ProjectFiles;

pub(crate) fn clock(core: &Core, files: &ProjectFiles) -> Result<ClockView> {
    Ok(ClockView { now: core.clock.now(), simulated: core.clock.is_simulated(), next_due: next_instant(core, files)? })
}

pub(crate) fn preview(core: &Core, files: &ProjectFiles, by: AdvanceBy) -> Result<AdvancePreview> {
    let to = target(core, files, by)?;
    let most = core.limits.advance_runs_max;
    let mut due = Vec::new();
    for refresh in due_until(&core.store, to, most)? {
        let detail = match definition_of(&core.store, refresh.table)? {
            Some(definition) => match freshness(&core.store, &definition)?.n_unread() {
                0 => "nothing unread now".to_owned(),
                1 => "1 unread change now".to_owned(),
                n_unread => format!("{n_unread} unread changes now"),
            },
            None => String::new(),
        };
        due.push(DueItem { at: refresh.at, name: full_name(&refresh.name), what: "refresh".to_owned(), detail });
    }
    for run in runs_due_until(core, files, to, most)? {
        let job = files.job(&run.job_key)?;
        due.push(DueItem { at: run.at, name: job.name().to_owned(), what: "job".to_owned(), detail: run.words });
    }
    // The sort is stable: refreshes come before jobs of the same instant, as they run.
    due.sort_by_key(|item| item.at);
    due.truncate(most);
    Ok(AdvancePreview { to, due })
}
