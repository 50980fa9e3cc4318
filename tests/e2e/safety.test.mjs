// Work that must not be lost or mixed up: after a stop, a reload, in a second tab, when a tutorial is started.
import assert from "node:assert/strict";
import { eventually, journey } from "./browser.mjs";
import { Home } from "./pages/home.mjs";
import { SqlScreen } from "./pages/sql.mjs";

async function editor(page, open, search) {
  await open("#/w/sql", search);
  const sql = new SqlScreen(page);
  await sql.engineReady();
  return sql;
}

journey("safety_an_old_result_never_shows_the_rows_of_another", async ({ page, open }) => {
  const sql = await editor(page, open, "?test=1");
  await sql.runAll("SELECT id, 'old' AS kind FROM range(5000)");
  const old = sql.lastResult();
  await old.getByRole("gridcell", { name: "0", exact: true }).first().click();
  await page.evaluate(() => globalThis.lakeletTest.killWorker());
  await sql.engineReady();
  // The next worker counts its results from the beginning, and gives one of the same length.
  await page.evaluate(() =>
    globalThis.lakelet.engine.request(
      JSON.stringify({
        id: 2 ** 41,
        body: { kind: "run_script", tab: "other", text: "SELECT id, 'new' AS kind FROM range(5000)", range: { range: "all" }, params: {} },
      }),
    ),
  );
  await page.keyboard.press("Control+End");
  await sql.results.getByText(/not kept any more/).first().waitFor();
  assert.equal(await old.getByText("new", { exact: true }).count(), 0);
});

journey("safety_a_tab_keeps_its_schema", async ({ page, open }) => {
  const sql = await editor(page, open, "?test=1");
  await sql.runAll("CREATE SCHEMA etl; USE SCHEMA etl");
  await page.evaluate(() => globalThis.lakeletTest.killWorker());
  await sql.engineReady();
  await sql.runAll("CREATE TABLE after_a_stop (id INT)");
  await page.reload();
  await sql.engineReady();
  await sql.runAll("CREATE TABLE after_a_reload (id INT)");
  const names = await sql.query("SHOW TABLES IN etl");
  assert.deepEqual(names.map((row) => row.find((cell) => cell.startsWith("after"))).sort(), ["after_a_reload", "after_a_stop"]);
});

journey("safety_a_tutorial_is_added_to_what_is_there", async ({ page, open }) => {
  const sql = await editor(page, open);
  await sql.runAll("CREATE TABLE mine (id INT)");
  await sql.catalogEntry("mine").waitFor();
  await sql.goTo("Home");
  const home = new Home(page);
  await home.start(1);
  await page.getByRole("dialog").getByRole("button", { name: "Keep everything and start" }).click();
  await page.getByRole("complementary", { name: "Lesson" }).waitFor();
  await sql.goTo("SQL");
  const tabs = page.getByRole("tablist", { name: "Editor tabs" }).getByRole("tab");
  await eventually(async () => assert.equal(await tabs.count(), 2));
  await tabs.first().click();
  await sql.editor.getByText("mine").waitFor();
  assert.deepEqual(await sql.query("SELECT count(*) FROM mine"), [["0"]]);
});

journey("safety_dialogs_give_the_focus_back", async ({ page, open }) => {
  await open("#/settings");
  const sql = new SqlScreen(page);
  await sql.engineReady();
  const button = page.getByRole("main").getByRole("button", { name: "Delete everything in this workspace", exact: true });
  await button.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await eventually(async () => assert.ok(await button.evaluate((element) => element === document.activeElement)));
});

journey("safety_a_second_tab_changes_nothing_until_it_takes_over", async ({ page, context, open, url }) => {
  const first = await editor(page, open);
  await first.runAll("CREATE TABLE shared (id INT)");
  const second = await context.newPage();
  await second.goto(`${url}#/w/sql`);
  const other = new SqlScreen(second);
  await other.engineReady();
  await second.getByText(/read only/i).first().waitFor();
  assert.deepEqual(await other.runAll("INSERT INTO shared VALUES (1)"), ["failed"]);
  await other.statement(1).getByText("LAKELET_READ_ONLY").first().waitFor();
  assert.deepEqual(await other.query("SELECT count(*) FROM shared"), [["0"]]);
  await second.getByRole("button", { name: "Take over here" }).click();
  await second.getByText(/read only/i).first().waitFor({ state: "detached" });
  await other.engineReady();
  assert.deepEqual(await other.runAll("INSERT INTO shared VALUES (2)"), ["done"]);
  assert.deepEqual(await first.runAll("INSERT INTO shared VALUES (3)"), ["failed"]);
});
