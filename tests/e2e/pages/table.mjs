// The page of a table.
import { Shell } from "./shell.mjs";

export class TableScreen extends Shell {
  constructor(page) {
    super(page);
    this.versionSlider = page.getByRole("slider", { name: "Version" });
  }

  /** Opens a table's page from the catalog, on a tab. */
  async open(table, tab = "Data") {
    await this.catalogEntry(table).click();
    await this.heading.filter({ hasText: table }).waitFor();
    await this.show(tab);
  }

  /** Shows a tab of the page. */
  async show(tab) {
    const wanted = this.page.getByRole("main").getByRole("tab", { name: tab, exact: true });
    await wanted.click();
    await this.page.getByRole("main").getByRole("tab", { name: tab, exact: true, selected: true }).waitFor();
  }

  /** The texts of a table's body rows, once `n` are there. */
  async bodyRows(name, n) {
    const table = this.page.getByRole("table", { name, exact: true });
    const rows = table.getByRole("row").filter({ has: this.page.getByRole("cell") });
    await rows.nth(n - 1).waitFor();
    return rows.allInnerTexts();
  }

  /** The card of a refresh. */
  refresh(number, table) {
    return this.page.getByRole("article", { name: `Refresh ${number} of ${table}`, exact: true });
  }
}
