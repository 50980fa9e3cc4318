// Jobs that a schedule starts, with the real engine: set on the job's page, seen before and after the clock is moved.
import assert from "node:assert/strict";
import { journey, pictures } from "./browser.mjs";
import { JobScreen, RunScreen } from "./pages/jobs.mjs";

/** A job with one SQL task, its tab "Schedule" open. */
async function scheduled({ page, open }, sql) {
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
  await job.tab("Schedule");
  await page.getByText("Nothing starts this job but you").waitFor();
  return job;
}

const kind = (page) => page.getByRole("combobox", { name: "Starts" });
const save = (page) => page.getByRole("button", { name: "Save schedule" });
const clock = (page) => page.getByRole("group", { name: /clock/i });

/** Starts the job every hour. */
async function everyHour(page) {
  await kind(page).selectOption({ label: "Every so often" });
  await page.getByRole("textbox", { name: "Every", exact: true }).fill("1");
  await page.getByRole("combobox", { name: "Unit" }).selectOption({ label: "hours" });
  await save(page).click();
  await page.getByRole("listitem").filter({ hasText: "every 1 hour" }).waitFor();
}

async function advanceHour(job, page) {
  await clock(page).getByRole("button", { name: "Advance 1 hour" }).click();
  await job.clockDialog.waitFor();
  assert.deepEqual(await job.due(), ["Demo"]);
  await job.clockDialog.getByRole("button", { name: "Advance", exact: true }).click();
  await job.clockDialog.waitFor({ state: "detached" });
}

journey("job_schedule_is_checked_and_kept", async (tools) => {
  const { page } = tools;
  const job = await scheduled(tools, "SELECT 1 AS n");
  await kind(page).selectOption({ label: "On a schedule (cron)" });
  await page.getByRole("textbox", { name: "Quartz cron expression" }).fill("every day");
  await save(page).click();
  await page.getByRole("alert").filter({ hasText: "'every day' is no Quartz cron expression" }).waitFor();
  await pictures(page, "job schedule refused");
  await page.getByRole("textbox", { name: "Quartz cron expression" }).fill("0 0 9 ? * MON-FRI");
  await page.getByRole("textbox", { name: "Time zone" }).fill("Europe/Lisbon");
  await save(page).click();
  await page.getByRole("listitem").filter({ hasText: "cron '0 0 9 ? * MON-FRI' in Europe/Lisbon" }).waitFor();
  await page.getByText(/^Next run: /).waitFor();
  await pictures(page, "job schedule");
  await page.getByRole("switch", { name: "Paused" }).click();
  await save(page).click();
  await page.getByText("Nothing starts this job but you").waitFor();
  await page.reload();
  await job.engineReady();
  await job.tab("Schedule");
  await page.getByRole("switch", { name: "Paused", checked: true }).waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Time zone" }).inputValue(), "Europe/Lisbon");
});

journey("job_schedule_starts_a_run_when_the_clock_is_moved", async (tools) => {
  const { page } = tools;
  const job = await scheduled(tools, "SELECT 1 AS n");
  await everyHour(page);
  await advanceHour(job, page);
  await job.tab("Runs");
  await job.matrix.getByRole("link").first().waitFor();
  await page.getByText("Succeeded").first().waitFor();
});

journey("job_schedule_tells_of_a_run_that_failed", async (tools) => {
  const { page } = tools;
  const job = await scheduled(tools, "SELECT 1 / 0 AS n");
  await everyHour(page);
  await advanceHour(job, page);
  await page.getByText("1 of 1 run did not succeed").first().waitFor();
  await pictures(page, "clock run failed");
});

journey("job_run_with_settings_replaces_parameters_and_leaves_tasks_out", async (tools) => {
  const { page, open } = tools;
  const job = new JobScreen(page);
  await open("#/w/jobs");
  await job.engineReady();
  await job.createButton.click();
  await job.name.fill("Demo");
  await job.name.press("Enter");
  await page.waitForURL(/jobs\/Demo$/);
  const task = (key) => ({ task_key: key, sql_task: { query: { text: "SELECT :day AS day" } } });
  const settings = { name: "Demo", parameters: [{ name: "day", default: "monday" }], tasks: [task("read"), task("other")] };
  await job.tab("JSON");
  await job.json.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(JSON.stringify(settings, null, 2));
  await page.getByRole("button", { name: "Save JSON", exact: true }).click();
  await job.tab("Tasks");
  await job.node("other, SQL").waitFor();
  await page.getByRole("button", { name: "Run with settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Run with settings" });
  await dialog.getByRole("textbox", { name: "day" }).fill("friday");
  await dialog.getByText("By default: monday").waitFor();
  await dialog.getByRole("checkbox", { name: "other" }).uncheck();
  await pictures(page, "run with settings");
  await dialog.getByRole("button", { name: "Run now" }).click();
  const run = new RunScreen(page);
  await run.ended("Succeeded");
  await run.node("read, SQL").click();
  await page.getByText("friday").first().waitFor();
});
