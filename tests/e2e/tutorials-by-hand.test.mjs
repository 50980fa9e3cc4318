// Tutorials 1 and 2 with every job built and changed by its form, as a reader does who types what the steps say and never
// presses "Use this job". Every check of the steps must hold all the same.
import assert from "node:assert/strict";
import { journey } from "./browser.mjs";
import { COPY, SQL_VARIANT, TUTORIAL_1, TUTORIAL_2, begin } from "./tutorial-jobs.mjs";

const CORRECT = /^Correct\./;
// Chromium gives a style of its own to what is typed over several highlighted lines; the policy refuses it and says so.
const OPTIONS = { expectProblems: [/Applying inline style/], viewport: { width: 1280, height: 900 } };

const allDone = (states) => assert.ok(states.length > 0 && states.every((state) => state === "done"), `${states}`);

/** What a reader does in a tutorial. */
function hand(screens) {
  const { lesson, job, run } = screens;
  const { page } = lesson;
  const runButton = page.locator("#main").getByRole("button", { name: "Run now", exact: true });
  return {
    step: (heading) => lesson.go(heading),
    async holds(say) {
      assert.match(await lesson.checkAfterRun(say), CORRECT, say);
    },
    async statements(fragment, button) {
      allDone(await lesson.runCode(fragment, button));
    },
    /** Goes to a job through the list and opens the form of a task. */
    async task(name, node) {
      await lesson.goTo("Jobs");
      await page.getByRole("main").getByRole("link", { name, exact: true }).click();
      await job.node(node).click();
      await job.saveTask.waitFor();
    },
    async save() {
      await job.saveTask.click();
      await job.messages.filter({ hasText: "is saved" }).waitFor();
    },
    async create(name) {
      await lesson.goTo("Jobs");
      await job.createButton.click();
      await job.name.fill(name);
      await job.name.press("Enter");
      await page.waitForURL((url) => url.hash === `#/w/jobs/${encodeURIComponent(name)}`);
    },
    async sqlTask({ read, sql }) {
      await job.begin({ name: read, type: "SQL" });
      await job.writeSql(sql);
      await job.createTask.click();
      await job.node(`${read}, SQL`).waitFor();
      await job.form.getByRole("button", { name: "Preview output" }).click();
      await job.form.locator(".output-preview").waitFor();
    },
    async loop({ read, loop, nested }) {
      await job.begin({ name: loop, type: "For each", after: read });
      await job.form.getByRole("textbox", { name: "Inputs" }).fill(`{{tasks.${read}.output.rows}}`);
      await job.form.getByRole("spinbutton", { name: "Concurrency" }).fill("2");
      await page.getByRole("button", { name: "Add a task to loop over" }).click();
      await job.describe(nested);
      if (nested.path) await job.field("Path").fill(nested.path);
      if (nested.sql) await job.writeSql(nested.sql);
      await job.addParameters(nested.parameters);
      await job.createTask.click();
      await job.saveTask.waitFor();
      assert.equal(await job.problemList.getByRole("listitem").count(), 0, await job.problemList.innerText());
    },
    /** Runs a job by its own button. */
    async run(name, number, word) {
      await lesson.goTo("Jobs");
      await page.getByRole("main").getByRole("link", { name, exact: true }).click();
      await runButton.click();
      await page.waitForURL(new RegExp(`/runs/${number}$`));
      await run.ended(word);
    },
  };
}

journey("tutorial1_built_by_hand_holds_every_check", OPTIONS, async (tools) => {
  const screens = await begin(tools, 1, "CREATE OR REPLACE TABLE sales.raw_orders", "CREATE OR REPLACE TABLE config.watermarks");
  const { lesson, job } = screens;
  const { page } = tools;
  const by = hand(screens);
  const { job: name, read } = TUTORIAL_1;
  await by.holds("The control table lists two source tables");
  await by.step("Create the job");
  await by.create(name);
  await by.holds("There is a job named Incremental table copy");
  await by.step("Add the SQL task");
  await by.sqlTask({ ...TUTORIAL_1, sql: `${TUTORIAL_1.sql};` });
  await by.holds("The job has the task read_watermarks");
  await by.step("Add the For each task");
  await by.loop(TUTORIAL_1);
  await job.node("copy_tables, For each").click();
  await job.form.getByText("2 items", { exact: true }).waitFor();
  await by.holds("The job is complete and has no errors");
  await by.step("Run the job and verify");
  await by.run(name, 1, "Succeeded");
  await by.holds("The run succeeded and copied 10 orders and 6 customers");
  await by.step("A second delivery");
  await by.statements("TIMESTAMP '2026-02-28 09:10:00'", "Deliver 3 orders");
  await by.run(name, 2, "Succeeded");
  await by.holds("The second run copied the 3 new orders and nothing else");
  await by.step("Add a source table");
  await by.statements("('sales.raw_products', 'sales.products'");
  await by.run(name, 3, "Succeeded");
  await by.holds("The products were copied too");

  await by.step("Pause a table");
  await by.statements("ADD COLUMN active BOOLEAN DEFAULT TRUE");
  await by.task(name, `${read}, SQL`);
  await job.writeSql(`${TUTORIAL_1.sql}\nWHERE active = TRUE`);
  await by.save();
  await by.statements("SET active = FALSE");
  await by.run(name, 4, "Succeeded");
  await by.holds("Two of three tables are active");
  await by.step("Copy again from a point");
  await by.statements("SET last_watermark = '2024-01-01'");
  await by.run(name, 5, "Succeeded");
  await by.holds("The orders were copied again");

  await by.step("Make the copy safe to repeat");
  await lesson.insert("MERGE INTO {target_table}");
  await by.task(name, "copy_incremental");
  await job.field("Path").fill("src/copy_incremental_merge.py");
  await by.save();
  await by.statements("DELETE FROM sales.orders");
  await by.run(name, 6, "Succeeded");
  const back = lesson.code("SET last_watermark = '2024-01-01'").filter({ hasNotText: "DELETE FROM" });
  allDone(await lesson.runBlock(back));
  await by.run(name, 7, "Succeeded");
  await by.holds("13 orders, none of them double");

  await by.step("Lab: a failure between two commits");
  await by.task(name, "copy_incremental");
  await job.field("Path").fill(COPY);
  await by.save();
  // Here the reader takes the step's word for it; the text that is there is their own.
  await lesson.insert("ORDER BY source_table");
  await page.getByRole("dialog").getByRole("button", { name: "Replace", exact: true }).click();
  await by.statements("TIMESTAMP '2026-03-02 08:50:00'", "Deliver 2 orders");
  await lesson.act("Fail after append, then run");
  await screens.run.ended("Failed");
  await by.holds("The run failed, the rows were appended all the same");
  await lesson.act("Switch the fault off, then repair");
  await screens.run.ended("Succeeded (repaired)");
  await by.holds("The repair succeeded and doubled two orders");
});

