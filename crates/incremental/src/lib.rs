//! Which part of a materialized view a change of its source can touch.
//!
//! [`analyze`] looks at a view's plan and names a technique, or the reason why only a full recompute is safe. The other
//! functions rewrite the plan for that technique. They know plans, not tables: the caller plans the view's query
//! twice, once over the rows that changed and once over all rows.

mod plan;

#[cfg(test)]
mod tests;

pub use plan::{Incrementality, analyze, groups_of, only_groups};
