// The notebooks of the tutorials, to the letter, over an engine that answers the statements they make.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { notebook, refusal } from "./python.mjs";

const source = (name) => readFileSync(new URL(`notebooks/${name}.py`, import.meta.url), "utf8");

/** The widget store of a notebook that a job may have given parameters. */
function widgets(parameters = {}) {
  const values = new Map(Object.entries(parameters));
  return (method, args) => {
    if (method === "text" && !values.has(args[0])) values.set(args[0], args[1]);
    if (method !== "get") return null;
    if (values.has(args[0])) return values.get(args[0]);
    return refusal("InputWidgetNotDefined", "INPUT_WIDGET_NOT_DEFINED", `No input widget named ${args[0]} is defined`);
  };
}

/** `sales.raw_orders` with as many new rows as told. */
function orders(count) {
  const columns = [
    ["id", "int"],
    ["updated_at", "timestamp"],
  ];
  return (text) => {
    if (text.startsWith("SELECT count(1)")) return { columns: [["count", "bigint"]], rows: [[count]] };
    if (text.startsWith("SELECT max(")) {
      return { columns: [["max(updated_at)", "timestamp"]], rows: [["2024-06-01T12:00:00Z"]] };
    }
    if (text.trim().startsWith("UPDATE")) return { columns: [["num_affected_rows", "bigint"]], rows: [[1]] };
    return { columns };
  };
}

test("copy_incremental copies what is new and advances the watermark", async () => {
  const { outcomes, text, calls } = await notebook(source("copy_incremental"), { widget: widgets(), sql: orders(10) });
  assert.deepEqual(outcomes, [{ outcome: "succeeded" }]);
  assert.equal(
    text,
    "Copying 10 new rows from sales.raw_orders\nWatermark for sales.raw_orders advanced to 2024-06-01 12:00:00\n",
  );
  assert.deepEqual(
    calls.filter(({ call }) => call === "save_as_table"),
    [
      {
        call: "save_as_table",
        query: "SELECT * FROM sales.raw_orders WHERE (updated_at > '1970-01-01')",
        table: "sales.orders",
        mode: "append",
      },
    ],
  );
  const update = calls.at(-1).text.replace(/\s+/g, " ");
  assert.equal(
    update,
    "UPDATE config.watermarks SET last_watermark = CAST('2024-06-01 12:00:00' AS TIMESTAMP) WHERE source_table = 'sales.raw_orders'",
  );
});

test("copy_incremental leaves the watermark alone when nothing is new", async () => {
  const { text, calls } = await notebook(source("copy_incremental"), { widget: widgets(), sql: orders(0) });
  assert.equal(
    text,
    "Copying 0 new rows from sales.raw_orders\nNo new rows for sales.raw_orders, watermark unchanged\n",
  );
  assert.ok(!calls.some(({ call }) => call === "save_as_table"));
});

test("copy_incremental takes the parameters of its job", async () => {
  const parameters = { source_table: "sales.raw_customers", last_watermark: "2024-06-01T12:00:00.000Z" };
  const { calls } = await notebook(source("copy_incremental"), { widget: widgets(parameters), sql: orders(0) });
  const texts = calls.map(({ text }) => text);
  assert.ok(texts.includes("SELECT * FROM sales.raw_customers WHERE (updated_at > '2024-06-01T12:00:00.000Z')"));
});

test("process_market shows the rows of its market", async () => {
  const sql = () => ({
    columns: [
      ["market", "string"],
      ["currency_code", "string"],
    ],
  });
  const { outcomes, text, calls } = await notebook(source("process_market"), {
    widget: widgets({ market: "UK", currency: "GBP" }),
    sql,
  });
  assert.deepEqual(outcomes, [{ outcome: "succeeded" }]);
  assert.equal(text, "Processing market: UK (GBP)\n");
  assert.deepEqual(calls.at(-1), {
    call: "display",
    query: "SELECT * FROM sales.transactions WHERE (market = 'UK' AND currency_code = 'GBP')",
  });
});

test("a widget that nobody has made is an error by its name", async () => {
  const { outcomes } = await notebook('dbutils.widgets.get("market")', { widget: widgets() });
  const [{ outcome, exception, message, traceback }] = outcomes;
  assert.equal(outcome, "failed");
  assert.equal(exception, "InputWidgetNotDefined");
  assert.equal(message, "com.databricks.dbutils_v1.InputWidgetNotDefined: No input widget named market is defined");
  assert.match(traceback, /File "test, cell 1", line 1, in <module>/);
  assert.doesNotMatch(traceback, /\/lakelet\//);
});
