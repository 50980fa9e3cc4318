// The jobs of tutorial 2 by hand: built by their forms, with a notebook and with SQL; a market that fails and is repaired
// alone; mistakes that stay silent and mistakes that do not. The engine and Python are the real ones.
import assert from "node:assert/strict";
import { eventually, journey } from "./browser.mjs";
import { MARKET, SQL_VARIANT, TUTORIAL_2, begin, statements, toJob } from "./tutorial-jobs.mjs";

const LOOP = TUTORIAL_2.loop;
const TOTALS = "SELECT market, sum(CAST(amount AS DECIMAL(10, 2))) AS total\nFROM sales.transactions\nWHERE market = :market\n  AND currency_code = :currency\nGROUP BY market";

/** Waits until as many elements are there. */
const counts = (locator, n) => eventually(async () => assert.equal(await locator.count(), n));

/** Sample data and control table of the tutorial, a job, and the screens. */
async function withJob(tools, tutorial) {
  const screens = await begin(tools, 2, "CREATE OR REPLACE TABLE sales.transactions", "CREATE OR REPLACE TABLE config.markets");
  await screens.lesson.goTo("Jobs");
  if (tutorial) await screens.job.build(tutorial);
  return screens;
}

/** Takes parameters away from the nested task and runs the job. */
async function runWithout({ job }, keys) {
  await job.node(TUTORIAL_2.nested.name).click();
  for (const key of keys) await job.form.getByRole("button", { name: `Remove parameter ${key}`, exact: true }).click();
  await job.saveTask.click();
  await job.runNow.click();
}

for (const [variant, tutorial] of Object.entries({ notebook: TUTORIAL_2, sql: SQL_VARIANT })) {
  journey(`tutorial2_${variant}_job_runs_once_for_each_market`, async (tools) => {
    const { page } = tools;
    const screens = await withJob(tools, tutorial);
    const { job, run } = screens;
    await job.node(`${LOOP}, For each`).click();
    await job.form.getByText("3 items", { exact: true }).waitFor();
    await job.runNow.click();
    await run.ended("Succeeded");
    await run.node(`${LOOP}, For each`).click();
    const expected = [["NL · EUR", 5], ["UK · GBP", 4], ["US · USD", 3]];
    await counts(run.rows(LOOP), 3);
    for (const [label, n] of expected) {
      const changed = page.getByRole("cell").filter({ hasText: new RegExp(`^${n} rows`) });
      await run.rows(LOOP).filter({ hasText: label }).filter({ has: changed }).waitFor();
    }
    await run.openIteration("UK · GBP");
    const [market, currency] = variant === "sql" ? [":market", ":currency"] : ["market", "currency"];
    for (const [name, value] of [[market, "UK"], [currency, "GBP"]]) {
      const row = run.parameters.getByRole("row").filter({ hasText: name }).filter({ hasText: value });
      await row.filter({ hasText: "passed by job" }).waitFor();
    }
    const grid = page.getByRole("main").getByRole("grid").first();
    await eventually(async () => assert.equal((await run.rowsOf(grid)).length, 4));

    // A row more in the control table is an iteration more.
    await statements(screens, "INSERT INTO config.markets VALUES ('DE', 'EUR')");
    await toJob(screens, TUTORIAL_2.job);
    await job.runNow.click();
    await page.waitForURL(/\/runs\/2/);
    await run.ended("Succeeded");
    await run.node(`${LOOP}, For each`).click();
    await counts(run.rows(LOOP), 4);
    await run.rows(LOOP).filter({ hasText: "DE · EUR" }).filter({ hasText: "2 rows" }).waitFor();
  });
}

journey("tutorial2_a_market_that_fails_is_repaired_alone", async (tools) => {
  const { page } = tools;
  const totals = { ...SQL_VARIANT, nested: { ...SQL_VARIANT.nested, sql: TOTALS } };
  const screens = await withJob(tools, totals);
  const { run, job } = screens;
  await statements(screens, "INSERT INTO sales.transactions VALUES (15, 'UK', 'GBP', 'n/a', TIMESTAMP '2026-03-01 10:00:00')");
  await toJob(screens, TUTORIAL_2.job);
  await job.runNow.click();
  await run.ended("Failed");
  await run.node(`${LOOP}, For each, Failed, 2 of 3 iterations succeeded`).click();
  const rows = run.rows(LOOP);
  await counts(rows.filter({ hasText: "Failed" }), 1);
  await rows.filter({ hasText: "UK · GBP" }).filter({ hasText: "CAST_INVALID_INPUT" }).waitFor();
  await counts(rows.filter({ hasText: "Succeeded" }), 2);
  const address = page.url();

  await statements(screens, "UPDATE sales.transactions SET amount = '31.40' WHERE id = 15");
  await page.goto(address);
  await run.ended("Failed");
  await run.repairButton.click();
  const [again, kept] = ["Will run again", "Kept"].map((name) => run.repairDialog.getByRole("list", { name }));
  await counts(again.getByRole("listitem"), 1);
  await counts(kept.getByRole("listitem"), 2);
  await run.confirmRepair();
  await run.ended("Succeeded (repaired)");
  for (const [label, attempt] of [["NL · EUR", "1"], ["UK · GBP", "2"], ["US · USD", "1"]]) {
    const cells = rows.filter({ hasText: label }).getByRole("cell");
    await eventually(async () => assert.equal((await cells.nth(5).innerText()).trim(), attempt, label));
  }
  await run.attempt(1);
  await rows.filter({ hasText: "CAST_INVALID_INPUT" }).waitFor();
});

journey("tutorial2_forgotten_parameters_are_marked_as_defaults", async (tools) => {
  const { page } = tools;
  const screens = await withJob(tools, TUTORIAL_2);
  const { run } = screens;
  await runWithout(screens, ["market", "currency"]);
  await run.ended("Succeeded");
  await run.node(`${LOOP}, For each, Succeeded with warnings`).click();
  const rows = run.rows(LOOP);
  await counts(rows.filter({ hasText: "used default: market, currency" }), 3);
  await page.getByText(/processed equal values/).first().waitFor();
  await rows.nth(1).getByRole("link").first().click();
  await page.getByText("Processing market: NL (EUR)").waitFor();
  const defaults = run.parameters.locator("tbody").getByRole("row").filter({ hasText: "default" });
  await counts(defaults, 2);
});

journey("tutorial2_a_forgotten_sql_parameter_is_an_error", async (tools) => {
  const { page } = tools;
  const screens = await withJob(tools, SQL_VARIANT);
  const { run } = screens;
  await runWithout(screens, ["currency"]);
  await run.ended("Failed");
  await run.node(`${LOOP}, For each`).click();
  const failed = run.rows(LOOP).filter({ hasText: "UNBOUND_SQL_PARAMETER" });
  await counts(failed, 3);
  await failed.first().getByRole("link").first().click();
  await page.getByText(":currency").first().waitFor();
});

journey("tutorial2_a_widget_is_made_before_it_is_read", async (tools) => {
  const { page } = tools;
  const { lesson, notebook } = await withJob(tools);
  await lesson.goTo("Notebooks");
  await page.getByRole("main").getByRole("link", { name: MARKET, exact: true }).click();
  await notebook.source(1).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText('market = dbutils.widgets.get("market")\ndbutils.widgets.text("market", "NL")');
  await notebook.runButton.click();
  await notebook.cell(1).getByText("InputWidgetNotDefined").first().waitFor();
});
