//! Geometry of histories along an axis of sequence values.
//!
//! Values may be instants, integers or anything else that has an order; the axis gives each distinct one the same
//! room. Positions are percent of the width.

use lakelet_protocol::{HistoryVersion, VersionsView};

/// Room behind the last value, in which open versions end, in steps of the axis.
const TAIL: f64 = 1.0;

/// Labels along an axis, at most.
const LABELS_MAX: u32 = 5;
/// Room for a character of a label and between two labels, in percent of the narrowest axis.
const CHARACTER: f64 = 1.5;
const GAP: f64 = 1.5;

/// A label of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// Number of its value.
    pub index: u32,
    /// It stands before its value: behind it there is no room.
    pub is_before: bool,
}

/// An axis of so many distinct values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    n_values: u32,
}

/// Where a bar begins and how wide it is, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Left edge.
    pub left: f64,
    /// Width.
    pub width: f64,
}

impl Axis {
    /// The axis of a view.
    pub fn new(n_values: usize) -> Self {
        Self { n_values: u32::try_from(n_values).unwrap_or(u32::MAX) }
    }

    /// Where the value with this number stands.
    pub fn position(self, index: u32) -> f64 {
        let steps = f64::from(self.n_values.saturating_sub(1)) + TAIL;
        (f64::from(index) / steps * 100.0).clamp(0.0, 100.0)
    }

    /// The bar of a version; an open one reaches the right edge.
    pub fn span(self, version: &HistoryVersion) -> Span {
        let left = self.position(version.start_index);
        let right = version.end_index.map_or(100.0, |end| self.position(end));
        Span { left, width: (right - left).max(0.0) }
    }

    /// The values that get a label, with texts of at most so many characters: none runs into another or over the edge.
    pub fn labels(self, n_characters: usize) -> Vec<Label> {
        let width = f64::from(u32::try_from(n_characters).unwrap_or(u32::MAX)) * CHARACTER + GAP;
        let mut labels: Vec<Label> = self
            .numbers((100.0 / width).clamp(2.0, f64::from(LABELS_MAX)) as u32)
            .into_iter()
            .map(|index| Label { index, is_before: false })
            .collect();
        if labels.len() > 1
            && let Some(mut last) = labels.pop()
        {
            let position = self.position(last.index);
            last.is_before = position + width > 100.0;
            let free_to = if last.is_before { position - width } else { position };
            labels.retain(|label| label.index == 0 || self.position(label.index) + width <= free_to);
            labels.push(last);
        }
        labels
    }

    /// Numbers of the values that get a label when there is room for so many: the first, the last, and some between at
    /// equal distances.
    fn numbers(self, room_for: u32) -> Vec<u32> {
        let Some(last) = self.n_values.checked_sub(1) else { return Vec::new() };
        let step = last.div_ceil(room_for.max(2) - 1).max(1);
        let mut labels: Vec<u32> = (0..=last).step_by(step as usize).collect();
        if labels.last() != Some(&last) {
            // The one before the last would stand too near to it.
            if labels.len() > 1 && labels.last().is_some_and(|near| last - near < step) {
                labels.pop();
            }
            labels.push(last);
        }
        labels
    }
}

/// Whether a version was valid at the axis' value with this number: from its start up to, not including, its end.
pub fn valid_at(version: &HistoryVersion, index: u32) -> bool {
    version.start_index <= index && version.end_index.is_none_or(|end| index < end)
}

/// How many versions were valid at a value.
pub fn n_valid_at(view: &VersionsView, index: u32) -> u64 {
    view.histories.iter().flat_map(|history| &history.versions).filter(|version| valid_at(version, index)).count()
        as u64
}

/// What all values begin with, up to and including a blank or `T` (the day of instants of one day): it is said once, and
/// the labels are what follows. Empty when there is no such part.
pub fn common_start(axis: &[String]) -> &str {
    let Some((first, rest)) = axis.split_first() else { return "" };
    let shared = rest.iter().fold(first.len(), |shared, value| {
        let equal = first.bytes().zip(value.bytes()).take_while(|(a, b)| a == b).count();
        shared.min(equal)
    });
    let start = first.get(..shared).unwrap_or_default();
    // Whole values must not vanish.
    let end = start.trim_end_matches(|c: char| c != ' ' && c != 'T').len();
    if end < first.len() { start.get(..end).unwrap_or_default() } else { "" }
}

