// The page alone, over a stand-in for the engine: what every screen shows of a known world, by mouse and by keyboard,
// wide and narrow.
import assert from "node:assert/strict";
import { NARROW, assertAccessible, assertNoSidewaysScroll, drawn, eventually, journey, pictures } from "./browser.mjs";
import { fakeEngine } from "./fake-engine.mjs";
import { Home } from "./pages/home.mjs";
import { SqlScreen } from "./pages/sql.mjs";

const TABLES = "#/w/data/playground/default/";
const SCREENS = {
  tables: "#/w/data",
  data: `${TABLES}products?v=2`,
  columns: `${TABLES}products?tab=columns`,
  history: `${TABLES}products?tab=history`,
  changes: `${TABLES}products?tab=changes`,
  versions: `${TABLES}products_history?tab=versions`,
  refreshes: `${TABLES}products_by_category?tab=refreshes`,
  lineage: `${TABLES}products_history?tab=lineage`,
  definition: `${TABLES}products?tab=definition`,
  flow: "#/w/flow",
  settings: "#/settings",
  keys: "#/help/keys",
  limits: "#/help/limits",
};

/** The SQL screen of tutorial 3 in a world with tables. */
async function withTables({ page, open }) {
  const home = new Home(page);
  await open("#/");
  await home.start(3);
  const sql = new SqlScreen(page);
  await sql.engineReady();
  await sql.editor.click();
  await page.keyboard.insertText("CREATE TABLE products (product_id INT)");
  await sql.editor.getByText("CREATE TABLE products (product_id INT)").waitFor();
  await sql.runAllButton.click();
  assert.equal(await sql.settled(), "done");
  return sql;
}

async function goTo(page, route) {
  await page.evaluate(async (hash) => {
    if (location.hash === hash) return;
    const gone = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    location.hash = hash;
    await gone;
  }, route);
  await drawn(page);
  await page.locator("main").getByRole("heading").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("main")?.innerText.includes("Loading …"));
}

const onPage = (name, options, body) => journey(`page_${name}`, { script: fakeEngine, ...options }, body);

onPage("tells_apart_null_empty_and_text", {}, async ({ page, open }) => {
  const sql = new SqlScreen(page);
  await open("#/w/sql");
  await sql.run("SELECT NULL a, '' b, 'NULL' c");
  const [cells] = await sql.rows();
  assert.deepEqual(cells, ["NULL", "empty", "NULL", "9007199254740993", "1.10", "2024-02-29 01:02:03.123456"]);
  // What `rows` has seen is what stands there.
  const classes = await sql.result().getByRole("gridcell").evaluateAll((all) => all.slice(0, 3).map((cell) => cell.firstElementChild?.className));
  assert.deepEqual(classes, ["cell-null", "cell-empty", undefined]);
});

onPage("moves_through_a_million_rows_by_keyboard", {}, async ({ page, open }) => {
  const sql = new SqlScreen(page);
  await open("#/w/sql");
  await sql.run("SELECT * FROM range(1000000)");
  const grid = sql.result();
  const focusOn = (index, text) =>
    page.waitForFunction(
      ([index, text]) => document.activeElement.getAttribute("aria-rowindex") === index && document.activeElement.innerText === text,
      [index, text],
    );
  await grid.getByRole("gridcell").first().click();
  for (const [key, index, text] of [
    ["Control+End", "1000001", "NULL"],
    ["ArrowUp", "1000000", "1099997.80"],
    ["Home", "1000000", "999998"],
    ["Control+Home", "2", "0"],
    ["ArrowRight", "2", "row 0"],
    ["ArrowDown", "3", "row 1"],
  ]) {
    await page.keyboard.press(key);
    await focusOn(index, text);
  }
  assert.equal(await grid.getAttribute("aria-rowcount"), "1000001");
  assert.ok((await page.getByRole("row").count()) < 200, "only rows in view are drawn");
});

onPage("applies_a_suggestion_and_stops_at_the_first_failure", {}, async ({ page, open }) => {
  const sql = new SqlScreen(page);
  await open("#/w/sql");
  assert.equal(await sql.run("SELECT 1;\n\nSELECT warehose FROM products;\nSELECT 2", 2), "failed");
  await page.getByRole("img", { name: "Statement 3: not run" }).waitFor();
  await sql.result(1).waitFor();
  await sql.problems.getByRole("listitem").filter({ hasText: "Line 3" }).getByRole("button").click();
  await eventually(async () => assert.equal(await page.evaluate(() => getSelection().toString()), "warehose"));
  await page.getByRole("button", { name: "Apply suggestion" }).click();
  await sql.runAllButton.click();
  assert.equal(await sql.settled(3), "done");
});

