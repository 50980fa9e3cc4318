//! A table's change feed as rows of text.

use std::collections::VecDeque;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use lakelet_base::{Diagnostic, Result};
use lakelet_protocol::{ChangeRow, ChangesView, FeedReader};
use lakelet_store::{CHANGE_TYPE_COLUMN, COMMIT_VERSION_COLUMN};

use super::catalog::{columns, full_name};
use super::find;
use super::table::{commit_view, readers};
use crate::core::Core;
use crate::results::text_row;

pub(crate) fn changes(core: &Core, name: &str, from: u64, to: Option<u64>) -> Result<ChangesView> {
    let table = find(core, name)?;
    let latest = table.latest_version();
    let to = to.unwrap_or(latest).min(latest);
    let feed = table.changes(from..=to.max(from))?;
    let schema = feed.schema();
    let n_columns = schema.fields().len() - 3;
    let mut rows: Vec<ChangeRow> = Vec::new();
    let mut n_rows = 0;
    let mut preimages: VecDeque<u32> = VecDeque::new();
    for batch in feed {
        let batch = batch?;
        n_rows += batch.num_rows() as u64;
        let kinds = batch.column_by_name(CHANGE_TYPE_COLUMN).and_then(|column| column.as_string_opt::<i32>());
        let versions =
            batch.column_by_name(COMMIT_VERSION_COLUMN).and_then(|column| column.as_primitive_opt::<Int64Type>());
        let (Some(kinds), Some(versions)) = (kinds, versions) else {
            return Err(Box::new(Diagnostic::internal("a change feed without its columns")));
        };
        for row in 0..batch.num_rows() {
            if rows.len() >= core.limits.rows_per_page_max {
                continue;
            }
            let version = u64::try_from(versions.value(row)).unwrap_or_default();
            if rows.last().is_some_and(|last| last.version != version) {
                preimages.clear();
            }
            let change_type = kinds.value(row).to_owned();
            // Pre- and postimages of one statement come in the same order.
            let preimage = match change_type.as_str() {
                "update_preimage" => {
                    preimages.push_back(u32::try_from(rows.len()).unwrap_or(u32::MAX));
                    None
                }
                "update_postimage" => preimages.pop_front(),
                _ => None,
            };
            let mut cells = text_row(&batch, &schema, row);
            cells.truncate(n_columns);
            rows.push(ChangeRow { change_type, version, cells, preimage });
        }
    }
    let mut commits: Vec<_> =
        table.history().into_iter().filter(|commit| (from..=to).contains(&commit.version)).map(commit_view).collect();
    commits.reverse();
    let readers = readers(core, &table)?
        .into_iter()
        .map(|reader| FeedReader { table: full_name(&reader.table.name), read_to: reader.read_to })
        .collect();
    Ok(ChangesView {
        table: full_name(&table.name),
        columns: columns(&table),
        from,
        to,
        commits,
        rows,
        n_rows,
        readers,
    })
}
