// The jobs of the tutorials, as `JobScreen.build` makes them by hand, and the way to where they are built.
import assert from "node:assert/strict";
import { Home } from "./pages/home.mjs";
import { JobScreen, RunScreen } from "./pages/jobs.mjs";
import { LessonScreen } from "./pages/lesson.mjs";
import { NotebookScreen } from "./pages/notebook.mjs";

export const COPY = "src/copy_incremental.py";
export const MARKET = "src/process_market.py";

export const TUTORIAL_1 = {
  job: "Incremental table copy",
  read: "read_watermarks",
  sql: "SELECT source_table, target_table, watermark_column, last_watermark\nFROM config.watermarks",
  loop: "copy_tables",
  nested: {
    name: "copy_incremental",
    type: "Notebook",
    path: COPY,
    parameters: Object.fromEntries(
      ["source_table", "target_table", "watermark_column", "last_watermark"].map((key) => [key, `{{input.${key}}}`]),
    ),
  },
};
const PARAMETERS_2 = { market: "{{input.market}}", currency: "{{input.currency}}" };
export const TUTORIAL_2 = {
  job: "Market Analysis",
  read: "read_markets",
  sql: "SELECT market, currency FROM config.markets",
  loop: "process_markets",
  nested: { name: "run_market_analysis_iteration", type: "Notebook", path: MARKET, parameters: PARAMETERS_2 },
};
const SQL_2 = "SELECT *\nFROM sales.transactions\nWHERE market = :market\n  AND currency_code = :currency";

export const SQL_VARIANT = { ...TUTORIAL_2, nested: { name: TUTORIAL_2.nested.name, type: "SQL", sql: SQL_2, parameters: PARAMETERS_2 } };

/** Starts a tutorial, runs its sample data and its control table (blocks that hold these texts), and gives the screens. */
export async function begin({ page, open }, number, sample, control) {
  await open("#/");
  await new Home(page).start(number);
  const lesson = new LessonScreen(page);
  await lesson.engineReady();
  await lesson.runCode(sample);
  await lesson.go("Create the control table");
  await lesson.runCode(control);
  return { lesson, job: new JobScreen(page), run: new RunScreen(page), notebook: new NotebookScreen(page) };
}

/** Goes to the page of a job through the list. */
export async function toJob({ lesson, job }, name) {
  await lesson.goTo("Jobs");
  await lesson.page.getByRole("main").getByRole("link", { name, exact: true }).click();
  await job.runNow.waitFor();
}

/** Runs statements that must succeed. */
export async function statements({ lesson }, text) {
  await lesson.goTo("SQL");
  const states = await lesson.runAll(text);
  assert.ok(states.every((state) => state === "done"), `${states}`);
}
