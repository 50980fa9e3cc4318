//! Spark's semantics as DataFusion extensions: operators, types, functions, and errors in Spark's words.
//!
//! Nothing here knows tables or statements. The engine hands [`functions`], [`expr_planners`] and [`SparkTypes`] to
//! DataFusion's planner, and every DataFusion error to [`diagnostic`].

mod arithmetic;
mod casts;
mod conditions;
mod decimals;
mod error;
mod functions;
mod operation;
mod operators;
mod types;

pub use casts::SparkCasts;
pub use conditions::check_conditions;
pub use error::{PlanNames, diagnostic};
pub use functions::{Functions, functions};
pub use operation::{OperationKind, Operations};
pub use operators::expr_planners;
pub use types::SparkTypes;
