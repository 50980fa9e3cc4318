// Jobs: the list, a job's page with the form of a task, a run's page.
import { Shell } from "./shell.mjs";

export class JobScreen extends Shell {
  constructor(page) {
    super(page);
    this.createButton = page.getByRole("button", { name: "Create job", exact: true });
    this.name = page.getByRole("textbox", { name: "Job name" });
    this.addTask = page.getByRole("button", { name: "Add task", exact: true });
    this.graph = page.getByRole("group", { name: "Job graph" });
    this.list = page.getByRole("list", { name: "Tasks in order" });
    this.form = page.getByRole("region", { name: "Task form" });
    this.problemList = page.getByRole("list", { name: "Problems" });
    this.runNow = page.getByRole("button", { name: "Run now", exact: true });
    this.createTask = page.getByRole("button", { name: "Create task", exact: true });
    this.saveTask = page.getByRole("button", { name: "Save task", exact: true });
    this.sql = page.getByRole("textbox", { name: "SQL", exact: true });
    this.matrix = page.getByRole("table", { name: /^Runs of / });
    this.json = page.getByRole("textbox", { name: "Job settings as JSON" });
  }

  /** Opens a part of the page: "Tasks", "Runs", "JSON". */
  async tab(name) {
    await this.page.getByRole("tab", { name, exact: true }).click();
  }

  /** A box of the graph, by the name it begins with. */
  node(name) {
    return this.graph.getByRole("button", { name: new RegExp(`^${name}`) });
  }

  /** A field of the form. */
  field(name) {
    return this.form.getByLabel(name, { exact: true });
  }

  /** Replaces the text of the SQL field, as pasting would. */
  async writeSql(text) {
    await this.sql.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }

  /** Adds a task and fills what every task has. */
  async begin({ name, type, after }) {
    await this.addTask.click();
    await this.describe({ name, type });
    if (after) await this.form.getByRole("combobox", { name: "Depends on", exact: true }).selectOption(after);
  }

  async describe({ name, type }) {
    await this.form.getByRole("textbox", { name: "Task name" }).fill(name);
    await this.form.getByRole("combobox", { name: "Type", exact: true }).selectOption({ label: type });
  }

  /** Adds parameters to the form, key → value. */
  async addParameters(parameters) {
    for (const [key, value] of Object.entries(parameters)) {
      await this.form.getByRole("button", { name: "Add", exact: true }).click();
      await this.form.getByRole("textbox", { name: "Parameter key" }).last().fill(key);
      await this.form.getByRole("textbox", { name: "Parameter value" }).last().fill(value);
    }
  }

  /** Builds a job of a SQL task and a loop over its rows, as the tutorials say it. */
  async build({ job, read, sql, loop, nested }) {
    await this.createButton.click();
    await this.name.fill(job);
    await this.begin({ name: read, type: "SQL" });
    await this.writeSql(sql);
    await this.createTask.click();
    await this.node(`${read}, SQL`).waitFor();
    await this.begin({ name: loop, type: "For each", after: read });
    await this.form.getByRole("textbox", { name: "Inputs" }).fill(`{{tasks.${read}.output.rows}}`);
    await this.form.getByRole("spinbutton", { name: "Concurrency" }).fill("2");
    await this.page.getByRole("button", { name: "Add a task to loop over" }).click();
    await this.describe(nested);
    if (nested.path) await this.field("Path").fill(nested.path);
    if (nested.sql) await this.writeSql(nested.sql);
    await this.addParameters(nested.parameters);
    await this.createTask.click();
    await this.saveTask.waitFor();
  }
}

export class RunScreen extends Shell {
  constructor(page) {
    super(page);
    this.graph = page.getByRole("group", { name: "Job graph" });
    this.repairButton = page.getByRole("button", { name: "Repair run", exact: true });
    this.repairSelected = page.getByRole("button", { name: "Repair selected", exact: true });
    this.repairDialog = page.getByRole("dialog", { name: "Repair run" });
    this.runAgain = page.getByRole("button", { name: "Run again", exact: true });
    this.parameters = page.getByRole("table", { name: "Parameters" });
    this.whatHappened = page.getByRole("article", { name: "What happened" });
  }

  /** Waits until the heading says how the run ended. */
  async ended(word) {
    await this.heading.filter({ hasText: word }).waitFor();
  }

  async tab(name) {
    await this.page.getByRole("tab", { name, exact: true }).click();
  }

  node(name) {
    return this.graph.getByRole("button", { name: new RegExp(`^${name}`) });
  }

  iterations(task) {
    return this.page.getByRole("table", { name: `Iterations of ${task}` });
  }

  /** The rows of the table of iterations, without its head. */
  rows(task) {
    return this.iterations(task).locator("tbody").getByRole("row");
  }

  /**
   * Begins to note what the rows of the table of iterations say of states that pass: `most` at once "Running", and the
   * texts of those "Waiting". The function it returns tells what was noted.
   */
  async noteIterations(task) {
    await this.page.evaluate((label) => {
      globalThis.noted = { most: 0, waiting: [] };
      new MutationObserver(() => {
        const rows = [...document.querySelectorAll(`table[aria-label="${label}"] tbody tr`)].map((row) => row.innerText);
        globalThis.noted.most = Math.max(globalThis.noted.most, rows.filter((text) => text.includes("Running")).length);
        globalThis.noted.waiting.push(...rows.filter((text) => text.includes("Waiting")));
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    }, `Iterations of ${task}`);
    return () => this.page.evaluate(() => globalThis.noted);
  }

  /** Opens an iteration by its label or a part of it. */
  async openIteration(label) {
    await this.page.getByRole("table", { name: /^Iterations of / }).getByRole("link", { name: label }).click();
  }

  /** Confirms the repair that the dialog shows. */
  async confirmRepair() {
    await this.repairDialog.getByRole("button", { name: "Repair", exact: true }).click();
  }

  async attempt(number) {
    await this.page.getByRole("radio", { name: `Attempt ${number}` }).check();
  }
}
