// The job of tutorial 1 by hand: notebook tried out, job built by its form, run, run again, broken, repaired. The engine
// and Python are the real ones.
import assert from "node:assert/strict";
import { documentPicture, eventually, journey } from "./browser.mjs";
import { Engine } from "./pages/engine.mjs";
import { COPY, TUTORIAL_1, begin, statements, toJob } from "./tutorial-jobs.mjs";

const JOB = TUTORIAL_1.job;

/** Sample data and control table of the tutorial, and screens to go on with. */
const prepared = (tools) => begin(tools, 1, "CREATE OR REPLACE TABLE sales.raw_orders", "CREATE OR REPLACE TABLE config.watermarks");

/** The same with the job. */
async function withJob(tools, tutorial = TUTORIAL_1) {
  const screens = await prepared(tools);
  await screens.lesson.goTo("Jobs");
  await screens.job.build(tutorial);
  return screens;
}

async function query({ lesson }, text) {
  await lesson.goTo("SQL");
  return lesson.query(text);
}

const COUNTS = "SELECT (SELECT count(*) FROM sales.orders), (SELECT count(*) FROM sales.customers)";

journey("tutorial1_notebook_runs_with_its_defaults", async (tools) => {
  const { page } = tools;
  const screens = await prepared(tools);
  await screens.lesson.goTo("Notebooks");
  await page.getByRole("main").getByRole("link", { name: COPY, exact: true }).click();
  const fields = screens.notebook.widgets.getByRole("textbox");
  await fields.nth(3).waitFor();
  const defaults = screens.notebook.widgets.getByText("default", { exact: true });
  await eventually(async () => assert.deepEqual([await fields.count(), await defaults.count()], [4, 4]));
  await screens.notebook.runButton.click();
  await page.getByText("Copying 10 new rows from sales.raw_orders").waitFor();
  await page.getByText("Watermark for sales.raw_orders advanced to 2026-02-27 15:30:00.250000").waitFor();
  assert.deepEqual(await query(screens, "SELECT count(*) FROM sales.orders"), [["10"]]);
});

journey("tutorial1_job_copies_what_is_new", { viewport: { width: 1280, height: 900 } }, async (tools) => {
  const { page } = tools;
  const screens = await withJob(tools);
  const { job, run } = screens;
  await job.node("read_watermarks, SQL").waitFor();
  const loop = job.node("copy_tables, For each");
  await eventually(async () => assert.match(await loop.getAttribute("aria-label"), /runs after read_watermarks$/));
  await job.node("copy_tables, For each").click();
  await job.form.getByText("2 items", { exact: true }).waitFor();
  const settings = async () => (await new Engine(page).request({ kind: "job", job: JOB })).settings;
  const built = await settings();

  await job.runNow.click();
  await run.ended("Succeeded");
  await run.node("copy_tables, For each, Succeeded, 2 of 2 iterations succeeded").waitFor();
  await run.node("copy_tables, For each").click();
  await eventually(async () => assert.equal(await run.rows("copy_tables").count(), 2));
  for (const source of ["sales.raw_orders", "sales.raw_customers"]) {
    await run.rows("copy_tables").filter({ hasText: source }).waitFor();
  }
  await run.openIteration("sales.raw_orders");
  await page.getByText("Copying 10 new rows from sales.raw_orders").waitFor();
  await page.getByText(/Watermark for sales\.raw_orders advanced/).waitFor();
  const passed = run.parameters.locator("tbody").getByRole("row").filter({ hasText: "passed by job" });
  await eventually(async () => assert.equal(await passed.count(), 4));
  await page.goBack();
  await run.tab("Changes");
  const changes = page.getByRole("table", { name: "Changes of run 1" });
  await changes.getByRole("row").filter({ hasText: "sales.orders" }).filter({ hasText: "+10" }).waitFor();
  await changes.getByRole("row").filter({ hasText: "sales.customers" }).filter({ hasText: "+6" }).waitFor();
  const marks = changes.getByRole("row").filter({ hasText: "config.watermarks" });
  await eventually(async () => assert.equal(await marks.count(), 2));
  assert.deepEqual(await query(screens, COUNTS), [["10", "6"]]);
  await toJob(screens, JOB);
  await page.getByRole("button", { name: "Hide lesson" }).click();
  await job.node("copy_tables, For each").click();
  await job.form.getByText("2 items", { exact: true }).waitFor();
  await page.getByRole("main").evaluate((main) => main.scrollTo(0, 0));
  await documentPicture(page, "job-page");

  // Nothing is new: no row and no version more.
  const versions = async () => [
    (await query(screens, "DESCRIBE HISTORY sales.orders")).length,
    (await query(screens, "DESCRIBE HISTORY sales.customers")).length,
  ];
  const before = await versions();
  await toJob(screens, JOB);
  await job.runNow.click();
  await page.waitForURL(/\/runs\/2/);
  await run.ended("Succeeded");
  await run.node("copy_tables, For each").click();
  await run.openIteration("sales.raw_orders");
  await page.getByText("No new rows for sales.raw_orders, watermark unchanged").waitFor();
  await page.goBack();
  await run.openIteration("sales.raw_customers");
  await page.getByText("No new rows for sales.raw_customers, watermark unchanged").waitFor();
  assert.deepEqual(await query(screens, COUNTS), [["10", "6"]]);
  assert.deepEqual(await versions(), before);

  // A third table: one row in the control table, and the job as it was.
  await statements(
    screens,
    "INSERT INTO config.watermarks VALUES ('sales.raw_products', 'sales.products', 'updated_at', '1970-01-01')",
  );
  await toJob(screens, JOB);
  await job.runNow.click();
  await page.waitForURL(/\/runs\/3/);
  await run.ended("Succeeded");
  await run.node("copy_tables, For each").click();
  await eventually(async () => assert.equal(await run.rows("copy_tables").count(), 3));
  assert.deepEqual(await query(screens, "SELECT count(*) FROM sales.products"), [["4"]]);
  assert.deepEqual(await settings(), built);
});

