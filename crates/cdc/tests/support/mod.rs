//! What the tests of this crate share: cases as JSON, a target and an events table that are kept like a store keeps
//! them, and the naive model that the crate is compared with.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

pub mod check;
pub mod flow;
pub mod json;
pub mod naive;
pub mod predicate;

use std::path::PathBuf;

use lakelet_base::Result;
use lakelet_cdc::{AutoCdcSpec, ColumnClause, ColumnSelection, ScdType};
use serde_json::Value;

/// One line of a file of cases.
pub struct Case(pub Value);

impl Case {
    /// The cases of kind `cdc` in a file, which is named from this crate's folder.
    pub fn read(file: &str) -> Vec<Self> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let cases = text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap());
        cases.map(Self).filter(|case| case.0.get("kind").is_none_or(|kind| kind == "cdc")).collect()
    }

    pub fn id(&self) -> &str {
        self.0["id"].as_str().unwrap()
    }

    /// Name and SQL type of the source's columns.
    pub fn schema(&self) -> Vec<(String, String)> {
        let pair = |pair: &Value| (pair[0].as_str().unwrap().to_owned(), pair[1].as_str().unwrap().to_owned());
        self.0["schema"].as_array().unwrap().iter().map(pair).collect()
    }

    pub fn batches(&self) -> Vec<Vec<Value>> {
        self.0["batches"].as_array().unwrap().iter().map(|batch| batch.as_array().unwrap().clone()).collect()
    }

    /// The target after each batch.
    pub fn expect(&self) -> Vec<Vec<Value>> {
        let list = |rows: &Value| rows.as_array().unwrap().clone();
        self.0
            .get("expect")
            .and_then(Value::as_array)
            .map(|states| states.iter().map(list).collect())
            .unwrap_or_default()
    }

    /// The columns of SEQUENCE BY, and whether they form a struct.
    pub fn sequence(&self) -> Option<(Vec<String>, bool)> {
        match &self.0["sequence_by"] {
            Value::String(name) => Some((vec![name.clone()], false)),
            list @ Value::Array(_) => Some((names(list).unwrap(), true)),
            _ => None,
        }
    }

    pub fn condition(&self, clause: &str) -> Option<&str> {
        self.0.get(clause).and_then(Value::as_str)
    }

    /// The definition as the statement's parser would hand it over.
    pub fn spec(&self) -> Result<AutoCdcSpec> {
        let case = &self.0;
        let except = names(&case["except"]).filter(|names| !names.is_empty());
        let ignore = match &case["ignore_null_updates"] {
            Value::Bool(true) => Some(ColumnSelection::all()),
            lists @ Value::Object(_) => selection(ColumnClause::IgnoreNullUpdates, lists)?,
            _ => None,
        };
        Ok(AutoCdcSpec {
            keys: names(&case["keys"]).unwrap_or_default(),
            sequence_by: self.sequence().map(|(columns, _)| columns.join(", ")),
            scd_type: match case.get("type").filter(|number| !number.is_null()) {
                Some(number) => ScdType::from_number(&number.to_string())?,
                None => ScdType::default(),
            },
            columns: ColumnSelection::from_lists(ColumnClause::Columns, names(&case["columns"]), except)?,
            track_history_on: selection(ColumnClause::TrackHistory, &case["track_history"])?,
            ignore_null_updates: ignore,
            has_truncate: self.condition("truncate_when").is_some(),
        })
    }
}

fn names(list: &Value) -> Option<Vec<String>> {
    Some(list.as_array()?.iter().map(|name| name.as_str().unwrap().to_owned()).collect())
}

fn selection(clause: ColumnClause, lists: &Value) -> Result<Option<ColumnSelection>> {
    ColumnSelection::from_lists(clause, names(&lists["on"]), names(&lists["except"]))
}

/// A small deterministic generator for dealing events differently.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}

/// The events of several batches, dealt into other batches in another order.
pub fn deal(batches: &[Vec<Value>], seed: u64) -> Vec<Vec<Value>> {
    let mut dice = Dice(seed);
    let mut events: Vec<Value> = batches.concat();
    match seed % 3 {
        0 => events.reverse(),
        _ => dice.shuffle(&mut events),
    }
    let size = match seed % 4 {
        0 => 1,
        1 => events.len().max(1),
        _ => 1 + dice.below(events.len().max(1)),
    };
    events.chunks(size).map(<[Value]>::to_vec).collect()
}
