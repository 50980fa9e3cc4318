//! Which rows of a long grid are in view, and where they are drawn.
//!
//! Browsers cap the height of an element (some at about 17 million pixels), so a grid of a million rows cannot be as
//! tall as its rows. Above [`HEIGHT_MAX`] the scroll position means a share of the way instead of a distance; rows
//! keep their height and are drawn around the scroll position.

use std::ops::Range;

/// The tallest scrolled content in pixels.
pub const HEIGHT_MAX: f64 = 8_000_000.0;

/// Rows drawn above and below those in view.
const MARGIN: u64 = 4;

/// The geometry of a grid's rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowWindow {
    /// All rows.
    pub n_rows: u64,
    /// Pixels of one row.
    pub row_height: f64,
    /// Pixels of rows that can be seen at a time.
    pub viewport: f64,
}

impl RowWindow {
    /// Pixels that all rows would take.
    fn rows_height(self) -> f64 {
        self.n_rows as f64 * self.row_height
    }

    /// Pixels of the scrolled content.
    pub fn height(self) -> f64 {
        self.rows_height().min(HEIGHT_MAX)
    }

    /// Pixels between the first row and the top of the view, at a scroll position.
    fn offset(self, scroll_top: f64) -> f64 {
        let (scrolled, real) = (self.height() - self.viewport, self.rows_height() - self.viewport);
        if scrolled <= 0.0 {
            return 0.0;
        }
        scroll_top.clamp(0.0, scrolled) * (real / scrolled)
    }

    /// The rows to draw at a scroll position.
    pub fn rows(self, scroll_top: f64) -> Range<u64> {
        let first = (self.offset(scroll_top) / self.row_height) as u64;
        let n_seen = (self.viewport / self.row_height).ceil() as u64 + 1;
        first.saturating_sub(MARGIN)..first.saturating_add(n_seen + MARGIN).min(self.n_rows)
    }

    /// Where a row is drawn within the scrolled content at a scroll position.
    pub fn top(self, row: u64, scroll_top: f64) -> f64 {
        scroll_top + (row as f64 * self.row_height - self.offset(scroll_top))
    }

    /// The scroll position nearest to the present one at which a row is wholly in view.
    pub fn scroll_to(self, row: u64, scroll_top: f64) -> f64 {
        let offset = self.offset(scroll_top);
        let row_top = row as f64 * self.row_height;
        let wanted = offset.min(row_top).max(row_top + self.row_height - self.viewport);
        if (wanted - offset).abs() < 0.5 {
            return scroll_top;
        }
        let (scrolled, real) = (self.height() - self.viewport, self.rows_height() - self.viewport);
        if real <= 0.0 { 0.0 } else { (wanted * (scrolled / real)).clamp(0.0, scrolled.max(0.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: RowWindow = RowWindow { n_rows: 100, row_height: 28.0, viewport: 280.0 };
    const HUGE: RowWindow = RowWindow { n_rows: 5_000_000, row_height: 28.0, viewport: 280.0 };

    #[test]
    fn few_rows_are_drawn() {
        assert_eq!(SMALL.rows(0.0), 0..15);
        assert_eq!(SMALL.rows(280.0), 6..25);
        assert_eq!(SMALL.rows(1e9).end, 100);
        assert!(HUGE.rows(4e6).count() < 30);
        let short = RowWindow { n_rows: 3, ..SMALL };
        assert_eq!(short.rows(0.0), 0..3);
        assert_eq!(RowWindow { n_rows: 0, ..SMALL }.rows(0.0), 0..0);
    }

    #[test]
    fn a_small_grid_scrolls_by_pixels() {
        assert_eq!(SMALL.height(), 2_800.0);
        assert_eq!(SMALL.top(10, 140.0), 280.0);
    }

    #[test]
    fn the_ends_of_a_huge_grid_can_be_reached() {
        assert_eq!(HUGE.height(), HEIGHT_MAX);
        let bottom = HUGE.scroll_to(HUGE.n_rows - 1, 0.0);
        assert!((bottom - (HEIGHT_MAX - HUGE.viewport)).abs() < 1.0);
        let rows = HUGE.rows(bottom);
        assert_eq!(rows.end, HUGE.n_rows);
        // The last row ends where the content ends.
        let end = HUGE.top(HUGE.n_rows - 1, bottom) + HUGE.row_height;
        assert!((end - HEIGHT_MAX).abs() < 1.0, "{end}");
        assert_eq!(HUGE.scroll_to(0, bottom), 0.0);
    }

    #[test]
    fn scrolling_to_a_row_in_view_moves_nothing() {
        let scroll_top = 2_000_000.0;
        let row = HUGE.rows(scroll_top).start + 6;
        assert_eq!(HUGE.scroll_to(row, scroll_top), scroll_top);
        let next = HUGE.scroll_to(row + 20, scroll_top);
        let top = HUGE.top(row + 20, next) - next;
        assert!((0.0..=HUGE.viewport - HUGE.row_height + 1.0).contains(&top), "{top}");
    }
}
