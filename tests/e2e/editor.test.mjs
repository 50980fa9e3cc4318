// The SQL editor as it is typed in: its policy, what it offers, its tabs. The engine is a stand-in: what is tested is the page.
import assert from "node:assert/strict";
import { NARROW, journey, pictures } from "./browser.mjs";
import { fakeEngine } from "./fake-engine.mjs";
import { SqlScreen } from "./pages/sql.mjs";

const LINES = "SELECT a, 'x' -- c\nFROM products\nWHERE b = 1";

function editorJourney(name, options, body) {
  journey(`editor_${name}`, { script: fakeEngine, ...options }, async (tools) => {
    await tools.open("#/w/sql");
    const sql = new SqlScreen(tools.page);
    await sql.engineReady();
    const text = () => sql.editor.innerText();
    await body({ ...tools, sql, text });
  });
}

// Every journey fails when the page's policy refuses something.
editorJourney("text_is_typed_over_a_selection_of_several_lines", {}, async ({ page, sql, text }) => {
  await sql.write(LINES);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("SELECT 2");
  assert.equal(await text(), "SELECT 2");
  await page.keyboard.press("ControlOrMeta+z");
  assert.equal(await text(), LINES, "one step back is what was there");
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+End");
  await page.keyboard.type("sel", { delay: 30 });
  await page.getByRole("listbox").getByRole("option", { name: "SELECT", exact: true }).waitFor();
  // A list that has only just come does not take keys that were meant for the text.
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  assert.equal(await text(), "SELECT\nWHERE b = 1");
  // Typed over: brackets are put around what is selected.
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("(");
  assert.equal(await text(), "(SELECT\nWHERE b = 1)");
});

editorJourney("offers_tables_and_their_columns", {}, async ({ page, sql, text }) => {
  const option = (name) => page.getByRole("listbox").getByRole("option", { name, exact: true });
  await sql.write("SELECT * FROM prod");
  assert.equal(await option("products").count(), 0, "there is no such table yet");
  await page.keyboard.press("Escape");
  // The statement makes it; nothing is asked for but what the statement changed.
  await sql.runAll("CREATE TABLE products (product_id INT)");
  await sql.write("SELECT wareh FROM products; SELECT 1");
  await page.keyboard.press("ControlOrMeta+Home");
  for (let n = 0; n < "SELECT wareh".length; n += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.type("o");
  await option("warehouse").waitFor();
  await page.waitForTimeout(200);
  await pictures(page, "editor completion");
  await page.keyboard.press("Enter");
  assert.equal(await text(), "SELECT warehouse FROM products; SELECT 1");
  await sql.write("SELECT * FROM ");
  await page.keyboard.type("prod", { delay: 30 });
  await option("products").waitFor();
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  await page.keyboard.type(" WHERE products.", { delay: 30 });
  await option("category").waitFor();
});

editorJourney("placeholders_are_filled_in_at_once", {}, async ({ page, sql, text }) => {
  await sql.write("USE CATALOG <your-catalog>; USE SCHEMA <your-schema>; SELECT * FROM <your-catalog>.<table>");
  const bar = page.getByRole("group", { name: "Placeholders" });
  assert.equal(await bar.getByLabel("<your-catalog>").inputValue(), "playground");
  assert.equal(await bar.getByLabel("<your-schema>").inputValue(), "default");
  await pictures(page, "editor placeholders");
  await bar.getByRole("button", { name: "Fill in" }).click();
  await bar.getByLabel("<your-catalog>").waitFor({ state: "detached" });
  assert.equal(await text(), "USE CATALOG playground; USE SCHEMA default; SELECT * FROM playground.<table>");
  assert.ok(await bar.getByRole("button", { name: "Fill in" }).isDisabled(), "nobody knows which table");
  await bar.getByLabel("<table>").fill("products");
  await bar.getByRole("button", { name: "Fill in" }).click();
  await bar.waitFor({ state: "detached" });
  assert.match(await text(), /FROM playground\.products$/);
});

for (const [where, options] of [["in_a_long_row", {}], ["on_a_phone", { viewport: NARROW, touch: true }]]) {
  editorJourney(`shows_the_tab_in_hand_${where}`, options, async ({ page, sql }) => {
    const row = page.getByRole("tablist", { name: "Editor tabs" });
    const inSight = () =>
      page.waitForFunction(() => {
        const list = document.querySelector("[role=tablist]");
        const tab = list.querySelector("[aria-selected=true]");
        const [outer, inner] = [list, tab].map((element) => element.getBoundingClientRect());
        return inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
      });
    for (let n = 0; n < 14; n += 1) await page.getByRole("button", { name: "New tab" }).click();
    await inSight();
    assert.ok(await row.evaluate((list) => list.scrollWidth > list.clientWidth), "the row is longer than its place");
    await row.getByRole("tab", { selected: true }).focus();
    await page.keyboard.press("Home");
    await row.getByRole("tab", { name: "Query 1", exact: true, selected: true }).waitFor();
    await inSight();
    await page.keyboard.press("ArrowLeft");
    await row.getByRole("tab", { name: "Query 15", exact: true, selected: true }).waitFor();
    await inSight();
    await page.reload();
    await sql.engineReady();
    await inSight();
  });
}
