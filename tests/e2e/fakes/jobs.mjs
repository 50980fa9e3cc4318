// A stand-in for the jobs and notebooks of the engine, on top of `fakeEngine`: it knows the two tutorials' control
// tables and notebooks by their names and plays runs by a clock of its own. Nothing of it is served.

/**
 * Runs in the page after `fakeEngine` (`context.addInitScript(fakeJobs, { … })`), so it must not use anything outside
 * itself.
 *
 * @param options `stepMs` between two moments of a run; `files` of the project at the start, path → text; `jobs` there
 *   are at the start, a list of settings; `held`, kinds of requests that are not answered before
 *   `lakeletTest.jobs.release()`
 */
export function fakeJobs(options = {}) {
  const { stepMs = 15, files: firstFiles = {}, jobs: firstJobs = [], held = [] } = options;
  const listeners = [];
  const files = new Map(Object.entries(firstFiles));
  const jobs = new Map(firstJobs.map((settings) => [settings.name, settings]));
  const runs = [];
  const notebooks = new Map();
  const statuses = [];
  const rate = { copied: {} };
  let seq = 1_000_000;
  let now = Date.parse("2026-03-02T09:30:00Z");
  const world = {
    notebooks,
    watermarks: ["raw_orders", "raw_customers"],
    newRows: { raw_orders: 10, raw_customers: 6, raw_products: 4 },
    markets: [["NL", "EUR"], ["UK", "GBP"], ["US", "USD"]],
    counts: { NL: 5, UK: 4, US: 3, DE: 2 },
    badMarket: null,
    failAfterAppend: null,
    /** Kinds of requests that stay unanswered until `release` is called; "step" holds everything that runs. */
    held: new Set(held),
    release() {
      world.held.clear();
      for (const go of world.waiting.splice(0)) go();
    },
    waiting: [],
    /** Paths of files that requests have written, oldest first. */
    written: [],
    /** Kinds of requests that fail. */
    failing: [],
    rate,
    files,
    jobs,
    runs,
    showStatus: (status) => statuses.forEach((listener) => listener(JSON.stringify(status))),
  };

  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const free = (kind) => (world.held.has(kind) ? new Promise((resolve) => world.waiting.push(resolve)) : undefined);
  const step = () => free("step") ?? wait(stepMs);
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const emit = (kind, value) => {
    seq += 1;
    for (const listener of listeners) listener(JSON.stringify({ seq, body: value === undefined ? { kind } : { kind, value } }));
  };
  const instant = (ms) => new Date(ms).toISOString().replace(/\.(\d{3})Z$/, (_, f) => (f === "000" ? "Z" : `.${f}000Z`));
  const failure = (condition, message, more = {}) =>
    ({ condition, sqlstate: "42000", message, hint: null, line: null, column: null, start: null, end: null, suggestions: [], ...more });
  const refuse = (...args) => {
    throw Object.assign(new Error(args[1]), { wire: failure(...args) });
  };

  // Jobs

  const TYPES = { sql_task: "SQL", notebook_task: "Notebook", for_each_task: "For each" };
  const typeOf = (task) => TYPES[Object.keys(task).find((key) => TYPES[key])] ?? "No type";
  const tasksOf = (settings) => settings.tasks ?? [];

  function graph(settings) {
    const level = new Map();
    const levelOf = (key, seen = []) => {
      if (level.has(key)) return level.get(key);
      const task = tasksOf(settings).find((other) => other.task_key === key);
      const above = (task?.depends_on ?? []).filter((edge) => !seen.includes(edge.task_key));
      const found = above.length === 0 ? 0 : 1 + Math.max(...above.map((edge) => levelOf(edge.task_key, [...seen, key])));
      level.set(key, found);
      return found;
    };
    const rows = [];
    const nodes = tasksOf(settings).map((task) => {
      const column = levelOf(task.task_key);
      const y = rows[column] ?? 0;
      const nested = task.for_each_task?.task;
      const height = nested ? 192 : 88;
      rows[column] = y + height + 32;
      return {
        key: task.task_key,
        type_name: typeOf(task),
        depends_on: (task.depends_on ?? []).map((edge) => edge.task_key),
        x: column * 352,
        y,
        width: nested ? 272 : 240,
        height,
        children: nested ? [{ key: nested.task_key ?? "", type_name: typeOf(nested), depends_on: [], x: 16, y: 88, width: 240, height: 88, children: [] }] : [],
      };
    });
    const edges = nodes.flatMap((node) =>
      node.depends_on.flatMap((key) => {
        const from = nodes.find((other) => other.key === key);
        if (!from) return [];
        const [x1, y1, x2, y2] = [from.x + from.width, from.y + from.height / 2, node.x, node.y + node.height / 2];
        const middle = (x1 + x2) / 2;
        return [{ from: key, to: node.key, points: y1 === y2 ? [[x1, y1], [x2, y2]] : [[x1, y1], [middle, y1], [middle, y2], [x2, y2]], label: "" }];
      }),
    );
    return { nodes, edges, width: Math.max(0, ...nodes.map((n) => n.x + n.width)), height: Math.max(0, ...nodes.map((n) => n.y + n.height)) };
  }

  function query(sql) {
    if (/config\.watermarks/i.test(sql)) {
      const keys = ["source_table", "target_table", "watermark_column", "last_watermark"];
      return world.watermarks.map((raw) => {
        const mark = rate.copied[raw] ? "2026-02-27T15:30:00.250Z" : "1970-01-01T00:00:00.000Z";
        const row = [`sales.${raw}`, `sales.${raw.replace("raw_", "")}`, "updated_at", mark];
        return Object.fromEntries(keys.map((key, index) => [key, row[index]]));
      });
    }
    if (/config\.markets/i.test(sql)) return world.markets.map(([market, currency]) => ({ market, currency }));
    return refuse("TABLE_OR_VIEW_NOT_FOUND", "The table or view cannot be found.", { sqlstate: "42P01" });
  }

  function output(rows) {
    const json = JSON.stringify(rows);
    const columns = Object.keys(rows[0] ?? {});
    return { json, n_rows: rows.length, n_bytes: json.length, columns, rows: rows.map((row) => columns.map((key) => String(row[key]))), warnings: [] };
  }

  /** The elements that inputs come to, or a sentence. */
  function elements(settings, inputs) {
    const source = /^\s*\{\{\s*tasks\.([\w-]+)\.output\.rows\s*\}\}\s*$/.exec(inputs ?? "")?.[1];
    if (source) {
      const sql = tasksOf(settings).find((task) => task.task_key === source)?.sql_task?.query?.text;
      if (sql === undefined) return `There is no task '${source}' with rows.`;
      try {
        return query(sql);
      } catch (error) {
        return error.message;
      }
    }
    try {
      const value = JSON.parse(inputs);
      return Array.isArray(value) ? value : "The inputs are JSON, but not an array.";
    } catch {
      return "The inputs are not a JSON array.";
    }
  }

  const parametersOf = (task) => task?.notebook_task?.base_parameters ?? task?.sql_task?.parameters ?? {};
  const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const resolve = (template, item) =>
    template.replaceAll(/\{\{\s*input(?:\.([\w]+))?\s*\}\}/g, (_, key) => (key === undefined ? textOf(item) : textOf(item[key] ?? "")));

  function problems(settings) {
    const found = [];
    const add = (severity, kind, path, message, suggestion = null) => found.push({ severity, kind, path, message, suggestion });
    const keys = tasksOf(settings).map((task) => task.task_key);
    tasksOf(settings).forEach((task, index) => {
      const at = `tasks[${index}]`;
      if (!task.task_key) add("error", "missing_required", `${at}.task_key`, "Missing required field: settings.tasks.task_key.");
      for (const edge of task.depends_on ?? [])
        if (!keys.includes(edge.task_key)) add("error", "unknown_dependency", `${at}.depends_on[0].task_key`, `There is no task '${edge.task_key}'.`);
      const loop = task.for_each_task;
      if (!loop) return;
      const inputs = elements(settings, loop.inputs);
      if (typeof inputs === "string" && !/\{\{/.test(loop.inputs ?? "")) add("error", "inputs_not_array", `${at}.for_each_task.inputs`, inputs);
      if (loop.concurrency !== undefined && !(loop.concurrency >= 1 && loop.concurrency <= 100))
        add("error", "concurrency_out_of_range", `${at}.for_each_task.concurrency`, `A concurrency of ${loop.concurrency} is out of range: it goes from 1 to 100.`);
      if (!loop.task) add("error", "missing_required", `${at}.for_each_task.task`, "Missing required field: settings.tasks.for_each_task.task.");
      if (!Array.isArray(inputs) || inputs.length === 0) return;
      const columns = Object.keys(inputs[0]);
      for (const [name, value] of Object.entries(parametersOf(loop.task)))
        for (const [, key] of value.matchAll(/\{\{input\.(\w+)\}\}/g))
          if (!columns.includes(key)) {
            const near = columns.find((column) => column.slice(0, 8) === key.slice(0, 8));
            add("error", "input_key_missing", `${at}.for_each_task.task.${loop.task.sql_task ? "sql_task.parameters" : "notebook_task.base_parameters"}.${name}`,
              `The inputs have no field ${key}; they have ${columns.join(", ")}.`, near ? `did you mean ${near}?` : null);
          }
    });
    return found.sort((a, b) => (a.severity === "error" ? 0 : 1) - (b.severity === "error" ? 0 : 1));
  }

  function jobView(settings) {
    const inputs = tasksOf(settings).filter((task) => task.for_each_task).map((task) => {
      const items = elements(settings, task.for_each_task.inputs);
      if (typeof items === "string") return { task_key: task.task_key, n_items: 0, first: [], parameters: [], problem: items };
      const parameters = items.length === 0 ? [] : Object.entries(parametersOf(task.for_each_task.task)).map(([name, value]) => ({ name, value: resolve(value, items[0]), origin: "task" }));
      return { task_key: task.task_key, n_items: items.length, first: items.slice(0, 3).map((item) => JSON.stringify(item)), parameters, problem: null };
    });
    const own = runs.filter((run) => run.summary.job === settings.name).map((run) => run.summary).reverse();
    return copy({ name: settings.name, settings, graph: graph(settings), problems: problems(settings), inputs, runs: own, triggers: [], next_due: null, faults: faults() });
  }

  const faults = () => ({ fail_after_append: world.failAfterAppend, conflict: false });
  /** A run as it is asked for: with the faults of now. */
  const runView = (run) => copy({ ...run, faults: faults() });
  const jobNamed = (name) => jobs.get(name) ?? refuse("LAKELET_JOB_NOT_FOUND", `There is no job ${name}.`, { sqlstate: "42704" });

  function saveJob(before, settings) {
    const name = settings.name || before || "Untitled";
    if (before !== null) jobNamed(before);
    if (name !== before && jobs.has(name)) refuse("LAKELET_JOB_ALREADY_EXISTS", `There is a job ${name} already.`, { sqlstate: "42710" });
    const list = [...jobs].map(([key, value]) => (key === before ? [name, settings] : [key, value]));
    if (before === null) list.push([name, settings]);
    jobs.clear();
    for (const [key, value] of list) jobs.set(key, value);
    for (const run of runs) if (run.summary.job === before) run.summary.job = name;
    emit("files_changed");
    return jobView(settings);
  }

  // Runs

  const labelOf = (item) => (typeof item === "object" ? Object.values(item).slice(0, item.market ? 2 : 1).map(textOf).join(" · ") : textOf(item));
  const attempt = (number, start, parameters) =>
    ({ attempt: number, state: "RUNNING", start: instant(start), end: null, parameters, rows: null, cells: [], error: null, warnings: [] });
  const table = (columns, rows) => ({
    output: "table",
    header: { result: 1, columns: columns.map(([name, type]) => ({ name, type, nullable: true, default: null, comment: null })), n_rows: rows.length },
    rows,
  });

  function transactions(market, currency) {
    return Array.from({ length: world.counts[market] ?? 0 }, (_, index) => [String(index + 1), market, currency, `${(index + 1) * 12}.50`]);
  }

  /** Ends an attempt of a nested task: what it printed, showed and changed. */
  function finish(run, loop, iteration, shown, nested) {
    shown.state = "SUCCESS";
    const change = (name, operation, before, counts) =>
      run.changes.push({
        table: `playground.${name}`, operation, version_before: before, version_after: (before ?? -1) + 1, n_inserted: counts[0], n_updated: counts[1], n_deleted: counts[2],
        task_key: nested.task_key, iteration: iteration.label, attempt: shown.attempt,
      });
    const value = (name) => shown.parameters.find((parameter) => parameter.name === name)?.value;
    const source = value("source_table");
    if (source !== undefined) {
      const raw = source.replace("sales.", "");
      const n = rate.copied[raw] === "all" ? 0 : (world.newRows[raw] ?? 0);
      if (n === 0) {
        shown.cells = [{ cell: 0, items: [{ output: "text", text: `Copying 0 new rows from ${source}\nNo new rows for ${source}, watermark unchanged\n` }], error: null }];
        return;
      }
      const target = value("target_table");
      change(target, "WRITE", run.changes.some((known) => known.table.endsWith(target)) ? 0 : null, [n, 0, 0]);
      if (world.failAfterAppend === iteration.index && shown.attempt === 1) {
        shown.state = "FAILED";
        shown.error = failure("LAKELET_FAULT", "The fault switch stopped the notebook after its append.", { sqlstate: "58000" });
        shown.cells = [{ cell: 0, items: [{ output: "text", text: `Copying ${n} new rows from ${source}\n` }], error: shown.error }];
        return;
      }
      change("config.watermarks", "UPDATE", 2 + run.changes.length, [0, 1, 0]);
      rate.copied[raw] = "all";
      const text = `Copying ${n} new rows from ${source}\nWatermark for ${source} advanced to 2026-02-27 15:30:00.250000\n`;
      shown.cells = [{ cell: 0, items: [{ output: "text", text }], error: null }];
      return;
    }
    const market = value("market") ?? "NL";
    const currency = value("currency") ?? "EUR";
    if (world.badMarket === market && nested.sql_task) {
      shown.state = "FAILED";
      shown.error = failure("CAST_INVALID_INPUT", "The value 'n/a' of the type \"STRING\" cannot be cast to \"DECIMAL(10,2)\" because it is malformed.", { sqlstate: "22018", hint: "Use try_cast to get NULL instead." });
      return;
    }
    const rows = transactions(market, currency);
    if (nested.sql_task) {
      shown.rows = output(rows.map(([id, m, c, amount]) => ({ id, market: m, currency_code: c, amount })));
    } else {
      const columns = [["id", "int"], ["market", "string"], ["currency_code", "string"], ["amount", "decimal(10,2)"]];
      shown.cells = [{ cell: 0, items: [{ output: "text", text: `Processing market: ${market} (${currency})\n` }, table(columns, rows)], error: null }];
      if (value("market") === undefined) {
        shown.parameters = [{ name: "market", value: market, origin: "default" }, { name: "currency", value: currency, origin: "default" }];
        shown.state = "SUCCESS_WITH_WARNINGS";
        shown.warnings = ["used default: market, currency"];
      }
    }
  }

  const publish = (run) => {
    runs[runs.findIndex((known) => known.summary.run_id === run.summary.run_id)] = run;
    emit("run_changed", runView(run));
  };
  const summed = (iterations) => {
    if (iterations.some((iteration) => iteration.state === "FAILED")) return "FAILED";
    return iterations.some((iteration) => iteration.state === "SUCCESS_WITH_WARNINGS") ? "SUCCESS_WITH_WARNINGS" : "SUCCESS";
  };

  function startRun(name) {
    const settings = copy(jobNamed(name));
    const errors = problems(settings).filter((problem) => problem.severity === "error");
    if (errors.length > 0) refuse("INVALID_RUN_CONFIGURATION", `The job ${name} cannot run.\n${errors[0].message}`, { sqlstate: "22023" });
    const run = {
      summary: { run_id: runs.length + 1, number: runs.filter((known) => known.summary.job === name).length + 1, job: name, state: "RUNNING", repair_count: 0, started: instant(now), ended: null },
      graph: graph(settings),
      tasks: tasksOf(settings).map((task) => ({
        task_key: task.task_key, type_name: typeOf(task), state: (task.depends_on ?? []).length > 0 ? "BLOCKED" : "WAITING", attempts: [], iterations: null,
        nested_key: task.for_each_task?.task?.task_key ?? null,
        concurrency: task.for_each_task ? { limit: task.for_each_task.concurrency ?? 1, max_in_flight: 0 } : null, notices: [],
      })),
      changes: [], parameters: [], repairable: [], notices: [], settings_changed: false, elapsed_ms: 0,
    };
    runs.push(run);
    play(run, settings, null);
    return runView(run);
  }

  async function play(run, settings, again) {
    for (const task of run.tasks) {
      if (again && !again.some(([key]) => key === task.task_key)) continue;
      const definition = tasksOf(settings).find((other) => other.task_key === task.task_key);
      await step();
      const whole = attempt(task.attempts.length + 1, now, []);
      task.attempts.push(whole);
      task.state = "RUNNING";
      publish(run);
      if (definition.for_each_task) {
        await playLoop(run, settings, task, definition.for_each_task, again?.find(([key]) => key === task.task_key)?.[1]);
      } else {
        now += 450;
        whole.rows = definition.sql_task ? output(query(definition.sql_task.query.text)) : null;
        task.state = "SUCCESS";
      }
      whole.state = task.state;
      whole.end = instant(now);
      publish(run);
    }
    await step();
    const failed = run.tasks.filter((task) => task.state === "FAILED");
    run.summary.state = failed.length > 0 ? "FAILED" : "SUCCESS";
    run.summary.ended = instant(now);
    run.elapsed_ms = 31.4;
    run.repairable = failed.map((task) => [task.task_key, (task.iterations ?? []).filter((iteration) => iteration.state === "FAILED").map((iteration) => iteration.index)]);
    publish(run);
    emit("catalog_changed");
  }

  async function playLoop(run, settings, task, loop, only) {
    if (!task.iterations) {
      const items = elements(settings, loop.inputs);
      task.iterations = items.map((item, index) => ({ index, label: labelOf(item), input: JSON.stringify(item), state: "WAITING", attempts: [] }));
      if (items.length === 0) task.notices = ["Inputs were an empty list."];
    } else {
      task.notices = ["This loop goes by the inputs of the original run. Run the job again for new ones."];
    }
    const queue = task.iterations.filter((iteration) => !only || only.includes(iteration.index));
    const active = [];
    const start = now;
    let clock = start;
    while (queue.length > 0 || active.length > 0) {
      while (queue.length > 0 && active.length < (loop.concurrency ?? 1)) {
        const iteration = queue.shift();
        const item = JSON.parse(iteration.input);
        const parameters = Object.entries(parametersOf(loop.task)).map(([name, value]) => ({ name, value: resolve(value, item), origin: "task" }));
        iteration.attempts.push(attempt(iteration.attempts.length + 1, clock, parameters));
        iteration.state = "RUNNING";
        active.push({ iteration, end: clock + 700 + ((iteration.index * 370) % 600) });
      }
      task.concurrency.max_in_flight = Math.max(task.concurrency.max_in_flight, active.length);
      publish(run);
      await step();
      active.sort((a, b) => a.end - b.end);
      const { iteration, end } = active.shift();
      clock = end;
      const shown = iteration.attempts.at(-1);
      shown.end = instant(end);
      finish(run, task, iteration, shown, loop.task);
      iteration.state = shown.state;
    }
    now = clock;
    task.state = summed(task.iterations);
    if (task.state === "SUCCESS_WITH_WARNINGS") run.notices = [`${task.iterations.length} iterations processed equal values.`];
  }

  function repair(id, request) {
    const run = runs.find((known) => known.summary.run_id === id);
    const settings = copy(jobNamed(run.summary.job));
    const again = request.iterations.length > 0 ? [...new Set(request.iterations.map(([key]) => key))].map((key) => [key, request.iterations.filter(([other]) => other === key).map(([, index]) => index)]) : run.repairable;
    now += 60_000;
    run.summary.state = "RUNNING";
    run.summary.ended = null;
    run.summary.repair_count += 1;
    run.repairable = [];
    play(run, settings, again);
    return runView(run);
  }

  // Notebooks

  function parse(path) {
    const lines = files.get(path).split("\n").slice(1).join("\n");
    return lines.split("# COMMAND ----------").map((part) => {
      const text = part.trim();
      const magic = text !== "" && text.split("\n").every((line) => line.startsWith("# MAGIC") || line.trim() === "");
      if (!magic) return { kind: "python", title: null, source: text, output: null, executed: null };
      const plain = text.split("\n").map((line) => line.replace(/^# MAGIC ?/, "")).join("\n");
      const [, word, rest] = /^%(\w+)\s?([\s\S]*)$/.exec(plain) ?? [null, "", plain];
      return { kind: { md: "markdown", sql: "sql" }[word] ?? "python", title: null, source: rest, output: null, executed: null };
    });
  }

  function notebook(path) {
    const found = files.has(path) ? path : [...files.keys()].find((known) => known.endsWith(`/${path.split("/").at(-1)}.py`));
    if (!found) refuse("LAKELET_BAD_FILE", `The project has no notebook ${path}.`);
    const kept = notebooks.get(found);
    const cells = parse(found).map((cell, index) => ({ ...cell, output: kept?.outputs[index] ?? null, executed: kept?.executed[index] ?? null }));
    const widgets = [...files.get(found).matchAll(/dbutils\.widgets\.text\("(\w+)",\s*"([^"]*)",\s*"([^"]*)"\)/g)].map(([, name, value, label]) => {
      const given = kept?.widgets[name];
      return { name, label, widget: "text", choices: [], value: given ?? value, origin: given === undefined ? "default" : "run" };
    });
    const used = [...jobs.values()].flatMap((settings) => tasksOf(settings).filter((task) => task.for_each_task?.task?.notebook_task?.notebook_path === found)
      .map((task) => `${settings.name} > ${task.task_key} > ${task.for_each_task.task.task_key}`));
    return { path: found, cells, widgets, running: kept?.running ?? false, used_by: used };
  }

  async function runNotebook({ path, cell, widgets }) {
    const view = notebook(path);
    const kept = { outputs: [], executed: [], widgets, running: true, order: 0, ...notebooks.get(view.path) };
    Object.assign(kept, { widgets, running: true });
    notebooks.set(view.path, kept);
    for (const [index, source] of view.cells.entries()) {
      if ((cell !== null && cell !== index) || source.kind === "markdown") continue;
      emit("notebook_changed", notebook(view.path));
      await step();
      kept.order += 1;
      kept.executed[index] = kept.order;
      const value = (name) => notebook(view.path).widgets.find((widget) => widget.name === name)?.value;
      let items = [{ output: "text", text: "done\n" }];
      if (/Copying/.test(source.source)) {
        const name = value("source_table");
        items = [{ output: "text", text: `Copying ${world.newRows[name.replace("sales.", "")]} new rows from ${name}\n` }, { output: "text", text: `Watermark for ${name} advanced to 2026-02-27 15:30:00.250000\n` }];
      } else if (source.kind === "sql") {
        items = [table([["market", "string"], ["currency", "string"]], world.markets)];
      } else if (/raise/.test(source.source)) {
        const error = failure("PYTHON_EXCEPTION", "ValueError: no", { sqlstate: "38000", hint: "Traceback (most recent call last):\n  File \"copy_incremental, cell 1\", line 1\nValueError: no" });
        kept.outputs[index] = { cell: index, items: [{ output: "text", text: "<img src=x onerror=alert(1)>\n" }], error };
        break;
      }
      kept.outputs[index] = { cell: index, items, error: null };
    }
    kept.running = false;
    return notebook(view.path);
  }

  // Requests

  async function answer(body) {
    const of = (kind, value) => (value === undefined ? { kind } : { kind, value });
    switch (body.kind) {
      case "jobs":
        return of("jobs", [...jobs.values()].map((settings) => ({ name: settings.name, n_tasks: tasksOf(settings).length, last_run: jobView(settings).runs[0] ?? null })));
      case "job":
        return of("job", jobView(jobNamed(body.job)));
      case "validate_job":
        return of("job", jobView(body.settings));
      case "save_job":
        return of("job", saveJob(body.job, body.settings));
      case "delete_job":
        jobNamed(body.job);
        jobs.delete(body.job);
        emit("files_changed");
        return of("done");
      case "preview_output":
        return of("output", output(query(body.sql)));
      case "run_job":
        return of("run", startRun(body.job));
      case "repair":
        return of("run", repair(body.run_id, body.repair));
      case "run":
        return of("run", runView(runs.find((run) => run.summary.run_id === body.run_id)));
      case "runs":
        return of("runs", copy(runs.filter((run) => run.summary.job === body.job).map((run) => run.summary).reverse()));
      case "set_fault":
        if (body.fault.fault === "fail_after_append") world.failAfterAppend = body.fault.iteration;
        return of("done");
      case "files":
        return of("files", [...files.keys()]);
      case "file":
        return of("file", files.get(body.path) ?? "");
      case "save_file":
        if (body.text === null) files.delete(body.path);
        else files.set(body.path, body.text);
        world.written.push(body.path);
        emit("files_changed");
        return of("done");
      case "notebook":
        return of("notebook", notebook(body.path));
      case "run_notebook":
        return of("notebook", await runNotebook(body));
      default:
        return null;
    }
  }

  // Wraps the engine that `fakeEngine` puts in when the page's script defines `lakelet`.
  const inner = Object.getOwnPropertyDescriptor(globalThis, "lakelet");
  let wrapped;
  Object.defineProperty(globalThis, "lakelet", {
    configurable: true,
    get: () => wrapped,
    set(value) {
      inner.set(value);
      const base = inner.get();
      const request = async (json) => {
        const { id, body } = JSON.parse(json);
        if (body.kind === "open_project") for (const [path, text] of Object.entries(body.files)) files.set(path, text);
        if (body.kind === "reset") {
          files.clear();
          jobs.clear();
          runs.length = 0;
        }
        let answered;
        await free(body.kind);
        try {
          if (world.failing.includes(body.kind)) refuse("LAKELET_TEST", `The test lets ${body.kind} fail.`);
          answered = await answer(body);
        } catch (error) {
          return JSON.stringify({ id, body: { Err: error.wire ?? failure("INTERNAL_ERROR", String(error.stack)) } });
        }
        return answered === null ? base.engine.request(json) : JSON.stringify({ id, body: { Ok: answered } });
      };
      const onEvent = (listener) => {
        listeners.push(listener);
        base.engine.onEvent(listener);
      };
      const onStatus = (listener) => {
        statuses.push(listener);
        base.engine.onStatus(listener);
      };
      wrapped = { ...base, engine: { ...base.engine, request, onEvent, onStatus } };
    },
  });
  globalThis.lakeletTest = { ...globalThis.lakeletTest, jobs: world };
}
