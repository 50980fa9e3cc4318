"""Names of PySpark that are not offered, and what to write instead."""

import difflib

from pyspark.errors import PySparkAttributeError, PySparkNotImplementedError

_CONDITION = "LAKELET_NOT_OFFERED"
_SQLSTATE = "0A000"

PYTHON_FUNCTIONS = (
    "Python functions cannot run inside a query here. Write the expression with pyspark.sql.functions "
    '(when, coalesce, regexp_replace, …) or as SQL with expr("…"); to compute in Python, loop over df.collect().'
)

STREAMING = 'Make a streaming table: spark.sql("CREATE OR REFRESH STREAMING TABLE … AS SELECT … FROM STREAM …").'

DATAFRAME_HINTS = {
    "toPandas": "There is no pandas here. Use collect(), which gives a list of Row, or display(df).",
    "pandas_api": "There is no pandas here. Use collect() or display(df).",
    "toArrow": "Use collect().",
    "to_pandas_on_spark": "Use collect().",
    "rdd": "Use collect() and a loop, or a query.",
    "foreach": "Write `for row in df.collect():`.",
    "foreachPartition": "Write `for row in df.collect():`.",
    "mapInPandas": PYTHON_FUNCTIONS,
    "mapInArrow": PYTHON_FUNCTIONS,
    "writeStream": STREAMING,
    "pivot": "Use sum(when(…)) for each value.",
    "tail": "Sort the other way and use take(n).",
    "sample": "Use orderBy(…).limit(n).",
    "randomSplit": "Use filter(…) for each part.",
    "describe": "Use agg(min(…), max(…), avg(…)).",
    "summary": "Use agg(min(…), max(…), avg(…)).",
    "crosstab": "Use groupBy(a, b).count().",
    "cube": "Use spark.sql with GROUP BY CUBE.",
    "rollup": "Use spark.sql with GROUP BY ROLLUP.",
    "withWatermark": "Streaming tables keep their own position; see CREATE OR REFRESH STREAMING TABLE.",
    "registerTempTable": "Use createOrReplaceTempView(name).",
    "createGlobalTempView": "Use createOrReplaceTempView(name), or a view.",
    "createOrReplaceGlobalTempView": "Use createOrReplaceTempView(name), or a view.",
    "toJSON": 'Use selectExpr("to_json(struct(*))").',
    "replace": "Use withColumn(name, when(…).otherwise(…)).",
    "observe": "Use agg(…).",
    "mergeInto": 'Use spark.sql("MERGE INTO …").',
    "plot": "Use display(df).",
}


def not_offered(name, hint):
    """The error for something of PySpark that is not offered; `hint` names the nearest form that is."""
    return PySparkNotImplementedError(f"{name} is not offered here. {hint}", _CONDITION, _SQLSTATE)


def no_attribute(kind, name, hints, offered):
    """The error for a name that `kind` does not have. `AttributeError` in any case, so that `hasattr` works."""
    hint = hints.get(name) or nearest(name, offered)
    return PySparkAttributeError(f"{kind}.{name} is not offered here. {hint}", _CONDITION, _SQLSTATE)


def nearest(name, offered):
    """A sentence with the names that look most like `name`."""
    lower = {candidate.lower(): candidate for candidate in offered}
    close = difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.6)
    if close:
        return "Did you mean " + " or ".join(lower[candidate] for candidate in close) + "?"
    return "spark.sql(text) takes whatever can be said in SQL."
