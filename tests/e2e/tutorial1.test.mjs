// Tutorial 1 as its reader walks it: watermarks, one copy for each table, and what happens when a copy goes wrong.
import assert from "node:assert/strict";
import { eventually, journey } from "./browser.mjs";
import { Home } from "./pages/home.mjs";
import { RunScreen } from "./pages/jobs.mjs";
import { LessonScreen } from "./pages/lesson.mjs";

const CORRECT = /^Correct\./;

async function start(page, open) {
  const home = new Home(page);
  await open("#/");
  await home.start(1);
  const lesson = new LessonScreen(page);
  await lesson.engineReady();
  return lesson;
}

const allDone = (states) => assert.ok(states.length > 0 && states.every((state) => state === "done"), `${states}`);

journey("tutorial1_copies_what_is_new", async ({ page, open }) => {
  const lesson = await start(page, open);
  const watermarks = page.getByRole("region", { name: "Watermarks" });
  const run = new RunScreen(page);

  // 1. Three source tables with 20 rows.
  allDone(await lesson.runCode("CREATE OR REPLACE TABLE sales.raw_orders"));
  for (const name of ["raw_orders", "raw_customers", "raw_products"]) await lesson.catalogEntry(name).waitFor();
  await lesson.messages.filter({ hasText: "3 tables, 20 rows" }).waitFor();
  assert.match(await lesson.check("The three source tables are there"), CORRECT);

  // 2. The control table begins in 1970.
  await lesson.go("Create the control table");
  assert.deepEqual(await lesson.runCode("CREATE OR REPLACE TABLE config.watermarks"), ["done", "done"]);
  assert.deepEqual(await lesson.runCode("SELECT * FROM config.watermarks"), ["done"]);
  assert.equal((await lesson.rowsOf(lesson.lastResult())).length, 2);
  const bars = watermarks.getByRole("img");
  const words = () => bars.evaluateAll((all) => all.map((bar) => `${bar.textContent} ${bar.getAttribute("aria-label")}`));
  await eventually(async () => {
    const said = await words();
    assert.equal(said.length, 2);
    for (const text of said) assert.match(text, /1970/);
  });
  assert.match(await lesson.predict("How many of the 10 orders", "10"), CORRECT);
  assert.match(await lesson.check("The control table lists two source tables"), CORRECT);

  // 3. The notebook.
  await lesson.go("Write the copy notebook");
  assert.match(await lesson.predict("What does it write first?", "It appends the rows to the target"), CORRECT);
  await lesson.insert('print(f"Copying {row_count}');
  assert.match(await lesson.checkAfterRun("The notebook is there"), CORRECT);

  // 4 to 6. The job.
  await lesson.go("Create the job");
  await lesson.act("Use this job");
  assert.match(await lesson.checkAfterRun("There is a job named Incremental table copy"), CORRECT);
  await lesson.go("Add the SQL task");
  await lesson.act("Use this job");
  assert.match(await lesson.checkAfterRun("The job has the task read_watermarks"), CORRECT);
  await lesson.go("Add the For each task");
  await lesson.act("Use this job");
  assert.match(await lesson.predict("What must change in the job?", "Nothing"), CORRECT);
  assert.match(await lesson.checkAfterRun("The job is complete and has no errors"), CORRECT);

  // 7. The first run copies everything and moves the watermarks.
  await lesson.go("Run the job and verify");
  await lesson.act("Run now");
  assert.match(await lesson.checkAfterRun("The run succeeded and copied 10 orders and 6 customers"), CORRECT);
  allDone(await lesson.runCode("SELECT source_table, last_watermark FROM config.watermarks;"));
  const moved = await lesson.rowsOf(lesson.lastResult());
  assert.deepEqual(moved.sort(), [
    ["sales.raw_customers", "2026-02-20 10:00:00.5"],
    ["sales.raw_orders", "2026-02-27 15:30:00.25"],
  ]);

  // Once more: nothing is new, and the targets do not even get a version.
  const commits = async () => [
    (await lesson.query("DESCRIBE HISTORY sales.orders;")).length,
    (await lesson.query("DESCRIBE HISTORY sales.customers;")).length,
  ];
  const before = await commits();
  await lesson.act("Run now");
  await page.waitForURL(/\/runs\/2$/);
  await run.ended("Succeeded");
  assert.match(await lesson.checkAfterRun("The run succeeded and copied 10 orders and 6 customers"), CORRECT);
  await lesson.goTo("SQL");
  assert.deepEqual(await commits(), before);

  // 8. Only what is new.
  await lesson.go("A second delivery");
  allDone(await lesson.runCode("TIMESTAMP '2026-02-28 09:10:00'", "Deliver 3 orders"));
  assert.match(await lesson.predict("How many rows will the two iterations", "3 orders and 0 customers"), CORRECT);
  await lesson.act("Run now");
  assert.match(await lesson.checkAfterRun("The second run copied the 3 new orders and nothing else"), CORRECT);

  // 9. A third table, without touching the job.
  await lesson.go("Add a source table");
  allDone(await lesson.runCode("('sales.raw_products', 'sales.products'"));
  await lesson.act("Run now");
  assert.match(await lesson.checkAfterRun("The products were copied too"), CORRECT);

  // 10. A paused table is left out, its watermark is kept.
  await lesson.go("Pause a table");
  allDone(await lesson.runCode("ADD COLUMN active BOOLEAN DEFAULT TRUE"));
  await lesson.insert("-- In the SQL task:");
  allDone(await lesson.runCode("SET active = FALSE"));
  await lesson.act("Run now");
  assert.match(await lesson.checkAfterRun("Two of three tables are active"), CORRECT);

  // 11. A watermark moved back: an append stores everything a second time.
  await lesson.go("Copy again from a point");
  allDone(await lesson.runCode("SET last_watermark = '2024-01-01'"));
  assert.match(await lesson.predict("How many rows will it have after the next run?", "26"), CORRECT);
  await lesson.act("Run now");
  assert.match(await lesson.checkAfterRun("The orders were copied again"), CORRECT);
  allDone(await lesson.runCode("AS n_doubles"));
  assert.deepEqual(await lesson.rowsOf(lesson.lastResult()), [["26", "13"]]);

  // 12. MERGE does not mind.
  await lesson.go("Make the copy safe to repeat");
  await lesson.insert("MERGE INTO {target_table}");
  await lesson.act("Use this job");
  allDone(await lesson.runCode("DELETE FROM sales.orders"));
  await lesson.act("Run now", 0);
  assert.match(await lesson.checkAfterRun("13 orders, none of them double"), CORRECT);
  allDone(await lesson.runBlock(lesson.code("WHERE source_table = 'sales.raw_orders'").last()));
  await lesson.act("Run now", 1);
  await page.waitForURL(/\/runs\/8$/);
  await run.ended("Succeeded");
  assert.match(await lesson.checkAfterRun("13 orders, none of them double"), CORRECT);

  // 13. A failure between two commits, and what a repair does then.
  await lesson.go("Lab: a failure between two commits");
  await lesson.act("Use this job");
  await lesson.insert("ORDER BY source_table");
  allDone(await lesson.runCode("(14, 2, 2, 1", "Deliver 2 orders"));
  await lesson.act("Fail after append, then run");
  assert.match(await lesson.checkAfterRun("The run failed, the rows were appended all the same"), CORRECT);
  assert.match(await lesson.predict("How many orders will the target have?", "17"), CORRECT);
  await lesson.act("Switch the fault off, then repair");
  assert.match(await lesson.checkAfterRun("The repair succeeded and doubled two orders"), CORRECT);
  await run.ended("Succeeded (repaired)");
  await run.whatHappened.filter({ hasText: "twice" }).waitFor();
});

