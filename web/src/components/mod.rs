//! Pieces that every screen is put together from. None of them asks the engine for anything but pages of rows.

pub mod chip;
pub mod code_editor;
pub mod dialog;
pub mod error_card;
pub mod graph;
pub mod grid;
pub mod icon;
pub mod loading;
pub mod problems;
pub mod snippet;
pub mod splitter;
pub mod switch;
pub mod tab_list;
pub mod text;

pub use chip::{Chip, RunStateChip, Tone};
pub use code_editor::{CodeEditor, EditorControl};
pub use dialog::Dialog;
pub use error_card::Failure;
pub use graph::{GraphCanvas, PlacedNode};
pub use grid::Grid;
pub use loading::{asked, loaded};
pub use problems::{Problem, Problems};
pub use splitter::Splitter;
pub use switch::Switch;
pub use tab_list::{TabList, TabPanel};
