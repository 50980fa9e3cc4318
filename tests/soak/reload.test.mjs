// What was acknowledged is there after the page was torn away at any moment.
//
// Rows are inserted one statement at a time; the page is reloaded at a random instant, mostly in the middle of a
// statement. Afterwards the table holds every row whose statement the page had called done, and no row twice.
import assert from "node:assert/strict";
import { journey } from "../e2e/browser.mjs";
import { SqlScreen } from "../e2e/pages/sql.mjs";

const ROUNDS = 3 * Number(process.env.LAKELET_SOAK ?? 1);
const ROWS_PER_ROUND = 30;
const RELOAD_MS_MAX = 1_500;

journey("reload_loses_nothing_that_was_acknowledged", { timeout: 600_000 + ROUNDS * 60_000 }, async ({ page, open }) => {
  const sql = new SqlScreen(page);
  await open("#/w/sql/soak");
  assert.equal(await sql.run("CREATE TABLE kept (id INT)"), "done");
  let acknowledged = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const ids = Array.from({ length: ROWS_PER_ROUND }, (_, index) => round * ROWS_PER_ROUND + index);
    await sql.write(ids.map((id) => `INSERT INTO kept VALUES (${id});`).join("\n"));
    await sql.engineReady();
    await sql.runAllButton.click();
    await page.waitForTimeout(Math.random() * RELOAD_MS_MAX);
    acknowledged += await page.getByRole("img", { name: /^Statement \d+: done$/ }).count();
    await page.reload();
    await sql.engineReady();
    assert.equal(await sql.run("SELECT count(*), count(DISTINCT id) FROM kept"), "done");
    const [[rows, distinct]] = await sql.rows();
    assert.equal(rows, distinct, `round ${round}: a row is there twice`);
    assert.ok(Number(rows) >= acknowledged, `round ${round}: ${rows} rows, but ${acknowledged} were acknowledged`);
    acknowledged = Number(rows);
  }
});
