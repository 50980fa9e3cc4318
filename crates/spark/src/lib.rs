//! Spark's semantics as DataFusion extensions: operators, types, functions, and errors in Spark's words.
//!
//! Nothing here knows tables or statements. The engine hands [`functions`], [`expr_planners`] and [`SparkTypes`] to
//! DataFusion's planner, and every DataFusion error to [`diagnostic`].

mod arithmetic;
mod casts;
mod coercion;
mod conditions;
mod decimals;
mod error;
mod functions;
mod intervals;
mod operation;
mod operators;
mod planner_words;
mod predicates;
mod relations;
mod types;

pub use casts::{SparkCasts, reads_as};
pub use conditions::check_conditions;
pub use error::{PlanNames, diagnostic};
pub use functions::{CASE, Functions, INTERVAL, MAP, MEMBER, SIMPLE_CASE, functions, generator};
pub use operation::{OperationKind, Operations};
pub use operators::expr_planners;
pub use predicates::settle_predicates;
pub use relations::{LATERAL_VIEW, LATERAL_VIEW_OUTER, relation_planners};
pub use types::SparkTypes;
