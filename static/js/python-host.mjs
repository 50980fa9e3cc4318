// Python for notebooks, wherever JavaScript runs: in the engine's worker and under Node. It knows Pyodide and the files
// of `static/python`, and nothing of the browser.

/** Where the files of `static/python` stand inside Python. */
const LIBRARY = "/lakelet";

/**
 * Starts Python.
 *
 * @param loadPyodide Pyodide's function of that name
 * @param options what it is called with besides, at least `indexURL`
 * @param files path below `static/python` → text
 * @returns a `PythonHost`
 */
export async function startPython({ loadPyodide, options, files }) {
  const pyodide = await loadPyodide({
    ...options,
    // `import js` finds an empty module: notebooks have no way to the page, the network or the machine.
    jsglobals: Object.freeze(Object.create(null)),
    // Cells print through the bridge, in order with their tables. What comes here comes from outside of any cell.
    stdin: () => null,
  });
  for (const [path, text] of Object.entries(files)) {
    const file = `${LIBRARY}/${path}`;
    pyodide.FS.mkdirTree(file.slice(0, file.lastIndexOf("/")));
    pyodide.FS.writeFile(file, text);
  }
  const bridge = new Bridge();
  pyodide.registerJsModule("_lakelet_bridge", Object.freeze({ call: (json) => bridge.call(json) }));
  const path = pyodide.pyimport("sys").path;
  path.insert(0, LIBRARY);
  path.destroy();
  const cells = pyodide.pyimport("lakelet.cells");
  const runCell = cells.run_cell.copy();
  cells.destroy();
  return new PythonHost(bridge, runCell);
}

/** A running Python. */
export class PythonHost {
  #bridge;
  #runCell;

  constructor(bridge, runCell) {
    this.#bridge = bridge;
    this.#runCell = runCell;
  }

  /**
   * Runs a cell to its end.
   *
   * @param cell `{ execution, notebook, source, fresh, filename, arguments }`; `arguments` is a list of texts for a file
   *   that is run as a program, and `null` for a cell of a notebook
   * @param call answers a `PythonCall` (JSON) with a `PythonReply` (JSON) at once
   * @returns the outcome: `{ outcome: "succeeded" }`, `{ outcome: "failed", exception, message, traceback }` or
   *   `{ outcome: "exited", value }`
   */
  run(cell, call) {
    return this.#bridge.during(call, () =>
      JSON.parse(
        this.#runCell(cell.notebook, cell.source, cell.fresh, cell.filename, JSON.stringify(cell.arguments ?? null)),
      ),
    );
  }
}

/** What Python calls: the engine, while a cell runs, and an error at any other time. */
class Bridge {
  #call = null;

  call(json) {
    if (this.#call === null) throw new Error("No cell is running.");
    return this.#call(json);
  }

  during(call, work) {
    this.#call = call;
    try {
      return work();
    } finally {
      this.#call = null;
    }
  }
}
