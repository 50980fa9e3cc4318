// The page's side of the engine, over workers that do what a test tells them.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { EngineHost } from "../../static/js/engine-host.mjs";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A log that remembers what it was told. */
class Log {
  told = [];
  constructor() {
    for (const name of ["recovered", "append", "flushed", "notStored", "emptied"]) {
      this[name] = (...values) => this.told.push([name, ...values]);
    }
  }
  async hold() {}
  boot() {
    return { bytes: this.told.filter(([name]) => name === "append").length };
  }
}

/** A page with an engine whose workers answer by `behave(worker, message)`. */
function page(behave = echo, { loadEngine = async () => ({ module: {}, workerSource: {} }) } = {}) {
  const workers = [];
  const log = new Log();
  const startWorker = () => {
    const worker = {
      ended: false,
      postMessage(boot) {
        worker.boot = boot;
        worker.post = (message) => boot.port.postMessage(message);
        boot.port.onmessage = ({ data }) => behave(worker, data);
        behave(worker, boot);
      },
      terminate() {
        worker.ended = true;
        worker.boot.port.close();
      },
    };
    workers.push(worker);
    return worker;
  };
  const host = new EngineHost({ log, loadEngine, startWorker, base: "http://here/" });
  const statuses = [];
  host.onStatus((json) => statuses.push(JSON.parse(json)));
  let id = 0;
  const ask = async (kind) => {
    id += 1;
    return JSON.parse(await host.request(JSON.stringify({ id, body: { kind } })));
  };
  return { host, workers, log, statuses, ask };
}

const answer = (worker, json) => {
  const { id, body } = JSON.parse(json);
  worker.post({ kind: "messages", list: [id, JSON.stringify({ id, body: { Ok: body.kind } })] });
};

function echo(worker, message) {
  if (message.kind === "boot") worker.post({ kind: "recovered", log: {}, recovery: {}, protocol: 1 });
  if (message.kind === "request") answer(worker, message.json);
}

test("requests before the engine is ready wait for it", async () => {
  const { host, ask, statuses, workers } = page();
  const early = ask("catalog");
  await host.start();
  assert.deepEqual(await early, { id: 1, body: { Ok: "catalog" } });
  assert.deepEqual(
    statuses.map(({ phase }) => phase),
    ["idle", "downloading", "recovering", "ready"],
  );
  workers[0].terminate();
});

test("late listeners learn the present state, and events reach all of them", async () => {
  const { host, workers } = page();
  await host.start();
  const seen = [];
  host.onStatus((json) => seen.push(JSON.parse(json).phase));
  host.onEvent((json) => seen.push(json));
  workers[0].post({ kind: "messages", list: [null, '{"seq":1}'] });
  await turn();
  assert.deepEqual(seen, ["ready", '{"seq":1}']);
  workers[0].terminate();
});

test("records are mirrored before the messages that follow them", async () => {
  const { host, workers, log, ask } = page((worker, message) => {
    if (message.kind === "request") worker.post({ kind: "records", bytes: "r" });
    echo(worker, message);
  });
  await host.start();
  await ask("run_script");
  assert.deepEqual(log.told.at(-1), ["append", "r"]);
  workers[0].terminate();
});

test("a trap ends the worker, answers what was asked, and the next worker gets the same module", async () => {
  const { host, workers, statuses, ask } = page((worker, message) => {
    if (message.kind === "request" && message.json.includes("trap"))
      worker.post({ kind: "fatal", message: "panicked at x" });
    else echo(worker, message);
  });
  await host.start();
  const { body } = await ask("trap");
  assert.equal(body.Err.condition, "ENGINE_DOWN");
  assert.match(body.Err.message, /panicked at x/);
  assert.deepEqual(await ask("catalog"), { id: 2, body: { Ok: "catalog" } });
  assert.equal(workers.length, 2);
  assert.ok(workers[0].ended);
  assert.equal(workers[1].boot.module, workers[0].boot.module);
  assert.deepEqual(
    [statuses.at(-1).phase, statuses.at(-1).restarts, statuses.at(-1).reason],
    ["ready", 1, "panicked at x"],
  );
  workers[1].terminate();
});

test("what an ended worker still says is not heard", async () => {
  const { host, workers, log } = page();
  await host.start();
  const { post } = workers[0];
  await host.restart();
  await turn();
  const before = log.told.length;
  post({ kind: "records", bytes: "late" });
  await turn();
  assert.equal(log.told.length, before);
  workers[1].terminate();
});

test("a cancel that is heard restarts nothing", async () => {
  const { host, workers } = page();
  await host.start();
  await host.cancel();
  assert.equal(workers.length, 1);
  workers[0].terminate();
});

test("a cancel that is not heard ends the worker within a second", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { host, workers, ask } = page((worker, message) => {
      if (worker !== workers[0] || message.kind === "boot") echo(worker, message);
    });
    await host.start();
    const stuck = ask("run_script");
    const canceled = host.cancel();
    mock.timers.tick(999);
    await canceled;
    assert.equal((await stuck).body.Err.condition, "OPERATION_CANCELED");
    assert.equal(workers.length, 2);
    assert.deepEqual(await ask("catalog"), { id: 2, body: { Ok: "catalog" } });
    workers[1].terminate();
  } finally {
    mock.timers.reset();
  }
});

test("workers that do not recover are given up, and a retry begins anew", async () => {
  let healthy = false;
  const { host, workers, statuses, ask } = page((worker, message) => {
    if (message.kind === "boot" && !healthy) worker.post({ kind: "fatal", message: "out of memory" });
    else echo(worker, message);
  });
  const early = ask("catalog");
  await host.start();
  assert.deepEqual(statuses.at(-1), { phase: "failed", message: "out of memory" });
  assert.equal(workers.length, 3);
  assert.equal((await early).body.Err.condition, "ENGINE_DOWN");
  assert.equal((await ask("catalog")).body.Err.condition, "ENGINE_DOWN");
  healthy = true;
  await host.retry();
  assert.deepEqual(await ask("catalog"), { id: 3, body: { Ok: "catalog" } });
  workers.at(-1).terminate();
});

test("a log that the engine refuses is not tried again", async () => {
  const { host, workers, statuses } = page((worker, message) => {
    if (message.kind === "boot") worker.post({ kind: "refused", message: "made with a newer version" });
  });
  await host.start();
  assert.deepEqual(statuses.at(-1), { phase: "failed", message: "made with a newer version" });
  assert.equal(workers.length, 1);
});

test("a failed download is told with its reason", async () => {
  const { host, statuses } = page(echo, {
    loadEngine: async () => Promise.reject(new Error("engine.wasm.gz could not be loaded: offline.")),
  });
  await host.start();
  assert.deepEqual(statuses.at(-1), { phase: "failed", message: "engine.wasm.gz could not be loaded: offline." });
});