/// The number of the last axis value that is not behind `value`; `None` when all are. Numbers compare as numbers, other
/// texts as texts, which orders instants written alike.
pub fn index_at(axis: &[String], value: &str) -> Option<u32> {
    let value = value.trim();
    let not_behind = |known: &String| match (known.parse::<f64>(), value.parse::<f64>()) {
        (Ok(known), Ok(value)) => known <= value,
        _ => known.as_str() <= value || known.starts_with(value),
    };
    let n_not_behind = axis.iter().take_while(|known| not_behind(known)).count();
    u32::try_from(n_not_behind.checked_sub(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(start_index: u32, end_index: Option<u32>) -> HistoryVersion {
        HistoryVersion {
            id: format!("1#{start_index}"),
            start: String::new(),
            end: None,
            start_index,
            end_index,
            values: Vec::new(),
            label: String::new(),
        }
    }

    #[test]
    fn bars_lie_end_to_end_and_open_ones_reach_the_edge() {
        let axis = Axis::new(4);
        assert_eq!(axis.position(0), 0.0);
        assert_eq!(axis.position(2), 50.0);
        assert_eq!(axis.span(&version(0, Some(2))), Span { left: 0.0, width: 50.0 });
        assert_eq!(axis.span(&version(2, None)), Span { left: 50.0, width: 50.0 });
        // Even a version that begins at the last value has room.
        assert_eq!(axis.span(&version(3, None)).width, 25.0);
        assert_eq!(Axis::new(1).span(&version(0, None)), Span { left: 0.0, width: 100.0 });
    }

    #[test]
    fn labels_keep_their_distance() {
        assert_eq!(Axis::new(0).numbers(5), [0; 0]);
        assert_eq!(Axis::new(1).numbers(5), [0]);
        assert_eq!(Axis::new(5).numbers(5), [0, 1, 2, 3, 4]);
        assert_eq!(Axis::new(11).numbers(5), [0, 3, 6, 10]);
        assert!(Axis::new(5_000).numbers(8).len() <= 8);
    }

    #[test]
    fn no_label_runs_over_the_edge_or_into_another() {
        let labels = |n_values, n_characters| {
            let labels = Axis::new(n_values).labels(n_characters);
            labels.into_iter().map(|label| (label.index, label.is_before)).collect::<Vec<_>>()
        };
        assert_eq!(labels(0, 4), []);
        assert_eq!(labels(1, 23), [(0, false)]);
        assert_eq!(labels(4, 2), [(0, false), (1, false), (2, false), (3, false)]);
        // Whole instants, of several days.
        assert_eq!(labels(9, 23), [(0, false), (8, true)]);
        for n_characters in 1..30 {
            let axis = Axis::new(9);
            let width = n_characters as f64 * CHARACTER;
            let mut free = 0.0;
            for label in axis.labels(n_characters) {
                let position = axis.position(label.index);
                let (left, right) =
                    if label.is_before { (position - width, position) } else { (position, position + width) };
                assert!(left >= free && right <= 100.0, "{n_characters} characters: {label:?}");
                free = right;
            }
        }
    }

    #[test]
    fn a_version_ends_just_before_its_end() {
        let bar = version(1, Some(3));
        assert_eq!([0, 1, 2, 3].map(|index| valid_at(&bar, index)), [false, true, true, false]);
        assert!(valid_at(&version(1, None), 99));
    }

    #[test]
    fn a_shared_day_is_said_once() {
        let axis = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        assert_eq!(common_start(&axis(&["2026-03-02 09:00:00.001", "2026-03-02 09:00:00.003"])), "2026-03-02 ");
        assert_eq!(common_start(&axis(&["2026-03-02 09:00", "2026-03-03 09:00"])), "");
        assert_eq!(common_start(&axis(&["10", "11"])), "");
        assert_eq!(common_start(&[]), "");
    }

    #[test]
    fn values_find_their_place_on_the_axis() {
        let numbers = ["2", "10", "30"].map(str::to_owned);
        assert_eq!(index_at(&numbers, "9"), Some(0));
        assert_eq!(index_at(&numbers, "10"), Some(1));
        assert_eq!(index_at(&numbers, "1"), None);
        let instants = ["2026-03-02 09:00:00.001", "2026-03-02 09:00:00.005"].map(str::to_owned);
        assert_eq!(index_at(&instants, "2026-03-02 09:00:00.003"), Some(0));
        assert_eq!(index_at(&instants, "2026-03-02 09:00:00.005"), Some(1));
        // A day means its whole length.
        assert_eq!(index_at(&instants, "2026-03-02"), Some(1));
        assert_eq!(index_at(&[], "x"), None);
    }
}
