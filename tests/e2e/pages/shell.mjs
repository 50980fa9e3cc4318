// What stands around every screen.

export class Shell {
  constructor(page) {
    this.page = page;
    this.rail = page.getByRole("navigation", { name: "Main" });
    this.engineStatus = page.getByRole("status", { name: "Engine status" });
    this.language = page.getByRole("combobox", { name: "Language" });
    this.theme = page.getByRole("combobox", { name: "Theme" });
    this.clock = page.getByRole("group", { name: "Simulated clock" });
    this.catalog = page.getByRole("tree", { name: "Catalog" });
    this.problems = page.getByRole("region", { name: "Problems" });
    this.lesson = page.getByRole("complementary", { name: "Lesson" });
    this.heading = page.getByRole("heading", { level: 1 });
    this.dialogs = page.getByRole("dialog");
  }

  /** Waits until the engine can run statements. */
  async engineReady() {
    await this.engineStatus.filter({ hasText: /ready/i }).waitFor();
  }

  /** Moves the simulated clock by "minute", "hour" or "day". */
  async advance(unit) {
    await this.clock.getByRole("button", { name: `Advance 1 ${unit}` }).click();
  }

  /** The entry of a table, view or schema in the catalog tree. */
  catalogEntry(name) {
    return this.catalog.getByRole("treeitem", { name: new RegExp(`^${name}\\b`) });
  }
}
