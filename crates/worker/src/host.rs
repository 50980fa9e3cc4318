//! What the worker gives: time, and an ear for panics.

use std::sync::Once;

use lakelet_base::Timestamp;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Told the reason before a panic ends the instance; `static/js/lakelet-worker.entry.mjs` defines it.
    #[wasm_bindgen(js_name = lakeletPanicked)]
    fn panicked(message: &str);

    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
}

/// System time.
pub fn system_time() -> Timestamp {
    // Milliseconds since 1970 as a double: exact far beyond every calendar.
    Timestamp::from_millis(js_sys::Date::now() as i64)
}

/// Milliseconds that only grow.
pub fn measured_ms() -> f64 {
    performance_now()
}

/// From now on JavaScript learns why a panic ended the instance: the trap itself says nothing.
pub fn report_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(|info| panicked(&info.to_string()))));
}
