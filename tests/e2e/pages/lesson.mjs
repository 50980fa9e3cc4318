// A lesson beside the editor: its steps, code to run, questions and checks.
import { SqlScreen } from "./sql.mjs";

const RUN = "Insert and run";

export class LessonScreen extends SqlScreen {
  constructor(page) {
    super(page);
    this.stepsField = this.lesson.getByRole("combobox", { name: "Steps" });
  }

  /** Goes to the step with this heading. */
  async go(heading) {
    const options = this.stepsField.getByRole("option");
    await options.filter({ hasText: heading }).first().waitFor({ state: "attached" });
    const label = (await options.allInnerTexts()).find((option) => option.endsWith(`. ${heading}`));
    await this.stepsField.selectOption({ label });
    await this.lesson.getByRole("heading", { name: heading, exact: true, level: 2 }).waitFor();
  }

  /** The block of code that holds a text. */
  code(fragment) {
    return this.lesson.getByRole("group").filter({ hasText: fragment }).filter({ has: this.page.getByRole("code") });
  }

  /** Puts the block that holds a text into the editor and runs it; returns the states of its statements. */
  async runCode(fragment, button = RUN) {
    await this.results.getByRole("article").evaluateAll((all) => all.forEach((article) => (article.dataset.before = "")));
    await this.code(fragment).getByRole("button", { name: button, exact: true }).click();
    // A block with a file is written first; until then the results of the last run are still there.
    await this.page.waitForFunction(() => document.querySelector("article[data-before]") === null);
    return this.ended();
  }

  /** Presses the button of the block that holds a text, and waits for what the lesson tells of it. */
  async insert(fragment, button = "Insert") {
    await this.code(fragment).getByRole("button", { name: button, exact: true }).click();
    await this.#written();
  }

  /** Presses a button of the lesson; `nth` where a step has several of the name. */
  async act(title, nth = 0) {
    await this.lesson.getByRole("button", { name: title, exact: true }).nth(nth).click();
    await this.#written();
  }

  /** Waits until what was pressed has been written: the page looks, reads and writes, and answers come in order. */
  async #written() {
    await this.page.evaluate(async () => {
      for (let trip = 0; trip < 5; trip += 1) {
        globalThis.trips = (globalThis.trips ?? 2 ** 42) + 1;
        await globalThis.lakelet.engine.request(JSON.stringify({ id: globalThis.trips, body: { kind: "files" } }));
      }
    });
  }

  /** Looks whether what a check says holds; returns what the page says. */
  async check(say) {
    return this.#verdict(this.lesson.getByRole("group", { name: "Check", exact: true }).filter({ hasText: say }));
  }

  /** Looks again and again until what a check says holds, as one does while a job runs; returns what the page says. */
  async checkAfterRun(say, seconds = 60) {
    const end = Date.now() + seconds * 1_000;
    for (;;) {
      const said = await this.check(say);
      if (said.startsWith("Correct.") || Date.now() > end) return said;
      await this.page.waitForTimeout(250);
    }
  }

  /** Answers a question by choosing or writing; returns what the page says. */
  async predict(ask, answer) {
    const card = this.lesson.getByRole("group", { name: /^Question \d+$/ }).filter({ hasText: ask });
    const field = card.getByRole("textbox", { name: "Answer" });
    if ((await field.count()) === 1) await field.fill(answer);
    else await card.getByLabel(answer, { exact: true }).check();
    return this.#verdict(card);
  }

  async #verdict(card) {
    await card.getByRole("button", { name: "Check", exact: true }).click();
    await card.getByRole("button", { name: "Check", exact: true, disabled: false }).waitFor();
    const result = card.getByRole("status", { name: "Result of check" });
    await result.filter({ hasText: /\S/ }).waitFor();
    return result.innerText();
  }
}
