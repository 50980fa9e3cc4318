//! What a flow's definition says, and the check of it against a source.

use arrow_schema::{DataType, IntervalUnit, Schema};
use lakelet_base::{Diagnostic, ErrorClass, Result, nearest_name, same_name};

use crate::error::classes;
use crate::resolved::{BOUND_END, BOUND_START, HIDDEN_PREFIX, ResolvedSpec};

/// `STORED AS SCD TYPE n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ScdType {
    /// One row per key: the newest values.
    #[default]
    Type1,
    /// One row per version of a key, with its bounds.
    Type2,
}

impl ScdType {
    /// The type behind the number as it was written.
    ///
    /// # Errors
    /// `UNSUPPORTED_SCD_TYPE` for anything but 1 and 2.
    pub fn from_number(number: &str) -> Result<Self> {
        match number.trim() {
            "1" => Ok(Self::Type1),
            "2" => Ok(Self::Type2),
            other => Err(Box::new(
                Diagnostic::new(classes::UNSUPPORTED_SCD_TYPE, format!("Unsupported SCD type: {other}."))
                    .hint("Write STORED AS SCD TYPE 1 or STORED AS SCD TYPE 2."),
            )),
        }
    }
}

/// A clause that takes a list of columns in one of two forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnClause {
    /// `COLUMNS`.
    Columns,
    /// `TRACK HISTORY ON`.
    TrackHistory,
    /// `IGNORE NULL UPDATES ON`.
    IgnoreNullUpdates,
}

impl ColumnClause {
    fn sql(self) -> &'static str {
        match self {
            Self::Columns => "COLUMNS",
            Self::TrackHistory => "TRACK HISTORY ON",
            Self::IgnoreNullUpdates => "IGNORE NULL UPDATES ON",
        }
    }

    fn both_lists(self) -> ErrorClass {
        match self {
            Self::Columns => classes::BOTH_COLUMN_LISTS,
            Self::TrackHistory => classes::BOTH_TRACK_HISTORY_LISTS,
            Self::IgnoreNullUpdates => classes::BOTH_IGNORE_NULL_LISTS,
        }
    }
}

/// A choice of columns: `(a, b)` or `* EXCEPT (a, b)`. Names are single identifiers and compare without case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnSelection {
    /// These.
    Only(Vec<String>),
    /// All but these.
    Except(Vec<String>),
}

impl ColumnSelection {
    /// Every column, as `IGNORE NULL UPDATES` without a list means it.
    pub fn all() -> Self {
        Self::Except(Vec::new())
    }

    /// The selection of a clause that may have been given in both forms.
    ///
    /// # Errors
    /// The clause's `AUTOCDC_BOTH_…` condition when both lists are there.
    pub fn from_lists(
        clause: ColumnClause,
        only: Option<Vec<String>>,
        except: Option<Vec<String>>,
    ) -> Result<Option<Self>> {
        match (only, except) {
            (Some(_), Some(_)) => Err(Box::new(
                Diagnostic::new(
                    clause.both_lists(),
                    format!("{clause} has a list of columns and an EXCEPT list.", clause = clause.sql()),
                )
                .hint("Give only one of the two: (a, b) names the columns to take, * EXCEPT (a, b) the others."),
            )),
            (Some(only), None) => Ok(Some(Self::Only(only))),
            (None, Some(except)) => Ok(Some(Self::Except(except))),
            (None, None) => Ok(None),
        }
    }

    fn names(&self) -> &[String] {
        match self {
            Self::Only(names) | Self::Except(names) => names,
        }
    }

    fn takes(&self, column: &str) -> bool {
        let listed = self.names().iter().any(|name| same_name(name, column));
        match self {
            Self::Only(_) => listed,
            Self::Except(_) => !listed,
        }
    }
}

/// The definition of an AUTO CDC flow as its statement has it. The conditions and the sequence are expressions over the
/// source that the caller evaluates, see [`ChangeBatch`](crate::ChangeBatch).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AutoCdcSpec {
    /// `KEYS (…)`.
    pub keys: Vec<String>,
    /// The text of `SEQUENCE BY`, for messages; `None` where the clause is missing.
    pub sequence_by: Option<String>,
    /// `STORED AS SCD TYPE n`.
    pub scd_type: ScdType,
    /// `COLUMNS …`; `None` keeps every column of the source.
    pub columns: Option<ColumnSelection>,
    /// `TRACK HISTORY ON …`; `None` tracks every kept column that is not a key.
    pub track_history_on: Option<ColumnSelection>,
    /// `IGNORE NULL UPDATES [ON …]`; `None` takes a NULL for a value.
    pub ignore_null_updates: Option<ColumnSelection>,
    /// Whether there is an `APPLY AS TRUNCATE WHEN`.
    pub has_truncate: bool,
}

