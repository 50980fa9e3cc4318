//! Rows of a grid: all at hand, or fetched from the worker page by page as they come into view.

use std::collections::BTreeMap;
use std::ops::Range;

use std::sync::Arc;

use lakelet_protocol::{CellText, WireError};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::engine::calls;

/// Rows of one request.
pub const PAGE_ROWS: u64 = 200;
/// Pages kept; more are forgotten, those furthest from the view first.
const PAGES_MAX: usize = 60;
/// A view that moves on within this time is not fetched.
const SETTLE_MS: u64 = 30;

/// Where rows come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GridRows {
    /// From a result in the worker, by its handle.
    Result(u64),
    /// They are at hand.
    Ready(Arc<Vec<Vec<CellText>>>),
}

/// The rows that are here.
#[derive(Clone, Copy)]
pub struct Pages {
    rows: StoredValue<GridRows>,
    pages: RwSignal<BTreeMap<u64, Arc<Vec<Vec<CellText>>>>>,
    /// Why the last page could not be had.
    pub error: RwSignal<Option<WireError>>,
    wanted: StoredValue<Range<u64>>,
    fetching: StoredValue<bool>,
}

impl Pages {
    /// No rows yet.
    pub fn new(rows: GridRows) -> Self {
        Self {
            rows: StoredValue::new(rows),
            pages: RwSignal::default(),
            error: RwSignal::default(),
            wanted: StoredValue::new(0..0),
            fetching: StoredValue::new(false),
        }
    }

    /// A row, once it is here. Reactive.
    pub fn row(self, row: u64) -> Option<Vec<CellText>> {
        let ready = self.rows.with_value(|rows| match rows {
            GridRows::Ready(rows) => Some(rows.get(row as usize).cloned()),
            GridRows::Result(_) => None,
        });
        ready.unwrap_or_else(|| {
            self.pages.with(|pages| pages.get(&(row / PAGE_ROWS))?.get((row % PAGE_ROWS) as usize).cloned())
        })
    }

    /// The first rows that are here, for measuring. Reactive.
    pub fn sample(self) -> Option<Arc<Vec<Vec<CellText>>>> {
        let ready = self.rows.with_value(|rows| match rows {
            GridRows::Ready(rows) => Some(Arc::clone(rows)),
            GridRows::Result(_) => None,
        });
        ready.or_else(|| self.pages.with(|pages| pages.get(&0).cloned()))
    }

    /// Sees to it that rows come here, unless the view moves on at once.
    pub fn want(self, rows: Range<u64>) {
        let GridRows::Result(result) = self.rows.get_value() else { return };
        self.wanted.set_value(rows);
        if self.fetching.get_value() || self.missing().is_none() {
            return;
        }
        self.fetching.set_value(true);
        let first = self.pages.with_untracked(BTreeMap::is_empty);
        let fetch = move || spawn_local(async move { self.fetch(result).await });
        if first {
            fetch();
        } else {
            set_timeout(fetch, std::time::Duration::from_millis(SETTLE_MS));
        }
    }

    /// The first wanted page that is not here.
    fn missing(self) -> Option<u64> {
        let wanted = self.wanted.try_get_value()?;
        if wanted.is_empty() {
            return None;
        }
        let mut pages = wanted.start / PAGE_ROWS..=(wanted.end - 1) / PAGE_ROWS;
        self.pages.try_with_untracked(|known| pages.find(|page| !known.contains_key(page)))?
    }

    async fn fetch(self, result: u64) {
        while let Some(page) = self.missing() {
            match calls::fetch_page(result, page * PAGE_ROWS, PAGE_ROWS as u32).await {
                Ok(answer) => {
                    let _ = self.pages.try_update(|pages| {
                        if pages.len() >= PAGES_MAX
                            && let Some(furthest) = pages.keys().copied().max_by_key(|known| known.abs_diff(page))
                        {
                            pages.remove(&furthest);
                        }
                        pages.insert(page, Arc::new(answer.rows));
                    });
                }
                Err(error) => {
                    let _ = self.error.try_set(Some(error));
                    break;
                }
            }
        }
        let _ = self.fetching.try_set_value(false);
    }
}
