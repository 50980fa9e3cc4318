"""`spark`: the session of a notebook."""

import datetime
import decimal
import functools

from lakelet import bridge
from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql import _values
from pyspark.sql import types as t
from pyspark.sql._literals import bind, is_query, literal, quoted, without_semicolon
from pyspark.sql._not_offered import PYTHON_FUNCTIONS, STREAMING, no_attribute, not_offered
from pyspark.sql._query import Query
from pyspark.sql.catalog import Catalog
from pyspark.sql.dataframe import DataFrame
from pyspark.sql.readwriter import DataFrameReader

# More is data, and data belongs into a table.
_LOCAL_ROWS_MAX = 10_000

_HINTS = {
    "readStream": STREAMING,
    "streams": "Streaming tables are refreshed with REFRESH STREAMING TABLE.",
    "sparkContext": "Use createDataFrame(list) for parallelize, and collect() for RDDs.",
    "dataSource": "Tables are the only source.",
    "newSession": "There is one session for each notebook.",
    "addArtifact": "Python's standard library is all there is.",
}

# Settings that would change results; this engine has them fixed.
_FIXED = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timezone": "UTC",
    "spark.sql.casesensitive": "false",
}


class _Configuration:
    """`spark.conf`: settings of Spark that matter to speed alone are kept and do nothing."""

    def __init__(self):
        self._values = {}

    def get(self, key, default=None):
        """A setting."""
        return self._values.get(key.lower(), _FIXED.get(key.lower(), default))

    def set(self, key, value):
        """Keeps a setting."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        fixed = _FIXED.get(key.lower())
        if fixed is not None and text.lower() != fixed.lower():
            raise not_offered(f"{key} = {text}", f"It is {fixed} here.")
        self._values[key.lower()] = text

    def unset(self, key):
        """Forgets a setting."""
        self._values.pop(key.lower(), None)


class _Functions:
    """`spark.udf`"""

    def register(self, *args, **kwargs):
        """Not offered."""
        raise not_offered("spark.udf.register", PYTHON_FUNCTIONS)


class _Builder:
    """`SparkSession.builder`: whatever is set, it gives the one session there is."""

    def appName(self, name):
        """Changes nothing here."""
        return self

    def master(self, master):
        """Changes nothing here."""
        return self

    def config(self, *args, **kwargs):
        """Changes nothing here."""
        return self

    def getOrCreate(self):
        """The session."""
        return SparkSession._the_session


class SparkSession:
    """The session. It holds no state of its own: tables and the schema in use belong to the engine."""

    builder = _Builder()
    _the_session = None

    version = "4.3.0"

    def __init__(self):
        self.conf = _Configuration()
        self.udf = _Functions()
        self.catalog = Catalog(self)

    @staticmethod
    def getActiveSession():
        """The session."""
        return SparkSession._the_session

    def sql(self, sqlQuery, args=None, **kwargs):
        """Runs a statement. A query waits until its rows are asked for; anything else runs at once."""
        if kwargs:
            raise not_offered(
                "spark.sql with names in braces", "Use an f-string, or parameters: spark.sql(text, args={…})."
            )
        text = without_semicolon(bind(sqlQuery, args))
        if is_query(text):
            return DataFrame(self, Query(text=text))
        result = bridge.call("sql", text=text, args={}, collect=True)
        return DataFrame(self, functools.partial(_query_of, result), result=result)

    def table(self, tableName):
        """The rows of a table or view."""
        return DataFrame(self, Query(source=without_semicolon(tableName)))

    @property
    def read(self):
        """Reads a version or the change feed of a table."""
        return DataFrameReader(self)

    def range(self, start, end=None, step=1, numPartitions=None):
        """Numbers as `id`."""
        first, last = (0, start) if end is None else (start, end)
        return DataFrame(self, Query(source=f"range({int(first)}, {int(last)}, {int(step)})"))

    def createDataFrame(self, data, schema=None, samplingRatio=None, verifySchema=True):
        """A DataFrame of rows that Python holds: tuples, lists, dictionaries or Rows."""
        rows = list(data)
        if len(rows) > _LOCAL_ROWS_MAX:
            raise PySparkValueError(f"createDataFrame takes at most {_LOCAL_ROWS_MAX:,} rows here, not {len(rows):,}.")
        kind = _schema(rows, schema)
        return DataFrame(self, Query(text=_inline_table(kind, [_cells(row, kind) for row in rows])))

    def stop(self):
        """Changes nothing here."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise no_attribute("spark", name, _HINTS, [item for item in dir(SparkSession) if item[0] != "_"])

    def __repr__(self):
        return "<SparkSession of this notebook>"


