//! The history of each key of an SCD type 2 table.

use std::collections::BTreeMap;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::concat_batches;
use arrow::row::{OwnedRow, RowConverter, SortField};
use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};
use lakelet_pipelines::{definition_of, freshness};
use lakelet_protocol::{HistoryVersion, KeyHistory, VersionsView};

use super::catalog::full_name;
use super::find;
use crate::core::Core;

/// Keys that are drawn.
const KEYS_MAX: usize = 200;
const START: &str = "__START_AT";
const END: &str = "__END_AT";

struct Columns {
    keys: Vec<usize>,
    values: Vec<usize>,
    start: usize,
    end: usize,
}

pub(crate) fn versions(core: &Core, name: &str) -> Result<VersionsView> {
    let table = find(core, name)?;
    let definition = definition_of(&core.store, table.id)?.filter(|definition| definition.scd_type == Some(2));
    let Some(definition) = definition else {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("LAKELET_NOT_SCD_TYPE_2", "42809"),
                format!("{} keeps no versions: it is no SCD type 2 table.", table.name),
            )
            .hint("Make one with CREATE OR REFRESH STREAMING TABLE … FLOW AUTO CDC … STORED AS SCD TYPE 2."),
        ));
    };
    let snapshot = table.latest();
    let batches = snapshot.scan(None).collect::<Result<Vec<_>>>()?;
    let rows = concat_batches(&snapshot.schema(), &batches).map_err(|error| Box::new(Diagnostic::internal(error)))?;
    let columns = find_columns(&rows, &definition.keys)?;
    let starts = encode(rows.column(columns.start))?;
    let ends = encode(rows.column(columns.end))?;
    let end_of = |row: usize| (!rows.column(columns.end).is_null(row)).then(|| ends[row].clone());

    let mut axis: BTreeMap<OwnedRow, String> = BTreeMap::new();
    for (row, start) in starts.iter().enumerate() {
        axis.insert(start.clone(), text(&rows, columns.start, row).unwrap_or_default());
        if let Some(end) = end_of(row) {
            axis.insert(end, text(&rows, columns.end, row).unwrap_or_default());
        }
    }
    let position = |value: &OwnedRow| {
        axis.keys().position(|other| other == value).and_then(|index| u32::try_from(index).ok()).unwrap_or(0)
    };

    let key_rows: Vec<ArrayRef> = columns.keys.iter().map(|column| rows.column(*column).clone()).collect();
    let mut of_key: BTreeMap<OwnedRow, Vec<usize>> = BTreeMap::new();
    for (row, key) in encode_all(&key_rows)?.into_iter().enumerate() {
        of_key.entry(key).or_default().push(row);
    }
    let n_keys = of_key.len() as u64;
    let mut sound = [true; 3];
    let mut histories = Vec::new();
    for (_, mut versions) in of_key {
        versions.sort_by(|left, right| starts[*left].cmp(&starts[*right]));
        check(&versions, &starts, &end_of, &mut sound);
        if histories.len() < KEYS_MAX {
            histories.push(history(&rows, &columns, &versions, &|row| {
                (position(&starts[row]), end_of(row).map(|end| position(&end)))
            }));
        }
    }
    let [one_open, no_overlap, forward] = sound;
    Ok(VersionsView {
        table: full_name(&table.name),
        keys: definition.keys.clone(),
        sequence_by: definition.sequence_by.clone().unwrap_or_default(),
        axis: axis.into_values().collect(),
        histories,
        n_keys,
        invariants: vec![
            ("at most one open version for each key".to_owned(), one_open),
            ("no two versions of a key overlap".to_owned(), no_overlap),
            ("every version ends after it starts".to_owned(), forward),
        ],
        n_unread: freshness(&core.store, &definition)?.n_unread(),
    })
}

