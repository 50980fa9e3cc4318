// What runs natively may still trap in a browser: no thread, no clock of the system, a runtime of one thread. These
// are the statements whose operators ask for such things.
import assert from "node:assert/strict";
import { journey } from "./browser.mjs";
import { SqlScreen } from "./pages/sql.mjs";

const STATEMENTS = [
  ["union_all_of_two_inputs", "SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a", [["1"], ["2"]]],
  ["explain_shows_a_plan", "EXPLAIN SELECT count(*) FROM VALUES (1), (2) AS t(a)", null],
  ["create_table_as_select", "CREATE TABLE made AS SELECT * FROM VALUES (1), (2) AS t(a); SELECT sum(a) FROM made", [["3"]]],
  ["insert_and_read_back", "CREATE TABLE kept (a INT); INSERT INTO kept VALUES (1), (2); SELECT count(*) FROM kept", [["2"]]],
  ["join_group_and_sort", "SELECT a, count(*) FROM VALUES (1), (1), (2) AS t(a) JOIN VALUES (1), (2) AS u(b) ON a = b GROUP BY a ORDER BY a", [["1", "2"], ["2", "1"]]],
  ["window_over_a_partition", "SELECT a, row_number() OVER (PARTITION BY a ORDER BY b) AS n FROM VALUES (1, 2), (1, 1) AS t(a, b) ORDER BY n", [["1", "1"], ["1", "2"]]],
];

for (const [name, text, expected] of STATEMENTS) {
  journey(`engine_runs_${name}`, async ({ page, open }) => {
    const sql = new SqlScreen(page);
    await open("#/w/sql/trial");
    const last = text.split(";").length;
    assert.equal(await sql.run(text, last), "done");
    const rows = await sql.rows(last);
    if (expected) assert.deepEqual(rows, expected);
    else assert.ok(rows.length > 0);
  });
}
