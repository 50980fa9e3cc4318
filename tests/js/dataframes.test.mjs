// DataFrames as SQL, values as Python objects, and errors that say what to write instead.

import assert from "node:assert/strict";
import { test } from "node:test";

import { notebook, refusal } from "./python.mjs";

const COLUMNS = [
  ["a", "int"],
  ["b", "string"],
];
const sql = () => ({ columns: COLUMNS });

/** What the cell prints, over tables that all have the columns `a INT, b STRING`. */
async function printed(source, answers = { sql }) {
  const { outcomes, text } = await notebook(
    `import pyspark.sql.functions as F\nfrom pyspark.sql.functions import col\n${source}`,
    answers,
  );
  assert.equal(outcomes[0].outcome, "succeeded", outcomes[0].traceback);
  return text.trimEnd();
}

/** The SQL that a DataFrame stands for; `df` is `spark.table("t")`. Names of subqueries are numbered from 1. */
async function query(expression) {
  const text = await printed(`df = spark.table("t")\nprint((${expression})._sql())`);
  const names = [...new Set(text.match(/`t\d+`/g) ?? [])];
  return names.reduce((result, name, index) => result.replaceAll(name, `\`q${index + 1}\``), text);
}

/** The failure of a cell. */
async function failure(source, answers = { sql }) {
  const { outcomes } = await notebook(source, answers);
  assert.equal(outcomes[0].outcome, "failed");
  return outcomes[0];
}

test("conditions come together in one WHERE", async () => {
  assert.equal(
    await query(`df.filter("a > 1 OR a < 0").where((col("b") == "it's") & ~df.a.isin(1, 2))`),
    "SELECT * FROM t WHERE (a > 1 OR a < 0) AND ((`b` = 'it\\'s') AND (NOT (`a` IN (1, 2))))",
  );
});

test("columns are chosen, computed, renamed and left out", async () => {
  assert.equal(await query(`df.select("b", (df.a + 1).alias("next"))`), "SELECT `b`, (`a` + 1) AS `next` FROM t");
  assert.equal(await query(`df.selectExpr("a + 1 AS x", "b")`), "SELECT a + 1 AS x, b FROM t");
  assert.equal(await query(`df.withColumn("A", F.upper("b"))`), "SELECT upper(`b`) AS `A`, `b` FROM t");
  assert.equal(await query(`df.withColumnRenamed("a", "x")`), "SELECT `a` AS `x`, `b` FROM t");
  assert.equal(await query(`df.drop("b", "nothing")`), "SELECT `a` FROM t");
});

test("an order lasts until something else depends on it", async () => {
  assert.equal(
    await query(`df.orderBy("a").filter("a > 0")`),
    "SELECT * FROM t WHERE (a > 0) ORDER BY `a` ASC NULLS FIRST",
  );
  assert.equal(
    await query(`df.sort(F.desc("a")).limit(3).filter("b = 'x'")`),
    "SELECT * FROM (SELECT * FROM t ORDER BY `a` DESC NULLS LAST LIMIT 3) AS `q1` WHERE (b = 'x') ORDER BY `a` DESC NULLS LAST",
  );
  // A new column of the same name must not become what the old order sorts by.
  assert.equal(
    await query(`df.orderBy("a").select((-df.a).alias("a"))`),
    "SELECT (- `a`) AS `a` FROM (SELECT * FROM t ORDER BY `a` ASC NULLS FIRST) AS `q1`",
  );
});

test("groups have their keys and aggregates", async () => {
  assert.equal(await query(`df.groupBy("b").count()`), "SELECT `b`, count(1) AS `count` FROM t GROUP BY `b`");
  assert.equal(
    await query(`df.filter("a > 0").groupBy("b").agg(F.sum("a").alias("total"), F.countDistinct("a"))`),
    "SELECT `b`, sum(`a`) AS `total`, count(DISTINCT `a`) FROM t WHERE (a > 0) GROUP BY `b`",
  );
  assert.equal(await query(`df.groupBy("b").max()`), "SELECT `b`, max(`a`) FROM t GROUP BY `b`");
  assert.equal(await query(`df.agg({"a": "max", "*": "count"})`), "SELECT max(`a`), count(1) FROM t");
});

