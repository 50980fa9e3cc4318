// The SQL editor with its results.
import { Shell } from "./shell.mjs";

const STATES = /^(waiting|running|done|failed|canceled|not run)(?: ·|$)/m;

export class SqlScreen extends Shell {
  constructor(page) {
    super(page);
    this.editor = page.getByRole("textbox", { name: /^SQL editor, / });
    this.runAllButton = page.getByRole("button", { name: "Run all", exact: true });
    this.runStatementButton = page.getByRole("button", { name: "Run statement", exact: true });
    this.cancelButton = page.getByRole("button", { name: "Cancel", exact: true });
    this.results = page.getByRole("region", { name: "Results" });
    this.problemList = page.getByRole("list", { name: "Problems" });
  }

  /** Replaces the whole text of the editor. */
  async write(text) {
    await this.editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }

  /** Runs everything and waits until statement `n` is done, failed or canceled; returns its state. */
  async run(text, n = 1) {
    await this.write(text);
    await this.engineReady();
    await this.runAllButton.click();
    return this.settled(n);
  }

  /** Runs everything, waits for the end and returns the states of all statements. */
  async runAll(text) {
    await this.write(text);
    await this.engineReady();
    await this.runAllButton.click();
    return this.ended();
  }

  /** Waits for the end of statement `n`. */
  async settled(n = 1) {
    const mark = this.page.getByRole("img", { name: new RegExp(`^Statement ${n}: (done|failed|canceled)$`) });
    await mark.waitFor();
    const name = await mark.getAttribute("aria-label");
    return name.split(": ")[1];
  }

  /** Waits until nothing runs and returns the states of the statements, one word each. */
  async ended() {
    await this.results.getByRole("article").first().waitFor();
    await this.page.getByRole("button", { name: "Cancel", exact: true, disabled: true }).waitFor();
    const articles = await this.results.getByRole("article").allInnerTexts();
    return articles.map((text) => STATES.exec(text)?.[1] ?? text);
  }

  /** What is said of statement `n`: its state, its result, its errors and warnings. */
  statement(n) {
    return this.results.getByRole("article", { name: `Statement ${n}`, exact: true });
  }

  /** The tab of the editor with this title. */
  tab(title) {
    return this.page.getByRole("tablist", { name: "Editor tabs" }).getByRole("tab", { name: title, exact: true });
  }

  /** The grid with the rows of statement `n`. */
  result(n = 1) {
    return this.page.getByRole("grid", { name: `Result of statement ${n}`, exact: true });
  }

  /** The grid of the last statement that has one. */
  lastResult() {
    return this.page.getByRole("grid", { name: /^Result of statement / }).last();
  }

  /** The texts of the rows that the grid of statement `n` shows, a list of cells for each. */
  async rows(n = 1) {
    return this.rowsOf(this.result(n));
  }

  /** Runs statements and returns the rows of the last result. */
  async query(text) {
    const states = await this.runAll(text);
    if (states.some((state) => state !== "done")) throw new Error(await this.results.innerText());
    return this.rowsOf(this.lastResult());
  }
}
