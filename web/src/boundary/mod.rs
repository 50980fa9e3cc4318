//! What the page asks of JavaScript: the engine's worker, storage, code editors, files beside the page.
//!
//! `static/js` provides `globalThis.lakelet` before this module starts. Nothing else in this crate names it.

pub mod dom;
pub mod editor;
pub mod engine;
pub mod files;
pub mod storage;
