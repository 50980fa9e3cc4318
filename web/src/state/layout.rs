//! Sizes of panels, open panels, theme: what a reader arranges.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::boundary::dom;
use crate::state::draft;

const DRAFT: &str = "layout";

/// Colors of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// What the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// All themes.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The word in an address and in a form.
    pub fn key(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of a word.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.key() == key)
    }
}

/// A panel with a size of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    /// The catalog, left.
    Catalog,
    /// The lesson, right.
    Lesson,
    /// The code editor above its results.
    Editor,
}

impl Panel {
    /// Smallest and largest size in pixels.
    pub fn bounds(self) -> (f64, f64) {
        match self {
            Self::Catalog => (160.0, 480.0),
            Self::Lesson => (260.0, 640.0),
            Self::Editor => (120.0, 900.0),
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    theme: Theme,
    catalog_width: f64,
    lesson_width: f64,
    editor_height: f64,
}

impl Default for Kept {
    fn default() -> Self {
        Self { theme: Theme::System, catalog_width: 256.0, lesson_width: 344.0, editor_height: 248.0 }
    }
}

/// What a reader arranges. Kept in this browser.
#[derive(Clone, Copy)]
pub struct Layout {
    kept: RwSignal<Kept>,
    /// The lesson panel is open.
    pub lesson_open: RwSignal<bool>,
    /// On small screens only the head and foot of the lesson are shown.
    pub lesson_folded: RwSignal<bool>,
}

impl Layout {
    /// As it was left.
    pub fn restore() -> Self {
        Self {
            kept: RwSignal::new(draft::load(DRAFT)),
            lesson_open: RwSignal::new(true),
            lesson_folded: RwSignal::new(false),
        }
    }

    /// The theme. Reactive.
    pub fn theme(self) -> Theme {
        self.kept.with(|kept| kept.theme)
    }

    /// Changes the theme.
    pub fn set_theme(self, theme: Theme) {
        self.kept.update(|kept| kept.theme = theme);
        self.save();
    }

    /// A panel's size in pixels. Reactive.
    pub fn size(self, panel: Panel) -> f64 {
        self.kept.with(|kept| match panel {
            Panel::Catalog => kept.catalog_width,
            Panel::Lesson => kept.lesson_width,
            Panel::Editor => kept.editor_height,
        })
    }

    /// Changes a panel's size, within its bounds.
    pub fn resize(self, panel: Panel, size: f64) {
        let (min, max) = panel.bounds();
        let size = size.clamp(min, max);
        self.kept.update(|kept| match panel {
            Panel::Catalog => kept.catalog_width = size,
            Panel::Lesson => kept.lesson_width = size,
            Panel::Editor => kept.editor_height = size,
        });
        self.save();
    }

    fn save(self) {
        self.kept.with_untracked(|kept| draft::save(DRAFT, kept));
    }
}

/// Puts the theme on the root element: a class that styles read. `system` has none.
pub fn show_theme(theme: Theme) {
    let Some(root) = dom::root() else { return };
    let classes = root.class_list();
    for other in [Theme::Light, Theme::Dark] {
        let _ = classes.toggle_with_force(&format!("theme-{}", other.key()), other == theme);
    }
}