journey("tutorial2_built_by_hand_holds_every_check", OPTIONS, async (tools) => {
  const screens = await begin(tools, 2, "CREATE OR REPLACE TABLE sales.transactions", "CREATE OR REPLACE TABLE config.markets");
  const { lesson, job, run } = screens;
  const { page } = tools;
  const by = hand(screens);
  const [notebooks, sql, totals] = [TUTORIAL_2.job, "Market Analysis SQL", "Market totals"];
  const nested = TUTORIAL_2.nested.name;
  await by.holds("Three markets are listed");
  await by.step("Write the code for one market");
  await by.holds("The notebook and the query are there");
  await by.step("Create the job");
  await by.create(notebooks);
  await by.holds("There is a job named Market Analysis");
  await by.step("Add the SQL task");
  await by.sqlTask(TUTORIAL_2);
  await by.holds("The job has the task read_markets");
  await by.step("Add the For each task");
  await by.loop(TUTORIAL_2);
  await by.create(sql);
  await by.sqlTask(TUTORIAL_2);
  await by.loop(SQL_VARIANT);
  await by.holds("Both jobs are complete and have no errors");
  await by.step("Run the job and verify");
  await by.run(notebooks, 1, "Succeeded");
  await by.holds("Three iterations succeeded, with 5, 4 and 3 rows");
  await by.run(sql, 1, "Succeeded");
  await by.holds("The SQL job gives the same numbers of rows");

  await by.step("Make one market fail");
  await by.create(totals);
  await by.sqlTask(TUTORIAL_2);
  const sum = "SELECT market, count(*) AS n_sales, sum(CAST(amount AS DECIMAL(10, 2))) AS total\nFROM sales.transactions\nWHERE market = :market\n  AND currency_code = :currency\nGROUP BY market";
  await by.loop({ ...SQL_VARIANT, nested: { ...SQL_VARIANT.nested, sql: sum } });
  await by.statements("'n/a'", "Deliver a bad amount");
  await by.run(totals, 1, "Failed");
  await by.holds("UK failed with CAST_INVALID_INPUT, the other two succeeded");
  await by.step("Fix the row and repair the run");
  await by.statements("SET amount = '31.40'");
  await lesson.goTo("Jobs");
  await page.getByRole("main").getByRole("row").filter({ hasText: totals }).getByRole("link", { name: "Run 1" }).click();
  await run.repairButton.first().click();
  await run.confirmRepair();
  await run.ended("Succeeded (repaired)");
  await by.holds("Exactly one iteration has a second attempt, and all succeeded");

  await by.step("A mistake that stays silent");
  await by.task(notebooks, nested);
  for (const key of ["market", "currency"]) await job.form.getByRole("button", { name: `Remove parameter ${key}` }).click();
  await by.save();
  await by.run(notebooks, 2, "Succeeded with warnings");
  await by.holds("All iterations worked on NL");
  await by.task(sql, nested);
  await job.form.getByRole("button", { name: "Remove parameter currency" }).click();
  await by.save();
  await by.run(sql, 2, "Failed");
  await by.holds("The SQL job failed because a parameter was missing");

  await by.step("Add a market");
  await by.task(notebooks, nested);
  await job.addParameters(TUTORIAL_2.nested.parameters);
  await by.save();
  await by.task(sql, nested);
  await job.addParameters({ currency: "{{input.currency}}" });
  await by.save();
  await by.statements("('DE', 'EUR')");
  await by.run(notebooks, 3, "Succeeded");
  await by.holds("Germany was processed too");

  await by.step("Leave markets out");
  await by.statements("ADD COLUMN active BOOLEAN DEFAULT TRUE");
  await by.task(notebooks, "read_markets, SQL");
  await job.writeSql("SELECT market, currency FROM config.markets WHERE active = TRUE");
  await by.save();
  await by.run(notebooks, 4, "Succeeded");
  await by.holds("Three active markets, three iterations");
  await by.statements("UPDATE config.markets SET active = FALSE;");
  await by.run(notebooks, 5, "Succeeded");
  await by.holds("The run succeeded without an iteration");
  await run.node("process_markets, For each, Succeeded, 0 iterations").waitFor();
});
