"""Windows: partitions, orders and frames for `over`."""

import sys

from pyspark.sql.column import as_column


class WindowSpec:
    """A window; each method gives a new one."""

    def __init__(self, partition=(), order=(), frame=""):
        self._partition = partition
        self._order = order
        self._frame = frame

    def partitionBy(self, *columns):
        """Rows of equal values belong together."""
        return WindowSpec(_columns(columns), self._order, self._frame)

    def orderBy(self, *columns):
        """The order inside a partition."""
        return WindowSpec(self._partition, _columns(columns), self._frame)

    def rowsBetween(self, start, end):
        """A frame counted in rows."""
        return self._framed("ROWS", start, end)

    def rangeBetween(self, start, end):
        """A frame measured in values of the order."""
        return self._framed("RANGE", start, end)

    def _framed(self, unit, start, end):
        return WindowSpec(self._partition, self._order, f"{unit} BETWEEN {_bound(start)} AND {_bound(end)}")

    def _render(self, scopes):
        clauses = []
        if self._partition:
            clauses.append("PARTITION BY " + ", ".join(column._render(scopes) for column in self._partition))
        if self._order:
            clauses.append(
                "ORDER BY " + ", ".join(column._render(scopes) + column._direction for column in self._order)
            )
        if self._frame:
            clauses.append(self._frame)
        return " ".join(clauses)


class Window:
    """Where windows begin."""

    unboundedPreceding = -sys.maxsize - 1
    unboundedFollowing = sys.maxsize
    currentRow = 0

    @staticmethod
    def partitionBy(*columns):
        """A window of partitions."""
        return WindowSpec().partitionBy(*columns)

    @staticmethod
    def orderBy(*columns):
        """A window over all rows in an order."""
        return WindowSpec().orderBy(*columns)

    @staticmethod
    def rowsBetween(start, end):
        """A window with a frame of rows."""
        return WindowSpec().rowsBetween(start, end)

    @staticmethod
    def rangeBetween(start, end):
        """A window with a frame of values."""
        return WindowSpec().rangeBetween(start, end)


def _columns(columns):
    if len(columns) == 1 and isinstance(columns[0], (list, tuple)):
        columns = columns[0]
    return tuple(as_column(column) for column in columns)


def _bound(value):
    if value <= Window.unboundedPreceding:
        return "UNBOUNDED PRECEDING"
    if value >= Window.unboundedFollowing:
        return "UNBOUNDED FOLLOWING"
    if value == 0:
        return "CURRENT ROW"
    return f"{-value} PRECEDING" if value < 0 else f"{value} FOLLOWING"
