//! Every limit has a name here; whoever enforces one names it in the error.

/// The bounds of one workspace. All sizes are in bytes unless the name says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Length of one SQL script.
    pub script_bytes_max: usize,
    /// Statements in one script.
    pub statements_max: usize,
    /// Nesting of parentheses, CASE, subqueries and so on in one statement.
    pub nesting_depth_max: usize,
    /// Elements of one chain of binary operators (`a OR b OR …`).
    pub operator_chain_max: usize,
    /// Rows of one page that goes to the page's grid.
    pub rows_per_page_max: usize,
    /// Rows of one result kept for paging.
    pub result_rows_max: usize,
    /// Memory that one statement's operators may hold.
    pub statement_memory_bytes_max: usize,
    /// Bytes of table data held by the whole workspace, old versions included.
    pub store_bytes_max: usize,
    /// Iterations of one For each task.
    pub for_each_iterations_max: usize,
    /// Iterations of one For each task that may run at a time.
    pub for_each_concurrency_max: usize,
    /// Characters of a literal For each input.
    pub for_each_literal_chars_max: usize,
    /// Rows of a SQL task's output that a reference can read.
    pub task_output_rows_max: usize,
    /// Bytes of a SQL task's output, as JSON, that a reference can read.
    pub task_output_bytes_max: usize,
    /// Tasks of one job.
    pub tasks_per_job_max: usize,
    /// Scheduled refreshes and runs that one move of the clock may start.
    pub advance_runs_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            script_bytes_max: 1024 * 1024,
            statements_max: 5_000,
            nesting_depth_max: 60,
            operator_chain_max: 1_000,
            rows_per_page_max: 1_000,
            result_rows_max: 5_000_000,
            statement_memory_bytes_max: 512 * 1024 * 1024,
            store_bytes_max: 1024 * 1024 * 1024,
            for_each_iterations_max: 5_000,
            for_each_concurrency_max: 100,
            for_each_literal_chars_max: 10_000,
            task_output_rows_max: 1_000,
            task_output_bytes_max: 48 * 1024,
            tasks_per_job_max: 1_000,
            advance_runs_max: 10_000,
        }
    }
}
