//! The new rows of a flow's streams.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{AsArray, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_engine::{PlannedQuery, RowsTable, Scope, find_table};
use lakelet_store::{CHANGE_TYPE_COLUMN, ChangeFeed, Table, TableId, change_feed_schema};
use lakelet_syntax::statement::StreamRead;

use crate::definition::Checkpoint;

/// Rows that stand in for tables, by case-folded name.
pub(crate) type StandIns = HashMap<(String, String, String), Arc<RowsTable>>;

/// What the streams of a flow have that it has not read.
pub(crate) struct NewRows {
    /// The rows, for the planner.
    pub stand_ins: StandIns,
    /// Where the flow will have read to.
    pub checkpoint: Checkpoint,
    /// How many rows there are.
    pub n_rows: u64,
}

/// Reads every stream of a flow from its checkpoint on. `drop_preimages`: AUTO CDC takes postimages for the events,
/// whether the statement filters preimages or not.
pub(crate) fn new_rows(
    streams: &[StreamRead],
    checkpoint: &Checkpoint,
    drop_preimages: bool,
    scope: &Scope<'_>,
) -> Result<NewRows> {
    let mut options_of: HashMap<TableId, StreamOptions> = HashMap::new();
    // A table that was read and is gone may have been made anew under its name.
    let remade = checkpoint.keys().any(|id| scope.store.table_by_id(TableId(*id)).is_none());
    let mut found = NewRows { stand_ins: HashMap::new(), checkpoint: Checkpoint::new(), n_rows: 0 };
    for stream in streams {
        let options = StreamOptions::read(stream)?;
        let name = scope.session.qualify(&stream.table.parts);
        let table = find_table(scope, &name, &stream.table.parts)
            .map_err(|diagnostic| Box::new(diagnostic.or_at(Some(stream.table.span))))?;
        if !table.kind.has_rows() {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("UNSUPPORTED_STREAMING_SOURCE", "0A000"),
                    format!("{name} is a view: a stream reads a table's new rows, and a view has none."),
                )
                .at(stream.table.span)
                .hint("Read the table under the view."),
            ));
        }
        match options_of.insert(table.id, options) {
            Some(earlier) if earlier == options => continue,
            Some(_) => {
                return Err(Box::new(
                    Diagnostic::unsupported(format_args!("two streams of {name} with different options in one query"))
                        .at(stream.table.span)
                        .hint("Give both streams the same options."),
                ));
            }
            None => {}
        }
        let read_to = checkpoint.get(&table.id.0).copied();
        if read_to.is_none() && remade {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("DELTA_SOURCE_TABLE_CHANGED", "55019"),
                    format!("{name} is not the table that was read before: it was dropped and made anew."),
                )
                .at(stream.table.span)
                .hint("REFRESH … FULL reads the new one from its beginning."),
            ));
        }
        let latest = table.latest_version();
        let (schema, batches) = if options.change_feed {
            let feed = changes(&table, read_to, latest, options.starting_version)?;
            match feed {
                Some(feed) => {
                    let schema = feed.schema();
                    let batches = feed.collect::<Result<Vec<_>>>()?;
                    let batches = if drop_preimages { without_preimages(batches)? } else { batches };
                    (schema, batches)
                }
                None => (Arc::new(change_feed_schema(&table.metadata().columns)), Vec::new()),
            }
        } else {
            let scan = appended(&table, read_to, latest, &options, stream)?;
            (table.latest().schema(), scan)
        };
        found.n_rows += batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        let rows = RowsTable::new(&schema, batches).map_err(|error| Box::new(Diagnostic::internal(error)))?;
        found.stand_ins.insert(name.key(), Arc::new(rows));
        found.checkpoint.insert(table.id.0, latest);
    }
    Ok(found)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StreamOptions {
    change_feed: bool,
    skip_change_commits: bool,
    starting_version: Option<u64>,
}

