// A lesson beside the editor: its steps, code to run, questions and checks.
import assert from "node:assert/strict";
import { RUN_MS_MAX, drawn, eventually } from "../waiting.mjs";
import { SqlScreen } from "./sql.mjs";

const RUN = "Insert and run";

export class LessonScreen extends SqlScreen {
  constructor(page) {
    super(page);
    this.question = page.getByRole("dialog", { name: "Replace what is there?" });
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
    return this.runBlock(this.code(fragment), button);
  }

  /** The same for a block that `code` has found, where several hold a text. */
  async runBlock(block, button = RUN) {
    await this.results.getByRole("article").evaluateAll((all) => all.forEach((article) => (article.dataset.before = "")));
    await block.getByRole("button", { name: button, exact: true }).click();
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

  /** Agrees to what a block asks before it replaces the reader's work, and waits until it is written. */
  async replace() {
    await this.question.getByRole("button", { name: "Replace", exact: true }).click();
    await this.#written();
  }

  /** Declines it. */
  async keep() {
    await this.question.getByRole("button", { name: "Cancel", exact: true }).click();
    await this.question.waitFor({ state: "detached" });
  }

  /**
   * Waits until what was pressed has been written or asked for: the page looks, reads and writes, and answers come in
   * order. Then it has also gone where the block leads.
   */
  async #written() {
    await this.page.evaluate(async () => {
      for (let trip = 0; trip < 10; trip += 1) {
        globalThis.trips = (globalThis.trips ?? 2 ** 42) + 1;
        await globalThis.lakelet.engine.request(JSON.stringify({ id: globalThis.trips, body: { kind: "files" } }));
      }
    });
    await drawn(this.page);
  }

  /** Looks whether what a check says holds; returns what the page says. */
  async check(say) {
    return this.#verdict(this.lesson.getByRole("group", { name: "Check", exact: true }).filter({ hasText: say }));
  }

  /** Looks again and again until what a check says holds, as one does while a job runs; returns what the page says. */
  async checkAfterRun(say) {
    const look = async () => {
      const said = await this.check(say);
      assert.match(said, /^Correct\./);
      return said;
    };
    return eventually(look, RUN_MS_MAX);
  }

  /** Answers a question by choosing or writing; returns what the page says. */
  async predict(ask, answer) {
    const card = this.lesson.getByRole("group", { name: /^Question \d+$/ }).filter({ hasText: ask });
    await card.waitFor();
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
