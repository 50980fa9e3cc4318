// What the worker does for the log: it puts together the bytes to recover from, and writes what follows to a segment
// of its own where the browser has files for workers.

import { concatenate } from "./bytes.mjs";
import { readSegments, startSegment } from "./segments.mjs";

/**
 * Opens the log that the page describes.
 *
 * @param boot what `WorkspaceLog.boot` gave
 * @param privateFolder from `storage.mjs`
 * @param askPage resolves to the whole log, from the page; called where there are no files
 */
export async function openWorkerLog(boot, { privateFolder, askPage }) {
  const folder = boot.files ? await filesFor(boot.workspace, privateFolder) : null;
  if (folder === null) {
    const bytes = boot.files ? await askPage() : boot.bytes;
    return new WorkerLog({ bytes, fromDisk: 0, folder: null, read: null, readOnly: boot.readOnly });
  }
  const read = await readSegments(folder);
  // The first worker of a page takes all that is stored. A later one takes what the page has seen: bytes past that were
  // on their way when its predecessor was ended, and nobody was told of them.
  const known = boot.fresh ? read.log : read.log.subarray(0, boot.start);
  const bytes = concatenate([known, boot.bytes]);
  return new WorkerLog({ bytes, fromDisk: known.byteLength, folder, read, readOnly: boot.readOnly });
}

async function filesFor(workspace, privateFolder) {
  // Synchronous access is what makes a record safe before its statement is answered.
  if (typeof FileSystemFileHandle === "undefined" || !("createSyncAccessHandle" in FileSystemFileHandle.prototype))
    return null;
  return privateFolder(workspace);
}

/** An open log. */
class WorkerLog {
  #fromDisk;
  #folder;
  #read;
  #readOnly;
  #segment = null;
  #end = 0;

  /** The bytes to recover from. */
  bytes;

  constructor({ bytes, fromDisk, folder, read, readOnly }) {
    this.bytes = bytes;
    this.#fromDisk = fromDisk;
    this.#folder = folder;
    this.#read = read;
    this.#readOnly = readOnly;
  }

  /**
   * The engine has recovered: starts the worker's own segment.
   *
   * @param end how many of the bytes are intact
   * @returns `{ files, log, end, reason }` for `WorkspaceLog.recovered`
   */
  async recovered(end) {
    const log = this.bytes.subarray(0, end);
    this.bytes = null;
    this.#end = end;
    if (this.#folder === null || this.#readOnly)
      return { files: this.#folder !== null, log: log.slice(), end, reason: null };
    try {
      this.#segment = await startSegment(this.#folder, this.#read, log, Math.min(end, this.#fromDisk));
    } catch (error) {
      return { files: true, log: log.slice(), end, reason: refusal(error) };
    } finally {
      this.#read = null;
    }
    return { files: true, log: null, end, reason: null };
  }

  /**
   * Writes records. Returns the length of the log that is now safe, or `null` where that is the page's work.
   *
   * @throws with a sentence for the reader, once; from then on the page keeps what follows
   */
  append(bytes) {
    this.#end += bytes.byteLength;
    return this.#write((segment) => segment.append(bytes));
  }

  #write(work) {
    if (this.#segment === null) return null;
    try {
      work(this.#segment);
    } catch (error) {
      this.stopWriting();
      throw new Error(refusal(error));
    }
    return this.#end;
  }

  /** Forgets everything. Returns and throws as `append` does. */
  empty() {
    this.#end = 0;
    return this.#write((segment) => segment.empty());
  }

  /** Another tab writes from now on. */
  stopWriting() {
    const segment = this.#segment;
    this.#segment = null;
    segment?.close();
  }
}

function refusal(error) {
  if (error?.name === "QuotaExceededError") return "The browser's storage is full.";
  return `The browser refused to store it: ${error?.message ?? error}`;
}