fn find_columns(rows: &RecordBatch, keys: &[String]) -> Result<Columns> {
    let schema = rows.schema();
    let find = |name: &str| {
        schema
            .fields()
            .iter()
            .position(|field| same_name(field.name(), name))
            .ok_or_else(|| Box::new(Diagnostic::internal(format_args!("an SCD type 2 table without {name}"))))
    };
    let keys = keys.iter().map(|key| find(key)).collect::<Result<Vec<_>>>()?;
    let (start, end) = (find(START)?, find(END)?);
    let values =
        (0..rows.num_columns()).filter(|column| !keys.contains(column) && *column != start && *column != end).collect();
    Ok(Columns { keys, values, start, end })
}

fn check(versions: &[usize], starts: &[OwnedRow], end_of: &dyn Fn(usize) -> Option<OwnedRow>, sound: &mut [bool; 3]) {
    let n_open = versions.iter().filter(|row| end_of(**row).is_none()).count();
    sound[0] &= n_open <= 1;
    for pair in versions.windows(2) {
        let (earlier, later) = (pair[0], pair[1]);
        sound[1] &= end_of(earlier).is_some_and(|end| end <= starts[later]);
    }
    for row in versions {
        sound[2] &= end_of(*row).is_none_or(|end| end > starts[*row]);
    }
}

fn history(
    rows: &RecordBatch,
    columns: &Columns,
    versions: &[usize],
    place: &dyn Fn(usize) -> (u32, Option<u32>),
) -> KeyHistory {
    let cell = |column: usize, row: usize| text(rows, column, row);
    let first = versions.first().copied().unwrap_or_default();
    let key = columns
        .keys
        .iter()
        .map(|column| cell(*column, first).unwrap_or_else(|| "NULL".to_owned()))
        .collect::<Vec<_>>()
        .join(" · ");
    // The first text column tells a person more than the key does.
    let name = columns
        .values
        .iter()
        .find(|column| rows.column(**column).data_type().is_string())
        .and_then(|column| cell(*column, versions.last().copied().unwrap_or_default()));
    let label = match name {
        Some(name) => format!("{key} {name}"),
        None => key.clone(),
    };
    let differs: Vec<usize> = columns
        .values
        .iter()
        .copied()
        .filter(|column| versions.iter().any(|row| cell(*column, *row) != cell(*column, first)))
        .collect();
    let telling: Vec<usize> =
        if differs.is_empty() { columns.values.last().copied().into_iter().collect() } else { differs };
    let schema = rows.schema();
    let versions = versions
        .iter()
        .map(|row| {
            let (start_index, end_index) = place(*row);
            let start = cell(columns.start, *row).unwrap_or_default();
            let values = columns
                .values
                .iter()
                .map(|column| (schema.field(*column).name().clone(), cell(*column, *row)))
                .collect();
            let label = telling
                .iter()
                .map(|column| cell(*column, *row).unwrap_or_else(|| "NULL".to_owned()))
                .collect::<Vec<_>>()
                .join(", ");
            HistoryVersion {
                id: format!("{key}#{start}"),
                start,
                end: cell(columns.end, *row),
                start_index,
                end_index,
                values,
                label,
            }
        })
        .collect();
    KeyHistory { key, label, versions }
}

fn text(rows: &RecordBatch, column: usize, row: usize) -> Option<String> {
    lakelet_types::cell_text(rows.column(column).as_ref(), row)
}

fn encode(column: &ArrayRef) -> Result<Vec<OwnedRow>> {
    encode_all(std::slice::from_ref(column))
}

fn encode_all(columns: &[ArrayRef]) -> Result<Vec<OwnedRow>> {
    let internal = |error: arrow::error::ArrowError| Box::new(Diagnostic::internal(error));
    let fields = columns.iter().map(|column| SortField::new(column.data_type().clone())).collect();
    let converter = RowConverter::new(fields).map_err(internal)?;
    let rows = converter.convert_columns(columns).map_err(internal)?;
    Ok(rows.iter().map(|row| row.owned()).collect())
}
