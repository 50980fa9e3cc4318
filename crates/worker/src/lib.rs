//! The wasm module of the engine's worker: a workspace behind calls that JavaScript can make.
//!
//! `static/js/worker-engine.mjs` is the other half. It takes what a step recorded in the log to safety before it sends
//! what the step has to say, and never calls an [`Engine`] again that has trapped.

mod cell;
mod host;
mod log;
mod options;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lakelet_protocol::{Message, PROTOCOL_VERSION, PythonCall, PythonReply, Request, Response, WireError};
use lakelet_workspace::Workspace;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::log::{LogBuffer, PendingLog};

/// Changes when a message changes meaning; the page refuses a worker of another version.
#[wasm_bindgen(js_name = protocolVersion)]
pub fn protocol_version() -> u32 {
    PROTOCOL_VERSION
}

/// One workspace.
#[wasm_bindgen]
pub struct Engine {
    workspace: Workspace,
    log: Rc<RefCell<PendingLog>>,
    read_only: Rc<Cell<bool>>,
    recovery: String,
    /// Answers to requests that the workspace never saw.
    refused: Vec<Response>,
}

#[wasm_bindgen]
impl Engine {
    /// Opens the workspace that a log holds; an empty log is a new workspace. `options` is JSON, see
    /// [`options::EngineOptions`].
    ///
    /// # Errors
    /// A sentence: the log is damaged or newer than this engine, or the options make no sense.
    #[wasm_bindgen(constructor)]
    pub fn new(log: Vec<u8>, options: &str) -> Result<Engine, JsError> {
        host::report_panics();
        let (options, restarts) = options::read(options).map_err(|message| JsError::new(&message))?;
        let pending = Rc::new(RefCell::new(PendingLog::default()));
        let read_only = Rc::new(Cell::new(false));
        let storage = LogBuffer::new(log, Rc::clone(&pending), Rc::clone(&read_only));
        let (mut workspace, report) =
            Workspace::open(Box::new(storage), options).map_err(|error| JsError::new(&error.to_string()))?;
        // The page may still hold results of the worker before: none of this one's may have their numbers.
        workspace.number_results_from(u64::from(restarts) << 32);
        let recovery = serde_json::json!({
            "length": report.n_bytes,
            "records": report.n_records,
            "torn": report.n_torn_bytes,
        });
        Ok(Engine { workspace, log: pending, read_only, recovery: recovery.to_string(), refused: Vec::new() })
    }

    /// Another tab writes the log from here on, or does not any more.
    #[wasm_bindgen(js_name = setReadOnly)]
    pub fn set_read_only(&self, read_only: bool) {
        self.read_only.set(read_only);
    }

    /// What the recovery found: `{"length", "records", "torn"}`, bytes of the log that count, records, bytes cut off.
    #[wasm_bindgen(js_name = recoveryJson)]
    pub fn recovery_json(&self) -> String {
        self.recovery.clone()
    }

    /// Takes a request (JSON). Its answer comes out of a later step, also when it cannot be read.
    pub fn submit(&mut self, request: &str) {
        match serde_json::from_str::<Request>(request) {
            Ok(request) => self.workspace.submit(request),
            Err(error) => self.refused.push(unreadable(request, &error)),
        }
    }

    /// Does a bounded piece of work.
    pub fn step(&mut self) -> StepResult {
        let outcome = self.workspace.step();
        let refused = std::mem::take(&mut self.refused).into_iter().map(Message::Response);
        StepResult {
            log: self.log.take(),
            messages: refused.chain(outcome.messages).collect(),
            run_cell: outcome.run_cell.as_ref().map(cell::to_json),
            idle: outcome.idle,
        }
    }

    /// One call from Python (JSON) while a cell runs, and its reply (JSON).
    #[wasm_bindgen(js_name = pythonCall)]
    pub fn python_call(&mut self, call: &str) -> String {
        let reply = match serde_json::from_str::<PythonCall>(call) {
            Ok(call) => self.workspace.python_call(call),
            Err(error) => PythonReply::Error {
                error: internal(&format!("The engine does not know this call: {error}.")),
                exception: "PySparkValueError".to_owned(),
            },
        };
        json(&reply)
    }

    /// What has been recorded in the log since the last step or call.
    #[wasm_bindgen(js_name = takeLog)]
    pub fn take_log(&mut self) -> PendingLog {
        self.log.take()
    }

    /// The cell that a step gave to run has ended; `outcome` is JSON, see [`cell::Outcome`].
    #[wasm_bindgen(js_name = cellFinished)]
    pub fn cell_finished(&mut self, execution: f64, outcome: &str) {
        // Numbers of executions are far below 2^53, where doubles are exact.
        self.workspace.cell_finished(execution as u64, cell::outcome_from_json(outcome));
    }

    /// For tests: panics.
    #[expect(clippy::panic, reason = "tests see what the page does about it")]
    pub fn trap(&self) {
        panic!("a test asked for a panic");
    }
}

/// What a step gave.
#[wasm_bindgen]
pub struct StepResult {
    log: PendingLog,
    messages: Vec<Message>,
    run_cell: Option<String>,
    idle: bool,
}

#[wasm_bindgen]
impl StepResult {
    /// What the step recorded in the log, to be safe before the messages go out.
    #[wasm_bindgen(js_name = takeLog)]
    pub fn take_log(&mut self) -> PendingLog {
        std::mem::take(&mut self.log)
    }

    /// Messages in order, as pairs: the id of an answered request, or `null` for an event; then the JSON text of the
    /// response or event.
    #[wasm_bindgen(js_name = takeMessages)]
    pub fn take_messages(&mut self) -> js_sys::Array {
        let messages = js_sys::Array::new();
        for message in std::mem::take(&mut self.messages) {
            let (id, text) = match &message {
                // Ids that a page counts up are far below 2^53, where doubles are exact.
                Message::Response(response) => (JsValue::from_f64(response.id as f64), json(response)),
                Message::Event(event) => (JsValue::NULL, json(event)),
            };
            messages.push(&id);
            messages.push(&text.into());
        }
        messages
    }

    /// The Python cell to run now, as JSON.
    #[wasm_bindgen(getter, js_name = runCell)]
    pub fn run_cell(&self) -> Option<String> {
        self.run_cell.clone()
    }

    /// Nothing is left to do until the next request.
    #[wasm_bindgen(getter)]
    pub fn idle(&self) -> bool {
        self.idle
    }
}

/// The answer to a request that cannot be read; its id is found if the text is JSON at all.
fn unreadable(request: &str, error: &serde_json::Error) -> Response {
    let id = serde_json::from_str::<serde_json::Value>(request)
        .ok()
        .and_then(|value| value.get("id").and_then(serde_json::Value::as_u64))
        .unwrap_or_default();
    Response { id, body: Err(internal(&format!("The engine does not know this request: {error}."))) }
}

fn internal(message: &str) -> WireError {
    WireError::new(&lakelet_base::Diagnostic::new(lakelet_base::ErrorClass::INTERNAL_ERROR, message), "")
}

/// JSON text of a protocol type.
#[expect(clippy::expect_used, reason = "protocol types have text keys only, and nothing in them fails to serialize")]
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("protocol types serialize")
}
