// What stands around every screen.
import assert from "node:assert/strict";
import { eventually } from "../waiting.mjs";

export class Shell {
  constructor(page) {
    this.page = page;
    this.rail = page.getByRole("navigation", { name: "Main" });
    this.engineStatus = page.getByRole("status", { name: "Engine status" });
    this.messages = page.getByRole("status", { name: "Messages" });
    this.language = page.getByRole("combobox", { name: "Language" });
    this.theme = page.getByRole("combobox", { name: "Theme" });
    this.clock = page.getByRole("group", { name: "Simulated clock" });
    this.catalog = page.getByRole("tree", { name: "Catalog" });
    this.problems = page.getByRole("region", { name: "Problems" });
    this.lesson = page.getByRole("complementary", { name: "Lesson" });
    this.heading = page.getByRole("heading", { level: 1 });
    this.dialogs = page.getByRole("dialog");
    this.clockDialog = page.getByRole("dialog", { name: "Move the clock" });
  }

  /** Waits until the engine can run statements. */
  async engineReady() {
    await this.engineStatus.filter({ hasText: /ready/i }).waitFor();
  }

  /** Goes to a place of the rail: "SQL", "Jobs", "Data" and so on. */
  async goTo(place) {
    await this.rail.getByRole("link", { name: place, exact: true }).click();
  }

  /** Presses the button that moves the simulated clock by "minute", "hour" or "day". */
  async advance(unit) {
    await this.clock.getByRole("button", { name: `Advance 1 ${unit}` }).click();
  }

  /** Asks what moving the simulated clock by "minute", "hour" or "day" would do. */
  async previewAdvance(unit) {
    await this.advance(unit);
    await this.clockDialog.waitFor();
  }

  /** Names of what the move shown would run, in order: the dialog opens with them. */
  async due() {
    return this.clockDialog.getByRole("listitem").getByRole("strong").allInnerTexts();
  }

  /** Does the move shown and waits for the clock to be there. */
  async confirmAdvance(to) {
    await this.clockDialog.getByRole("button", { name: "Advance", exact: true }).click();
    await this.clock.getByRole("time").filter({ hasText: to }).waitFor();
  }

  /** The entry of a table, view or schema in the catalog tree. */
  catalogEntry(name) {
    return this.catalog.getByRole("treeitem", { name, exact: true });
  }

  /** The texts of the rows that a grid shows, a list of cells for each, once all have come. */
  async rowsOf(grid) {
    return eventually(async () => {
      const { isThere, rows } = await grid.evaluate(async (element) => {
        // How many rows and columns are drawn follows from the grid's size, of which it hears with its first frame.
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        const texts = [...element.querySelectorAll('[role="row"]')].map((row) =>
          [...row.querySelectorAll('[role="gridcell"]')].map((cell) => cell.innerText),
        );
        return { isThere: element.isConnected, rows: texts.filter((cells) => cells.length > 0) };
      });
      assert.ok(isThere, "the grid was replaced");
      assert.ok(!rows.flat().includes("…"), "rows are still to come");
      return rows;
    });
  }
}
