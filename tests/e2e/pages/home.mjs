// The first screen: tutorials, laboratory, blank workspace, saved workspaces.
import { Shell } from "./shell.mjs";

export class Home extends Shell {
  constructor(page) {
    super(page);
    this.tutorials = page.getByRole("article", { name: /^Tutorial \d: / });
  }

  /** The card of a tutorial, by its number. */
  tutorial(number) {
    return this.page.getByRole("article", { name: new RegExp(`^Tutorial ${number}: `) });
  }

  async start(number) {
    await this.page.getByRole("button", { name: `Start tutorial ${number}` }).click();
  }
}
