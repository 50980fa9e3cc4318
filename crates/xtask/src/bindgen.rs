//! Turns a compiled wasm module into one that a page can load.
fn main() {}
