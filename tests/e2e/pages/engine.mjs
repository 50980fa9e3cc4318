// The engine behind the page, for tests of what no screen shows: its worker, its log, its Python.
//
// It works in any document that has `globalThis.lakelet`: a page, or a frame.

export class Engine {
  #document;

  /** @param document a page or a frame */
  constructor(document) {
    this.#document = document;
  }

  /** Waits until it takes requests; starts it where nobody has. */
  async ready() {
    await this.#document.waitForFunction(() => globalThis.lakelet !== undefined);
    await this.#document.evaluate(() => {
      globalThis.testing ??= { statuses: [], events: [] };
      globalThis.lakelet.engine.onStatus((json) => globalThis.testing.statuses.push(JSON.parse(json)));
      globalThis.lakelet.engine.onEvent((json) => globalThis.testing.events.push(JSON.parse(json).body));
      return globalThis.lakelet.engine.start();
    });
    await this.#document.waitForFunction(() => ["ready", "failed"].includes(globalThis.testing.statuses.at(-1).phase));
  }

  /** All states since `ready` was called, oldest first. */
  statuses() {
    return this.#document.evaluate(() => globalThis.testing.statuses);
  }

  /** The present state. */
  async status() {
    return (await this.statuses()).at(-1);
  }

  /** Waits until the last statement that was sent is at work. */
  async statementRuns() {
    await this.#document.waitForFunction(() =>
      globalThis.testing.events.some(({ kind, value }) => kind === "statement_changed" && value.report.state === "running"),
    );
  }

  /** Waits until the log of the workspace is at least so long: what it holds then has been committed. */
  async logReaches(bytes) {
    await this.#document.waitForFunction((least) => JSON.parse(globalThis.lakelet.storage.state()).bytes >= least, bytes);
  }

  /** How safe the reader's work is. */
  storage() {
    return this.#document.evaluate(() => JSON.parse(globalThis.lakelet.storage.state()));
  }

  /** The answer to a request, or the error in its place. */
  request(body) {
    return this.#document.evaluate(async (asked) => {
      // Ids far from those that the interface counts up.
      globalThis.lastTestId = (globalThis.lastTestId ?? 2 ** 40) + 1;
      if (globalThis.testing) globalThis.testing.events.length = 0;
      const json = await globalThis.lakelet.engine.request(JSON.stringify({ id: globalThis.lastTestId, body: asked }));
      const answer = JSON.parse(json).body;
      return answer.Err ?? answer.Ok.value ?? null;
    }, body);
  }

  /** Runs a script. The rows of its last statement, or the error that ended it. */
  async sql(text) {
    const range = { range: "all" };
    const report = await this.request({ kind: "run_script", tab: "test", text, range, params: {} });
    if (report.condition !== undefined) return report;
    const failed = report.statements.find(({ error }) => error !== null);
    if (failed !== undefined) return failed.error;
    const { result } = report.statements.at(-1);
    if (result === null) return [];
    const page = await this.request({ kind: "fetch_page", result: result.result, row_from: 0, n_rows: 1000 });
    return page.rows;
  }

  /** Runs one cell of a new notebook. Its output, or the error in its place. */
  async python(source) {
    const path = "src/test.py";
    await this.request({ kind: "save_file", path, text: `# Databricks notebook source\n${source}\n` });
    const notebook = await this.request({ kind: "run_notebook", path, cell: null, widgets: {} });
    return notebook.condition === undefined ? notebook.cells[0].output : notebook;
  }

  /** Opens one of the projects that the page brings along, in an empty workspace. */
  async openProject(name) {
    const files = await this.#document.evaluate(async (project) => {
      const { projects } = await (await fetch("projects/index.json")).json();
      const { files } = projects.find(({ id }) => id === project);
      const texts = files.map(async (path) => [
        path,
        await (await fetch(`projects/${project}/${path}`)).text(),
      ]);
      return Object.fromEntries(await Promise.all(texts));
    }, name);
    await this.request({ kind: "open_project", files });
    return files;
  }

  /** Runs a job to its end. */
  async run(job) {
    let run = await this.request({ kind: "run_job", job, params: {} });
    while (["QUEUED", "RUNNING"].includes(run.summary.state)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      run = await this.request({ kind: "run", run_id: run.summary.run_id });
    }
    return run;
  }

  /** Takes the page's patience: from now on no timer of it ends what does not answer. */
  async waitForever() {
    await this.#document.evaluate(() => {
      globalThis.setTimeout = () => 0;
    });
  }

  /** Stops whatever runs; the milliseconds until the engine was free again. */
  cancel() {
    return this.#document.evaluate(async () => {
      const started = performance.now();
      await globalThis.lakelet.engine.cancel();
      return performance.now() - started;
    });
  }

  /** Milliseconds of a query's whole way and its rows, measured in the page. */
  async timed(text) {
    const started = Date.now();
    const rows = await this.sql(text);
    return { rows, ms: Date.now() - started };
  }

  /** Ends the worker as a lack of memory would; resolves when the next one has recovered. */
  kill() {
    return this.#document.evaluate(() => globalThis.lakeletTest.killWorker());
  }

  /** Has the engine panic. */
  trap() {
    return this.#document.evaluate(() => globalThis.lakeletTest.trapEngine());
  }

  /** Has the worker run in circles. */
  spin() {
    return this.#document.evaluate(() => globalThis.lakeletTest.spin());
  }
}
