// The loop inside the worker, over an engine that does what a test tells it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { EngineLoop } from "../../static/js/worker-engine.mjs";

const bytes = (value) => new TextEncoder().encode(value);
const text = (value) => new TextDecoder().decode(value);

/** Runs a loop until the engine has taken all its steps. What was posted, in order, in short form. */
async function run(steps, { append = () => null, runCell, pythonCall } = {}) {
  const posted = [];
  const log = (records = "", emptied = false) => ({ emptied, takeRecords: () => bytes(records), free() {} });
  let finished;
  const done = new Promise((resolve) => (finished = resolve));
  const engine = {
    submit() {},
    step() {
      const { records, emptied, messages = [], cell, fail } = steps.shift();
      if (fail) throw fail;
      if (steps.length === 0) setImmediate(finished);
      return {
        takeLog: () => log(records, emptied),
        takeMessages: () => messages,
        runCell: cell,
        idle: steps.length === 0,
        free() {},
      };
    },
    takeLog: () => log("py"),
    pythonCall,
    cellFinished: (execution, outcome) => posted.push(["finished", execution, outcome]),
  };
  const turn = new MessageChannel();
  const loop = new EngineLoop({
    engine,
    turn,
    log: { append, empty: () => null },
    post: ({ kind, ...rest }) => {
      posted.push([kind, ...Object.values(rest).map((value) => (value instanceof Uint8Array ? text(value) : value))]);
      if (kind === "fatal") finished();
    },
    runCell,
    panicText: () => null,
  });
  loop.submit("{}");
  await done;
  turn.port1.close();
  return posted;
}

test("records are posted and stored before messages go out", async () => {
  const order = [];
  const posted = await run([{ records: "r", messages: [1, "{}"] }], {
    append: (records) => {
      order.push(text(records));
      return 1;
    },
  });
  assert.deepEqual(posted, [
    ["records", "r"],
    ["flushed", 1],
    ["messages", [1, "{}"]],
  ]);
  assert.deepEqual(order, ["r"]);
});

test("a log that is emptied is emptied first", async () => {
  const posted = await run([{ emptied: true, records: "r" }]);
  assert.deepEqual(posted, [["emptied"], ["records", "r"]]);
});

test("a disk that takes no more is told, and answers go out all the same", async () => {
  const append = () => {
    throw new Error("The browser's storage is full.");
  };
  const posted = await run([{ records: "r", messages: [1, "{}"] }], { append });
  assert.deepEqual(posted, [
    ["records", "r"],
    ["not_stored", "The browser's storage is full."],
    ["messages", [1, "{}"]],
  ]);
});

test("after a trap the engine is never called again", async () => {
  const steps = [{ fail: new WebAssembly.RuntimeError("unreachable") }, { messages: [1, "{}"] }];
  assert.deepEqual(await run(steps), [["fatal", "unreachable"]]);
  assert.equal(steps.length, 1);
});

test("an overflow of the stack is named", async () => {
  assert.deepEqual(await run([{ fail: new RangeError("Maximum call stack size exceeded") }, {}]), [
    ["fatal", "It ran out of stack."],
  ]);
});

test("what Python commits is safe when its call returns", async () => {
  const posted = await run([{ cell: '{"execution":3}' }, {}], {
    pythonCall: () => "{}",
    runCell: async (cell, call) => {
      call("{}");
      return { outcome: "succeeded" };
    },
  });
  assert.deepEqual(posted, [
    ["records", "py"],
    ["finished", 3, '{"outcome":"succeeded"}'],
  ]);
});

test("a Python that breaks ends the worker", async () => {
  const posted = await run([{ cell: '{"execution":3}' }, {}], { runCell: () => Promise.reject(new Error("fatal")) });
  assert.deepEqual(posted, [["fatal", "Python stopped: fatal"]]);
});
