// Notebooks: cells, widgets, outputs. The engine is a stand-in: what is tested is the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fakeEngine } from "./fake-engine.mjs";
import { fakeJobs } from "./fakes/jobs.mjs";
import { NARROW, assertAccessible, assertNoSidewaysScroll, eventually, journey, pictures } from "./browser.mjs";
import { Home } from "./pages/home.mjs";
import { LessonScreen } from "./pages/lesson.mjs";
import { NotebookScreen } from "./pages/notebook.mjs";

const COPY = readFileSync(new URL("../../projects/t1/src/copy_incremental.py", import.meta.url), "utf8");
const MIXED = `# Databricks notebook source
# MAGIC %md
# MAGIC ## Markets
# MAGIC
# MAGIC Each **market** is one row. <img src=x onerror=alert(1)>

# COMMAND ----------

# MAGIC %sql
# MAGIC SELECT market, currency FROM config.markets

# COMMAND ----------

raise ValueError("no")
`;

function notebookJourney(name, options, body) {
  journey(name, options, async (tools) => {
    await tools.context.addInitScript(fakeEngine, {});
    const files = { "src/copy_incremental.py": COPY, "src/mixed.py": MIXED };
    await tools.context.addInitScript(fakeJobs, { files, held: options.held });
    const notebook = new NotebookScreen(tools.page);
    const file = (path) => tools.page.evaluate((key) => globalThis.lakeletTest.jobs.files.get(key), path);
    const release = () => tools.page.evaluate(() => globalThis.lakeletTest.jobs.release());
    await body({ ...tools, notebook, file, release });
  });
}

notebookJourney("notebook_runs_by_hand_with_its_defaults", { held: ["step"] }, async ({ page, open, notebook, release }) => {
  await open("#/w/nb/src/copy_incremental.py");
  await notebook.engineReady();
  await notebook.widget("source_table").waitFor();
  const fields = notebook.widgets.getByRole("textbox");
  const descriptions = () =>
    fields.evaluateAll((all) => all.map((field) => document.getElementById(field.getAttribute("aria-describedby"))?.textContent));
  await eventually(async () => assert.deepEqual(await descriptions(), ["default", "default", "default", "default"]));
  await notebook.runButton.click();
  await notebook.state.filter({ hasText: "Running" }).waitFor();
  await release();
  await page.getByText("Copying 10 new rows from sales.raw_orders").waitFor();
  await notebook.cell(1).getByText("[1]").waitFor();
  await pictures(page, "notebook");
  await assertAccessible(page, "#main");
});

notebookJourney("notebook_widgets_say_where_values_come_from", {}, async ({ open, notebook, page }) => {
  await open("#/w/nb/src/copy_incremental.py");
  await notebook.engineReady();
  await notebook.widget("source_table").fill("sales.raw_customers");
  const changed = (n) => eventually(async () => assert.equal(await notebook.widgets.getByText("changed here").count(), n));
  await changed(1);
  await notebook.runButton.click();
  await page.getByText("Copying 6 new rows from sales.raw_customers").waitFor();
  await changed(1);
  // Nobody has typed anything into a page that is opened again; the last run was given the value, and the next one is.
  await notebook.goTo("Jobs");
  await page.goBack();
  await notebook.widgets.getByText("passed by run").waitFor();
  await eventually(async () => assert.equal(await notebook.widget("source_table").inputValue(), "sales.raw_customers"));
  await changed(0);
  await notebook.runButton.click();
  await notebook.cell(1).getByText("[2]").waitFor();
  await page.getByText("Copying 6 new rows from sales.raw_customers").waitFor();
});

