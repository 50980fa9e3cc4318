// Python in the engine's worker: fetched on first use with its progress told, started, and then shut in.
//
// A notebook can spoil its own workspace and burn time. It can neither send data out nor read another workspace: the
// names that could are gone from the worker before the first cell runs, the page's policy forbids `eval` in every
// disguise, and what the engine's loop needs (its port, its segment) lives in closures.

import { fetchRetrying } from "./engine-assets.mjs";
import { isolate } from "./isolation.mjs";
import { PYTHON_FILES } from "./python-files.mjs";
import { startPython } from "./python-host.mjs";

const PYTHON_MODULE = "pyodide.asm.wasm";

/** What Pyodide fetches besides its scripts. */
const PYODIDE_FILES = [PYTHON_MODULE, "python_stdlib.zip", "pyodide-lock.json"];

/** Python of one worker. */
export class PythonInWorker {
  #base;
  #build;
  #post;
  #files;
  #host = null;
  /** Why Python cannot be started in this worker any more. */
  #broken = null;

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
      this.#progress(null);
      return { outcome: "unavailable", message: error?.message ?? String(error) };
    }
    return this.#host.run(cell, call);
  }

  async #start() {
    if (this.#broken !== null) throw new Error(this.#broken);
    if (this.#files === null) {
      this.#files = await this.#download();
      // The next worker of this page needs no network and compiles nothing.
      this.#post({ kind: "python_files", files: this.#files });
    }
    this.#progress({ phase: "starting" });
    try {
      const { module, pyodide, python } = this.#files;
      const restore = serve(module, pyodide);
      const { loadPyodide } = await import(this.#address("pyodide/pyodide.mjs").href);
      const host = await startPython({
        loadPyodide,
        options: { indexURL: new URL("pyodide/", this.#base).href },
        files: python,
      });
      restore();
      isolate(globalThis);
      this.#progress({ phase: "ready" });
      return host;
    } catch (error) {
      // A worker is shut in once and for all, in part or whole: another attempt needs another worker.
      this.#broken = error?.message ?? String(error);
      throw error;
    }
  }

  async #download() {
    const manifest = await (await fetchRetrying(new URL("manifest.json", this.#base), { cache: "no-cache" })).json();
    const wanted = [...PYODIDE_FILES.map((name) => `pyodide/${name}`), ...PYTHON_FILES.map((name) => `python/${name}`)];
    const total = wanted.reduce((sum, name) => sum + (manifest.files[name]?.bytes ?? 0), 0);
    let done = 0;
    this.#progress({ phase: "downloading", done, total });
    const load = async (name) => {
      const response = await fetchRetrying(this.#address(name), {});
      const counted = response.body.pipeThrough(
        new TransformStream({
          transform: (chunk, controller) => {
            done += chunk.byteLength;
            this.#progress({ phase: "downloading", done: Math.min(done, total), total });
            controller.enqueue(chunk);
          },
        }),
      );
      // Only one of them is wasm, and only there the media type matters.
      return new Response(counted, { headers: { "content-type": "application/wasm" } });
    };
    const each = async (folder, names, read) => {
      const pairs = names.map(async (name) => [name, await read(await load(`${folder}/${name}`))]);
      return Object.fromEntries(await Promise.all(pairs));
    };
    const [module, pyodide, python] = await Promise.all([
      WebAssembly.compileStreaming(load(`pyodide/${PYTHON_MODULE}`)),
      each(
        "pyodide",
        PYODIDE_FILES.filter((name) => name !== PYTHON_MODULE),
        (response) => response.blob(),
      ),
      each("python", PYTHON_FILES, (response) => response.text()),
    ]);
    return { module, pyodide, python };
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
 * Lets Pyodide find what is here already. It fetches and compiles for itself, without progress, believing the host's
 * media types, and in every worker anew.
 *
 * @returns undoes it
 */
function serve(module, files) {
  const { fetch } = globalThis;
  const { instantiateStreaming } = WebAssembly;
  globalThis.fetch = (resource, options) => {
    const name = new URL(resource?.url ?? resource).pathname.split("/").at(-1);
    if (name === PYTHON_MODULE) return Promise.resolve(new Response());
    return name in files ? Promise.resolve(new Response(files[name])) : fetch(resource, options);
  };
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const instance = await WebAssembly.instantiate(module, imports);
    return { module, instance };
  };
  return () => {
    globalThis.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  };
}
