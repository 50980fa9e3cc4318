//! Talking to the engine's worker.
//!
//! [`send`] and the typed calls in [`calls`] are the way for every screen; answers are pages of text and views, never
//! table data. Events go through `state`, which keeps what several screens share.

pub mod calls;
mod status;

use std::cell::Cell;

use lakelet_protocol::{Request, RequestBody, Response, ResponseBody, WireError};
use wasm_bindgen_futures::JsFuture;

pub use status::{EngineStatus, Phase, PythonPhase};

use crate::boundary;

/// The condition of an answer that could not be had because the engine is down.
pub const ENGINE_DOWN: &str = "ENGINE_DOWN";

/// What a request gives.
pub type Answer<T> = Result<T, WireError>;

/// Sends a request and waits for its answer. Requests made before the engine is ready wait for it.
///
/// # Errors
/// What the engine answers, or [`ENGINE_DOWN`] when it stopped before it could.
pub async fn send(body: RequestBody) -> Answer<ResponseBody> {
    thread_local! {
        static NEXT_ID: Cell<u64> = const { Cell::new(1) };
    }
    let id = NEXT_ID.with(|next| next.replace(next.get() + 1));
    let request = serde_json::to_string(&Request { id, body }).map_err(|error| down(&error.to_string()))?;
    let answer = JsFuture::from(boundary::engine::request(&request)).await;
    let text = answer.ok().and_then(|answer| answer.as_string()).ok_or_else(|| down("It gave no answer."))?;
    let response: Response = serde_json::from_str(&text).map_err(|error| down(&error.to_string()))?;
    response.body
}

/// An error of the page itself about the engine.
fn down(message: &str) -> WireError {
    WireError {
        condition: ENGINE_DOWN.to_owned(),
        sqlstate: "58000".to_owned(),
        message: message.to_owned(),
        hint: None,
        line: None,
        column: None,
        start: None,
        end: None,
        suggestions: Vec::new(),
    }
}
