//! Texts of notebooks.

use crate::messages::texts;

texts! {
    /// Notebooks.
    NotebookTexts, NOTEBOOK {
        title: "Notebooks",
        none: "The project has no notebook.",
    }
}
