// The form of a job with the real engine: what it refuses, what it keeps, where its SQL goes.
import assert from "node:assert/strict";
import { journey, pictures } from "./browser.mjs";
import { JobScreen, RunScreen } from "./pages/jobs.mjs";
import { TUTORIAL_1, begin } from "./tutorial-jobs.mjs";

// Chromium gives a style of its own to what is typed over several highlighted lines; the policy refuses it and says so.
const STYLED_BY_BROWSER = /Applying inline style/;

/** A job with one SQL task. */
async function demo({ page, open }, sql = "SELECT 1 AS n") {
  const job = new JobScreen(page);
  await open("#/w/jobs");
  await job.engineReady();
  await job.createButton.click();
  await job.name.fill("Demo");
  await job.name.press("Enter");
  await page.waitForURL(/jobs\/Demo$/);
  await job.begin({ name: "read", type: "SQL" });
  await job.writeSql(sql);
  await job.createTask.click();
  await job.node("read, SQL").waitFor();
  return { job, run: new RunScreen(page) };
}

/** The problem below a field. */
const problem = (job, text) => job.form.locator(".task-problem").filter({ hasText: text });
const taskName = (job) => job.form.getByRole("textbox", { name: "Task name" });
const isInvalid = (field) => field.and(field.page().locator('[aria-invalid="true"]')).waitFor();

journey("job_form_saves_a_new_name_and_the_sql_typed_with_it", { expectProblems: [STYLED_BY_BROWSER] }, async (tools) => {
  const { job, run } = await demo(tools);
  await taskName(job).fill("read_all");
  await job.writeSql("SELECT 42 AS answer");
  await job.saveTask.click();
  await job.node("read_all, SQL").waitFor();
  await job.sql.filter({ hasText: "SELECT 42 AS answer" }).waitFor();
  assert.equal(await job.problemList.getByRole("listitem").count(), 0, "what Lakelet writes itself is right");
  await job.runNow.click();
  await run.ended("Succeeded");
  await run.node("read_all, SQL").click();
  await tools.page.getByText("answer").first().waitFor();
});

journey("job_form_refuses_a_task_name_that_is_used", async (tools) => {
  const { job } = await demo(tools);
  await job.begin({ name: "read", type: "SQL" });
  await job.writeSql("SELECT 2 AS n");
  await problem(job, "another task 'read'").waitFor();
  await isInvalid(taskName(job));
  await pictures(tools.page, "job form refused");
  await job.createTask.click();
  await job.messages.or(tools.page.getByRole("alert")).filter({ hasText: "another task 'read'" }).first().waitFor();
  await taskName(job).fill("again");
  await problem(job, "another task").waitFor({ state: "detached" });
  await job.createTask.click();
  await job.node("again, SQL").waitFor();
  await job.saveTask.waitFor();
  await job.form.getByRole("button", { name: "Delete task" }).click();
  await tools.page.getByRole("dialog", { name: "Delete task" }).getByRole("button", { name: "Delete", exact: true }).click();
  await job.node("again, SQL").waitFor({ state: "detached" });
  await job.node("read, SQL").waitFor();
});

journey("job_form_tells_each_rule_at_its_field", async (tools) => {
  const { job } = await demo(tools);
  await job.begin({ name: "my loop", type: "For each" });
  await problem(job, "my loop").waitFor();
  await isInvalid(taskName(job));
  await taskName(job).fill("loop");
  const inputs = job.form.getByRole("textbox", { name: "Inputs" });
  await inputs.fill('{"a": 1}');
  await problem(job, "array").waitFor();
  await isInvalid(inputs);
  await inputs.fill("[1, 2");
  await problem(job, "JSON").waitFor();
  await inputs.fill("[1, 2]");
  await problem(job, "JSON").waitFor({ state: "detached" });
  const concurrency = job.form.getByRole("spinbutton", { name: "Concurrency" });
  // Nobody is told that something is empty before they are done.
  assert.equal(await problem(job, "task").count(), 0);
  for (const wrong of ["0", "101"]) {
    await concurrency.fill(wrong);
    await isInvalid(concurrency);
    await problem(job, "100").waitFor();
  }
  await job.createTask.click();
  await concurrency.and(tools.page.locator(":focus")).waitFor();
  await concurrency.fill("2");
  await problem(job, "100").waitFor({ state: "detached" });
  await job.createTask.click();
  await problem(job, "task").waitFor();
  assert.equal(await job.saveTask.count(), 0);
});