impl StreamOptions {
    fn read(stream: &StreamRead) -> Result<Self> {
        let mut options = Self { change_feed: false, skip_change_commits: false, starting_version: None };
        for (key, value) in &stream.options {
            let value = value.trim_matches(['\'', '"']);
            let truth = || {
                if value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false") {
                    return Ok(value.eq_ignore_ascii_case("true"));
                }
                Err(Box::new(
                    Diagnostic::new(
                        ErrorClass::new("DELTA_ILLEGAL_OPTION", "42616"),
                        format!("The stream option {key} is '{value}'; it takes true or false."),
                    )
                    .at(stream.table.span),
                ))
            };
            match key.to_lowercase().as_str() {
                "readchangefeed" | "readchangedata" => options.change_feed = truth()?,
                "skipchangecommits" => options.skip_change_commits = truth()?,
                "startingversion" => {
                    options.starting_version = Some(value.parse().map_err(|_| {
                        Box::new(
                            Diagnostic::new(
                                ErrorClass::new("DELTA_INVALID_SOURCE_VERSION", "42K0E"),
                                format!("startingVersion is '{value}', which is no version."),
                            )
                            .at(stream.table.span),
                        )
                    })?);
                }
                other => {
                    return Err(Box::new(
                        Diagnostic::unsupported(format_args!("the stream option {other}"))
                            .at(stream.table.span)
                            .hint("Here there are readChangeFeed, startingVersion and skipChangeCommits."),
                    ));
                }
            }
        }
        Ok(options)
    }
}

/// Refuses a query that also reads a streamed table as a whole: both reads would see the new rows only.
pub(crate) fn refuse_plain_reads(streams: &[StreamRead], planned: &PlannedQuery, scope: &Scope<'_>) -> Result<()> {
    for stream in streams {
        let name = scope.session.qualify(&stream.table.parts);
        let key = name.key();
        let n_streams = streams.iter().filter(|other| scope.session.qualify(&other.table.parts).key() == key).count();
        if planned.reads.stood_in.get(&key).copied().unwrap_or(0) > n_streams {
            return Err(Box::new(
                Diagnostic::unsupported(format_args!("reading {name} both as a stream and as a table in one flow"))
                    .at(stream.table.span)
                    .hint("Read the whole table in a materialized view, and the stream here."),
            ));
        }
    }
    Ok(())
}

fn changes(table: &Table, read_to: Option<u64>, latest: u64, starting: Option<u64>) -> Result<Option<ChangeFeed>> {
    match (read_to, starting) {
        (Some(read_to), _) if read_to >= latest => Ok(None),
        (Some(read_to), _) => table.changes(read_to + 1..=latest).map(Some),
        (None, Some(starting)) => table.changes(starting..=latest).map(Some),
        (None, None) => table.initial_changes(latest).map(Some),
    }
}

fn without_preimages(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    batches
        .into_iter()
        .map(|batch| {
            let Some(kinds) = batch.column_by_name(CHANGE_TYPE_COLUMN).and_then(|column| column.as_string_opt::<i32>())
            else {
                return Err(Box::new(Diagnostic::internal("a change feed without change types")));
            };
            let keep: BooleanArray = kinds.iter().map(|kind| Some(kind != Some("update_preimage"))).collect();
            filter_record_batch(&batch, &keep).map_err(|error| Box::new(Diagnostic::internal(error)))
        })
        .collect()
}

/// Rows that were only appended. An update or delete in between makes a plain stream fail, as on Delta.
fn appended(
    table: &Table,
    read_to: Option<u64>,
    latest: u64,
    options: &StreamOptions,
    stream: &StreamRead,
) -> Result<Vec<RecordBatch>> {
    let first = match (read_to, options.starting_version) {
        (Some(read_to), _) => read_to + 1,
        (None, Some(starting)) if starting > latest => {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("DELTA_INVALID_SOURCE_VERSION", "42K0E"),
                    format!("startingVersion is {starting}, and {} has no version after {latest}.", table.name),
                )
                .at(stream.table.span),
            ));
        }
        (None, Some(starting)) => starting,
        (None, None) => return table.latest().scan(None).collect(),
    };
    let mut batches = Vec::new();
    for version in first..=latest {
        let changes = table.row_changes(version.checked_sub(1), version)?;
        if changes.deleted.n_rows() > 0 {
            if options.skip_change_commits {
                continue;
            }
            let operation = table.commit(version).map(|commit| commit.operation.name.clone()).unwrap_or_default();
            let (condition, what) = if changes.added.n_rows() == 0 {
                ("DELTA_SOURCE_IGNORE_DELETE", "deleted rows")
            } else {
                ("DELTA_SOURCE_TABLE_IGNORE_CHANGES", "changed rows")
            };
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new(condition, "0A000"),
                    format!("{} {what} of {} in version {version}; a stream reads appended rows only.", operation, table.name),
                )
                .hint("Read the change feed (WITH (readChangeFeed = true)), skip such commits (skipChangeCommits = true), or REFRESH … FULL."),
            ));
        }
        for batch in changes.added {
            batches.push(batch?);
        }
    }
    Ok(batches)
}
