// Notebooks: the list and the page of one.
import { Shell } from "./shell.mjs";

export class NotebookScreen extends Shell {
  constructor(page) {
    super(page);
    this.runButton = page.getByRole("button", { name: "Run notebook", exact: true });
    this.widgets = page.getByRole("region", { name: "Widgets" });
    this.state = page.getByRole("status", { name: "Notebook status" });
  }

  /** The cell with a number, whatever its language. */
  cell(number) {
    return this.page.getByRole("region", { name: new RegExp(`^Cell ${number}, `) });
  }

  /** The text of a cell's editor. */
  source(number) {
    return this.cell(number).getByRole("textbox", { name: new RegExp(`^Cell ${number}, `) });
  }

  widget(name) {
    return this.widgets.getByLabel(name, { exact: true });
  }
}
