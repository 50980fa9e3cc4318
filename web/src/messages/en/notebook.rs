//! Texts of notebooks.

use crate::messages::texts;

texts! {
    /// Notebooks.
    NotebookTexts, NOTEBOOK {
        title: "Notebooks",
        none: "The project has no notebook.",
        new: "New notebook",
        create: "Create notebook",
        will_be: "It will be the file {path}.",
        exists: "{path} is there already and will be opened.",
        run: "Run notebook",
        stop: "Stop",
        state: "Notebook status",
        running: "Running",
        python_loading: "Loading Python",
        python_downloading: "Loading Python: {done} of {total}",
        python_starting: "Starting Python",
        saved: "Saved",
        saving: "Saving …",
        used_by: "Used by: {users}",
        widgets: "Widgets",
        origin_default: "default",
        origin_job: "passed by job",
        origin_run: "passed by run",
        origin_changed: "changed here",
        choices: "Choices:",
        cell: "Cell {n}",
        cell_named: "Cell {n}, {kind}",
        cell_type: "Language of the cell",
        run_cell: "Run cell",
        order: "Order in which cells were run",
        edited: "edited since run",
        move_up: "Move up",
        move_down: "Move down",
        delete_cell: "Delete cell",
        edit: "Edit text",
        done: "Show text",
        add_cell: "Add a cell",
        add_kind: "{kind} cell",
        displayed: "Displayed table",
        rows_cut: "The first {shown} of {all} rows are shown.",
    }
}
