// Python in the engine's worker: under the page's policy, shut in, and stopped with the worker.
import assert from "node:assert/strict";
import { AT_ONCE_MS_MAX, journey } from "./browser.mjs";
import { Engine } from "./pages/engine.mjs";

async function engine({ page, open }) {
  await open("#/", "?test=1");
  const found = new Engine(page);
  await found.ready();
  return found;
}

const text = (output) => output.items.map((item) => item.text ?? "").join("");

journey("python_runs_under_the_policy_and_tells_its_progress", async (tools) => {
  const found = await engine(tools);
  await found.sql("CREATE TABLE t (id INT, at TIMESTAMP); INSERT INTO t VALUES (1, '2024-06-01 12:00:00')");
  const output = await found.python(`df = spark.table("t").filter("id = 1")
print(f"{df.count()} {df.collect()[0].at}")
display(df)`);
  assert.equal(output.error, null);
  assert.equal(text(output), "1 2024-06-01 12:00:00\n");
  assert.deepEqual(
    output.items.at(-1).rows.map((row) => row[0]),
    ["1"],
  );
  const phases = (await found.statuses()).map(({ python }) => python?.phase).filter(Boolean);
  assert.deepEqual([...new Set(phases)], ["downloading", "starting", "ready"]);
});

journey("python_commits_what_it_did_before_it_was_stopped", async (tools) => {
  const found = await engine(tools);
  await found.sql("CREATE TABLE t (id INT)");
  await found.python("print('warm')");
  // So many rows that nothing else makes the log longer by as much; a cell that runs says nothing before its end.
  const { bytes } = await found.storage();
  const running = found.python("spark.sql('INSERT INTO t SELECT id FROM range(100000)')\nwhile True: pass");
  await found.logReaches(bytes + 50_000);
  const ms = await found.cancel();
  assert.ok(ms < AT_ONCE_MS_MAX, `it took ${Math.round(ms)} ms`);
  assert.equal((await running).condition, "OPERATION_CANCELED");
  assert.deepEqual(await found.sql("SELECT count(*) FROM t"), [["100000"]]);
  // Python comes again, from what the page has kept.
  assert.equal(text(await found.python("print('again')")), "again\n");
  const phases = (await found.statuses()).slice(-4).map(({ python }) => python?.phase);
  assert.ok(!phases.includes("downloading"), "it was downloaded twice");
});

journey("python_is_shut_in", { expectProblems: [/Content Security Policy/] }, async (tools) => {
  const found = await engine(tools);
  await found.python("print('warm')");
  const [worker] = tools.page.workers();
  const open = await worker.evaluate(() => {
    const names =
      "fetch XMLHttpRequest WebSocket WebSocketStream EventSource WebTransport indexedDB caches BroadcastChannel Worker importScripts navigator postMessage onmessage FontFace fonts";
    return names.split(" ").filter((name) => name in globalThis);
  });
  assert.deepEqual(open, []);
  for (const source of [
    "import _lakelet_bridge\n_lakelet_bridge.call.constructor('return 1')()",
    "from pyodide.code import run_js\nrun_js('1')",
    "import js\njs.fetch('/')",
    "from pyodide.http import open_url\nopen_url('manifest.json')",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1/')",
    "import socket\nsocket.create_connection(('127.0.0.1', 80), timeout=1)",
  ]) {
    const { error } = await found.python(source);
    assert.notEqual(error, null, source);
  }
});

journey("python_errors_point_into_the_cell", async (tools) => {
  const found = await engine(tools);
  const { error } = await found.python("x = 1\nspark.table('nope')");
  assert.equal(error.condition, "TABLE_OR_VIEW_NOT_FOUND");
  assert.match(error.hint, /line 2/);
});

for (const [project, job, outputs] of [
  [
    "t1",
    "Incremental table copy",
    [/^Copying 10 new rows from sales.raw_orders\n/, /^Copying 6 new rows from sales.raw_customers\n/],
  ],
  ["t2", "Market Analysis", [/^Processing market: NL/, /^Processing market: UK/, /^Processing market: US/]],
]) {
  journey(`python_runs_the_iterations_of_${project}`, async (tools) => {
    const found = await engine(tools);
    const files = await found.openProject(project);
    for (const name of ["setup", "control_table"]) await found.sql(files[`src/${name}.sql`]);
    const run = await found.run(job);
    assert.equal(run.summary.state, "SUCCESS");
    const { iterations } = run.tasks.find((task) => task.iterations !== null);
    const printed = iterations.map(({ attempts }) => text(attempts.at(-1).cells[0]));
    assert.equal(printed.length, outputs.length);
    for (const [index, expected] of outputs.entries()) assert.match(printed[index], expected);
  });
}
