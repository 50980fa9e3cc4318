//! The clock, and what a move of it would run.

use lakelet_base::Result;
use lakelet_pipelines::{definition_of, due_until, freshness, next_due};
use lakelet_protocol::{AdvanceBy, AdvancePreview, ClockView, DueItem};

use super::catalog::full_name;
use crate::advance::target;
use crate::core::Core;

pub(crate) fn clock(core: &Core) -> Result<ClockView> {
    Ok(ClockView {
        now: core.clock.now(),
        simulated: core.clock.is_simulated(),
        next_due: next_due(&core.store)?.map(|due| due.at),
    })
}

pub(crate) fn preview(core: &Core, by: AdvanceBy) -> Result<AdvancePreview> {
    let to = target(core, by)?;
    let mut due = Vec::new();
    for refresh in due_until(&core.store, to, core.limits.advance_runs_max)? {
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
    Ok(AdvancePreview { to, due })
}