journey("job_without_tasks_is_not_run", async ({ page, open }) => {
  const job = new JobScreen(page);
  await open("#/w/jobs");
  await job.engineReady();
  await job.createButton.click();
  await job.addTask.waitFor();
  await job.runNow.click();
  await page.locator(".error-message").filter({ hasText: "It has no tasks: there is nothing to execute." }).waitFor();
});

journey("job_renamed_keeps_its_runs", async (tools) => {
  const { page, open } = tools;
  const { job, run } = await demo(tools);
  await job.runNow.click();
  await run.ended("Succeeded");
  await page.getByRole("link", { name: "Demo", exact: true }).click();
  await job.name.fill("Renamed");
  await job.name.press("Enter");
  await page.waitForURL(/jobs\/Renamed$/);
  await page.getByRole("link", { name: "Run 1" }).click();
  await page.waitForURL(/jobs\/Renamed\/runs\/1$/);
  await run.ended("Succeeded");
  // Links from before lead there too.
  await open("#/w/jobs/Demo/runs/1/read");
  await page.waitForURL(/jobs\/Renamed\/runs\/1\/read$/);
  await run.ended("Succeeded");
  await open("#/w/jobs/Demo");
  await page.waitForURL(/jobs\/Renamed$/);
  await job.node("read, SQL").waitFor();
});

journey("lesson_writes_to_the_file_of_the_readers_own_task", async (tools) => {
  const { page } = tools;
  const screens = await begin(tools, 1, "CREATE OR REPLACE TABLE sales.raw_orders", "CREATE OR REPLACE TABLE config.watermarks");
  const { lesson, job } = screens;
  await lesson.goTo("Jobs");
  await job.createButton.click();
  await job.name.fill(TUTORIAL_1.job);
  await job.begin({ name: TUTORIAL_1.read, type: "SQL" });
  // Not to the letter what the project's own file says.
  await job.writeSql(`${TUTORIAL_1.sql};`);
  await job.createTask.click();
  await job.node("read_watermarks, SQL").waitFor();
  await job.form.getByText("Kept in src/").waitFor();
  assert.doesNotMatch(await job.form.innerText(), /_2\.sql/);
  await lesson.go("Pause a table");
  await lesson.insert("WHERE active = TRUE");
  await page.getByRole("dialog").getByRole("button", { name: "Replace", exact: true }).click();
  await lesson.goTo("Jobs");
  await page.getByRole("main").getByRole("link", { name: TUTORIAL_1.job, exact: true }).click();
  await job.node("read_watermarks, SQL").click();
  await job.sql.filter({ hasText: "WHERE active = TRUE" }).waitFor();
});

journey("job_form_builds_a_branch_and_runs_another_job", async (tools) => {
  const { page } = tools;
  const { job, run } = await demo(tools);
  await job.begin({ name: "check", type: "If/else", after: "read" });
  await job.form.getByRole("textbox", { name: "Left value" }).fill("{{tasks.read.output.first_row.n}}");
  await job.form.getByRole("combobox", { name: "Operator" }).selectOption({ label: ">=" });
  await job.createTask.click();
  await problem(job, "right").waitFor();
  await job.form.getByRole("textbox", { name: "Right value" }).fill("1");
  await job.createTask.click();
  await job.node("check, If/else").waitFor();
  for (const [name, outcome] of [["yes", "true"], ["no", "false"]]) {
    await job.begin({ name, type: "SQL" });
    await job.form.getByRole("combobox", { name: "Depends on", exact: true }).selectOption({ label: `check (${outcome})` });
    await job.writeSql(`SELECT '${name}' AS taken`);
    await job.createTask.click();
    await job.node(`${name}, SQL`).waitFor();
    await job.saveTask.waitFor();
  }
  await pictures(page, "job branch");
  await job.runNow.click();
  await run.ended("Succeeded");
  await run.node("yes, SQL, Succeeded").waitFor();
  await run.node("no, SQL, Excluded").waitFor();

  await page.getByRole("link", { name: "Jobs", exact: true }).last().click();
  await job.createButton.click();
  await job.name.fill("Outer");
  await job.name.press("Enter");
  await page.waitForURL(/jobs\/Outer$/);
  await job.begin({ name: "call", type: "Run job" });
  await job.createTask.click();
  await problem(job, "job_id").waitFor();
  await job.form.getByRole("combobox", { name: "Job", exact: true }).selectOption({ label: "Demo" });
  await job.createTask.click();
  await job.node("call, Run job").waitFor();
  await job.runNow.click();
  await page.waitForURL(/jobs\/Outer\/runs\/1/);
  await run.ended("Succeeded");
});
