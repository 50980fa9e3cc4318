// Tutorial 3 as its reader walks it: a change feed, a history, a window of facts, a report, a schedule.
import assert from "node:assert/strict";
import { documentPicture, eventually, journey } from "./browser.mjs";
import { Home } from "./pages/home.mjs";
import { LessonScreen } from "./pages/lesson.mjs";
import { SqlScreen } from "./pages/sql.mjs";
import { TableScreen } from "./pages/table.mjs";
import { CHANGE, DELETES, FACTS, HISTORY, REFRESH, SALES, SOURCE, VERSIONS, VIEW } from "./products.mjs";

const CORRECT = /^Correct\./;

async function start(page, open) {
  const home = new Home(page);
  await open("#/");
  await home.start(3);
  const lesson = new LessonScreen(page);
  await lesson.engineReady();
  return lesson;
}

/** Versions of products as a query of the tutorial gives them: name and warehouse, each with "open" or "closed". */
function versions(rows) {
  return rows.map(([, name, warehouse, , end]) => `${name}, ${warehouse}, ${end === "NULL" ? "open" : "closed"}`);
}

journey("tutorial3_follows_products_to_the_report", async ({ page, open }) => {
  const lesson = await start(page, open);

  // 1. Catalog and schema: a placeholder is an error with a name.
  assert.deepEqual(await lesson.runCode("<your-catalog>"), ["failed", "not run"]);
  await lesson.statement(1).getByText("LAKELET_PLACEHOLDER_NOT_FILLED").waitFor();
  assert.deepEqual(await lesson.runCode("USE CATALOG playground"), ["done", "done"]);
  assert.match(await lesson.check("You work in playground.default"), CORRECT);

  // 2. A source that records its changes.
  await lesson.go("Create a source table and load data");
  assert.deepEqual(await lesson.runCode("CREATE OR REPLACE TABLE products"), ["done", "done"]);
  assert.deepEqual(await lesson.runCode("'Napkin', 'Dining'"), ["done", "done", "done"]);
  assert.match(await lesson.check("12 products at version 4"), CORRECT);

  // 3. The feed: an update is two events.
  await lesson.go("Query the change data feed");
  assert.match(await lesson.predict("How many events does it have?", "2"), /^Not yet\.$/, "the answer is not given away");
  assert.match(await lesson.predict("How many events does it have?", "3"), /Correct\./);
  assert.deepEqual(await lesson.runCode("table_changes('products', 1)"), ["done"]);
  const events = await lesson.rowsOf(lesson.lastResult());
  assert.equal(events.length, 16);
  assert.deepEqual(
    events.filter(([, name]) => name === "Spoon").map((cells) => cells.slice(2)),
    [["Seattle", "insert", "1"], ["Seattle", "update_preimage", "3"], ["Los Angeles", "update_postimage", "3"]],
  );
  assert.match(await lesson.check("3 of them Spoon's"), CORRECT);

  // 4. The history: two versions of what was updated, one of everything else.
  await lesson.go("Create an SCD Type 2 dimension with AUTO CDC");
  assert.deepEqual(await lesson.runCode("FLOW AUTO CDC FROM"), ["done"]);
  assert.match(await lesson.predict("How many rows will the history have?", "14"), CORRECT);
  assert.deepEqual(await lesson.runCode("FROM products_history ORDER BY"), ["done"]);
  const rows = await lesson.rowsOf(lesson.lastResult());
  assert.deepEqual(versions(rows), [
    "Spoon, Seattle, closed",
    "Spoon, Los Angeles, open",
    "Fork, Portland, closed",
    "Fork, Portland, open",
    "Knife, Denver, open",
    "Chair, Austin, open",
    "Table, Chicago, open",
    "Lamp, Boston, open",
    "Mug, Seattle, open",
    "Plate, Atlanta, open",
    "Bowl, Dallas, open",
    "Glass, Phoenix, open",
    "Napkin, San Francisco, open",
    "Coaster, New York, open",
  ]);
  assert.equal(rows[0][4], rows[1][3], "one version ends where the next begins");
  assert.match(await lesson.check("14 versions, 12 of them open"), CORRECT);

  // 5. Deletes arrive with a refresh, not before.
  await lesson.go("Send deletes through the pipeline");
  assert.deepEqual(await lesson.runCode("DELETE FROM products"), ["done", "done"]);
  assert.match(await lesson.predict("How many open versions does it have?", "12"), CORRECT);
  assert.match(await lesson.check("The deletes have not arrived yet"), CORRECT);
  assert.deepEqual(await lesson.runCode("REFRESH STREAMING TABLE products_history"), ["done"]);
  assert.deepEqual(await lesson.runCode("FROM products_history ORDER BY"), ["done"]);
  const after = await lesson.rowsOf(lesson.lastResult());
  const ended = (cells) => ["Bowl", "Glass"].includes(cells[1]);
  assert.deepEqual(versions(after.filter(ended)), ["Bowl, Dallas, closed", "Glass, Phoenix, closed"]);
  const others = (all) => all.filter((cells) => !ended(cells));
  assert.deepEqual(others(after), others(rows), "all others are as they were");
  assert.match(await lesson.check("Bowl and Glass are closed"), CORRECT);

  // 6. A window of facts.
  await lesson.go("Build a fact table with a REPLACE WHERE flow");
  assert.deepEqual(await lesson.runCode("CREATE OR REPLACE TABLE product_sales"), ["done", "done"]);
  assert.deepEqual(await lesson.runCode("FLOW REPLACE WHERE"), ["done"]);
  assert.match(await lesson.predict("Which sales will", "101, 102, 103"), CORRECT);
  assert.deepEqual(await lesson.runCode("ORDER BY sale_date DESC, sale_id"), ["done"]);
  assert.deepEqual(await lesson.rowsOf(lesson.lastResult()), [
    ["101", "1", "3", "2026-03-02"],
    ["102", "2", "1", "2026-03-02"],
    ["103", "4", "5", "2026-02-28"],
  ]);
  assert.match(await lesson.check("The three sales of the last 7 days"), CORRECT);

  // 7. A report.
  await lesson.go("Create an aggregate view");
  assert.deepEqual(await lesson.runCode("CREATE OR REPLACE MATERIALIZED VIEW"), ["done"]);
  assert.deepEqual(await lesson.runCode("SELECT * FROM products_by_category"), ["done"]);
  const counts = await lesson.rowsOf(lesson.lastResult());
  assert.deepEqual(counts[0], ["Dining", "3"]);
  assert.deepEqual(counts.slice(1, 4).sort(), [["Cutlery", "2"], ["Furniture", "2"], ["Kitchenware", "2"]]);
  assert.deepEqual(counts[4], ["Lighting", "1"]);
  assert.match(await lesson.check("Five categories, 10 products"), CORRECT);

  // 8. One change through all stages.
  await lesson.go("Verify the cascade end to end");
  assert.deepEqual(await lesson.runCode("SET warehouse = 'Seattle'"), ["done", "done"]);
  assert.match(await lesson.check("Nothing has moved downstream yet"), CORRECT);
  assert.deepEqual(await lesson.runCode("REFRESH STREAMING TABLE product_sales_recent"), ["done"]);
  assert.match(await lesson.check("The late sale is in the fact table"), CORRECT);
  assert.match(await lesson.predict("Which groups of the view", "Cutlery only"), CORRECT);
  await lesson.act("Advance 1 day");
  await lesson.clock.getByRole("time").filter({ hasText: "3 Mar 2026 09:00" }).waitFor();
  assert.deepEqual(await lesson.runCode("WHERE product_id = 3 ORDER BY __START_AT"), ["done", "done", "done"]);
  assert.deepEqual(
    (await lesson.rowsOf(lesson.lastResult())).map(([id]) => id),
    ["101", "102", "105", "103"],
    "the late sale is between those of today and the older one",
  );
  assert.match(await lesson.check("Knife has two versions"), CORRECT);

  // 9. The window moves on; what it leaves behind stays.
  await lesson.go("Lab: eight days later");
  assert.match(await lesson.predict("How many rows will product_sales_recent have?", "4"), CORRECT);
  await lesson.act("Advance 8 days");
  await lesson.clock.getByRole("time").filter({ hasText: "11 Mar 2026 09:00" }).waitFor();
  assert.deepEqual(await lesson.runCode("AS in_window"), ["done"]);
  assert.deepEqual(
    (await lesson.rowsOf(lesson.lastResult())).map(([id, , within]) => [id, within]),
    [["101", "false"], ["102", "false"], ["103", "false"], ["105", "false"]],
  );
  assert.match(await lesson.check("The four sales are still there"), CORRECT);

  // 10. Nothing is left.
  await lesson.go("Clean up");
  assert.deepEqual(await lesson.runCode("DROP MATERIALIZED VIEW"), ["done", "done", "done", "done", "done"]);
  assert.match(await lesson.check("All five objects are gone"), CORRECT);
  await lesson.catalogEntry("products").waitFor({ state: "detached" });
});

