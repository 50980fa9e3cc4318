// The few messages of the protocol that this side makes itself. `crates/protocol` has their definition.

/** An answer that says why a request has none. */
export function failure(id, condition, sqlstate, message, hint = null) {
  const error = {
    condition,
    sqlstate,
    message,
    hint,
    line: null,
    column: null,
    start: null,
    end: null,
    suggestions: [],
  };
  return JSON.stringify({ id, body: { Err: error } });
}

/** The engine is not there, or ended before it had answered. */
export function engineDown(id, message, hint = null) {
  return failure(id, "ENGINE_DOWN", "58000", message, hint);
}

/** The reader stopped what the request had started. */
export function canceled(id) {
  return failure(id, "OPERATION_CANCELED", "HY008", "Stopped. What it had not finished was undone.");
}
