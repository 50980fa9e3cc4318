//! Binds, plans and runs one statement on the tables of one moment.
//!
//! [`Engine::prepare`] turns a parsed statement into a [`Prepared`]: rows to page through, or rows to read before a
//! [`lakelet_store::Transaction`] can be committed. The engine never commits; whoever drives it does.

mod derive;
mod execution;
mod lower;
mod memberships;
mod planner;
mod recursion;
mod resolve;
mod session;
mod statement;
mod table;

pub use derive::tables_read;
pub use execution::{Execution, Step};
pub use lakelet_spark::{PlanNames, diagnostic};
pub use planner::{Engine, PlannedQuery, ResultColumn};
pub use resolve::{Reads, find_table};
pub use session::{Parameters, Scope, Session, StoredQuery, parameters_from_json};
pub use statement::{
    Finish, Outcome, Prepared, ResultRows, canonical_rows, create_statement, new_table_name, query_columns,
    refuse_twice,
};
pub use table::RowsTable;
