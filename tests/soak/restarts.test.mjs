// A worker that runs in circles is ended, again and again: each next one answers at once and has every table.
import assert from "node:assert/strict";
import { journey } from "../e2e/browser.mjs";
import { Engine } from "../e2e/pages/engine.mjs";

const ROUNDS = 50 * Number(process.env.LAKELET_SOAK ?? 1);
const ANSWER_MS_MAX = 500;

journey("restarts_are_quick_and_lose_nothing", { timeout: 60_000 + ROUNDS * 10_000 }, async ({ page, open }) => {
  await open("#/", "?test=1");
  const engine = new Engine(page);
  await engine.ready();
  for (let round = 1; round <= ROUNDS; round += 1) {
    await engine.sql(`CREATE TABLE made_${round} (id INT); INSERT INTO made_${round} VALUES (${round})`);
    await engine.spin();
    await engine.cancel();
    const { rows, ms } = await engine.timed(`SELECT id FROM made_${round}`);
    assert.deepEqual(rows, [[String(round)]]);
    assert.ok(ms < ANSWER_MS_MAX, `round ${round}: the first answer took ${ms} ms`);
    const { schemas } = await engine.request({ kind: "catalog" });
    const tables = schemas
      .flatMap((schema) => schema.tables)
      .filter(({ short_name }) => short_name.startsWith("made_"));
    assert.equal(tables.length, round);
  }
});
