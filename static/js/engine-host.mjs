// The page's side of the engine: starts its worker, numbers nothing and understands little of what passes through, and
// replaces the worker when it traps, hangs or is stopped.
//
// One worker at a time. A worker that trapped is never called again: it is ended, and the next one gets the compiled
// module, so that nothing is compiled twice, and the log.

import { canceled, engineDown } from "./wire.mjs";

/** A cancel that is not answered within this time ends the worker. */
const CANCEL_DEADLINE_MS = 800;

/** So many workers in a row that do not even recover mean that another one will not either. */
const FAILED_STARTS_MAX = 3;

/** Ids of the host's own requests; far above those that a page counts up. */
const FIRST_OWN_ID = 2 ** 52;

/**
 * The engine of one page.
 *
 * @param log a `WorkspaceLog`
 * @param loadEngine `(progress) => Promise<{ module, workerSource }>`
 * @param startWorker `(workerSource) => Worker`
 * @param base address of the folder that the worker loads Python from
 * @param test whether the worker obeys `lakeletTest`
 */
export class EngineHost {
  #log;
  #loadEngine;
  #startWorker;
  #base;
  #test;
  #assets = null;
  #options = {};
  /** `{ worker, port }` of the worker in charge; messages of others are ignored. */
  #session = null;
  #status = { phase: "idle" };
  #statusListeners = new Set();
  #eventListeners = new Set();
  /** Requests that the worker has: id → resolve. */
  #outstanding = new Map();
  /** Requests that wait for a worker: `{ id, json }`. */
  #waiting = [];
  #restarts = 0;
  /** Why the present worker is not the first. */
  #reason = null;
  #failedStarts = 0;
  #nextOwnId = FIRST_OWN_ID;
  #pythonFiles = null;

  constructor({ log, loadEngine, startWorker, base, test = false }) {
    this.#log = log;
    this.#loadEngine = loadEngine;
    this.#startWorker = startWorker;
    this.#base = base;
    this.#test = test;
    log.onLost = () => this.#session?.port.postMessage({ kind: "stop_writing" });
  }

  /** Calls `listener` with the JSON of each event. */
  onEvent(listener) {
    this.#eventListeners.add(listener);
  }

