// format: iife
// The engine's worker. The page starts it from a blob that holds the glue of the wasm module (`wasm_bindgen`) and,
// after it, this script: as a module where the page has an origin, as a classic script where it has none. So nothing
// here may import, and nothing may rely on the script's own address.

import { PythonInWorker } from "./python-worker.mjs";
import { privateFolder } from "./storage.mjs";
import { EngineLoop } from "./worker-engine.mjs";
import { openWorkerLog } from "./worker-log.mjs";

/* global wasm_bindgen */

let panicText = null;

// The engine's panic hook calls this: a trap itself says nothing about its reason.
globalThis.lakeletPanicked = (text) => {
  panicText = text;
};

globalThis.onmessage = ({ data: boot }) => {
  globalThis.onmessage = null;
  const { port } = boot;
  const post = (message, transfer = []) => port.postMessage(message, transfer);
  start(boot, post).catch((error) => post({ kind: "fatal", message: panicText ?? error?.message ?? String(error) }));
};

async function start({ port, module, options, log: description, base, build, pythonFiles, test }, post) {
  const askPage = () =>
    new Promise((resolve) => {
      port.onmessage = ({ data }) => resolve(data.bytes);
      post({ kind: "need_log" });
    });
  const log = await openWorkerLog(description, { privateFolder, askPage });
  wasm_bindgen.initSync({ module });
  const { Engine, protocolVersion } = wasm_bindgen;
  let engine;
  try {
    engine = new Engine(log.bytes, options);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) throw error;
    // The engine is sound and says why it cannot work with this log: starting again would not help.
    post({ kind: "refused", message: error?.message ?? String(error) });
    return;
  }
  engine.setReadOnly(description.readOnly);
  const recovery = JSON.parse(engine.recoveryJson());
  const stored = await log.recovered(recovery.length);
  const python = new PythonInWorker({ base, build, files: pythonFiles, post });
  const loop = new EngineLoop({
    engine,
    log,
    post,
    runCell: (cell, call) => python.run(cell, call),
    panicText: () => panicText,
  });

  port.onmessage = ({ data }) => {
    switch (data.kind) {
      case "request":
        loop.submit(data.json);
        break;
      case "stop_writing":
        log.stopWriting();
        engine.setReadOnly(true);
        break;
      case "trap":
        if (test) loop.trap();
        break;
      case "spin":
        while (test);
        break;
      default:
        throw new Error(`The page sent a message of the unknown kind "${data.kind}".`);
    }
  };
  post({ kind: "recovered", log: stored, recovery, protocol: protocolVersion() });
  loop.saveLog();
}