SparkSession._the_session = SparkSession()


def _query_of(result):
    """The rows of a statement that has run, as a query."""
    kind = t.StructType([t.StructField(name, t.parse_type(text)) for name, text in result["columns"]])
    if not len(kind):
        raise PySparkValueError("The statement gave no rows to go on with.")
    return Query(text=_inline_table(kind, _values.rows(kind, result["rows"])))


def _inline_table(kind, rows):
    casts = ", ".join(f"CAST({quoted(f.name)} AS {f.dataType.simpleString()}) AS {quoted(f.name)}" for f in kind)
    if not rows:
        nulls = ", ".join(f"CAST(NULL AS {f.dataType.simpleString()}) AS {quoted(f.name)}" for f in kind)
        return f"SELECT {nulls} WHERE FALSE"
    values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    return f"SELECT {casts} FROM VALUES {values} AS t({', '.join(quoted(f.name) for f in kind)})"


def _schema(rows, schema):
    if isinstance(schema, str):
        return t.parse_schema(schema)
    if isinstance(schema, t.StructType):
        return schema
    if not rows:
        raise PySparkValueError("Without rows the schema must say the types.", "CANNOT_INFER_EMPTY_SCHEMA", "42K0E")
    names = list(schema) if schema is not None else _names(rows[0])
    kinds = [t.NullType()] * len(names)
    for row in rows:
        cells = _cells(row, t.StructType([t.StructField(name, t.NullType()) for name in names]))
        kinds = [_merged(old, _inferred(cell)) for old, cell in zip(kinds, cells, strict=True)]
    return t.StructType([t.StructField(name, kind) for name, kind in zip(names, kinds, strict=True)])


def _names(row):
    if isinstance(row, dict):
        return list(row)
    if isinstance(row, t.Row) and hasattr(row, "__fields__"):
        return list(row.__fields__)
    if isinstance(row, (list, tuple)):
        return [f"_{index + 1}" for index in range(len(row))]
    raise PySparkTypeError(
        f"A row is a tuple, list, dictionary or Row, not {type(row).__name__}.", "CANNOT_INFER_SCHEMA_FOR_TYPE", "42K0E"
    )


def _cells(row, kind):
    if isinstance(row, dict):
        return [row.get(name) for name in kind.names]
    if isinstance(row, t.Row) and hasattr(row, "__fields__") and set(row.__fields__) == set(kind.names):
        return [row[name] for name in kind.names]
    if not isinstance(row, (list, tuple)):
        row = (row,) if len(kind) == 1 else _names(row)
    if len(row) != len(kind):
        raise PySparkValueError(
            f"A row has {len(row)} values, the schema {len(kind)} columns.", "AXIS_LENGTH_MISMATCH", "42K0E"
        )
    return list(row)


def _inferred(value):
    simple = (
        (type(None), t.NullType()),
        (bool, t.BooleanType()),
        (int, t.LongType()),
        (float, t.DoubleType()),
        (str, t.StringType()),
        ((bytes, bytearray), t.BinaryType()),
        (decimal.Decimal, t.DecimalType(38, 18)),
        (datetime.datetime, t.TimestampType()),
        (datetime.date, t.DateType()),
        (datetime.timedelta, t.IntervalType("interval day to second")),
    )
    for python, kind in simple:
        if isinstance(value, python):
            return kind
    if isinstance(value, t.Row) and hasattr(value, "__fields__"):
        return t.StructType(
            [t.StructField(name, _inferred(item)) for name, item in zip(value.__fields__, value, strict=True)]
        )
    if isinstance(value, list):
        return t.ArrayType(functools.reduce(_merged, map(_inferred, value), t.NullType()))
    if isinstance(value, dict):
        keys = functools.reduce(_merged, map(_inferred, value), t.NullType())
        return t.MapType(keys, functools.reduce(_merged, map(_inferred, value.values()), t.NullType()))
    raise PySparkTypeError(
        f"A value of type {type(value).__name__} has no type in SQL.", "CANNOT_INFER_SCHEMA_FOR_TYPE", "42K0E"
    )


def _merged(one, other):
    if isinstance(one, t.NullType) or one == other:
        return other
    if isinstance(other, t.NullType):
        return one
    if isinstance(one, t.ArrayType) and isinstance(other, t.ArrayType):
        return t.ArrayType(_merged(one.elementType, other.elementType))
    raise PySparkTypeError(
        f"Values of one column are {one.simpleString()} and {other.simpleString()}.", "CANNOT_MERGE_TYPE", "42K0E"
    )
