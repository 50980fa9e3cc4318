// What a reader may rely on, whatever the lesson: starting, stopping, mending, reading long results.
import assert from "node:assert/strict";
import { AT_ONCE_MS_MAX, eventually, journey } from "./browser.mjs";
import { Home } from "./pages/home.mjs";
import { LessonScreen } from "./pages/lesson.mjs";
import { SqlScreen } from "./pages/sql.mjs";

/** 10^15 rows: nobody waits for the end of this. */
const ENDLESS = `SELECT count(*) FROM ${["a", "b", "c", "d", "e"].map((name) => `range(1000) ${name}`).join(", ")}`;

async function editor(page, open, search) {
  await open("#/w/sql", search);
  const sql = new SqlScreen(page);
  await sql.engineReady();
  return sql;
}

/** Runs in each document: a part of the engine's module arrives, the others when `theRestArrives` is called. */
function slowEngine() {
  const { fetch } = globalThis;
  const rest = new Promise((resolve) => (globalThis.theRestArrives = resolve));
  globalThis.fetch = async (address, options) => {
    const response = await fetch(address, options);
    if (!String(address).includes("engine.wasm")) return response;
    const line = new TransformStream({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        return rest;
      },
    });
    return new Response(response.body.pipeThrough(line), response);
  };
}

journey("acceptance_lessons_can_be_read_while_the_engine_loads", { script: slowEngine }, async ({ page, open }) => {
  const home = new Home(page);
  await open("#/");
  await home.engineStatus.filter({ hasText: /MB|%/ }).waitFor();
  await home.start(3);
  const lesson = new LessonScreen(page);
  await lesson.go("Create a source table and load data");
  await lesson.code("'Napkin', 'Dining'").getByRole("button", { name: "Insert", exact: true }).click();
  await lesson.editor.getByText("Napkin").waitFor();
  assert.ok(await lesson.runAllButton.isDisabled());
  await page.evaluate(() => globalThis.theRestArrives());
  await lesson.engineReady();
  assert.match(await lesson.engineStatus.innerText(), /1 thread/, "no isolation headers, one thread");
  assert.equal(await page.evaluate(() => globalThis.crossOriginIsolated), false);
  await eventually(async () => assert.ok(await lesson.runAllButton.isEnabled()));
});

journey("acceptance_a_stopped_engine_comes_back_with_its_tables", { expectProblems: [/unreachable|trap|RuntimeError/i] }, async ({ page, open }) => {
  const sql = await editor(page, open, "?test=1");
  await sql.runAll("CREATE TABLE kept (id INT); INSERT INTO kept VALUES (1), (2);");
  await sql.catalogEntry("kept").waitFor();
  await page.evaluate(() => globalThis.lakeletTest.trapEngine());
  await page.getByRole("alert").filter({ hasText: /stopped/ }).first().waitFor();
  assert.deepEqual(await sql.query("SELECT 1"), [["1"]]);
  await sql.catalogEntry("kept").waitFor();
  assert.deepEqual(await sql.query("SELECT count(*) FROM kept"), [["2"]]);
});

journey("acceptance_a_long_statement_is_stopped_at_once", async ({ page, open }) => {
  const sql = await editor(page, open);
  await sql.write(ENDLESS);
  await sql.runAllButton.click();
  await page.getByRole("img", { name: "Statement 1: running" }).waitFor();

  // Measured in the page: from the press to the next place being there.
  const times = [];
  for (const [name, heading] of [["Data", "Tables"], ["SQL", "SQL editor"], ["Data", "Tables"], ["SQL", "SQL editor"]]) {
    const link = await sql.rail.getByRole("link", { name, exact: true }).elementHandle();
    times.push(
      await link.evaluate(
        (element, wanted) =>
          new Promise((resolve) => {
            const start = performance.now();
            const seen = () => document.querySelector("h1")?.textContent === wanted;
            const observer = new MutationObserver(() => {
              if (!seen()) return;
              observer.disconnect();
              resolve(performance.now() - start);
            });
            observer.observe(document.body, { childList: true, subtree: true, characterData: true });
            element.click();
          }),
        heading,
      ),
    );
  }
  assert.ok(Math.max(...times) < AT_ONCE_MS_MAX, `the page answered after ${times.map(Math.round)} ms`);

  const start = Date.now();
  await sql.cancelButton.click();
  await page.getByRole("img", { name: "Statement 1: canceled" }).waitFor();
  const ms = Date.now() - start;
  assert.ok(ms < AT_ONCE_MS_MAX, `it took ${ms} ms`);
  assert.deepEqual(await sql.query("SELECT 1"), [["1"]]);
});

journey("acceptance_a_misspelled_column_is_marked_and_mended", async ({ page, open }) => {
  const sql = await editor(page, open);
  await sql.runAll("CREATE TABLE products (product_id INT, warehouse STRING); INSERT INTO products VALUES (1, 'Seattle');");
  assert.deepEqual(await sql.runAll("SELECT warehose FROM products"), ["failed"]);
  const card = sql.statement(1);
  await card.getByText(/UNRESOLVED_COLUMN/).first().waitFor();
  assert.equal(await card.getByRole("mark").first().innerText(), "warehose");
  await sql.problemList.getByRole("listitem").filter({ hasText: "UNRESOLVED_COLUMN" }).waitFor();
  await card.getByRole("button", { name: "Apply suggestion" }).first().click();
  await sql.editor.getByText("warehouse").waitFor();
  await sql.runAllButton.click();
  assert.deepEqual(await sql.ended(), ["done"]);
  assert.deepEqual(await sql.rowsOf(sql.lastResult()), [["Seattle"]]);
});

journey("acceptance_the_last_of_many_rows_is_one_key_away", async ({ page, open }) => {
  const sql = await editor(page, open);
  await sql.runAll("SELECT id, id * 2 AS double FROM range(100000)");
  const grid = sql.lastResult();
  await grid.getByRole("gridcell", { name: "0", exact: true }).first().click();
  await page.keyboard.press("Control+End");
  await grid.getByRole("gridcell", { name: "99999", exact: true }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "199998");
  const focused = page.locator(":focus");
  assert.equal(await focused.getAttribute("aria-rowindex"), await grid.getAttribute("aria-rowcount"));
  assert.ok((await grid.getByRole("row").count()) < 200, "only rows in view are drawn");
});