async function typed(page, open, text) {
  await open("#/w/sql");
  const sql = new SqlScreen(page);
  const states = await sql.runAll(text);
  assert.ok(states.every((state) => state === "done"), `${states}`);
  return sql;
}

const openVersions = async (sql) =>
  sql.query("SELECT count(*) FROM products_history WHERE __END_AT IS NULL");

journey("tutorial3_shows_the_changes_of_the_source", async ({ page, open }) => {
  await typed(page, open, SOURCE);
  const table = new TableScreen(page);
  await table.open("products", "History");
  await page.getByText("change feed on").first().waitFor();
  const commits = await table.bodyRows("History of products", 5);
  assert.deepEqual(commits.map((row) => Number(row.trim().split(/\s/)[0])), [4, 3, 2, 1, 0]);

  await table.show("Changes");
  const pairs = await table.bodyRows("Changes of products", 14);
  assert.equal(pairs.length, 14, "an update is one line");
  const spoon = pairs.filter((row) => row.includes("Spoon"));
  assert.equal(spoon.length, 2);
  assert.match(spoon[1], /Seattle → Los Angeles/);
  await page.getByRole("status").filter({ hasText: "16 change rows" }).waitFor();
  await page.getByRole("radio", { name: "Raw" }).check();
  assert.equal((await table.bodyRows("Changes of products", 16)).length, 16);
  await page.getByRole("switch", { name: "Hide pre-images" }).click();
  await page.getByRole("status").filter({ hasText: "14 change rows" }).waitFor();
});

