// Python in the engine's worker: fetched on first use with its progress told, started, and then shut in.
//
// A notebook can spoil its own workspace and burn time. It can neither send data out nor read another workspace: the
// names that could are gone from the worker before the first cell runs, the page's policy forbids `eval` in every
// disguise, and what the engine's loop needs (its port, its segment) lives in closures.

import { fetchRetrying } from "./engine-assets.mjs";
import { isolate } from "./isolation.mjs";
import { PYTHON_FILES } from "./python-files.mjs";
import { startPython } from "./python-host.mjs";

/** What Pyodide fetches, with the media type that a poor host may not send. */
const PYODIDE_FILES = {
  "pyodide.asm.wasm": "application/wasm",
  "python_stdlib.zip": "application/zip",
  "pyodide-lock.json": "application/json",
};

/** Python of one worker. */
export class PythonInWorker {
  #base;
  #build;
  #post;
  #files;
  #host = null;

  /**
   * @param base address of the page's folder
   * @param build identity of the build
   * @param files what an earlier worker of this page has fetched, or `null`
   * @param post sends a message to the page
   */
  constructor({ base, build, files, post }) {
    this.#base = base;
    this.#build = build;
    this.#files = files;
    this.#post = post;
  }

  /** Runs a cell, after starting Python if need be; see `PythonHost.run`. */
  async run(cell, call) {
    try {
      this.#host ??= await this.#start();
    } catch (error) {
      return { outcome: "unavailable", message: error?.message ?? String(error) };
    }
    return this.#host.run(cell, call);
  }

  async #start() {
    if (this.#files === null) {
      this.#files = await this.#download();
      // The next worker of this page has no use for the network.
      this.#post({ kind: "python_files", files: this.#files });
    }
    this.#progress({ phase: "starting" });
    const { pyodide, python } = this.#files;
    const restore = serveFrom(pyodide);
    let host;
    try {
      const { loadPyodide } = await import(this.#address("pyodide/pyodide.mjs").href);
      host = await startPython({ loadPyodide, options: { indexURL: new URL("pyodide/", this.#base).href }, files: python });
    } finally {
      restore();
    }
    isolate(globalThis);
    this.#progress({ phase: "ready" });
    return host;
  }

  async #download() {
    const manifest = await (await fetchRetrying(new URL("manifest.json", this.#base), { cache: "no-cache" })).json();
    const wanted = [
      ...Object.keys(PYODIDE_FILES).map((name) => `pyodide/${name}`),
      ...PYTHON_FILES.map((name) => `python/${name}`),
    ];
    const total = wanted.reduce((sum, name) => sum + (manifest.files[name]?.bytes ?? 0), 0);
    let done = 0;
    this.#progress({ phase: "downloading", done, total });
    const count = new Map(
      await Promise.all(
        wanted.map(async (name) => {
          const response = await fetchRetrying(this.#address(name), {});
          const chunks = [];
          for (const reader = response.body.getReader(); ; ) {
            const { done: finished, value } = await reader.read();
            if (finished) break;
            chunks.push(value);
            done += value.byteLength;
            this.#progress({ phase: "downloading", done: Math.min(done, total), total });
          }
          return [name, new Blob(chunks, { type: PYODIDE_FILES[name.slice("pyodide/".length)] ?? "text/x-python" })];
        }),
      ),
    );
    const pyodide = {};
    for (const name of Object.keys(PYODIDE_FILES)) pyodide[name] = count.get(`pyodide/${name}`);
    const python = {};
    for (const name of PYTHON_FILES) python[name] = await count.get(`python/${name}`).text();
    return { pyodide, python };
  }

  #address(name) {
    const address = new URL(name, this.#base);
    address.search = `?v=${this.#build}`;
    return address;
  }

  #progress(progress) {
    this.#post({ kind: "python", progress });
  }
}

/**
 * Lets `fetch` answer with files that are here already. Pyodide fetches for itself, without progress, and believes the
 * host's media types.
 */
function serveFrom(files) {
  const original = globalThis.fetch;
  globalThis.fetch = (resource, options) => {
    const name = new URL(resource?.url ?? resource).pathname.split("/").at(-1);
    const file = files[name];
    if (file === undefined) return original(resource, options);
    return Promise.resolve(new Response(file, { headers: { "content-type": file.type } }));
  };
  return () => {
    globalThis.fetch = original;
  };
}