notebookJourney("notebook_cells_of_all_kinds", {}, async ({ page, open, notebook }) => {
  await open("#/w/nb/src/mixed.py");
  await notebook.engineReady();
  await notebook.cell(1).getByRole("heading", { name: "Markets" }).waitFor();
  await notebook.cell(1).getByText("<img src=x onerror=alert(1)>").waitFor();
  await notebook.cell(2).getByRole("button", { name: "Run cell" }).click();
  await notebook.cell(2).getByRole("grid", { name: "Displayed table" }).waitFor();
  await notebook.runButton.click();
  await notebook.cell(3).getByText("PYTHON_EXCEPTION").waitFor();
  await notebook.cell(3).getByText("<img src=x onerror=alert(1)>").waitFor();
  await pictures(page, "notebook mixed");
  await assertAccessible(page, "#main");
});

notebookJourney("notebook_edits_are_saved", {}, async ({ page, open, notebook, file }) => {
  await open("#/w/nb/src/mixed.py");
  await notebook.engineReady();
  await notebook.source(3).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("print(5)");
  await notebook.cell(3).getByRole("button", { name: "Move up" }).click();
  await page.getByRole("button", { name: "Markdown cell" }).click();
  await notebook.source(4).fill("The end.");
  await page.getByText("Saved", { exact: true }).last().waitFor();
  const expected = MIXED.split("# MAGIC %sql")[0]
    + "print(5)\n\n# COMMAND ----------\n\n# MAGIC %sql\n# MAGIC SELECT market, currency FROM config.markets\n"
    + "\n# COMMAND ----------\n\n# MAGIC %md\n# MAGIC The end.\n";
  await eventually(async () => assert.equal(await file("src/mixed.py"), expected));
  await notebook.cell(2).getByRole("button", { name: "Run cell" }).click();
  await notebook.cell(2).getByText("done").waitFor();
  await notebook.source(2).click();
  await page.keyboard.insertText("# more");
  await notebook.cell(2).getByText("edited since run").waitFor();
});

