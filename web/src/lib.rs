//! The page: the user interface, a small module that paints before the engine is there.
//!
//! It runs in the browser only and never reads table data; it asks the engine's worker for pages of formatted rows and
//! views (`lakelet-protocol`). What touches the browser is in `boundary`, what several screens share in `state`, what
//! they are put together from in `components`. Modules without a document (addresses, texts, geometry) are tested
//! natively.

mod app;
mod boundary;
mod components;
mod data;
mod engine;
mod flow;
mod frame;
mod home;
mod jobs;
mod learn;
mod messages;
mod names;
mod notebook;
mod route;
mod settings;
mod sql;
mod state;

use wasm_bindgen::prelude::wasm_bindgen;

/// Puts the page into the document. Called by the module's glue when it is loaded.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
    app::mount();
}
