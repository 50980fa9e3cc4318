// Notebooks: cells, widgets, outputs. The engine is a stand-in: what is tested is the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fakeEngine } from "./fake-engine.mjs";
import { fakeJobs } from "./fakes/jobs.mjs";
import { NARROW, assertAccessible, assertNoSidewaysScroll, journey, pictures } from "./browser.mjs";
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
    await tools.context.addInitScript(fakeJobs, { files: { "src/copy_incremental.py": COPY, "src/mixed.py": MIXED }, stepMs: 60 });
    const notebook = new NotebookScreen(tools.page);
    const file = (path) => tools.page.evaluate((key) => globalThis.lakeletTest.jobs.files.get(key), path);
    await body({ ...tools, notebook, file });
  });
}

notebookJourney("notebook_runs_by_hand_with_its_defaults", {}, async ({ page, open, notebook }) => {
  await open("#/w/nb/src/copy_incremental.py");
  await notebook.engineReady();
  await notebook.widget("source_table").waitFor();
  const fields = notebook.widgets.getByRole("textbox");
  assert.equal(await fields.count(), 4);
  for (const field of await fields.all()) {
    const description = await field.evaluate((element) => document.getElementById(element.getAttribute("aria-describedby")).textContent);
    assert.equal(description, "default");
  }
  await notebook.runButton.click();
  await notebook.state.filter({ hasText: "Running" }).waitFor();
  await page.getByText("Copying 10 new rows from sales.raw_orders").waitFor();
  await notebook.cell(1).getByText("[1]").waitFor();
  await pictures(page, "notebook");
  await assertAccessible(page, "#main");
});

notebookJourney("notebook_widgets_say_where_values_come_from", {}, async ({ open, notebook, page }) => {
  await open("#/w/nb/src/copy_incremental.py");
  await notebook.engineReady();
  await notebook.widget("source_table").fill("sales.raw_customers");
  assert.equal(await notebook.widgets.getByText("changed here").count(), 1);
  await notebook.runButton.click();
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

// Chromium gives a style of its own to what is typed over several highlighted pieces; the policy refuses it and says so.
notebookJourney("notebook_edits_are_saved", { expectProblems: [/Applying inline style/] }, async ({ page, open, notebook, file }) => {
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
  await page.waitForFunction((text) => globalThis.lakeletTest.jobs.files.get("src/mixed.py") === text, expected).catch(async () => assert.equal(await file("src/mixed.py"), expected));
  await notebook.cell(2).getByRole("button", { name: "Run cell" }).click();
  await notebook.cell(2).getByText("done").waitFor();
  await notebook.source(2).click();
  await page.keyboard.insertText("# more");
  await notebook.cell(2).getByText("edited since run").waitFor();
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
  assert.equal(await file("src/process_market.py"), "# Databricks notebook source\n");
});

notebookJourney("notebook_says_how_far_python_is", {}, async ({ page, open, notebook }) => {
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
