"""`df.groupBy(…)`: aggregates by group."""

from dataclasses import replace

from pyspark.errors import PySparkTypeError
from pyspark.sql import types as t
from pyspark.sql._not_offered import DATAFRAME_HINTS, PYTHON_FUNCTIONS, no_attribute
from pyspark.sql.column import Column, function, named, raw

_HINTS = {
    "pivot": DATAFRAME_HINTS["pivot"],
    "apply": PYTHON_FUNCTIONS,
    "applyInPandas": PYTHON_FUNCTIONS,
    "cogroup": PYTHON_FUNCTIONS,
}


class GroupedData:
    """Groups that wait for their aggregates."""

    def __init__(self, frame, keys):
        self._frame = frame
        self._keys = keys

    def agg(self, *expressions):
        """One row for each group: its keys, then the aggregates."""
        columns = aggregates(expressions)
        query = self._frame._open()
        select = [key._selected(query.scopes) for key in self._keys]
        select += [column._selected(query.scopes) for column in columns]
        group = ", ".join(key._render(query.scopes) for key in self._keys) or None
        return self._frame._derive(replace(query, select=tuple(select), group=group, order=()))

    def count(self):
        """Rows of each group, as `count`."""
        return self.agg(raw("count(1)").alias("count"))

    def sum(self, *names):
        """Sums of columns."""
        return self._each("sum", names)

    def avg(self, *names):
        """Means of columns."""
        return self._each("avg", names)

    mean = avg

    def min(self, *names):
        """Smallest values of columns."""
        return self._each("min", names)

    def max(self, *names):
        """Largest values of columns."""
        return self._each("max", names)

    def _each(self, name, names):
        if not names:
            keys = {key._column for key in self._keys}
            names = [
                f.name for f in self._frame.schema if isinstance(f.dataType, t.NUMERIC_TYPES) and f.name not in keys
            ]
        return self.agg(*(function(name, named(column)) for column in names))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise no_attribute("GroupedData", name, _HINTS, [item for item in dir(GroupedData) if item[0] != "_"])


def aggregates(expressions):
    """The columns that `agg` was given: columns, or one dictionary of column → function."""
    if len(expressions) == 1 and isinstance(expressions[0], dict):
        return [
            raw(f"{name}(1)") if column == "*" else function(name, named(column))
            for column, name in expressions[0].items()
        ]
    for expression in expressions:
        if not isinstance(expression, Column):
            raise PySparkTypeError(
                f'agg takes columns such as max("x"), not {type(expression).__name__}.', "NOT_COLUMN", "42K0E"
            )
    if not expressions:
        raise PySparkTypeError("agg needs at least one aggregate.", "CANNOT_BE_EMPTY", "42K0E")
    return list(expressions)