test("both sides of a join can be told apart", async () => {
  assert.equal(
    await query(`(lambda other: df.join(other, df.a == other.a, "left").select(df.b, other.b))(spark.table("u"))`),
    "SELECT `q1`.`b`, `q2`.`b` FROM (SELECT * FROM t\n) AS `q1` LEFT OUTER JOIN (SELECT * FROM u\n) AS `q2` ON (`q1`.`a` = `q2`.`a`)",
  );
  assert.equal(
    await query(`df.alias("x").join(df.alias("y"), on="a").select("x.b", "y.b")`),
    "SELECT `x`.`b`, `y`.`b` FROM (SELECT * FROM t) AS `x` INNER JOIN (SELECT * FROM t) AS `y` ON (`x`.`a` = `y`.`a`)",
  );
});

test("windows, CASE and functions with constants", async () => {
  assert.equal(
    await query(
      `df.select(F.row_number().over(__import__("pyspark.sql").sql.Window.partitionBy("b").orderBy(F.desc("a"))).alias("n"))`,
    ),
    "SELECT row_number() OVER (PARTITION BY `b` ORDER BY `a` DESC NULLS LAST) AS `n` FROM t",
  );
  assert.equal(
    await query(
      `df.select(F.when(df.a > 1, "many").otherwise("one"), F.date_format("b", "yyyy"), F.lag("a", offset=2), F.concat_ws("-", "a", "b"))`,
    ),
    "SELECT CASE WHEN (`a` > 1) THEN 'many' ELSE 'one' END, date_format(`b`, 'yyyy'), lag(`a`, 2), concat_ws('-', `a`, `b`) FROM t",
  );
});

test("local rows become a query", async () => {
  assert.equal(
    await query(`spark.createDataFrame([(1, "a"), (2, None)], ["id", "name"])`),
    "SELECT CAST(`id` AS bigint) AS `id`, CAST(`name` AS string) AS `name` FROM VALUES (1, 'a'), (2, NULL) AS t(`id`, `name`)",
  );
  assert.equal(await query(`spark.createDataFrame([], "x INT")`), "SELECT CAST(NULL AS int) AS `x` WHERE FALSE");
});

test("parameters go into the text where markers stand, and nowhere else", async () => {
  assert.equal(
    await query(
      `spark.sql("SELECT ':x', a::int, m:x FROM t WHERE a = :x AND b = :b -- :x", args={"x": 5, "b": "q'\\\\"})`,
    ),
    "SELECT ':x', a::int, m:x FROM t WHERE a = 5 AND b = 'q\\'\\\\' -- :x",
  );
  assert.equal(await query(`spark.sql("SELECT ? + ?", args=[1, 2.5])`), "SELECT 1 + CAST('2.5' AS DOUBLE)");
  assert.equal(
    await query(`spark.sql("SELECT :d, :n", args={"d": __import__("datetime").date(2024, 2, 29)})`),
    "SELECT DATE '2024-02-29', :n",
  );
});

test("queries wait, statements run at once and once", async () => {
  const { calls } = await notebook(
    `q = spark.sql("WITH x AS (SELECT 1) SELECT * FROM x")\nu = spark.sql("DELETE FROM t;")\nu.collect()\nu.show`,
    { sql },
  );
  assert.deepEqual(
    calls.map(({ text, collect }) => [text, collect]),
    [
      ["WITH x AS (SELECT 1) SELECT * FROM x", false],
      ["DELETE FROM t", true],
    ],
  );
});

