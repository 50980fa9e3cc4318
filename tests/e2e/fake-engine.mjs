// A stand-in for the engine, for tests of the page alone: it answers requests from a small, fixed world and is put into
// the page by the test, before the page's own scripts. Nothing of it is served.

/**
 * Runs in the page (`page.addInitScript(fakeEngine, { … })`), so it must not use anything outside itself.
 *
 * @param options `delayMs` before an answer, `neverReady` to stay at downloading
 */
export function fakeEngine(options = {}) {
  const { delayMs = 5, neverReady = false } = options;
  const listeners = { event: [], status: [] };
  let status = { phase: "idle" };
  let seq = 0;
  let nextResult = 1;
  let restarts = 0;
  const results = new Map();
  const running = new Map();
  let now = Date.parse("2026-03-02T09:00:00Z");
  const files = new Map();
  const world = newWorld();

  const show = (next) => {
    status = next;
    for (const listener of listeners.status) listener(JSON.stringify(status));
  };
  const emit = (kind, value) => {
    seq += 1;
    const body = value === undefined ? { kind } : { kind, value };
    for (const listener of listeners.event) listener(JSON.stringify({ seq, body }));
  };
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const ready = async () => {
    while (status.phase !== "ready") await wait(20);
  };

  const engine = {
    async request(json) {
      const { id, body } = JSON.parse(json);
      await ready();
      await wait(delayMs);
      try {
        return JSON.stringify({ id, body: { Ok: await answer(body) } });
      } catch (error) {
        const wire = error.wire ?? failure("INTERNAL_ERROR", String(error));
        return JSON.stringify({ id, body: { Err: wire } });
      }
    },
    onEvent: (listener) => listeners.event.push(listener),
    onStatus(listener) {
      listeners.status.push(listener);
      listener(JSON.stringify(status));
    },
    async start() {
      for (const done of [0, 4_100_000]) {
        show({ phase: "downloading", done, total: 9_800_000, threads: 1 });
        await wait(30);
      }
      if (neverReady) return;
      show({ phase: "compiling", threads: 1 });
      await wait(30);
      show({ phase: "ready", threads: 1, restarts });
    },
    retry() {},
    restart() {},
    cancel() {
      for (const stop of running.values()) stop();
    },
    takeOver() {},
  };

  globalThis.lakeletTest = {
    async trapEngine() {
      restarts += 1;
      show({ phase: "recovering", threads: 1, reason: "unreachable" });
      await wait(50);
      show({ phase: "ready", threads: 1, restarts });
    },
    world,
  };

  // The page's script defines `lakelet`; its engine is replaced as it does.
  let defined;
  Object.defineProperty(globalThis, "lakelet", {
    configurable: true,
    get: () => defined,
    set(value) {
      defined = { ...value, engine };
    },
  });

  function failure(condition, message, more = {}) {
    return { condition, sqlstate: "42000", message, hint: null, line: null, column: null, start: null, end: null, suggestions: [], ...more };
  }

  function column(name, type = "string", more = {}) {
    return { name, type, nullable: true, default: null, comment: null, ...more };
  }

  function open(columns, rows) {
    const result = nextResult;
    nextResult += 1;
    const n_rows = typeof rows === "function" ? rows.length_ : rows.length;
    results.set(result, rows);
    return { result, columns, n_rows };
  }

  function numbers(n) {
    const row = (index) => [String(index), `row ${index}`, index % 7 === 0 ? null : (index * 1.1).toFixed(2)];
    row.length_ = n;
    return row;
  }

  function summary(table) {
    const { name, kind, version, columns, n_rows, change_feed = false, n_unread = null } = table;
    return { name, short_name: name.split(".").at(-1), kind, version, n_rows, change_feed, n_unread, columns };
  }

  function newWorld() {
    const product = [column("product_id", "int"), column("product_name"), column("category"), column("warehouse")];
    const names = "Spoon Fork Knife Chair Table Lamp Mug Plate Bowl Glass Napkin Coaster".split(" ");
    const places = "Seattle Portland Denver Austin Chicago Boston Seattle Atlanta Dallas Phoenix,San Francisco".split(/[ ,]/);
    const categories = "Cutlery Cutlery Cutlery Furniture Furniture Lighting Kitchenware Kitchenware Kitchenware Kitchenware Dining Dining".split(" ");
    const rows = names.map((name, index) => [String(index + 1), name, categories[index], places[index] ?? "New York"]);
    return { product, rows, tables: [] };
  }

  function makeTutorialThree() {
    const history = [...world.product, column("__START_AT", "timestamp"), column("__END_AT", "timestamp")];
    const d = "playground.default.";
    world.tables = [
      { name: `${d}product_sales`, kind: "table", version: 1, n_rows: 4, columns: [column("sale_id", "int"), column("sale_date", "date")] },
      { name: `${d}product_sales_recent`, kind: "streaming_table", version: 1, n_rows: 3, columns: [column("sale_id", "int"), column("sale_date", "date")], n_unread: 0 },
      { name: `${d}products`, kind: "table", version: 6, n_rows: 10, columns: world.product, change_feed: true },
      { name: `${d}products_by_category`, kind: "materialized_view", version: 1, n_rows: 5, columns: [column("category"), column("active_products", "bigint")], n_unread: 0 },
      { name: `${d}products_history`, kind: "streaming_table", version: 1, n_rows: 14, columns: history, n_unread: 2 },
    ];
    emit("catalog_changed");
  }

  const at = (ms) => new Date(now + ms).toISOString().replace(".000", "").replace(/\.(\d{3})Z/, ".$1000Z");
  const commit = (version, operation, counts, cause = "statement 1 of products") => ({
    version,
    timestamp: at(version),
    operation,
    parameters: [],
    n_inserted: counts[0],
    n_updated: counts[1],
    n_deleted: counts[2],
    cause,
  });
  const commits = () => [
    commit(0, "CREATE OR REPLACE TABLE", [0, 0, 0]),
    commit(1, "WRITE", [10, 0, 0]),
    commit(2, "WRITE", [2, 0, 0]),
    commit(3, "UPDATE", [0, 1, 0]),
    commit(4, "UPDATE", [0, 1, 0]),
    commit(5, "DELETE", [0, 0, 1]),
    commit(6, "DELETE", [0, 0, 1]),
  ];

  function changes(from, to) {
    const all = world.rows.map((cells, index) => ({ change_type: "insert", version: index < 10 ? 1 : 2, cells, preimage: null }));
    const spoon = world.rows[0];
    const fork = world.rows[1];
    const update = (version, before, after) => {
      all.push({ change_type: "update_preimage", version, cells: before, preimage: null });
      all.push({ change_type: "update_postimage", version, cells: after, preimage: all.length - 1 });
    };
    update(3, spoon, [...spoon.slice(0, 3), "Los Angeles"]);
    update(4, fork, [...fork.slice(0, 2), "Dining", fork[3]]);
    all.push({ change_type: "delete", version: 5, cells: world.rows[8], preimage: null });
    all.push({ change_type: "delete", version: 6, cells: world.rows[9], preimage: null });
    const rows = all.filter((row) => row.version >= from && row.version <= to);
    return {
      table: "playground.default.products",
      columns: world.product,
      from,
      to,
      commits: commits().filter((entry) => entry.version >= from && entry.version <= to),
      rows,
      n_rows: rows.length,
      readers: [{ table: "playground.default.products_history", read_to: 4 }],
    };
  }

  function versions() {
    const axis = [1, 2, 3, 4].map((ms) => `2026-03-02 09:00:00.00${ms}`);
    const version = (key, start, end, label) => ({
      id: `${key}#${axis[start]}`,
      start: axis[start],
      end: end === null ? null : axis[end],
      start_index: start,
      end_index: end,
      values: [["product_name", world.rows[key - 1][1]], ["warehouse", label]],
      label,
    });
    const histories = world.rows.map(([id, name, , warehouse]) => {
      const key = Number(id);
      const start = key > 10 ? 1 : 0;
      let list = [version(key, start, null, warehouse)];
      if (key === 1) list = [version(1, 0, 2, "Seattle"), version(1, 2, null, "Los Angeles")];
      if (key === 2) list = [version(2, 0, 3, "Cutlery"), version(2, 3, null, "Dining")];
      return { key: id, label: `${id} ${name}`, versions: list };
    });
    const invariants = ["at most one open version for each key", "no overlap", "every version ends after its start"];
    return {
      table: "playground.default.products_history",
      keys: ["product_id"],
      sequence_by: "_commit_timestamp",
      axis,
      histories,
      n_keys: 12,
      invariants: invariants.map((words) => [words, true]),
      n_unread: 2,
    };
  }

  function refreshes(table) {
    const report = (number, more) => ({
      table,
      number,
      at: at(10),
      mode: "incremental",
      reason: "The change feed was read from version 5.",
      n_read: 2,
      unit: "events",
      n_source_rows: 18,
      n_inserted: 0,
      n_updated: 2,
      n_deleted: 0,
      touched: [2, 12],
      groups: [],
      window: null,
      version: 2,
      trigger: "statement",
      ...more,
    });
    if (table.endsWith("products_by_category")) {
      const group = (label, count, touched) => ({ label, before: String(count), after: String(count), touched });
      return [
        report(2, {
          reason: "Changed rows could be traced to groups.",
          unit: "rows",
          n_source_rows: 15,
          n_updated: 0,
          touched: [1, 5],
          groups: [group("Cutlery", 2, true), group("Dining", 3, false), group("Furniture", 2, false), group("Kitchenware", 2, false), group("Lighting", 1, false)],
          trigger: "schedule",
        }),
        report(1, { mode: "full", reason: "First refresh.", unit: "rows", n_read: 14, n_source_rows: 14, n_inserted: 5, n_updated: 0, touched: null, version: 1, trigger: "create" }),
      ];
    }
    return [report(2, {}), report(1, { mode: "full", reason: "First refresh.", n_read: 16, n_inserted: 14, n_updated: 0, touched: [12, 12], version: 1, trigger: "create" })];
  }

  function pipeline() {
    const node = (name, kind, x, y, more = {}) => ({
      name: `playground.default.${name}`,
      short_name: name,
      kind,
      version: 1,
      n_rows: 12,
      freshness: "",
      schedule: null,
      last_mode: null,
      x,
      y,
      width: 220,
      height: 96,
      ...more,
    });
    const streaming = { freshness: "stale: 2 unread", schedule: "every 1 day", last_mode: "full" };
    const fresh = { freshness: "fresh", schedule: "every 1 day", last_mode: "incremental" };
    const edge = (from, to, points, label) => ({ from: `playground.default.${from}`, to: `playground.default.${to}`, points, label });
    if (world.tables.length === 0) return { nodes: [], edges: [], width: 0, height: 0 };
    return {
      nodes: [
        node("products", "table", 0, 0),
        node("product_sales", "table", 0, 140),
        node("products_history", "streaming_table", 320, 0, streaming),
        node("product_sales_recent", "streaming_table", 320, 140, fresh),
        node("products_by_category", "materialized_view", 640, 0, fresh),
      ],
      edges: [
        edge("products", "products_history", [[220, 48], [320, 48]], "read to v4"),
        edge("product_sales", "product_sales_recent", [[220, 188], [320, 188]], ""),
        edge("products_history", "products_by_category", [[540, 48], [640, 48]], ""),
      ],
      width: 860,
      height: 240,
    };
  }

  function clock() {
    return { now: at(0), simulated: true, next_due: world.tables.length > 0 ? at(86_400_000) : null };
  }

  function preview({ by, n }) {
    const minutes = by === "minutes" ? n : 1440;
    const names = ["products_history", "products_by_category", "product_sales_recent"];
    const details = ["read 1 unread change", "after products_history", "window 24 Feb - 3 Mar"];
    const due = minutes >= 1440 && world.tables.length > 0
      ? names.map((name, index) => ({ at: at(86_400_000), name: `playground.default.${name}`, what: "refresh", detail: details[index] }))
      : [];
    return { to: at(minutes * 60_000), due };
  }

  function split(text) {
    const statements = [];
    let start = 0;
    for (const piece of text.split(";")) {
      if (piece.trim() !== "") {
        const lead = piece.length - piece.trimStart().length;
        statements.push({ start: start + lead, end: start + piece.trimEnd().length, text: piece.trim() });
      }
      start += piece.length + 1;
    }
    return statements;
  }

  async function run({ tab, text, range }) {
    const all = split(text);
    const first = range.range === "at" ? all.filter((s) => s.end >= range.offset).slice(0, 1) : all;
    const chosen = range.range === "selection" ? all.filter((s) => s.start < range.end && s.end > range.start) : first;
    const reports = chosen.map((statement) => ({
      index: all.indexOf(statement),
      start: statement.start,
      end: statement.end,
      label: statement.text.split("\n")[0],
      state: "waiting",
      result: null,
      rows_affected: null,
      message: null,
      error: null,
      warnings: [],
      elapsed_ms: 0,
    }));
    let failed = false;
    for (const [index, report] of reports.entries()) {
      if (failed) {
        report.state = "not_run";
        continue;
      }
      report.state = "running";
      emit("statement_changed", { tab, report });
      await execute(report, chosen[index].text, text);
      failed = report.state !== "done";
      emit("statement_changed", { tab, report });
    }
    return { tab, statements: reports, current_schema: "playground.default" };
  }

  async function execute(report, statement, text) {
    report.elapsed_ms = 12.3;
    report.state = "done";
    const million = /range\((\d+)\)/i.exec(statement);
    const typo = statement.indexOf("warehose");
    if (typo >= 0) {
      const start = report.start + typo;
      report.state = "failed";
      report.error = failure("UNRESOLVED_COLUMN.WITH_SUGGESTION", "There is no column `warehose` in products.", {
        sqlstate: "42703",
        line: text.slice(0, start).split("\n").length,
        column: start - text.lastIndexOf("\n", start - 1),
        start,
        end: start + 8,
        suggestions: [{ label: "did you mean warehouse?", range: [start, start + 8], replacement: "warehouse" }],
      });
    } else if (/cross join/i.test(statement)) {
      emit("progress", { n_rows: 120_000 });
      await new Promise((resolve) => running.set(report, resolve));
      running.delete(report);
      report.state = "canceled";
    } else if (million) {
      report.result = open([column("id", "bigint"), column("text"), column("amount", "decimal(20,2)")], numbers(Number(million[1])));
    } else if (/^select null/i.test(statement)) {
      const columns = [column("a", "void"), column("b"), column("c"), column("d", "bigint"), column("e", "decimal(5,2)"), column("f", "timestamp")];
      report.result = open(columns, [[null, "", "NULL", "9007199254740993", "1.10", "2024-02-29 01:02:03.123456"]]);
    } else if (/^select/i.test(statement)) {
      report.result = open(world.product, world.rows);
    } else if (/^alter/i.test(statement)) {
      report.warnings = [failure("LAKELET_DEFAULT_IN_ADD_COLUMN", "Delta on Databricks wants separate steps for a default.", {
        suggestions: [{ label: "The steps that work there:", range: null, replacement: "ALTER TABLE config.watermarks ADD COLUMN active BOOLEAN;" }],
      })];
    } else if (/^create/i.test(statement)) {
      report.message = "products is at version 0";
      makeTutorialThree();
    } else {
      report.rows_affected = 10;
      report.message = "products is at version 1";
    }
  }

  function table(name) {
    const found = world.tables.find((entry) => entry.name === name);
    if (!found) throw Object.assign(new Error(), { wire: failure("TABLE_OR_VIEW_NOT_FOUND", `There is no ${name}.`) });
    const scd = name.endsWith("products_history") ? 2 : null;
    return {
      summary: summary(found),
      history: found.name.endsWith(".products") ? commits().reverse() : [commit(1, "REFRESH", [14, 0, 0], "first refresh"), commit(0, "CREATE STREAMING TABLE", [0, 0, 0])],
      properties: [["delta.enableChangeDataFeed", "true"]],
      definition: `CREATE OR REPLACE TABLE ${found.name} (\n  product_id INT\n)`,
      scd_type: scd,
      change_feed_from: found.change_feed ? 1 : null,
      comment: null,
      schedule: scd ? "every 1 day" : null,
      reads: scd ? ["playground.default.products"] : [],
      read_by: scd ? ["playground.default.products_by_category"] : ["playground.default.products_history"],
    };
  }

  async function answer(body) {
    const of = (kind, value) => (value === undefined ? { kind } : { kind, value });
    switch (body.kind) {
      case "open_project":
        for (const [path, text] of Object.entries(body.files)) files.set(path, text);
        return of("done");
      case "reset":
        world.tables = [];
        files.clear();
        return of("done");
      case "run_script":
        return of("script", await run(body));
      case "fetch_page": {
        const rows = results.get(body.result);
        const total = typeof rows === "function" ? rows.length_ : rows.length;
        const n = Math.max(0, Math.min(body.n_rows, total - body.row_from));
        const page = Array.from({ length: n }, (_, index) => (typeof rows === "function" ? rows(body.row_from + index) : rows[body.row_from + index]));
        return of("page", { result: body.result, row_from: body.row_from, rows: page });
      }
      case "close_result":
        results.delete(body.result);
        return of("done");
      case "catalog": {
        const schemas = world.tables.length > 0 ? [{ catalog: "playground", schema: "default", tables: world.tables.map(summary) }] : [{ catalog: "playground", schema: "default", tables: [] }];
        return of("catalog", { schemas, current_schema: "playground.default", size_bytes: world.tables.length * 1200 });
      }
      case "table":
        return of("table", table(body.table));
      case "open_rows":
        return of("result", open(world.product, body.version === null ? world.rows : world.rows.slice(0, 4 + body.version)));
      case "changes":
        return of("changes", changes(body.from, body.to ?? 6));
      case "versions":
        return of("versions", versions());
      case "refreshes":
        return of("refreshes", refreshes(body.table));
      case "refresh": {
        const found = world.tables.find((entry) => entry.name === body.table);
        if (found) found.n_unread = 0;
        emit("catalog_changed");
        return of("refreshes", [refreshes(body.table)[0]]);
      }
      case "pipeline":
        return of("pipeline", pipeline());
      case "watermarks":
        return of("watermarks", world.tables.length > 0 ? [
          { source: "sales.raw_orders", watermark: "2026-02-20T10:00:00Z", newest: "2026-03-01T08:00:00Z", n_ahead: 3, n_behind: 1 },
          { source: "sales.raw_customers", watermark: null, newest: "2026-02-11T08:00:00Z", n_ahead: 6, n_behind: null },
        ] : []);
      case "clock":
        return of("clock", clock());
      case "preview_advance":
        return of("advance_preview", preview(body.by));
      case "advance":
        now += (body.by.by === "minutes" ? body.by.n : 1440) * 60_000;
        emit("clock_moved", clock());
        emit("catalog_changed");
        return of("advanced", { clock: clock(), n_refreshes: 0, failed: [], n_failed: 0, n_runs: 0, failed_runs: [], n_failed_runs: 0 });
      case "jobs":
        return of("jobs", []);
      case "runs":
        return of("runs", []);
      case "files":
        return of("files", [...files.keys()]);
      case "file":
        return of("file", files.get(body.path) ?? "");
      case "save_file":
        files.set(body.path, body.text);
        return of("done");
      default:
        throw Object.assign(new Error(), { wire: failure("NOT_SUPPORTED", `The stand-in does not know ${body.kind}.`) });
    }
  }
}