journey("tutorial3_leaves_the_history_stale_until_a_refresh", { viewport: { width: 1280, height: 960 } }, async ({ page, open }) => {
  const sql = await typed(page, open, SOURCE + HISTORY);
  assert.equal((await sql.query(VERSIONS)).length, 14);
  await sql.runAll(DELETES);
  assert.deepEqual(await openVersions(sql), [["12"]]);
  await sql.catalog.getByText("stale: 2 unread").waitFor();
  await sql.runAll(REFRESH);
  assert.deepEqual(await openVersions(sql), [["10"]]);
  await sql.runAll(REFRESH);

  const table = new TableScreen(page);
  await table.open("products_history", "Refreshes");
  const second = table.refresh(2, "products_history").filter({ hasText: /read 2 events, touched 2 of 12 keys/ });
  await second.filter({ hasText: /made version 1/ }).waitFor();
  const third = table.refresh(3, "products_history").filter({ hasText: /No change/ });
  await third.filter({ hasText: /made no version/ }).waitFor();

  await table.show("Versions");
  const region = page.getByRole("region", { name: "Versions of products_history" });
  await region.getByText("12 keys · 14 versions").waitFor();
  const bars = region.getByRole("button", { name: /, from 2026-/ });
  await eventually(async () => assert.equal(await bars.count(), 14));
  assert.equal(await region.getByRole("button", { name: /, open$/ }).count(), 10);
  await eventually(async () => {
    const invariants = await region.getByRole("list", { name: "Invariants" }).getByRole("listitem").allInnerTexts();
    assert.ok(invariants.length > 0 && invariants.every((text) => /: ok$/.test(text.trim())), `${invariants}`);
  });
  await region.getByRole("button", { name: /^1 Spoon, Los Angeles/ }).click();
  await documentPicture(page, "history");

  const asOf = region.getByRole("textbox", { name: "As of value" });
  for (const [value, n] of [["2026-03-02 09:00:00.004", 12], ["2026-03-02 09:00:00.007", 10]]) {
    await asOf.fill(value);
    await asOf.press("Enter");
    await region.getByRole("status").filter({ hasText: `As of ${value}: ${n} rows` }).waitFor();
  }
});

