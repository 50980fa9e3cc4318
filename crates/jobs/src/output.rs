//! What a SQL task leaves behind for references: its last result as JSON rows.

mod cells;
#[cfg(test)]
mod tests;

use std::fmt;

use lakelet_base::Limits;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use cells::CellType;

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputColumn {
    /// Its name or alias.
    pub name: String,
    /// Its type as Spark's simple string, in any case.
    pub type_name: String,
}

/// Sizes of an output that is larger than references can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverLimit {
    /// Rows of the result.
    pub n_rows: usize,
    /// Rows that can be read.
    pub n_rows_max: usize,
    /// Bytes of the JSON array.
    pub size_bytes: usize,
    /// Bytes that can be read.
    pub size_bytes_max: usize,
}

impl OverLimit {
    /// Whether it has too many rows, whatever their size.
    pub fn is_by_rows(&self) -> bool {
        self.n_rows > self.n_rows_max
    }
}

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "is too large: {} of {} rows and {} of {} bytes. Let the task read the keys only and look everything else \
             up where it is used (a lookup table).",
            self.n_rows, self.n_rows_max, self.size_bytes, self.size_bytes_max
        )
    }
}

/// Why references cannot read the rows of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutputProblem {
    /// It is too large. The first row can be read.
    TooLarge(OverLimit),
    /// Two columns have this name, so that a row is no JSON object.
    DuplicateColumn(String),
}

impl fmt::Display for OutputProblem {
    /// Goes on after "the output of task 'x'".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(over_limit) => over_limit.fmt(f),
            Self::DuplicateColumn(name) => {
                write!(f, "has two columns of the name '{name}'. Give one of them another name with AS.")
            }
        }
    }
}

/// The rows of a result, as references read them.
///
/// Numbers and decimals are JSON numbers that keep their text, timestamps are UTC with milliseconds, NULL is null with
/// its key. Nothing is cut silently: an output past the limits says so, and keeps its first rows for a preview only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskOutput {
    columns: Vec<OutputColumn>,
    rows: Vec<Value>,
    n_rows: usize,
    size_bytes: usize,
    problem: Option<OutputProblem>,
    columns_cut_to_millis: Vec<String>,
}

impl TaskOutput {
    /// An output of rows that are all there. See [`TaskOutputBuilder`] for results that come in pages.
    pub fn new(columns: Vec<OutputColumn>, rows: impl IntoIterator<Item = Vec<Value>>, limits: &Limits) -> Self {
        let mut builder = TaskOutputBuilder::new(columns, limits);
        rows.into_iter().for_each(|row| builder.push_row(row));
        builder.finish()
    }

    /// The columns, in query order.
    pub fn columns(&self) -> &[OutputColumn] {
        &self.columns
    }

    /// One object a row; only the first ones where there is a [`OutputProblem::TooLarge`].
    pub fn rows(&self) -> &[Value] {
        &self.rows
    }

    /// Number of rows of the result.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Size of the JSON array in bytes, over the limit too.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Why references cannot read the rows, when they cannot.
    pub fn problem(&self) -> Option<&OutputProblem> {
        self.problem.as_ref()
    }

    /// Names of columns where a timestamp lost its microseconds. A filter on such a value may see a row twice.
    pub fn columns_cut_to_millis(&self) -> &[String] {
        &self.columns_cut_to_millis
    }
}

/// Makes a [`TaskOutput`] row by row; memory is bounded by the limits, not by the result.
#[derive(Debug)]
pub struct TaskOutputBuilder {
    output: TaskOutput,
    types: Vec<CellType>,
    /// For each column whether a cell of it was cut.
    cut: Vec<bool>,
    n_rows_max: usize,
    size_bytes_max: usize,
}

impl TaskOutputBuilder {
    /// An output without rows.
    pub fn new(columns: Vec<OutputColumn>, limits: &Limits) -> Self {
        let types = columns.iter().map(|column| CellType::parse(&column.type_name)).collect();
        let duplicate = columns
            .iter()
            .enumerate()
            .find(|(index, column)| columns.iter().take(*index).any(|earlier| earlier.name == column.name));
        let problem = duplicate.map(|(_, column)| OutputProblem::DuplicateColumn(column.name.clone()));
        Self {
            types,
            cut: vec![false; columns.len()],
            n_rows_max: limits.task_output_rows_max,
            size_bytes_max: limits.task_output_bytes_max,
            // The brackets around the rows.
            output: TaskOutput {
                columns,
                rows: Vec::new(),
                n_rows: 0,
                size_bytes: 2,
                problem,
                columns_cut_to_millis: Vec::new(),
            },
        }
    }

    /// Adds a row: one JSON value for each column, in the form that results have on the command line. A cell that is
    /// missing is null.
    pub fn push_row(&mut self, cells: Vec<Value>) {
        let mut cells = cells.into_iter();
        let mut row = Map::new();
        for ((column, cell_type), cut) in self.output.columns.iter().zip(&self.types).zip(&mut self.cut) {
            let cell = cell_type.to_output(cells.next().unwrap_or(Value::Null), cut);
            row.insert(column.name.clone(), cell);
        }
        let row = Value::Object(row);
        let separator = usize::from(self.output.n_rows > 0);
        self.output.n_rows += 1;
        self.output.size_bytes += row.to_string().len() + separator;
        let fits = self.output.n_rows <= self.n_rows_max && self.output.size_bytes <= self.size_bytes_max;
        if fits && self.output.problem.is_none() {
            self.output.rows.push(row);
        }
    }

    /// The output.
    pub fn finish(mut self) -> TaskOutput {
        let output = &mut self.output;
        let over_limit = OverLimit {
            n_rows: output.n_rows,
            n_rows_max: self.n_rows_max,
            size_bytes: output.size_bytes,
            size_bytes_max: self.size_bytes_max,
        };
        if over_limit.is_by_rows() || output.size_bytes > self.size_bytes_max {
            output.problem.get_or_insert(OutputProblem::TooLarge(over_limit));
        }
        let cut = output.columns.iter().zip(&self.cut).filter(|(_, cut)| **cut);
        output.columns_cut_to_millis = cut.map(|(column, _)| column.name.clone()).collect();
        self.output
    }
}
