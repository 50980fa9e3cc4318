// Python files that a job runs as programs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { program } from "./python.mjs";

test("a program sees its arguments and prints what it prints", async () => {
  const source = `import sys
if __name__ == "__main__":
    print(sys.argv)
42`;
  const { outcome, text } = await program(source, ["--day", "2026-03-02"]);
  assert.deepEqual(outcome, { outcome: "succeeded" });
  assert.equal(text, "['load.py', '--day', '2026-03-02']\n", "the last line is not shown, as it is of a cell");
});

test("a program has to make its session itself", async () => {
  const { outcome } = await program("spark.table('t')");
  assert.deepEqual([outcome.outcome, outcome.exception], ["failed", "NameError"]);
  const made = await program(
    "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\nprint(spark.table('t').count())",
    [],
    { sql: () => ({ columns: [["n", "bigint"]], rows: [[3]] }) },
  );
  assert.equal(made.outcome.outcome, "succeeded", made.outcome.traceback);
});

test("a program ends with sys.exit, well or with a failure", async () => {
  const well = await program("import sys\nprint(1)\nsys.exit()\nprint(2)");
  assert.deepEqual([well.outcome.outcome, well.text], ["succeeded", "1\n"]);
  assert.equal((await program("import sys\nsys.exit(0)")).outcome.outcome, "succeeded");
  const badly = await program("import sys\nsys.exit(3)");
  assert.deepEqual([badly.outcome.outcome, badly.outcome.message], ["failed", "The program ended with sys.exit(3)."]);
});

test("what a program does wrong is told with its line", async () => {
  const { outcome } = await program("x = 1\nraise ValueError('no')");
  assert.equal(outcome.exception, "ValueError");
  assert.match(outcome.traceback, /File "load.py", line 2/);
  const wrong = await program("def f(:\n  pass");
  assert.equal(wrong.outcome.exception, "SyntaxError");
});

test("programs know nothing of each other", async () => {
  await program("secret = 1");
  assert.equal((await program("print(secret)")).outcome.exception, "NameError");
});
