// What the page does for the log: it mirrors the records that workers post, hands them to the next worker, writes them
// behind to a database where workers have no files, and knows whether the reader's work is safe.

import { concatenate } from "./bytes.mjs";
import { Mirror } from "./mirror.mjs";

/** From this many chunks on a database is tidied when it is opened. */
const CHUNKS_MAX = 64;

/**
 * The page's side of one workspace's log.
 *
 * @param storage `{ holdWorkspace, openLogDatabase, persist, persisted }`, as `storage.mjs` has them
 * @param workspace which workspace
 * @param now gives the time of day as a `Date`
 */
export class WorkspaceLog {
  #storage;
  #workspace;
  #now;
  #mirror = new Mirror();
  /** "unknown" until the first worker has tried, then "files" or "page". */
  #place = "unknown";
  #database = null;
  #readOnly = false;
  #fresh = true;
  #pendingWrites = 0;
  #asked = false;
  #state = { place: "unknown", state: "starting", at: null, reason: null, bytes: 0, kept: null };
  #listeners = new Set();
  #onLost = () => {};

  constructor({ storage, workspace, now = () => new Date() }) {
    this.#storage = storage;
    this.#workspace = workspace;
    this.#now = now;
  }

  /**
   * How safe the reader's work is: `place` ("files", "database", "memory", "unknown"), `state` ("starting", "saving",
   * "saved", "not_saved", "read_only"), `at` (RFC 3339 of the last write that finished), `reason` (why it is not saved),
   * `bytes` (length of the log), `kept` (whether the browser promised not to clear it; `null` before it was asked).
   */
  get state() {
    return this.#state;
  }

  /** Calls `listener` with each new state, and with the present one at once. */
  onState(listener) {
    this.#listeners.add(listener);
    listener(this.#state);
  }

  /** Called when another tab takes the workspace over. */
  set onLost(listener) {
    this.#onLost = listener;
  }

  /** Takes the right to write; to be awaited before the first worker starts. */
  async hold({ steal = false } = {}) {
    const { held, lost } = await this.#storage.holdWorkspace(this.#workspace, { steal });
    this.#readOnly = !held;
    if (await this.#storage.persisted()) {
      this.#asked = true;
      this.#show({ kept: true });
    }
    lost.then(() => {
      this.#readOnly = true;
      this.#show({ state: "read_only", reason: "This workspace was opened in another tab." });
      this.#onLost();
    });
  }

  /** Reads the workspace again from where it is stored: the next worker starts as the first one did. */
  forget() {
    this.#mirror.reset(0);
    this.#fresh = true;
  }

  /** What a starting worker has to know. */
  boot() {
    return {
      workspace: this.#workspace,
      readOnly: this.#readOnly,
      files: this.#place !== "page",
      // A first worker takes whatever is stored; a later one only what the page knows of.
      fresh: this.#fresh,
      start: this.#mirror.start,
      end: this.#mirror.end,
      bytes: this.#mirror.bytes(),
    };
  }

  /** The worker has no files: gives it the whole log. */
  async readForWorker() {
    if (this.#place !== "page") {
      this.#place = "page";
      this.#database = await this.#storage.openLogDatabase(this.#workspace);
    }
    if (this.#fresh && this.#database !== null) {
      try {
        const chunks = await this.#database.read();
        this.#mirror.replace(concatenate(chunks));
        if (chunks.length > CHUNKS_MAX && !this.#readOnly)
          this.#write((database) => database.replace(this.#mirror.bytes()));
      } catch (error) {
        this.#giveUpDatabase(error);
      }
    }
    return this.#mirror.bytes();
  }

  /**
   * A worker has recovered.
   *
   * @param files whether it writes segments
   * @param stored bytes of the log that its segments hold
   * @param log the log as it was recovered, where the page has to keep it; else `null`
   * @param end length of the log
   * @param reason why a worker with files could not start its segment
   */
  recovered({ files, log, end, reason }) {
    this.#place = files ? "files" : "page";
    this.#fresh = false;
    if (log === null) {
      this.#mirror.reset(end);
    } else {
      const damaged = log.byteLength !== this.#mirror.end;
      this.#mirror.replace(log);
      if (damaged && this.#database !== null && !this.#readOnly) this.#write((database) => database.replace(log));
    }
    if (this.#readOnly) {
      this.#show({
        place: files ? "files" : this.#pagePlace(),
        state: "read_only",
        reason: "This workspace is open in another tab.",
      });
    } else if (files) {
      if (reason === null) this.#show({ place: "files", state: "saved", at: this.#now().toISOString(), reason: null });
      else this.#show({ place: "files", state: "not_saved", reason });
    } else if (this.#database === null) {
      this.#show({
        place: "memory",
        state: "not_saved",
        reason: this.#state.reason ?? "This browser keeps nothing for this page.",
      });
    } else if (this.#pendingWrites === 0) {
      this.#show({ place: "database", state: "saved", at: this.#now().toISOString(), reason: null });
    }
  }

  /**
   * Records that a worker has posted: they are never lost from here on while the page lives. With the first of them
   * there is something to lose, and the browser is asked to keep it.
   */
  append(bytes) {
    this.#mirror.append(bytes);
    if (!this.#asked && !this.#readOnly) this.persist();
    if (this.#place === "page" && this.#database !== null && !this.#readOnly) {
      this.#write((database) => database.append(bytes));
    } else {
      this.#show({});
    }
  }

  /** A worker has forgotten everything. */
  emptied() {
    this.#mirror.reset(0);
    if (this.#place === "page" && this.#database !== null && !this.#readOnly) {
      this.#write((database) => database.replace(new Uint8Array(0)));
    }
  }

  /** The worker's segment holds the log up to `end`. */
  flushed(end) {
    this.#mirror.dropBefore(end);
    if (!this.#readOnly) this.#show({ state: "saved", at: this.#now().toISOString(), reason: null });
  }

  /** The worker's segment takes no more: the page keeps what follows. */
  notStored(reason) {
    this.#show({ state: "not_saved", reason });
  }

  /** Asks the browser to keep the data even when space runs short. */
  async persist() {
    this.#asked = true;
    const kept = await this.#storage.persist();
    this.#show({ kept });
    return kept;
  }

  #pagePlace() {
    return this.#database === null ? "memory" : "database";
  }

  #write(work) {
    this.#pendingWrites += 1;
    this.#show({ place: "database", state: "saving" });
    work(this.#database).then(
      () => {
        this.#pendingWrites -= 1;
        if (this.#pendingWrites === 0 && this.#database !== null) {
          this.#show({ state: "saved", at: this.#now().toISOString(), reason: null });
        }
      },
      (error) => {
        this.#pendingWrites -= 1;
        this.#giveUpDatabase(error);
      },
    );
  }

  // After one failed write the database has a gap, and what follows would be read as damage.
  #giveUpDatabase(error) {
    this.#database = null;
    const full = error?.name === "QuotaExceededError";
    const reason = full
      ? "The browser's storage is full."
      : `The browser refused to store it: ${error?.message ?? error}`;
    this.#show({ place: "memory", state: "not_saved", reason });
  }

  #show(change) {
    this.#state = { ...this.#state, ...change, bytes: this.#mirror.end };
    for (const listener of this.#listeners) listener(this.#state);
  }
}