/** Replaces the source of a cell, as pasting would. */
async function write(page, notebook, cell, text) {
  await notebook.source(cell).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

notebookJourney("notebook_left_at_once_keeps_the_last_edit", {}, async ({ page, open, notebook, file }) => {
  await open("#/w/nb/src/mixed.py");
  await notebook.engineReady();
  await write(page, notebook, 3, "print(6)");
  await notebook.goTo("Jobs");
  await page.getByRole("button", { name: "Create job", exact: true }).waitFor();
  await page.goBack();
  await notebook.source(3).filter({ hasText: "print(6)" }).waitFor();
  await eventually(async () => assert.match(await file("src/mixed.py"), /print\(6\)\n$/));
});

notebookJourney("notebook_stays_as_it_is_when_the_engine_starts_again", {}, async ({ page, open, notebook }) => {
  await open("#/w/nb/src/copy_incremental.py");
  await notebook.engineReady();
  await notebook.runButton.click();
  await notebook.cell(1).getByText("[1]").waitFor();
  await notebook.widget("source_table").fill("sales.raw_customers");
  await notebook.source(1).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.insertText("# typed");
  await page.evaluate(() => globalThis.lakeletTest.trapEngine());
  await notebook.engineReady();
  await page.keyboard.insertText(" on");
  await notebook.source(1).filter({ hasText: "# typed on" }).waitFor();
  await eventually(async () => assert.equal(await notebook.widget("source_table").inputValue(), "sales.raw_customers"));
  await notebook.widgets.getByText("changed here").waitFor();
  await notebook.cell(1).getByText("[1]").waitFor();
  await notebook.cell(1).getByText("edited since run").waitFor();
  await page.getByText("Copying 10 new rows from sales.raw_orders").waitFor();
});

notebookJourney("notebook_shows_what_was_seen_until_it_runs_again", {}, async ({ page, open, notebook }) => {
  await open("#/w/nb/src/mixed.py");
  await notebook.engineReady();
  await notebook.runButton.click();
  await notebook.cell(3).getByText("PYTHON_EXCEPTION").waitFor();
  const shown = async () => {
    await notebook.cell(2).getByRole("grid", { name: "Displayed table" }).waitFor();
    await notebook.cell(3).getByText("PYTHON_EXCEPTION").waitFor();
  };
  // Another engine has run nothing.
  await page.evaluate(() => {
    globalThis.lakeletTest.jobs.notebooks.clear();
    globalThis.lakeletTest.trapEngine();
  });
  await page.getByRole("alert").filter({ hasText: /stopped/ }).first().waitFor();
  await notebook.engineReady();
  await shown();
  await notebook.goTo("Jobs");
  await page.getByRole("button", { name: "Create job", exact: true }).waitFor();
  await page.goBack();
  await shown();
  await page.getByRole("alert").filter({ hasText: /stopped/ }).first().waitFor();
  await page.reload();
  await notebook.engineReady();
  await shown();
  // One cell that runs takes nothing from the others.
  await notebook.cell(2).getByRole("button", { name: "Run cell" }).click();
  await notebook.cell(2).getByText("[1]").waitFor();
  await shown();
  await page.getByRole("button", { name: "Clear outputs" }).click();
  await notebook.cell(3).getByText("PYTHON_EXCEPTION").waitFor({ state: "detached" });
  await notebook.goTo("Jobs");
  await page.getByRole("button", { name: "Create job", exact: true }).waitFor();
});

notebookJourney("notebook_cell_that_was_deleted_comes_back", {}, async ({ page, open, notebook, file }) => {
  await open("#/w/nb/src/mixed.py");
  await notebook.engineReady();
  await notebook.cell(2).getByRole("button", { name: "Run cell" }).click();
  await notebook.cell(2).getByRole("grid", { name: "Displayed table" }).waitFor();
  await notebook.cell(2).getByRole("button", { name: "Delete cell" }).click();
  const deleted = page.getByRole("status", { name: "Deleted cells" });
  await deleted.getByText("Cell 2 was deleted.").waitFor();
  await page.waitForFunction(() => !globalThis.lakeletTest.jobs.files.get("src/mixed.py").includes("config.markets"));
  await pictures(page, "notebook deleted");
  await assertAccessible(page, "#main");
  await deleted.getByRole("button", { name: "Undo" }).click();
  await notebook.source(2).filter({ hasText: "config.markets" }).waitFor();
  await notebook.cell(2).getByRole("grid", { name: "Displayed table" }).waitFor();
  await page.waitForFunction((text) => globalThis.lakeletTest.jobs.files.get("src/mixed.py") === text, MIXED);
  // By key, and in the order in which they went.
  for (const number of [3, 2]) await notebook.cell(number).getByRole("button", { name: "Delete cell" }).click();
  await deleted.getByText("Cell 2 was deleted.").waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+z");
  await notebook.source(3).filter({ hasText: "ValueError" }).waitFor();
  await page.waitForFunction((text) => globalThis.lakeletTest.jobs.files.get("src/mixed.py") === text, MIXED);
  assert.equal(await deleted.getByRole("button").count(), 0);
});

notebookJourney("notebook_is_replaced_by_the_lesson_only_when_its_reader_agrees", {}, async ({ page, open, notebook, file }) => {
  await open("#/");
  await new Home(page).start(1);
  const lesson = new LessonScreen(page);
  await lesson.engineReady();
  await lesson.go("Write the copy notebook");
  await open("#/w/nb/src/copy_incremental.py");
  await notebook.source(1).waitFor();
  await write(page, notebook, 1, "print(7)");
  await page.waitForFunction(() => globalThis.lakeletTest.jobs.files.get("src/copy_incremental.py").includes("print(7)"));
  await lesson.insert('print(f"Copying {row_count}');
  await lesson.question.getByText("src/copy_incremental.py").waitFor();
  await assertAccessible(page, "dialog");
  await lesson.keep();
  await notebook.source(1).filter({ hasText: "print(7)" }).waitFor();
  await lesson.insert('print(f"Copying {row_count}');
  await lesson.replace();
  // The page that is open shows it, and nothing of it writes over the file any more.
  await notebook.source(1).filter({ hasText: "Copying {row_count}" }).waitFor();
  assert.match(await file("src/copy_incremental.py"), /Copying \{row_count\}/);
  // What the lesson has written is nobody's work: it is written again without a question.
  await page.evaluate(() => globalThis.lakeletTest.jobs.written.length = 0);
  await lesson.insert('print(f"Copying {row_count}');
  await page.waitForFunction(() => globalThis.lakeletTest.jobs.written.includes("src/copy_incremental.py"));
  assert.equal(await lesson.question.count(), 0);
});

notebookJourney("notebook_list_follows_files", {}, async ({ page, open, notebook }) => {
  await open("#/w/nb");
  await notebook.engineReady();
  await page.getByRole("link", { name: "src/mixed.py" }).waitFor();
  await page.evaluate(() => globalThis.lakelet.engine.request(
    JSON.stringify({ id: 2 ** 40, body: { kind: "save_file", path: "src/elsewhere.py", text: "# Databricks notebook source\n" } }),
  ));
  await page.getByRole("link", { name: "src/elsewhere.py" }).waitFor();
});

notebookJourney("notebook_that_is_there_is_never_created_again", { held: ["files"] }, async ({ page, open, notebook, file, release }) => {
  await open("#/w/nb");
  await notebook.engineReady();
  const create = page.getByRole("button", { name: "Create notebook" });
  await page.getByRole("textbox", { name: "Path" }).fill("src/mixed.py");
  assert.equal(await create.isDisabled(), true, "nobody knows yet which files there are");
  await page.keyboard.press("Enter");
  await release();
  await page.getByText("src/mixed.py is there already and will be opened.").waitFor();
  // A file that the list does not know yet.
  await page.evaluate(() => globalThis.lakeletTest.jobs.files.set("src/later.py", "# Databricks notebook source\nprint(8)\n"));
  await page.getByRole("textbox", { name: "Path" }).fill("src/later.py");
  await create.click();
  await notebook.source(1).filter({ hasText: "print(8)" }).waitFor();
  assert.match(await file("src/later.py"), /print\(8\)/);
  assert.equal(await file("src/mixed.py"), MIXED);
});

notebookJourney("notebook_is_created_by_a_workspace_path", {}, async ({ page, open, notebook, file }) => {
  await open("#/w/nb");
  await notebook.engineReady();
  await page.getByRole("link", { name: "src/mixed.py" }).waitFor();
  await page.getByRole("textbox", { name: "Path" }).fill("/Workspace/Users/<username>/process_market");
  await page.getByText("It will be the file src/process_market.py.").waitFor();
  await pictures(page, "notebooks");
  await page.getByRole("button", { name: "Create notebook" }).click();
  await page.waitForURL(/#\/w\/nb\/src\/process_market\.py$/);
  await notebook.source(1).waitFor();
  await eventually(async () => assert.equal(await file("src/process_market.py"), "# Databricks notebook source\n"));
});

notebookJourney("notebook_says_how_far_python_is", { held: ["step"] }, async ({ page, open, notebook }) => {
  await open("#/w/nb/src/copy_incremental.py");
  await notebook.engineReady();
  await page.evaluate(() => { globalThis.lakeletTest.jobs.showStatus({ phase: "ready", threads: 1, python: { phase: "downloading", done: 4_000_000, total: 13_000_000 } }); });
  await notebook.runButton.click();
  await notebook.state.filter({ hasText: "Loading Python: 4.0 MB of 13.0 MB" }).waitFor();
});

notebookJourney("notebook_fits_a_phone", { viewport: NARROW, touch: true }, async ({ page, open, notebook }) => {
  await open("#/w/nb/src/mixed.py");
  await notebook.engineReady();
  await notebook.cell(3).waitFor();
  await assertNoSidewaysScroll(page);
});