journey("tutorial1_marks_rows_as_active_and_says_what_delta_wants", async ({ page, open }) => {
  const lesson = await start(page, open);
  allDone(await lesson.runCode("CREATE OR REPLACE TABLE sales.raw_orders"));
  await lesson.go("Create the control table");
  allDone(await lesson.runCode("CREATE OR REPLACE TABLE config.watermarks"));
  allDone(await lesson.runAll("ALTER TABLE config.watermarks ADD COLUMN active BOOLEAN DEFAULT TRUE;"));
  const card = lesson.statement(1);
  await card.getByText(/Delta on Databricks wants separate steps/).waitFor();
  await card.getByRole("button", { name: "Insert steps" }).first().click();
  await lesson.editor.getByText("allowColumnDefaults").waitFor();
  const active = `SELECT source_table, target_table, watermark_column, last_watermark
FROM config.watermarks
WHERE active = TRUE`;
  assert.equal((await lesson.query(active)).length, 2, "rows that were there before have the default");
});

journey("tutorial1_shows_rows_that_a_watermark_hides", async ({ page, open }) => {
  const lesson = await start(page, open);
  const watermarks = page.getByRole("region", { name: "Watermarks" });
  allDone(await lesson.runCode("CREATE OR REPLACE TABLE sales.raw_orders"));
  await lesson.go("Create the control table");
  allDone(await lesson.runCode("CREATE OR REPLACE TABLE config.watermarks"));
  await watermarks.getByText("rows newer than the watermark: 10").waitFor();
  await lesson.go("Add the For each task");
  await lesson.act("Use this job");
  await lesson.go("Run the job and verify");
  await lesson.act("Run now");
  assert.match(await lesson.checkAfterRun("The run succeeded and copied 10 orders and 6 customers"), CORRECT);
  await lesson.goTo("SQL");
  allDone(
    await lesson.runAll("INSERT INTO sales.raw_orders VALUES (99, 1, 1, 1, 9.90, TIMESTAMP '2026-02-15 12:00:00');"),
  );
  await watermarks.getByText("rows behind the watermark: 1", { exact: true }).waitFor();
});
