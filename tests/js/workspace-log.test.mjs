// The page's mirror of the log, its database, and what it says about safety.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Mirror } from "../../static/js/mirror.mjs";
import { WorkspaceLog } from "../../static/js/workspace-log.mjs";

const bytes = (value) => new TextEncoder().encode(value);
const text = (value) => new TextDecoder().decode(value);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A browser's storage: a database whose writes fail on demand, and a lock that can be lost. */
function storage({ chunks = [], database = true, held = true, kept = true, persisted = false } = {}) {
  const state = { chunks: chunks.map(bytes), failing: false, lose: null, asked: 0 };
  const write = (work) =>
    state.failing
      ? Promise.reject(Object.assign(new Error("full"), { name: "QuotaExceededError" }))
      : Promise.resolve(work());
  return {
    state,
    holdWorkspace: async () => ({ held, lost: new Promise((resolve) => (state.lose = resolve)) }),
    persisted: async () => persisted,
    persist: async () => {
      state.asked += 1;
      return kept;
    },
    openLogDatabase: async () =>
      database
        ? {
            read: async () => state.chunks,
            append: (chunk) => write(() => state.chunks.push(chunk)),
            replace: (chunk) => write(() => (state.chunks = [chunk])),
          }
        : null,
  };
}

async function open(browser) {
  const log = new WorkspaceLog({ storage: browser, workspace: "w", now: () => new Date(0) });
  await log.hold();
  return log;
}

/** A worker without files recovers `kept` bytes of what the page has. */
async function recover(log, kept = Infinity) {
  const all = await log.readForWorker();
  const whole = all.slice(0, kept);
  log.recovered({ files: false, log: whole, end: whole.byteLength, reason: null });
  return text(whole);
}

test("a mirror forgets what is safe and hands over the rest", () => {
  const mirror = new Mirror();
  for (const chunk of ["aa", "bb", "cc"]) mirror.append(bytes(chunk));
  mirror.dropBefore(3);
  assert.deepEqual([mirror.start, mirror.end, text(mirror.bytes())], [2, 6, "bbcc"]);
  mirror.dropBefore(6);
  assert.deepEqual([mirror.start, mirror.end, mirror.bytes().byteLength], [6, 6, 0]);
});

test("without files the database is read, and saved only when it says so", async () => {
  const browser = storage({ chunks: ["a", "b"] });
  const log = await open(browser);
  assert.equal(await recover(log), "ab");
  assert.equal(log.state.state, "saved");
  log.append(bytes("c"));
  assert.equal(log.state.state, "saving");
  await turn();
  assert.deepEqual(
    [log.state.state, log.state.place, log.state.at, log.state.bytes],
    ["saved", "database", "1970-01-01T00:00:00.000Z", 3],
  );
  assert.equal(browser.state.chunks.map(text).join(""), "abc");
  // The next worker gets it all from memory.
  assert.equal(text(log.boot().bytes), "abc");
});

test("a damaged end is cut off in the database, too", async () => {
  const browser = storage({ chunks: ["abc", "torn"] });
  const log = await open(browser);
  assert.equal(await recover(log, 3), "abc");
  await turn();
  assert.deepEqual(browser.state.chunks.map(text), ["abc"]);
});

test("after a failed write the page keeps everything and says that it is not saved", async () => {
  const browser = storage();
  const log = await open(browser);
  await recover(log);
  browser.state.failing = true;
  log.append(bytes("a"));
  await turn();
  assert.deepEqual([log.state.state, log.state.reason], ["not_saved", "The browser's storage is full."]);
  browser.state.failing = false;
  log.append(bytes("b"));
  await turn();
  assert.equal(log.state.state, "not_saved");
  assert.equal(browser.state.chunks.length, 0, "a gap would be read as damage");
  assert.equal(text(log.boot().bytes), "ab");
});

test("where nothing is kept the mirror is all there is", async () => {
  const log = await open(storage({ database: false }));
  await recover(log);
  log.append(bytes("a"));
  assert.deepEqual([log.state.state, log.state.place], ["not_saved", "memory"]);
  assert.equal(text(log.boot().bytes), "a");
});

test("with files the page drops what is flushed and keeps what is not", async () => {
  const log = await open(storage());
  log.recovered({ files: true, log: null, end: 10, reason: null });
  log.append(bytes("aa"));
  log.flushed(12);
  log.append(bytes("bb"));
  const { fresh, start, end, bytes: tail } = log.boot();
  assert.deepEqual([fresh, start, end, text(tail)], [false, 12, 14, "bb"]);
  log.notStored("The browser's storage is full.");
  assert.equal(log.state.state, "not_saved");
});

test("the browser is asked to keep the workspace with its first change, once", async () => {
  const browser = storage({ kept: false });
  const log = await open(browser);
  await recover(log);
  assert.deepEqual([browser.state.asked, log.state.kept], [0, null], "nothing was changed yet");
  log.append(bytes("a"));
  log.append(bytes("b"));
  await turn();
  assert.deepEqual([browser.state.asked, log.state.kept], [1, false]);
  const second = storage({ held: false });
  (await open(second)).append(bytes("a"));
  assert.equal(second.state.asked, 0, "who only reads has nothing to keep");
  const agreed = storage({ persisted: true });
  const later = await open(agreed);
  later.append(bytes("a"));
  assert.deepEqual([agreed.state.asked, later.state.kept], [0, true], "it has agreed before");
});

test("a second tab only reads, and so does one whose workspace is taken over", async () => {
  const second = await open(storage({ held: false }));
  assert.equal(second.boot().readOnly, true);
  second.recovered({ files: true, log: bytes("a"), end: 1, reason: null });
  assert.equal(second.state.state, "read_only");

  const browser = storage();
  const first = await open(browser);
  let told = false;
  first.onLost = () => (told = true);
  first.recovered({ files: true, log: null, end: 1, reason: null });
  browser.state.lose();
  await turn();
  assert.deepEqual([told, first.state.state, first.boot().readOnly], [true, "read_only", true]);
});

test("an emptied log is empty everywhere", async () => {
  const browser = storage({ chunks: ["a"] });
  const log = await open(browser);
  await recover(log);
  log.emptied();
  log.append(bytes("b"));
  await turn();
  assert.equal(browser.state.chunks.map(text).join(""), "b");
  assert.equal(text(log.boot().bytes), "b");
});
