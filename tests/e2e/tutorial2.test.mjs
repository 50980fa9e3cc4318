// Tutorial 2 as its reader walks it: a table decides what a job runs, one market fails and is repaired alone.
import assert from "node:assert/strict";
import { journey } from "./browser.mjs";
import { Home } from "./pages/home.mjs";
import { LessonScreen } from "./pages/lesson.mjs";

const CORRECT = /^Correct\./;

async function start(page, open) {
  const home = new Home(page);
  await open("#/");
  await home.start(2);
  const lesson = new LessonScreen(page);
  await lesson.engineReady();
  return lesson;
}

journey("tutorial2_runs_a_job_from_a_control_table", async ({ page, open }) => {
  const lesson = await start(page, open);

  // 1 and 2. Sales of four markets, three of them in the control table.
  assert.ok((await lesson.runCode("CREATE OR REPLACE TABLE sales.transactions")).every((state) => state === "done"));
  assert.match(await lesson.check("The sales are there"), CORRECT);
  await lesson.go("Create the control table");
  assert.deepEqual(await lesson.runCode("CREATE OR REPLACE TABLE config.markets"), ["done"]);
  assert.match(await lesson.check("Three markets are listed"), CORRECT);

  // 3. A notebook with defaults, a query without.
  await lesson.go("Write the code for one market");
  assert.match(await lesson.predict("Which of the two fails?", "The SQL"), CORRECT);
  await lesson.insert('print(f"Processing market');
  assert.match(await lesson.checkAfterRun("The notebook and the query are there"), CORRECT);

  // 4 to 6. The job, once with a notebook and once with SQL.
  await lesson.go("Create the job");
  await lesson.act("Use this job");
  assert.match(await lesson.checkAfterRun("There is a job named Market Analysis"), CORRECT);
  await lesson.go("Add the SQL task");
  await lesson.act("Use this job");
  assert.match(await lesson.checkAfterRun("The job has the task read_markets"), CORRECT);
  await lesson.go("Add the For each task");
  await lesson.act("Use this job");
  await lesson.act("Use the SQL job");
  assert.match(await lesson.checkAfterRun("Both jobs are complete"), CORRECT);

  // 7. One iteration for each market: 5, 4 and 3 rows, by SQL and by notebook.
  await lesson.go("Run the job and verify");
  assert.match(await lesson.predict("When does the third one", "When one of the first two has ended"), CORRECT);
  await lesson.act("Run the SQL job");
  assert.match(await lesson.checkAfterRun("The SQL job gives the same numbers"), CORRECT);
  await lesson.act("Run now");
  assert.match(await lesson.checkAfterRun("Three iterations succeeded"), CORRECT);

  // 8. A bad amount: one market fails, the others do not mind.
  await lesson.go("Make one market fail");
  await lesson.act("Use this job");
  assert.deepEqual(await lesson.runCode("'n/a'", "Deliver a bad amount"), ["done"]);
  assert.match(await lesson.predict("What happens to NL and US?", "Both succeed"), CORRECT);
  await lesson.act("Run now");
  assert.match(await lesson.checkAfterRun("UK failed with CAST_INVALID_INPUT"), CORRECT);

  // 9. Corrected and repaired: only that market runs again.
  await lesson.go("Fix the row and repair the run");
  assert.deepEqual(await lesson.runCode("'31.40'"), ["done"]);
  await lesson.act("Repair run");
  assert.match(await lesson.checkAfterRun("Exactly one iteration has a second attempt"), CORRECT);

  // 10. Forgotten parameters: silent in the notebook, an error in SQL.
  await lesson.go("A mistake that stays silent");
  await lesson.act("Use the job without parameters");
  await lesson.act("Run now");
  assert.match(await lesson.predict("How does the run end?", "It succeeds, and every iteration works on NL"), CORRECT);
  assert.match(await lesson.checkAfterRun("All iterations worked on NL"), CORRECT);
  await lesson.act("Use the SQL job without currency");
  await lesson.act("Run the SQL job");
  assert.match(await lesson.checkAfterRun("because a parameter was missing"), CORRECT);

  // 11. A row more is an iteration more.
  await lesson.go("Add a market");
  await lesson.act("Use the complete job");
  await lesson.act("Use the complete SQL job");
  assert.deepEqual(await lesson.runCode("('DE', 'EUR')"), ["done"]);
  await lesson.act("Run now");
  assert.match(await lesson.checkAfterRun("Germany was processed too"), CORRECT);

  // 12. Markets left out, down to an empty list.
  await lesson.go("Leave markets out");
  const [added, paused] = await lesson.runCode("ADD COLUMN active BOOLEAN DEFAULT TRUE");
  assert.deepEqual([added, paused], ["done", "done"]);
  await lesson.insert("FROM config.markets WHERE active = TRUE");
  await lesson.act("Run now", 0);
  assert.match(await lesson.checkAfterRun("Three active markets, three iterations"), CORRECT);
  const none = lesson.code("UPDATE config.markets SET active = FALSE;").last();
  assert.deepEqual(await lesson.runBlock(none), ["done"]);
  assert.match(await lesson.predict("How does the For each task end?", "It succeeds with no iterations"), CORRECT);
  await lesson.act("Run now", 1);
  assert.match(await lesson.checkAfterRun("The run succeeded without an iteration"), CORRECT);
  await page.getByText("Inputs were an empty list").first().waitFor();
});

journey("tutorial2_tries_the_query_of_one_market", async ({ page, open }) => {
  const lesson = await start(page, open);
  assert.ok((await lesson.runCode("CREATE OR REPLACE TABLE sales.transactions")).every((state) => state === "done"));
  await lesson.go("Write the code for one market");
  await lesson.insert("WHERE market = :market");
  await lesson.tab("2 process market").waitFor();
  await lesson.runAllButton.click();
  assert.deepEqual(await lesson.ended(), ["failed"]);
  await lesson.statement(1).getByText("UNBOUND_SQL_PARAMETER").first().waitFor();
  await page.getByRole("textbox", { name: ":market" }).fill("NL");
  await page.getByRole("textbox", { name: ":currency" }).fill("EUR");
  await lesson.runAllButton.click();
  assert.deepEqual(await lesson.ended(), ["done"]);
  assert.equal((await lesson.rowsOf(lesson.lastResult())).length, 5);
});
