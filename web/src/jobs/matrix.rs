//! Runs of a job side by side: a row for each task and each item, a column for each run.

use lakelet_protocol::{RunState, RunView, TaskRunView};

use crate::jobs::run::as_of::{Standing, of_iteration, of_task};

/// Columns shown.
pub const RUNS_SHOWN: usize = 20;

/// What a task or an item was in one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatrixCell {
    /// State.
    pub state: RunState,
    /// It succeeded, but not at once.
    pub repaired: bool,
    /// Duration of the last attempt.
    pub duration_ms: Option<f64>,
    /// The iteration's number in that run, 0-based.
    pub iteration: Option<u32>,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRow {
    /// The task.
    pub task: String,
    /// The item's label; `None` for the task itself.
    pub item: Option<String>,
    /// One for each run, `None` where it was not there.
    pub cells: Vec<Option<MatrixCell>>,
}

/// The rows for runs in the order of their columns. Tasks stand in the order of the newest run that has them, items
/// below their task in the order in which they came.
pub fn rows(runs: &[RunView]) -> Vec<MatrixRow> {
    let mut rows: Vec<MatrixRow> = Vec::new();
    for (column, run) in runs.iter().enumerate().rev() {
        for task in &run.tasks {
            put(&mut rows, runs.len(), column, &task.task_key, None, cell(of_task(task, None), None));
            put_items(&mut rows, runs.len(), column, task);
        }
    }
    rows
}

fn put_items(rows: &mut Vec<MatrixRow>, n_columns: usize, column: usize, task: &TaskRunView) {
    for iteration in task.iterations.iter().flatten() {
        let shown = cell(of_iteration(iteration, None), Some(iteration.index));
        put(rows, n_columns, column, &task.task_key, Some(&iteration.label), shown);
    }
}

fn cell(standing: Standing<'_>, iteration: Option<u32>) -> MatrixCell {
    MatrixCell { state: standing.state, repaired: standing.repaired, duration_ms: standing.duration_ms(), iteration }
}

/// Puts a cell into the row it belongs to. Two items of one label in a run take two rows.
fn put(rows: &mut Vec<MatrixRow>, n_columns: usize, column: usize, task: &str, item: Option<&str>, shown: MatrixCell) {
    let fits = |row: &&mut MatrixRow| {
        row.task == task && row.item.as_deref() == item && row.cells.get(column).is_some_and(Option::is_none)
    };
    if let Some(place) = rows.iter_mut().find(fits).and_then(|row| row.cells.get_mut(column)) {
        *place = Some(shown);
        return;
    }
    let mut cells = vec![None; n_columns];
    if let Some(place) = cells.get_mut(column) {
        *place = Some(shown);
    }
    let row = MatrixRow { task: task.to_owned(), item: item.map(str::to_owned), cells };
    // Behind the last row of its task, so that items stand together.
    let place = rows.iter().rposition(|row| row.task == task).map_or(rows.len(), |last| last + 1);
    rows.insert(place, row);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::run::samples::{failed_run, repaired_run};

    #[test]
    fn items_keep_their_row_over_runs() {
        let mut newer = failed_run();
        let iterations = newer.tasks[1].iterations.as_mut().unwrap();
        let mut added = iterations[0].clone();
        added.index = 3;
        added.label = "DE · EUR".into();
        iterations.swap(0, 1);
        iterations.push(added);
        let rows = rows(&[repaired_run(), newer]);
        let names: Vec<&str> = rows.iter().map(|row| row.item.as_deref().unwrap_or(&row.task)).collect();
        assert_eq!(names, ["read_markets", "process_markets", "UK · GBP", "NL · EUR", "US · USD", "DE · EUR"]);
        let uk = &rows[2].cells;
        assert_eq!(
            uk.iter().map(|cell| cell.unwrap().state).collect::<Vec<_>>(),
            [RunState::Success, RunState::Failed]
        );
        assert!(uk[0].unwrap().repaired);
        assert_eq!(rows[5].cells[0], None);
    }

    #[test]
    fn equal_labels_take_rows_of_their_own() {
        let mut run = failed_run();
        for iteration in run.tasks[1].iterations.as_mut().unwrap() {
            iteration.label = "NL".into();
        }
        assert_eq!(rows(&[run]).iter().filter(|row| row.item.as_deref() == Some("NL")).count(), 3);
        assert!(rows(&[]).is_empty());
    }
}