impl AutoCdcSpec {
    /// Checks the definition against the columns of its source and the type of its sequence, and settles what it leaves
    /// open. Source names win over the spelling in the definition. `sequence_type` is not looked at when there is no
    /// sequence.
    ///
    /// # Errors
    /// The conditions of a bad definition, each with the offending name: see [`classes`](crate::classes).
    pub fn resolve(&self, source: &Schema, sequence_type: &DataType) -> Result<ResolvedSpec> {
        if self.keys.is_empty() {
            return Err(Box::new(
                Diagnostic::new(classes::EMPTY_KEYS, "AUTO CDC needs at least one key.")
                    .hint("Name the columns that identify a row: KEYS (id)."),
            ));
        }
        let Some(sequence_by) = &self.sequence_by else {
            return Err(Box::new(
                Diagnostic::new(classes::MISSING_SEQUENCE_BY, "AUTO CDC needs a SEQUENCE BY clause.")
                    .hint("Name what orders the events of a key, for instance SEQUENCE BY _commit_version."),
            ));
        };
        self.check_type_rules()?;
        self.check_reserved_names(source)?;

        let source_names: Vec<&str> = source.fields().iter().map(|field| field.name().as_str()).collect();
        if let Some(columns) = &self.columns {
            check_names(ColumnClause::Columns, columns, &source_names, "the source")?;
        }
        let selected: Vec<usize> = (0..source_names.len())
            .filter(|&index| self.columns.as_ref().is_none_or(|columns| columns.takes(source_names[index])))
            .collect();
        let keys = self.resolve_keys(source, &selected)?;
        if !is_orderable(sequence_type) {
            return Err(Box::new(
                Diagnostic::new(
                    classes::NON_ORDERABLE_SEQUENCE,
                    format!("SEQUENCE BY {sequence_by} has a type whose values have no order."),
                )
                .hint("Order events by numbers, text, dates, timestamps, or arrays and structs of those."),
            ));
        }

        let data: Vec<usize> = (0..selected.len()).filter(|position| !keys.contains(position)).collect();
        let data_names: Vec<&str> = data.iter().map(|&position| source_names[selected[position]]).collect();
        let choose = |clause, selection: &ColumnSelection| -> Result<Vec<usize>> {
            check_names(clause, selection, &data_names, "the kept columns that are not keys")?;
            Ok(data.iter().zip(&data_names).filter(|(_, name)| selection.takes(name)).map(|(&at, _)| at).collect())
        };
        let tracked = match &self.track_history_on {
            Some(selection) => choose(ColumnClause::TrackHistory, selection)?,
            None if self.scd_type == ScdType::Type2 => data.clone(),
            None => Vec::new(),
        };
        let ignored = match &self.ignore_null_updates {
            Some(ColumnSelection::Only(names)) if names.is_empty() => {
                return Err(Box::new(
                    Diagnostic::new(
                        classes::IGNORE_NULL_EMPTY_COLUMN_LIST,
                        "IGNORE NULL UPDATES ON has an empty list of columns.",
                    )
                    .hint("Name at least one column, or leave ON out to mean every column that is not a key."),
                ));
            }
            Some(selection) => choose(ColumnClause::IgnoreNullUpdates, selection)?,
            None => Vec::new(),
        };
        ResolvedSpec::new(self, source, &selected, keys, tracked, ignored, sequence_type)
    }

    fn check_type_rules(&self) -> Result<()> {
        match self.scd_type {
            ScdType::Type1 if self.track_history_on.is_some() => Err(Box::new(
                Diagnostic::new(
                    classes::TRACK_HISTORY_REQUIRES_SCD2,
                    "TRACK HISTORY requires SCD type 2: type 1 keeps no history.",
                )
                .hint("Write STORED AS SCD TYPE 2, or leave TRACK HISTORY out."),
            )),
            ScdType::Type2 if self.has_truncate => Err(Box::new(
                Diagnostic::new(
                    classes::TRUNCATE_REQUIRES_SCD1,
                    "APPLY AS TRUNCATE WHEN requires SCD type 1: a history cannot be emptied by an event.",
                )
                .hint("Write STORED AS SCD TYPE 1, or leave APPLY AS TRUNCATE WHEN out."),
            )),
            ScdType::Type1 | ScdType::Type2 => Ok(()),
        }
    }

