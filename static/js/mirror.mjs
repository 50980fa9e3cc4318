// The records of a log that the page keeps in memory.

import { concatenate } from "./bytes.mjs";

/** The end of a log: everything from byte `start` on. */
export class Mirror {
  #chunks = [];
  #start = 0;
  #end = 0;

  /** Position in the log of the first byte that is kept. */
  get start() {
    return this.#start;
  }

  /** Length of the log. */
  get end() {
    return this.#end;
  }

  /** Adds records at the end. */
  append(bytes) {
    if (bytes.byteLength === 0) return;
    this.#chunks.push(bytes);
    this.#end += bytes.byteLength;
  }

  /** Forgets whole chunks before a position, because they are safe elsewhere. */
  dropBefore(position) {
    while (this.#chunks.length > 0 && this.#start + this.#chunks[0].byteLength <= position) {
      this.#start += this.#chunks.shift().byteLength;
    }
    if (this.#chunks.length === 0) {
      this.#start = Math.max(this.#start, Math.min(position, this.#end));
    }
  }

  /** Keeps nothing any more but knows that the log is `end` bytes long. */
  reset(end) {
    this.#chunks = [];
    this.#start = end;
    this.#end = end;
  }

  /** Starts again with the bytes of a whole log. */
  replace(bytes) {
    this.#chunks = bytes.byteLength === 0 ? [] : [bytes];
    this.#start = 0;
    this.#end = bytes.byteLength;
  }

  /** The kept bytes as one array. They are put together once, not for each worker. */
  bytes() {
    if (this.#chunks.length > 1) this.#chunks = [concatenate(this.#chunks)];
    return this.#chunks[0] ?? new Uint8Array(0);
  }
}