test("values have Python's types", async () => {
  const columns = [
    ["i", "bigint"],
    ["f", "double"],
    ["d", "decimal(5,2)"],
    ["t", "timestamp"],
    ["n", "timestamp_ntz"],
    ["day", "date"],
    ["s", "struct<x:int,y:array<date>>"],
    ["m", "map<string,decimal(3,1)>"],
    ["b", "binary"],
    ["v", "interval day to second"],
    ["z", "void"],
  ];
  const rows = [
    [
      "9007199254740993",
      "NaN",
      "1.10",
      "2024-02-29T01:02:03.123456Z",
      "2024-02-29T01:02:03",
      "2024-02-29",
      { x: 1, y: ["2024-01-01", null] },
      [["k", "2.5"]],
      "00ff",
      "INTERVAL '1 02:03:04.5' DAY TO SECOND",
      null,
    ],
  ];
  const text = await printed(
    `row = spark.table("t").first()\nfor name in row.__fields__: print(name, repr(row[name]))\nprint(row.s.y[0].year, row["m"]["k"])`,
    {
      sql: () => ({ columns, rows }),
    },
  );
  assert.deepEqual(text.split("\n"), [
    "i 9007199254740993",
    "f nan",
    "d Decimal('1.10')",
    "t datetime.datetime(2024, 2, 29, 1, 2, 3, 123456)",
    "n datetime.datetime(2024, 2, 29, 1, 2, 3)",
    "day datetime.date(2024, 2, 29)",
    "s Row(x=1, y=[datetime.date(2024, 1, 1), None])",
    "m {'k': Decimal('2.5')}",
    "b bytearray(b'\\x00\\xff')",
    "v datetime.timedelta(days=1, seconds=7384, microseconds=500000)",
    "z None",
    "2024 2.5",
  ]);
});

test("rows are tuples with names", async () => {
  const text = await printed(`from pyspark.sql import Row
Person = Row("name", "age")
p = Person("Ana", 5)
print(p, p.name, p[1], p["age"], "age" in p, p.asDict(), Row(a=1) == (1,))`);
  assert.equal(text, "Row(name='Ana', age=5) Ana 5 5 True {'name': 'Ana', 'age': 5} True");
});

test("show prints as Spark does", async () => {
  const rows = [
    ["1", "a text longer than twenty"],
    ["22", null],
    ["3", "x"],
  ];
  const text = await printed(`spark.table("t").show(2)`, { sql: () => ({ columns: COLUMNS, rows }) });
  assert.equal(
    text,
    "+---+--------------------+\n|  a|                   b|\n+---+--------------------+\n|  1|a text longer tha...|\n" +
      "| 22|                NULL|\n+---+--------------------+\nonly showing top 2 rows",
  );
});

test("printSchema prints as Spark does", async () => {
  const columns = [
    ["id", "int"],
    ["tags", "array<struct<k:string>>"],
  ];
  const text = await printed(`spark.table("t").printSchema()`, { sql: () => ({ columns }) });
  assert.equal(
    text,
    "root\n |-- id: integer (nullable = true)\n |-- tags: array (nullable = true)\n |    |-- element: struct (containsNull = true)\n |    |    |-- k: string (nullable = true)",
  );
});

test("writers write to tables", async () => {
  const { calls } = await notebook(
    `df = spark.table("t")
df.write.mode("append").saveAsTable("u")
df.write.insertInto("u")
df.write.mode("overwrite").option("overwriteSchema", True).saveAsTable("u")
df.writeTo("u").append()`,
    { sql },
  );
  assert.deepEqual(
    calls.slice(1).map(({ text, query, table, mode }) => text ?? [query, table, mode]),
    [
      ["SELECT * FROM t", "u", "append"],
      "INSERT INTO u SELECT * FROM t",
      "CREATE OR REPLACE TABLE u AS SELECT * FROM t",
      "INSERT INTO u BY NAME SELECT * FROM t",
    ],
  );
});