journey("tutorial1_job_by_hand_and_by_the_lesson_is_one_job", async (tools) => {
  const { page } = tools;
  const screens = await withJob(tools);
  const { lesson, job } = screens;
  const links = page.getByRole("main").getByRole("link", { name: JOB, exact: true });
  await lesson.go("Add the SQL task");
  await lesson.goTo("Jobs");
  await links.waitFor();
  await lesson.act("Use this job");
  await lesson.question.getByText(`There is a job ${JOB} already`).waitFor();
  await lesson.keep();
  await toJob(screens, JOB);
  await job.node("copy_tables, For each").waitFor();

  await lesson.goTo("Jobs");
  await lesson.act("Use this job");
  await lesson.replace();
  // The list that is open shows it.
  await page.getByRole("main").getByRole("row").filter({ hasText: JOB }).getByRole("cell", { name: "1", exact: true }).waitFor();
  await eventually(async () => assert.equal(await links.count(), 1));
  await toJob(screens, JOB);
  await job.node("read_watermarks, SQL").waitFor();
  await eventually(async () => assert.equal(await job.node("copy_tables").count(), 0));

  // Changed by its form, it is the reader's again.
  await job.node("read_watermarks, SQL").click();
  await job.describe({ name: "read_marks", type: "SQL" });
  await job.saveTask.click();
  await job.node("read_marks, SQL").waitFor();
  await lesson.go("Add the For each task");
  await lesson.act("Use this job");
  await lesson.question.getByText("resources/incremental_table_copy.job.yml").waitFor();
  await lesson.replace();
  await toJob(screens, JOB);
  await job.node("copy_tables, For each").waitFor();
  await lesson.goTo("Jobs");
  await eventually(async () => assert.equal(await links.count(), 1));
});

journey("tutorial1_job_keeps_two_in_flight", async (tools) => {
  const { page, open, url } = tools;
  const screens = await withJob(tools);
  const { run, job } = screens;
  await statements(
    screens,
    "INSERT INTO config.watermarks VALUES ('sales.raw_products', 'sales.products', 'updated_at', '1970-01-01')",
  );
  await open(`#/w/jobs/${encodeURIComponent(JOB)}`, "?pace=watch");
  assert.ok(page.url().startsWith(url));
  await job.engineReady();
  const noted = await run.noteIterations("copy_tables");
  await job.runNow.click();
  await run.ended("Succeeded");
  await eventually(async () => assert.equal(await run.rows("copy_tables").count(), 3));
  const { most, waiting } = await noted();
  assert.equal(most, 2, "two at once, never three");
  assert.ok(waiting.some((text) => text.includes("sales.raw_")), "a row that waits says for what");
});