    fn check_reserved_names(&self, source: &Schema) -> Result<()> {
        for field in source.fields() {
            let name = field.name();
            if name.to_lowercase().starts_with(HIDDEN_PREFIX) {
                return Err(Box::new(
                    Diagnostic::new(
                        classes::RESERVED_COLUMN_NAME_PREFIX_CONFLICT,
                        format!(
                            "The source has a column `{name}`; names that start with {HIDDEN_PREFIX} are reserved."
                        ),
                    )
                    .hint("Rename the column in the source or in a view over it."),
                ));
            }
            let is_bound = same_name(name, BOUND_START) || same_name(name, BOUND_END);
            if self.scd_type == ScdType::Type2 && is_bound {
                return Err(Box::new(
                    Diagnostic::new(
                        classes::RESERVED_COLUMN_NAME_CONFLICT,
                        format!(
                            "The source has a column `{name}`; SCD type 2 adds {BOUND_START} and {BOUND_END} itself."
                        ),
                    )
                    .hint("Rename the column in the source or in a view over it."),
                ));
            }
        }
        Ok(())
    }

    /// Positions of the keys among the selected columns, in the order of KEYS.
    fn resolve_keys(&self, source: &Schema, selected: &[usize]) -> Result<Vec<usize>> {
        let mut keys = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let Some(position) = selected.iter().position(|&index| same_name(source.field(index).name(), key)) else {
                let in_source = source.fields().iter().any(|field| same_name(field.name(), key));
                return Err(Box::new(missing_key(key, in_source, source)));
            };
            let data_type = source.field(selected[position]).data_type();
            if !is_orderable(data_type) {
                return Err(Box::new(
                    Diagnostic::new(
                        classes::KEY_NOT_COMPARABLE,
                        format!("The key `{key}` has a type whose values cannot be compared."),
                    )
                    .hint("A key must not be or hold a MAP or a VARIANT."),
                ));
            }
            if !keys.contains(&position) {
                keys.push(position);
            }
        }
        Ok(keys)
    }
}

fn missing_key(key: &str, in_source: bool, source: &Schema) -> Diagnostic {
    if in_source {
        return Diagnostic::new(
            classes::KEY_NOT_IN_SELECTED_SCHEMA,
            format!("The key `{key}` is not among the columns that COLUMNS keeps."),
        )
        .hint("Every key must be kept in the target: add it to COLUMNS, or take it off the EXCEPT list.");
    }
    let names: Vec<&str> = source.fields().iter().map(|field| field.name().as_str()).collect();
    let diagnostic = Diagnostic::new(
        classes::KEY_NOT_IN_SELECTED_SCHEMA,
        format!("The key `{key}` is not a column of the source, which has: {}.", names.join(", ")),
    );
    match nearest_name(key, names.iter().copied()) {
        Some(near) => diagnostic.hint(format!("Did you mean {near}?")),
        None => diagnostic,
    }
}

/// Refuses a list that names something outside of `available`.
fn check_names(clause: ColumnClause, selection: &ColumnSelection, available: &[&str], place: &str) -> Result<()> {
    let missing: Vec<&str> = selection
        .names()
        .iter()
        .map(String::as_str)
        .filter(|name| !available.iter().any(|column| same_name(column, name)))
        .collect();
    let Some(first) = missing.first() else { return Ok(()) };
    let diagnostic = Diagnostic::new(
        classes::COLUMNS_NOT_FOUND_IN_SCHEMA,
        format!(
            "{} names {}, not found in {place}: {}. Names are compared without case.",
            clause.sql(),
            missing.join(", "),
            available.join(", "),
        ),
    );
    Err(Box::new(match nearest_name(first, available.iter().copied()) {
        Some(near) => diagnostic.hint(format!("Did you mean {near}?")),
        None => diagnostic,
    }))
}

/// Whether Spark orders values of this type: not maps, variants or calendar intervals, nor anything that holds one.
fn is_orderable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Map(..) | DataType::Union(..) | DataType::Interval(IntervalUnit::MonthDayNano) => false,
        DataType::Struct(fields) => fields.iter().all(|field| is_orderable(field.data_type())),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => is_orderable(item.data_type()),
        DataType::Dictionary(_, value) => is_orderable(value),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
