// The frame of a lesson: where it begins, its panel, its end. The engine is a stand-in: what is tested is the page.
import assert from "node:assert/strict";
import { NARROW, assertAccessible, assertNoSidewaysScroll, journey, pictures } from "./browser.mjs";
import { fakeEngine } from "./fake-engine.mjs";
import { Home } from "./pages/home.mjs";
import { LessonScreen } from "./pages/lesson.mjs";

const onPage = (name, options, body) => journey(`lesson_${name}`, { script: fakeEngine, ...options }, body);

async function start(page, open, number) {
  await open("#/");
  await new Home(page).start(number);
  const lesson = new LessonScreen(page);
  await lesson.engineReady();
  await lesson.stepsField.waitFor();
  // A phone has no room for the title.
  await lesson.lesson.getByText(new RegExp(`^Tutorial ${number}: `)).first().waitFor({ state: "attached" });
  return lesson;
}

async function toTheEnd(lesson) {
  const n = await lesson.stepsField.getByRole("option").count();
  await lesson.stepsField.selectOption(String(n - 1));
  return lesson.lesson.getByRole("region", { name: "You have finished this tutorial" });
}

onPage("ends_with_what_was_done_and_leads_on", {}, async ({ page, open }) => {
  const lesson = await start(page, open, 1);
  const end = await toTheEnd(lesson);
  await end.waitFor();
  assert.deepEqual(
    await end.getByRole("listitem").allInnerTexts(),
    (await lesson.stepsField.getByRole("option").allInnerTexts()).map((option) => option.replace(/^\d+\. /, "")),
  );
  assert.equal(await lesson.lesson.getByRole("button", { name: "Next", exact: true }).count(), 0);
  await end.scrollIntoViewIfNeeded();
  await pictures(page, "lesson end");
  await assertAccessible(page, "#lesson");
  await end.getByRole("link", { name: "Go on with tutorial 2" }).click();
  await lesson.lesson.getByRole("button", { name: "Start tutorial 2" }).click();
  await lesson.lesson.getByText(/^Tutorial 2: /).first().waitFor();
  const last = await toTheEnd(await start(page, open, 3));
  await last.waitFor();
  assert.equal(await last.getByRole("link").count(), 0, "there is no fourth");
  await lesson.lesson.getByRole("link", { name: "To all tutorials" }).click();
  await new Home(page).tutorial(1).waitFor();
});

onPage("folds_on_a_phone", { viewport: NARROW, touch: true }, async ({ page, open }) => {
  const lesson = await start(page, open, 3);
  const height = () => lesson.lesson.evaluate((panel) => panel.getBoundingClientRect().height);
  assert.ok((await height()) <= NARROW.height * 0.4 + 1, `${await height()} px`);
  await pictures(page, "lesson phone");
  await lesson.lesson.getByRole("button", { name: "Fold the lesson" }).click();
  await page.waitForFunction(() => document.querySelector("#lesson").getBoundingClientRect().height < 80);
  await lesson.stepsField.waitFor();
  await assertNoSidewaysScroll(page);
  await pictures(page, "lesson phone folded");
  await lesson.lesson.getByRole("button", { name: "Unfold the lesson" }).click();
  await lesson.lesson.getByRole("button", { name: "Next", exact: true }).click();
  await lesson.lesson.getByRole("heading", { level: 2, name: "Create a source table and load data" }).waitFor();
});

onPage("home_says_what_the_workspace_is", {}, async ({ page, open }) => {
  const home = new Home(page);
  await open("#/");
  await page.getByRole("heading", { name: "Blank workspace" }).waitFor();
  await page.getByText("An empty SQL editor over an empty catalog.").waitFor();
  const lesson = await start(page, open, 3);
  await lesson.runAll("CREATE TABLE products (product_id INT)");
  await lesson.catalogEntry("products").waitFor();
  await home.goTo("Home");
  await page.getByRole("heading", { name: "Your workspace" }).waitFor();
  await page.getByText(/^It holds \d+ tables/).waitFor();
  assert.equal(await page.getByText("empty catalog").count(), 0);
  await pictures(page, "home with tables");
});
