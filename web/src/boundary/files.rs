//! Files beside the page: projects and lessons.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A file that is being fetched. Several can be under way at a time: create them all, then await them.
pub struct Fetching {
    path: String,
    response: Option<JsFuture>,
}

/// Begins to fetch a file; `path` is relative to the page.
pub fn fetch(path: &str) -> Fetching {
    let response = web_sys::window().map(|window| JsFuture::from(window.fetch_with_str(path)));
    Fetching { path: path.to_owned(), response }
}

impl Fetching {
    /// Its text.
    ///
    /// # Errors
    /// A sentence that names the file when it cannot be had.
    pub async fn text(self) -> Result<String, String> {
        let Self { path, response } = self;
        let failed = |reason: String| format!("{path}: {reason}");
        let response = response.ok_or_else(|| failed("there is no window".to_owned()))?;
        let response = response.await.map_err(|error| failed(reason(&error)))?;
        let response: web_sys::Response = response.unchecked_into();
        if !response.ok() {
            return Err(failed(format!("HTTP {}", response.status())));
        }
        let text = response.text().map_err(|error| failed(reason(&error)))?;
        let text = JsFuture::from(text).await.map_err(|error| failed(reason(&error)))?;
        text.as_string().ok_or_else(|| failed("it is no text".to_owned()))
    }
}

fn reason(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| String::from(error.message()))
}