journey("tutorial3_refreshes_in_order_when_a_day_passes", async ({ page, open }) => {
  const sql = await typed(page, open, SOURCE + HISTORY + DELETES + REFRESH + FACTS + VIEW);
  assert.deepEqual(
    (await sql.query("SELECT * FROM products_by_category ORDER BY active_products DESC, category")),
    [["Dining", "3"], ["Cutlery", "2"], ["Furniture", "2"], ["Kitchenware", "2"], ["Lighting", "1"]],
  );
  assert.deepEqual((await sql.query(SALES)).map(([id]) => id), ["101", "102", "103"]);
  await sql.runAll(CHANGE);
  const knife = "SELECT warehouse, __END_AT IS NULL FROM products_history WHERE product_id = 3 ORDER BY __START_AT";
  assert.deepEqual(await sql.query(knife), [["Denver", "true"]]);
  assert.deepEqual(await sql.query("SELECT * FROM product_sales_recent WHERE sale_id = 105"), []);

  await sql.previewAdvance("day");
  const due = await sql.due();
  assert.deepEqual([...due].sort(), ["product_sales_recent", "products_by_category", "products_history"]);
  assert.ok(due.indexOf("products_history") < due.indexOf("products_by_category"), `${due}`);
  await sql.clock.getByRole("time").filter({ hasText: "2 Mar 2026" }).waitFor();
  await sql.confirmAdvance("3 Mar 2026 09:00");
  assert.deepEqual(await sql.query(knife), [["Denver", "false"], ["Seattle", "true"]]);
  assert.deepEqual((await sql.query(SALES)).map(([id]) => id), ["101", "102", "105", "103"]);

  const table = new TableScreen(page);
  await table.open("products_by_category", "Refreshes");
  const card = table.refresh(2, "products_by_category");
  await card.getByText("Incremental").waitFor();
  await eventually(async () => {
    const groups = await card.getByRole("list", { name: "Groups" }).getByRole("listitem").allInnerTexts();
    const [recomputed, untouched] = [/recomputed, 2 before, 2 after/, /untouched/].map((words) => groups.filter((text) => words.test(text)));
    assert.match(recomputed.join(), /^\W*(?:R=)?\s*Cutlery/);
    assert.deepEqual([recomputed.length, untouched.length], [1, 4]);
  });
});

journey("tutorial3_reads_an_older_version", async ({ page, open }) => {
  await typed(page, open, SOURCE);
  const table = new TableScreen(page);
  await table.open("products");
  await table.versionSlider.fill("2");
  await page.getByText("version 2 of 4").first().waitFor();
  const rows = await table.rowsOf(page.getByRole("grid", { name: "Rows of products, version 2" }));
  assert.equal(rows.length, 12);
  const spoon = ["1", "Spoon", "Cutlery", "Seattle"];
  assert.deepEqual(rows.find(([id]) => id === "1"), spoon);
  await page.getByRole("button", { name: "Insert query" }).click();
  const sql = new SqlScreen(page);
  await sql.editor.getByText("VERSION AS OF").waitFor();
  await sql.runStatementButton.click();
  assert.deepEqual(await sql.ended(), ["done"], "only what was put in");
  const queried = await sql.rowsOf(sql.lastResult());
  assert.deepEqual(queried.find(([id]) => id === "1"), spoon);
  assert.equal(queried.length, 12);
});
