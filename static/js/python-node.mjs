// Python for the native binary: a subprocess under Node that runs cells, one JSON text a line each way.
//
// | it reads | it writes |
// |---|---|
// | | `{"ready":true}`, once |
// | `{"run":CELL}` (see `PythonHost.run`) | any number of `{"call":PYTHON_CALL}`, then `{"outcome":OUTCOME}` |
// | `{"reply":PYTHON_REPLY}` after each call | |
//
// It ends when its input does. `LAKELET_PYODIDE` names the folder of the `pyodide` package; without it Node looks for the
// package where it looks for all.
//
// A notebook reaches JavaScript objects, so Node has to be started with `--disallow-code-generation-from-strings`, that it
// makes no functions of text from there, and with `--permission` (before Node 23.5 `--experimental-permission`) and leave
// to read this folder, that of the Python files and Pyodide's, and nothing else of the machine.

import { constants, readFileSync, readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { PYTHON_FILES } from "./python-files.mjs";
import { startPython } from "./python-host.mjs";

const LIBRARY = new URL("../python/", import.meta.url);
const INPUT = 0;
const OUTPUT = 1;
const ERRORS = 2;
/** What could carry data off the machine, or bring back what does. */
const NETWORK = ["fetch", "Request", "Response", "WebSocket", "EventSource", "XMLHttpRequest"];

/** Reads lines, blocking: while a cell waits for the engine nothing else may happen. */
class Lines {
  #chunk = Buffer.alloc(64 * 1024);
  #rest = Buffer.alloc(0);

  /** The next line without its end, or `null` where the input ends. */
  next() {
    for (;;) {
      const end = this.#rest.indexOf(0x0a);
      if (end >= 0) {
        const line = this.#rest.toString("utf8", 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      const length = this.#read();
      if (length === 0) return null;
      this.#rest = Buffer.concat([this.#rest, this.#chunk.subarray(0, length)]);
    }
  }

  #read() {
    for (;;) {
      try {
        return readSync(INPUT, this.#chunk);
      } catch (error) {
        if (error.code === "EOF") return 0;
        // A pipe that does not block: wait for it without a timer.
        if (error.code !== "EAGAIN") throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
    }
  }
}

/** Writes a line, blocking. */
function write(json) {
  const bytes = Buffer.from(`${json}\n`);
  for (let position = 0; position < bytes.length;) {
    try {
      position += writeSync(OUTPUT, bytes, position);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Pyodide's own module. */
async function pyodide() {
  const folder = process.env.LAKELET_PYODIDE;
  return import(folder ? new URL("pyodide.mjs", pathToFileURL(`${folder}/`)) : "pyodide");
}

// Pyodide asks for the flags of files by a door that `--permission` shuts.
process.binding = () => ({ fs: constants });
const files = {};
for (const path of PYTHON_FILES) files[path] = readFileSync(new URL(path, LIBRARY), "utf8");
// Whatever is written past the bridge must not get between the lines of the protocol.
const stray = (text) => writeSync(ERRORS, `${text}\n`);
const { loadPyodide } = await pyodide();
const python = await startPython({ loadPyodide, options: { stdout: stray, stderr: stray }, files });
for (const name of NETWORK) delete globalThis[name];
process.getBuiltinModule = undefined;
const lines = new Lines();

/** Hands a call on without reading it: numbers keep their text. */
function call(json) {
  write(`{"call":${json}}`);
  const line = lines.next();
  if (line === null) throw new Error("The engine has gone.");
  const reply = /^\{"reply":(.*)\}$/s.exec(line);
  if (reply === null) throw new Error(`The engine answered ${line}`);
  return reply[1];
}

write(JSON.stringify({ ready: true }));
for (let line = lines.next(); line !== null; line = lines.next()) {
  write(JSON.stringify({ outcome: python.run(JSON.parse(line).run, call) }));
}