  /** Calls `listener` with the JSON of each change of state, and with the present state at once. */
  onStatus(listener) {
    this.#statusListeners.add(listener);
    listener(JSON.stringify(this.#status));
  }

  /**
   * Starts the engine; nothing happens if it has been started.
   *
   * @param options what the engine's constructor takes: `{ clock, limits }`
   */
  async start(options = {}) {
    if (this.#status.phase !== "idle") return;
    this.#options = options;
    await this.#begin();
  }

  /** Starts again after a failure. */
  async retry() {
    if (this.#status.phase !== "failed") return;
    this.#failedStarts = 0;
    await this.#begin();
  }

  /** Ends the worker and recovers in a new one. */
  restart() {
    return this.#replace("The engine was restarted.", (id) =>
      engineDown(id, "The engine was restarted before it had answered."),
    );
  }

  /** Takes the workspace over from another tab, and reads what that tab has stored. */
  async takeOver() {
    await this.#log.hold({ steal: true });
    this.#log.forget();
    await this.restart();
  }

  /**
   * Sends a request and resolves to the JSON of its response. It never rejects: that the engine is not there is a
   * response, too. A request before the engine is ready waits for it.
   */
  request(json) {
    const { id } = JSON.parse(json);
    if (this.#outstanding.has(id))
      throw new Error(`Request ${id} has not been answered yet; its number cannot be used again.`);
    return new Promise((resolve) => {
      if (this.#status.phase === "failed") {
        resolve(engineDown(id, `The engine is not running: ${this.#status.message}`, "Try to start it again."));
        return;
      }
      this.#outstanding.set(id, resolve);
      if (this.#status.phase === "ready") this.#session.port.postMessage({ kind: "request", json });
      else this.#waiting.push({ id, json });
    });
  }

  /**
   * Stops whatever runs. A worker that does not hear it in time (a Python cell, a statement that does not yield) is
   * ended, and another one recovers. Resolves when the engine is free again.
   */
  async cancel() {
    if (this.#status.phase !== "ready") return;
    const id = this.#nextOwnId;
    this.#nextOwnId += 1;
    const session = this.#session;
    const answered = this.request(JSON.stringify({ id, body: { kind: "cancel" } }));
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(() => resolve(null), CANCEL_DEADLINE_MS);
    });
    const answer = await Promise.race([answered, late]);
    clearTimeout(timer);
    if (answer === null && this.#session === session) {
      await this.#replace("The engine was stopped, because it did not answer.", canceled);
    }
  }

  /** For tests: has the engine panic, or its worker run in circles. */
  sabotage(kind) {
    this.#session?.port.postMessage({ kind });
  }

  /** For tests: ends the worker as a browser short of memory would. */
  kill() {
    return this.#stopped("The browser ended the engine.");
  }

  async #begin() {
    try {
      if (this.#assets === null) {
        this.#show({ phase: "downloading", done: 0, total: 0, threads: 1 });
        const [assets] = await Promise.all([
          this.#loadEngine((progress) => this.#show({ ...progress, threads: 1 })),
          this.#log.hold(),
        ]);
        this.#assets = assets;
      }
      await this.#boot();
    } catch (error) {
      this.#fail(error?.message ?? String(error));
    }
  }

  /** Starts a worker; resolves when it has recovered or was given up. */
  #boot() {
    this.#show({ phase: "recovering", threads: 1, restarts: this.#restarts, reason: this.#reason });
    return new Promise((resolve) => {
      const worker = this.#startWorker(this.#assets.workerSource);
      const { port1: port, port2 } = new MessageChannel();
      const session = { worker, port, settled: resolve };
      this.#session = session;
      port.onmessage = ({ data }) => {
        if (this.#session === session) this.#receive(session, data);
      };
      worker.onerror = (event) => {
        event.preventDefault?.();
        if (this.#session === session) this.#stopped(event.message ?? "Its worker could not be started.");
      };
      const message = {
        kind: "boot",
        port: port2,
        module: this.#assets.module,
        options: JSON.stringify({ ...this.#options, restarts: this.#restarts }),
        log: this.#log.boot(),
        base: String(this.#base),
        build: this.#assets.build,
        pythonFiles: this.#pythonFiles,
        test: this.#test,
      };
      worker.postMessage(message, [port2]);
    });
  }

  async #receive(session, message) {
    switch (message.kind) {
      case "messages":
        for (let index = 0; index < message.list.length; index += 2) {
          const [id, json] = [message.list[index], message.list[index + 1]];
          if (id === null) for (const listener of this.#eventListeners) listener(json);
          else this.#answer(id, json);
        }
        break;
      case "records":
        this.#log.append(message.bytes);
        break;
      case "emptied":
        this.#log.emptied();
        break;
      case "flushed":
        this.#log.flushed(message.end);
        break;
      case "not_stored":
        this.#log.notStored(message.reason);
        break;
      case "need_log":
        session.port.postMessage({ kind: "log", bytes: await this.#log.readForWorker() });
        break;
      case "recovered":
        this.#log.recovered(message.log);
        this.#failedStarts = 0;
        this.#show({ ...this.#status, phase: "ready", protocol: message.protocol, recovery: message.recovery });
        for (const { json } of this.#waiting.splice(0)) session.port.postMessage({ kind: "request", json });
        session.settled();
        break;
      case "python":
        this.#show({ ...this.#status, python: message.progress });
        break;
      case "python_files":
        this.#pythonFiles = message.files;
        break;
      case "refused":
        this.#end();
        this.#fail(message.message);
        session.settled();
        break;
      case "fatal":
        await this.#stopped(message.message);
        break;
      default:
        throw new Error(`The worker sent a message of the unknown kind "${message.kind}".`);
    }
  }

  #answer(id, json) {
    const resolve = this.#outstanding.get(id);
    this.#outstanding.delete(id);
    resolve?.(json);
  }

  /** The worker ended by itself. */
  async #stopped(message) {
    if (this.#status.phase === "recovering") this.#failedStarts += 1;
    if (this.#failedStarts >= FAILED_STARTS_MAX) {
      const settled = this.#session?.settled;
      this.#end();
      this.#fail(message);
      settled?.();
      return;
    }
    await this.#replace(message, (id) =>
      engineDown(
        id,
        `The engine stopped: ${message}`,
        "It has been started again from its log; everything that was finished is there.",
      ),
    );
  }

  /** Ends the worker, answers what it had been asked, and starts the next one. */
  async #replace(reason, answerFor) {
    if (this.#session === null) return;
    const settled = this.#session.settled;
    this.#end();
    this.#restarts += 1;
    this.#reason = reason;
    const waiting = new Set(this.#waiting.map(({ id }) => id));
    for (const id of [...this.#outstanding.keys()]) {
      if (!waiting.has(id)) this.#answer(id, answerFor(id));
    }
    try {
      await this.#boot();
    } catch (error) {
      this.#fail(error?.message ?? String(error));
    }
    settled();
  }

  #end() {
    this.#session?.port.close();
    this.#session?.worker.terminate();
    this.#session = null;
  }

  #fail(message) {
    this.#waiting = [];
    this.#show({ phase: "failed", message });
    for (const id of [...this.#outstanding.keys()]) this.#answer(id, engineDown(id, message, "Try to start it again."));
  }

  #show(status) {
    this.#status = status;
    const json = JSON.stringify(status);
    for (const listener of this.#statusListeners) listener(json);
  }
}
