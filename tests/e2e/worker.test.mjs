// The engine's worker: how it starts on a poor host, is stopped, and comes back with everything that was finished.
import assert from "node:assert/strict";
import { AT_ONCE_MS_MAX, journey } from "./browser.mjs";
import { Engine } from "./pages/engine.mjs";

const PRODUCTS = "CREATE TABLE products (id INT); INSERT INTO products VALUES (1), (2)";
/** 10^15 rows: nobody waits for the end of this. */
const ENDLESS = `SELECT count(*) FROM ${["a", "b", "c", "d", "e"].map((name) => `range(1000) ${name}`).join(", ")}`;

async function engine({ page, open }, search = "?test=1") {
  await open("#/", search);
  const found = new Engine(page);
  await found.ready();
  return found;
}

journey("worker_starts_from_a_blob_and_tells_its_progress", async (tools) => {
  const found = await engine(tools);
  const { phase, threads, restarts } = await found.status();
  assert.deepEqual({ phase, threads, restarts }, { phase: "ready", threads: 1, restarts: 0 });
  const [worker] = tools.page.workers();
  assert.match(worker.url(), /^blob:/);
});

journey("worker_runs_statements_whose_operators_spawn", async (tools) => {
  const found = await engine(tools);
  assert.deepEqual(await found.sql("SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a"), [["1"], ["2"]]);
  const plan = await found.sql("EXPLAIN ANALYZE SELECT 1 UNION ALL SELECT 2");
  assert.match(JSON.stringify(plan), /UnionExec/);
});

journey("worker_hears_a_cancel", async (tools) => {
  const found = await engine(tools);
  await found.sql(PRODUCTS);
  const running = found.sql(ENDLESS);
  await found.statementRuns();
  await found.waitForever();
  const ms = await found.cancel();
  assert.equal((await running).condition, "OPERATION_CANCELED");
  assert.ok(ms < AT_ONCE_MS_MAX, `it took ${Math.round(ms)} ms`);
  assert.equal((await found.status()).restarts, 0);
  assert.deepEqual(await found.sql("SELECT count(*) FROM products"), [["2"]]);
});

journey("worker_that_spins_is_replaced_and_nothing_is_lost", async (tools) => {
  const found = await engine(tools);
  await found.sql(PRODUCTS);
  for (let round = 1; round <= 5; round += 1) {
    await found.sql(`CREATE TABLE round_${round} (id INT)`);
    await found.spin();
    await found.cancel();
    const { rows, ms } = await found.timed("SELECT count(*) FROM products");
    assert.deepEqual(rows, [["2"]]);
    assert.ok(ms < AT_ONCE_MS_MAX, `round ${round}: the first answer took ${ms} ms`);
    assert.equal((await found.status()).restarts, round);
  }
  const [catalog] = (await found.request({ kind: "catalog" })).schemas.filter(({ schema }) => schema === "default");
  assert.equal(catalog.tables.length, 6);
});

journey("worker_that_traps_is_replaced_and_says_why", async (tools) => {
  const found = await engine(tools);
  await found.sql(PRODUCTS);
  await found.trap();
  const answer = await found.sql("SELECT 1");
  // The request was either lost with the instance or waited for the next one.
  if (answer.condition !== undefined) assert.equal(answer.condition, "ENGINE_DOWN");
  assert.deepEqual(await found.sql("SELECT count(*) FROM products"), [["2"]]);
  const { phase, restarts, reason } = await found.status();
  assert.deepEqual({ phase, restarts }, { phase: "ready", restarts: 1 });
  assert.match(reason, /panicked/);
});

journey("worker_is_not_at_the_mercy_of_a_page_that_was_not_opened_for_tests", async (tools) => {
  const found = await engine(tools, "");
  assert.equal(await tools.page.evaluate(() => typeof globalThis.lakeletTest), "undefined");
  assert.deepEqual(await found.sql("SELECT 1"), [["1"]]);
});

journey("page_answers_while_the_engine_works", async (tools) => {
  const found = await engine(tools);
  const running = found.sql(ENDLESS);
  await found.statementRuns();
  const longest = await tools.page.evaluate(async () => {
    let most = 0;
    for (let index = 0; index < 20; index += 1) {
      const before = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 10));
      most = Math.max(most, performance.now() - before - 10);
    }
    return most;
  });
  assert.ok(longest < AT_ONCE_MS_MAX, `the page stood still for ${Math.round(longest)} ms`);
  await found.cancel();
  await running;
});
