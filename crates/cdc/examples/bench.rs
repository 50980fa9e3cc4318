//! How fast events are applied, and whether a refresh depends on the size of the table.
//!
//! `cargo run --release -p lakelet-cdc --example bench`

#![allow(clippy::unwrap_used, reason = "a measurement that fails should stop")]
#![allow(clippy::disallowed_methods, reason = "a measurement needs a clock")]

use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use lakelet_cdc::{
    ApplyOptions, AutoCdcSpec, CdcOutcome, CdcState, ChangeBatch, ColumnSelection, Placement, ResolvedSpec, ScdType,
    apply_changes,
};

fn spec(scd_type: ScdType, ignores_null: bool) -> ResolvedSpec {
    let source = Schema::new(vec![
        Field::new("id", DataType::Int64, true),
        Field::new("name", DataType::Utf8, true),
        Field::new("warehouse", DataType::Utf8, true),
        Field::new("quantity", DataType::Int64, true),
    ]);
    let spec = AutoCdcSpec {
        keys: vec!["id".into()],
        sequence_by: Some("seq".into()),
        scd_type,
        ignore_null_updates: ignores_null.then(ColumnSelection::all),
        ..AutoCdcSpec::default()
    };
    spec.resolve(&source, &DataType::Int64).unwrap()
}

/// Event `i` is of key `key(i)` and has sequence `sequence(i)`; one in twenty is a delete.
fn batch(spec: &ResolvedSpec, n_events: i64, key: impl Fn(i64) -> i64, sequence: impl Fn(i64) -> i64) -> ChangeBatch {
    let events = || 0..n_events;
    let columns: Vec<ArrayRef> = vec![
        Arc::new(events().map(&key).collect::<Int64Array>()),
        Arc::new(events().map(|i| Some(format!("product {}", key(i)))).collect::<StringArray>()),
        Arc::new(
            events().map(|i| Some(["Seattle", "Denver", "Dallas", "Reno"][(i % 4) as usize])).collect::<StringArray>(),
        ),
        Arc::new(events().map(|i| i * 7 % 100).collect::<Int64Array>()),
    ];
    ChangeBatch {
        rows: RecordBatch::try_new(spec.source_schema().clone(), columns).unwrap(),
        sequence: Arc::new(events().map(sequence).collect::<Int64Array>()),
        is_delete: Some(events().map(|i| Some(i % 20 == 19)).collect::<BooleanArray>()),
        is_truncate: None,
    }
}

struct Bench {
    spec: ResolvedSpec,
    state: CdcState,
    next_segment: u64,
}

impl Bench {
    fn new(scd_type: ScdType, ignores_null: bool) -> Self {
        let spec = spec(scd_type, ignores_null);
        Self { state: CdcState::new(&spec), spec, next_segment: 1 }
    }

    fn refresh(&mut self, batch: &ChangeBatch) -> CdcOutcome {
        let outcome = apply_changes(&self.spec, &self.state, batch, ApplyOptions::default()).unwrap();
        let placement = Placement { target: Some(self.next_segment), events: Some(self.next_segment + 1) };
        self.state.accept(&self.spec, &outcome, placement).unwrap();
        self.next_segment += 2;
        outcome
    }
}

fn scatter(i: i64, n_keys: i64) -> i64 {
    i.wrapping_mul(2_654_435_761).rem_euclid(n_keys)
}

fn bulk(label: &str, scd_type: ScdType, ignores_null: bool, n_keys: i64) {
    const EVENTS: i64 = 1_000_000;
    let mut bench = Bench::new(scd_type, ignores_null);
    let batch = batch(&bench.spec, EVENTS, |i| scatter(i, n_keys), |i| i);
    let start = Instant::now();
    let outcome = bench.refresh(&batch);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{label}: {:.2} million events/s, {} rows, state {} MB",
        EVENTS as f64 / seconds / 1e6,
        outcome.added.num_rows(),
        bench.state.size_bytes() / 1_000_000,
    );
}

fn small_refreshes(label: &str, scd_type: ScdType, n_rows: i64) {
    const REFRESHES: i64 = 200;
    let mut bench = Bench::new(scd_type, false);
    let load = batch(&bench.spec, n_rows, |i| i, |i| i);
    bench.refresh(&load);
    let batches: Vec<ChangeBatch> = (0..REFRESHES)
        .map(|round| batch(&bench.spec, 100, |i| scatter(round * 100 + i, n_rows), |i| n_rows + round * 100 + i))
        .collect();
    let start = Instant::now();
    for batch in &batches {
        bench.refresh(batch);
    }
    let micros = start.elapsed().as_micros() as i64 / REFRESHES;
    println!("{label}: 100 events on {n_rows} rows in {micros} µs");
}

fn hot_key(label: &str, step: i64) {
    const EVENTS: i64 = 200_000;
    let mut bench = Bench::new(ScdType::Type2, false);
    let load = batch(&bench.spec, EVENTS, |_| 1, |i| i);
    bench.refresh(&load);
    let next = batch(&bench.spec, 100, |_| 1, |i| step * i + if step > 0 { EVENTS } else { EVENTS / 2 });
    let start = Instant::now();
    bench.refresh(&next);
    println!("{label}: 100 events on one key with {EVENTS} events in {} µs", start.elapsed().as_micros());
}

fn main() {
    bulk("bulk, type 1, 1,000,000 keys", ScdType::Type1, false, 1_000_000);
    bulk("bulk, type 1, 10,000 keys", ScdType::Type1, false, 10_000);
    bulk("bulk, type 2, 1,000,000 keys", ScdType::Type2, false, 1_000_000);
    bulk("bulk, type 2, 10,000 keys", ScdType::Type2, false, 10_000);
    bulk("bulk, type 2, ignoring NULLs, 10,000 keys", ScdType::Type2, true, 10_000);
    for n_rows in [10_000, 1_000_000] {
        small_refreshes("refresh, type 1", ScdType::Type1, n_rows);
        small_refreshes("refresh, type 2", ScdType::Type2, n_rows);
    }
    hot_key("appending to a hot key", 1);
    hot_key("late into a hot key", -1);
}
