// The SQL editor with its results.
import { Shell } from "./shell.mjs";

export class SqlScreen extends Shell {
  constructor(page) {
    super(page);
    this.editor = page.getByRole("textbox", { name: /^SQL editor, / });
    this.runAllButton = page.getByRole("button", { name: "Run all", exact: true });
    this.runStatementButton = page.getByRole("button", { name: "Run statement", exact: true });
    this.cancelButton = page.getByRole("button", { name: "Cancel", exact: true });
  }

  /** Replaces the whole text of the editor. */
  async write(text) {
    await this.editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    // Deleted by the editor, not typed over: there Chromium joins the lines itself, with a style attribute for which
    // the page's policy puts a complaint into the console.
    await this.page.keyboard.press("Delete");
    await this.page.keyboard.insertText(text);
  }

  /** Runs everything and waits until statement `n` is done, failed or canceled; returns its state. */
  async run(text, n = 1) {
    await this.write(text);
    await this.engineReady();
    await this.runAllButton.click();
    return this.settled(n);
  }

  /** Waits for the end of statement `n`. */
  async settled(n = 1) {
    const mark = this.page.getByRole("img", { name: new RegExp(`^Statement ${n}: (done|failed|canceled)$`) });
    await mark.waitFor();
    const name = await mark.getAttribute("aria-label");
    return name.split(": ")[1];
  }

  /** The grid with the rows of statement `n`. */
  result(n = 1) {
    return this.page.getByRole("grid", { name: `Result of statement ${n}` });
  }

  /** The texts of the rows that the grid shows, a list of cells for each. */
  async rows(n = 1) {
    const grid = this.result(n);
    await grid.waitFor();
    const rows = await grid.getByRole("row").all();
    const texts = await Promise.all(rows.map((row) => row.getByRole("gridcell").allInnerTexts()));
    return texts.filter((cells) => cells.length > 0);
  }
}
