//! `lakelet.engine`: requests to the worker and news from it.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Sends a request (JSON); resolves to the response (JSON) and never rejects.
    #[wasm_bindgen(js_namespace = ["lakelet", "engine"], js_name = request)]
    pub fn request(json: &str) -> js_sys::Promise;

    /// Calls `listener` with the JSON text of every event.
    #[wasm_bindgen(js_namespace = ["lakelet", "engine"], js_name = onEvent)]
    pub fn on_event(listener: &Closure<dyn FnMut(String)>);

    /// Calls `listener` with the JSON text of every status, the present one included.
    #[wasm_bindgen(js_namespace = ["lakelet", "engine"], js_name = onStatus)]
    pub fn on_status(listener: &Closure<dyn FnMut(String)>);

    /// Begins to download and compile the engine; `options` is the JSON its constructor takes.
    #[wasm_bindgen(js_namespace = ["lakelet", "engine"], js_name = start)]
    pub fn start(options: &str);

    /// Tries again after a failed start.
    #[wasm_bindgen(js_namespace = ["lakelet", "engine"], js_name = retry)]
    pub fn retry();

    /// Stops whatever runs: asks the worker first, and ends it when it does not answer in time.
    #[wasm_bindgen(js_namespace = ["lakelet", "engine"], js_name = cancel)]
    pub fn cancel();

    /// Takes the workspace over from the tab that has it.
    #[wasm_bindgen(js_namespace = ["lakelet", "engine"], js_name = takeOver)]
    pub fn take_over();
}
