//! Texts of jobs and runs.

use crate::messages::texts;

texts! {
    /// Jobs and runs.
    JobTexts, JOBS {
        title: "Jobs",
        none: "No job yet.",
    }
}