test("the engine's errors are PySpark's exceptions", async () => {
  const answers = {
    sql: () => refusal("AnalysisException", "TABLE_OR_VIEW_NOT_FOUND", "The table `nope` cannot be found.", "42P01"),
  };
  const { exception, message } = await failure(`spark.table("nope")`, answers);
  assert.equal(exception, "AnalysisException");
  assert.equal(message, "[TABLE_OR_VIEW_NOT_FOUND] The table `nope` cannot be found. SQLSTATE: 42P01");
  const text = await printed(
    `from pyspark.errors import AnalysisException
try:
    spark.table("nope")
except AnalysisException as error:
    print(error.getCondition(), error.getSqlState(), spark.catalog.tableExists("nope"))`,
    answers,
  );
  assert.equal(text, "TABLE_OR_VIEW_NOT_FOUND 42P01 False");
});

test("a column that is not there is an error where it is named", async () => {
  const { exception, message } = await failure(`spark.table("t")["warehose"]`);
  assert.equal(exception, "AnalysisException");
  assert.match(message, /^\[UNRESOLVED_COLUMN\.WITH_SUGGESTION\].*`warehose`.*\[`a`, `b`\]/);
});

for (const [source, expected] of [
  ["spark.table('t').toPandas()", /toPandas is not offered here.*collect\(\)/],
  ["spark.table('t').orderby('a')", /Did you mean orderBy/],
  ["from pyspark.sql.functions import udf\nudf(lambda x: x)", /Python functions cannot run inside a query/],
  ["import pyspark.sql.functions as F\nF.uper('a')", /Did you mean upper/],
  ["spark.readStream", /STREAMING TABLE/],
  ["spark.read.csv('x')", /INSERT INTO/],
  ["dbutils.fs.ls('/')", /spark\.table/],
  ["from delta.tables import DeltaTable\nDeltaTable.forName(spark, 't')", /MERGE INTO/],
  ["spark.table('t').write.partitionBy('a')", /no partitions/],
  ["spark.conf.set('spark.sql.ansi.enabled', False)", /It is true here/],
  ["if spark.table('t').a > 1: pass", /Use & for 'and'/],
  ["import pandas", /No module named 'pandas'/],
]) {
  test(`what is not offered names what is: ${source.split("\n").at(-1)}`, async () => {
    assert.match((await failure(source)).message, expected);
  });
}

test("printed text stays in order with tables, and the last value is shown", async () => {
  const order = [];
  const { text, calls } = await notebook(`print("one")\ndisplay(spark.table("t"))\nprint("two")\n1 + 1`, {
    sql: (text) => {
      order.push(text);
      return { columns: COLUMNS };
    },
  });
  assert.equal(text, "one\ntwo\n2\n");
  assert.deepEqual(
    calls.map(({ call }) => call),
    ["sql", "display"],
  );
});

test("cells of a notebook share names, notebooks do not", async () => {
  const first = await notebook(["x = 5", "print(x)"]);
  assert.equal(first.text, "5\n");
  const second = await notebook("print(x)");
  assert.equal(second.outcomes[0].exception, "NameError");
});

test("exit ends a notebook with its value, whatever the notebook catches", async () => {
  const { outcomes, calls } = await notebook("try:\n    dbutils.notebook.exit(7)\nexcept Exception:\n    pass");
  assert.deepEqual(outcomes, [{ outcome: "exited", value: "7" }]);
  assert.deepEqual(calls, [{ call: "exit", value: "7" }]);
});

test("syntax errors point into the cell", async () => {
  const { exception, traceback } = await failure("x = 1\ny = (");
  assert.equal(exception, "SyntaxError");
  assert.match(traceback, /File "test, cell 1", line 2/);
});

test("notebooks find no way out of Python", async () => {
  assert.equal(
    await printed(
      "import js\nprint(list(js.object_keys()), [name for name in ('fetch', 'globalThis', 'process', 'constructor') if hasattr(js, name)])",
    ),
    "[] []",
  );
});

test("output is cut where it would flood the page", async () => {
  const { text } = await notebook("for _ in range(300): print('x' * 10_000)");
  assert.ok(text.length < 1_100_000);
  assert.match(text, /cut here, at 1,000,000 characters/);
});
