// The log in files: what one worker stores the next one finds, and nothing that an ended worker writes late.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readSegments, startSegment } from "../../static/js/segments.mjs";

/** A private folder in memory. Files stay as they are when their writer is not closed, as after `terminate()`. */
class Folder {
  files = new Map();

  async *entries() {
    for (const name of [...this.files.keys()]) yield [name, await this.getFileHandle(name)];
  }

  async getFileHandle(name, { create = false } = {}) {
    if (!this.files.has(name)) {
      assert.ok(create, `no file ${name}`);
      this.files.set(name, new Uint8Array(0));
    }
    const { files } = this;
    return {
      kind: "file",
      getFile: async () => new Blob([files.get(name)]),
      createSyncAccessHandle: async () => ({
        write(bytes, { at }) {
          const longer = new Uint8Array(Math.max(files.get(name).byteLength, at + bytes.byteLength));
          longer.set(files.get(name));
          longer.set(bytes, at);
          files.set(name, longer);
          return bytes.byteLength;
        },
        truncate: (length) => files.set(name, files.get(name).slice(0, length)),
        flush() {},
        close() {},
      }),
    };
  }

  async removeEntry(name) {
    this.files.delete(name);
  }

  /** What a worker does: reads, cuts the log where it is told to, adds records. */
  async worker(records = [], { keep = Infinity, tail = "" } = {}) {
    const read = await readSegments(this);
    const kept = text(read.log).slice(0, keep);
    const segment = await startSegment(this, read, bytes(kept + tail), kept.length);
    for (const record of records) segment.append(bytes(record));
    return { found: text(read.log), segment };
  }

  async log() {
    return text((await readSegments(this)).log);
  }
}

const bytes = (value) => new TextEncoder().encode(value);
const text = (value) => new TextDecoder().decode(value);

test("workers continue each other's log", async () => {
  const folder = new Folder();
  assert.equal((await folder.worker(["a", "b"])).found, "");
  assert.equal((await folder.worker(["c"])).found, "ab");
  assert.equal((await folder.worker([])).found, "abc");
  assert.equal(await folder.log(), "abc");
});

test("what an ended worker writes late is ignored", async () => {
  const folder = new Folder();
  const { segment } = await folder.worker(["a"]);
  await folder.worker(["b"]);
  segment.append(bytes("LATE"));
  assert.equal(await folder.log(), "ab");
});

test("a damaged end is cut off, and records that had not reached the disk follow", async () => {
  const folder = new Folder();
  await folder.worker(["a", "b", "torn"]);
  await folder.worker(["d"], { keep: 2, tail: "c" });
  assert.equal(await folder.log(), "abcd");
});

test("a segment without a whole header does not count", async () => {
  const folder = new Folder();
  await folder.worker(["a"]);
  folder.files.set("log.2", bytes("lakelet1"));
  assert.equal(await folder.log(), "a");
  await folder.worker(["b"]);
  assert.equal(await folder.log(), "ab");
  assert.ok(!folder.files.has("log.2"));
});

test("a hundred workers leave a few files", async () => {
  const folder = new Folder();
  for (let index = 0; index < 100; index += 1) await folder.worker(["x"]);
  assert.equal(await folder.log(), "x".repeat(100));
  assert.ok(folder.files.size <= 9, `${folder.files.size} files`);
});

test("an emptied log begins anew", async () => {
  const folder = new Folder();
  await folder.worker(["a"]);
  const { segment } = await folder.worker(["b"]);
  segment.empty();
  assert.equal(await folder.log(), "");
  segment.append(bytes("new"));
  assert.equal(await folder.log(), "new");
  await folder.worker([]);
  assert.ok(!folder.files.has("log.1"));
});

test("a segment that was cut short from outside ends the log there", async () => {
  const folder = new Folder();
  await folder.worker(["aa"]);
  await folder.worker(["b"]);
  folder.files.set("log.1", folder.files.get("log.1").slice(0, -1));
  assert.equal(await folder.log(), "a");
});
