// The engine's loop inside the worker: takes requests, does a bounded piece of work at a time, posts what came of it.
//
// Between two pieces the worker takes one turn of a message channel, so that a cancel is heard. What a piece recorded
// in the log goes to the page and to the disk before anything that was made of it is told.

/**
 * Runs an engine.
 *
 * @param engine the wasm module's `Engine`
 * @param log an open `WorkerLog`
 * @param post sends a message to the page, `(message, transfer)`
 * @param runCell runs a Python cell, `(cell, callEngine) => Promise<outcome>`
 * @param panicText gives what the engine said when it panicked
 * @param turn the channel whose turns are taken
 */
export class EngineLoop {
  #engine;
  #log;
  #post;
  #runCell;
  #panicText;
  #turn;
  #scheduled = false;
  #busy = false;
  #dead = false;

  constructor({ engine, log, post, runCell, panicText, turn = new MessageChannel() }) {
    this.#engine = engine;
    this.#log = log;
    this.#post = post;
    this.#runCell = runCell;
    this.#panicText = panicText;
    this.#turn = turn;
    this.#turn.port1.onmessage = () => {
      this.#scheduled = false;
      this.#step();
    };
  }

  /** Hands a request to the engine. */
  submit(json) {
    this.#guard(() => this.#engine.submit(json));
    this.#schedule();
  }

  /** For tests: has the engine panic. */
  trap() {
    this.#guard(() => this.#engine.trap());
  }

  /** Posts and stores what the engine has recorded and nobody has taken yet. */
  saveLog() {
    this.#save(this.#guard(() => taken(this.#engine.takeLog())));
  }

  #schedule() {
    if (this.#scheduled || this.#busy || this.#dead) return;
    this.#scheduled = true;
    this.#turn.port2.postMessage(null);
  }

  #step() {
    if (this.#dead || this.#busy) return;
    const result = this.#guard(() => {
      const step = this.#engine.step();
      const { runCell, idle } = step;
      const parts = { log: taken(step.takeLog()), messages: step.takeMessages(), runCell, idle };
      step.free();
      return parts;
    });
    if (result === undefined) return;
    this.#save(result.log);
    if (result.messages.length > 0) this.#post({ kind: "messages", list: result.messages });
    if (result.runCell !== undefined) this.#run(JSON.parse(result.runCell));
    else if (!result.idle) this.#schedule();
  }

  async #run(cell) {
    this.#busy = true;
    let outcome;
    try {
      outcome = await this.#runCell(cell, (json) => this.#call(json));
    } catch (error) {
      // Python itself broke, not the cell. It cannot be started twice in one worker.
      this.#die(`Python stopped: ${error?.message ?? error}`);
      return;
    }
    this.#busy = false;
    this.#guard(() => this.#engine.cellFinished(cell.execution, JSON.stringify(outcome)));
    this.#schedule();
  }

  /** A call from Python: no frame of the engine is on the stack, and what it committed is safe when it returns. */
  #call(json) {
    const reply = this.#guard(() => this.#engine.pythonCall(json));
    if (reply === undefined) throw new Error("The engine has stopped.");
    this.saveLog();
    return reply;
  }

  #save(log) {
    if (log === undefined) return;
    if (log.emptied) this.#store({ kind: "emptied" }, [], () => this.#log.empty());
    const { records } = log;
    if (records.byteLength === 0) return;
    const copy = records.slice();
    this.#store({ kind: "records", bytes: copy }, [copy.buffer], () => this.#log.append(records));
  }

  /** The page hears of it first: from then on it cannot be lost. */
  #store(message, transfer, write) {
    this.#post(message, transfer);
    try {
      const end = write();
      if (end !== null) this.#post({ kind: "flushed", end });
    } catch (error) {
      this.#post({ kind: "not_stored", reason: error.message });
    }
  }

  // After a trap the instance is in no defined state and is never called again; the page starts the next one.
  #guard(call) {
    if (this.#dead) return undefined;
    try {
      return call();
    } catch (error) {
      this.#die(this.#panicText() ?? describe(error));
      return undefined;
    }
  }

  #die(message) {
    if (this.#dead) return;
    this.#dead = true;
    this.#post({ kind: "fatal", message });
  }
}

function describe(error) {
  if (error instanceof RangeError) return "It ran out of stack.";
  return error?.message ?? String(error);
}

/** What a `PendingLog` of the engine holds; it is freed. */
function taken(log) {
  const parts = { emptied: log.emptied, records: log.takeRecords() };
  log.free();
  return parts;
}