onPage("stops_a_statement_and_says_that_the_engine_stopped", {}, async ({ page, open }) => {
  const sql = new SqlScreen(page);
  await open("#/w/sql");
  await sql.write("SELECT 1 CROSS JOIN");
  await sql.engineReady();
  await sql.runAllButton.click();
  await page.getByRole("img", { name: "Statement 1: running" }).waitFor();
  // Another screen and back: the mark is there again.
  await goTo(page, "#/settings");
  await goTo(page, "#/w/sql");
  await page.getByRole("img", { name: "Statement 1: running" }).waitFor();
  await sql.cancelButton.click();
  assert.equal(await sql.settled(), "canceled");
  await page.evaluate(() => globalThis.lakeletTest.trapEngine());
  await page.getByRole("alert").filter({ hasText: "The engine stopped" }).waitFor();
  await sql.engineReady();
});

onPage("asks_for_parameters", {}, async ({ page, open }) => {
  const sql = new SqlScreen(page);
  await open("#/w/sql");
  await sql.write("SELECT * FROM products WHERE market = :market -- :no");
  await page.getByRole("textbox", { name: ":market" }).fill("NL");
  assert.equal(await page.getByRole("group", { name: "Parameters" }).getByRole("textbox").count(), 1);
});

onPage("pairs_changes_and_counts_them", {}, async (tools) => {
  await withTables(tools);
  const { page } = tools;
  await goTo(page, SCREENS.changes);
  const table = page.getByRole("table", { name: "Changes of products" });
  await table.getByRole("cell", { name: "Seattle → Los Angeles" }).waitFor();
  await page.getByText("16 changes · 18 change rows").waitFor();
  await page.getByRole("radio", { name: "Raw" }).check();
  await page.getByText("18 change rows").waitFor();
  await page.getByRole("switch", { name: "Hide pre-images" }).click();
  await page.getByText("16 change rows").waitFor();
});

onPage("draws_histories_and_looks_at_one_time", {}, async (tools) => {
  await withTables(tools);
  const { page } = tools;
  await goTo(page, SCREENS.versions);
  const region = page.getByRole("region", { name: "Versions of products_history" });
  await region.getByText("12 keys · 14 versions").waitFor();
  const timeline = region.getByRole("group", { name: "Timeline by key" });
  await eventually(async () => assert.equal(await timeline.getByRole("button").count(), 14));
  await eventually(async () => assert.equal(await region.getByText(/: ok$/).count(), 3));
  await region.getByRole("textbox", { name: "As of value" }).fill("2026-03-02 09:00:00.001");
  await page.keyboard.press("Tab");
  await region.getByText("As of 2026-03-02 09:00:00.001: 10 rows").waitFor();
  await region.getByRole("switch", { name: "Show as table" }).click();
  const rows = region.getByRole("table", { name: "Timeline by key" }).getByRole("row");
  await eventually(async () => assert.equal(await rows.count(), 15));
});

onPage("shows_what_a_move_of_the_clock_would_run", {}, async (tools) => {
  const sql = await withTables(tools);
  await sql.previewAdvance("day");
  assert.deepEqual(await sql.due(), ["products_history", "products_by_category", "product_sales_recent"]);
  await sql.confirmAdvance("3 Mar 2026");
});

for (const colorScheme of ["light", "dark"]) {
  onPage(`has_no_barriers_${colorScheme}`, { colorScheme }, async (tools) => {
    await withTables(tools);
    await assertAccessible(tools.page);
    for (const route of Object.values(SCREENS)) {
      await goTo(tools.page, route);
      await assertAccessible(tools.page);
    }
  });
}

onPage("fits_a_phone", { viewport: NARROW, touch: true }, async (tools) => {
  await withTables(tools);
  for (const route of Object.values(SCREENS)) {
    await goTo(tools.page, route);
    await assertNoSidewaysScroll(tools.page);
  }
});

onPage("pictures", {}, async (tools) => {
  await withTables(tools);
  for (const name of ["data", "changes", "versions", "refreshes", "flow"]) {
    await goTo(tools.page, SCREENS[name]);
    await pictures(tools.page, `page ${name}`);
  }
});
