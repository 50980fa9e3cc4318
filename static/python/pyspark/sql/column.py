"""Columns: expressions that turn into SQL."""

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql._literals import literal, parts, quoted, reference
from pyspark.sql._not_offered import no_attribute
from pyspark.sql.types import DataType, parse_type

_HINTS = {
    "apply": "Use col[key].",
    "withField": 'Use expr("named_struct(…)").',
    "dropFields": 'Use expr("named_struct(…)").',
    "bitwiseAND": 'Use expr("a & b").',
    "bitwiseOR": 'Use expr("a | b").',
    "bitwiseXOR": 'Use expr("a ^ b").',
}


class Column:
    """An expression. `render` gives its SQL in the scopes of a FROM clause.

    `name` is its alias, `direction` what follows it in an ORDER BY, `column` its name if it is nothing but a column.
    """

    def __init__(self, render, name=None, direction="", column=None):
        self._render = render
        self._name = name
        self._direction = direction
        self._column = column

    # Comparison and arithmetic

    def __eq__(self, other):
        return _binary(self, "=", other)

    def __ne__(self, other):
        return _call(lambda a: f"(NOT ({a[0]} = {a[1]}))", self, other)

    def __lt__(self, other):
        return _binary(self, "<", other)

    def __le__(self, other):
        return _binary(self, "<=", other)

    def __gt__(self, other):
        return _binary(self, ">", other)

    def __ge__(self, other):
        return _binary(self, ">=", other)

    def __add__(self, other):
        return _binary(self, "+", other)

    def __radd__(self, other):
        return _binary(other, "+", self)

    def __sub__(self, other):
        return _binary(self, "-", other)

    def __rsub__(self, other):
        return _binary(other, "-", self)

    def __mul__(self, other):
        return _binary(self, "*", other)

    def __rmul__(self, other):
        return _binary(other, "*", self)

    def __truediv__(self, other):
        return _binary(self, "/", other)

    def __rtruediv__(self, other):
        return _binary(other, "/", self)

    def __mod__(self, other):
        return _binary(self, "%", other)

    def __rmod__(self, other):
        return _binary(other, "%", self)

    def __pow__(self, other):
        return function("power", self, other)

    def __rpow__(self, other):
        return function("power", other, self)

    def __neg__(self):
        return _call(lambda a: f"(- {a[0]})", self)

    def __and__(self, other):
        return _binary(self, "AND", other)

    def __rand__(self, other):
        return _binary(other, "AND", self)

    def __or__(self, other):
        return _binary(self, "OR", other)

    def __ror__(self, other):
        return _binary(other, "OR", self)

    def __invert__(self):
        return _call(lambda a: f"(NOT {a[0]})", self)

    def __bool__(self):
        raise PySparkValueError(
            "A Column is neither true nor false. Use & for 'and', | for 'or', ~ for 'not', each part in brackets.",
            "CANNOT_CONVERT_COLUMN_INTO_BOOL",
            "42846",
        )

    def __contains__(self, item):
        raise PySparkValueError(
            "Use col.contains(text) or col.isin(list) instead of `in`.", "CANNOT_APPLY_IN_FOR_COLUMN", "42K0E"
        )

    def __iter__(self):
        raise PySparkTypeError("A Column cannot be looped over.", "NOT_ITERABLE", "42K0E")

    __hash__ = object.__hash__

    def eqNullSafe(self, other):
        """Equality for which NULL equals NULL."""
        return _binary(self, "<=>", other)

    # Conditions

    def isNull(self):
        """Whether it is NULL."""
        return _call(lambda a: f"({a[0]} IS NULL)", self)

    def isNotNull(self):
        """Whether it is not NULL."""
        return _call(lambda a: f"({a[0]} IS NOT NULL)", self)

    def isNaN(self):
        """Whether it is not a number."""
        return function("isnan", self)

    def isin(self, *values):
        """Whether it is one of the values."""
        if len(values) == 1 and isinstance(values[0], (list, tuple, set)):
            values = tuple(values[0])
        if not values:
            return _call(lambda a: "FALSE")
        return _call(lambda a: f"({a[0]} IN ({', '.join(a[1:])}))", self, *values)

    def between(self, lower, upper):
        """Whether it lies between two values, both included."""
        return (self >= lower) & (self <= upper)

    def like(self, pattern):
        """Whether it fits a pattern of `%` and `_`."""
        return _binary(self, "LIKE", pattern)

    def ilike(self, pattern):
        """`like` that ignores case."""
        return _binary(self, "ILIKE", pattern)

    def rlike(self, pattern):
        """Whether a regular expression finds something in it."""
        return _binary(self, "RLIKE", pattern)

    def startswith(self, other):
        """Whether it begins with a text."""
        return function("startswith", self, other)

    def endswith(self, other):
        """Whether it ends with a text."""
        return function("endswith", self, other)

    def contains(self, other):
        """Whether a text stands in it."""
        return function("contains", self, other)

    # Parts and forms

    def substr(self, startPos, length):
        """A piece of a text, counted from 1."""
        return function("substring", self, startPos, length)

    def getItem(self, key):
        """An element of an array by its place, counted from 0, or a value of a map by its key."""
        return _call(lambda a: f"{a[0]}[{a[1]}]", self, key)

    def getField(self, name):
        """A field of a struct."""
        return _call(lambda a: f"{a[0]}.{quoted(name)}", self)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self.substr(key.start, key.stop)
        return self.getField(key) if isinstance(key, str) else self.getItem(key)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _HINTS:
            raise no_attribute("Column", name, _HINTS, ())
        return self.getField(name)

    def cast(self, dataType):
        """The value as another type."""
        kind = dataType if isinstance(dataType, DataType) else parse_type(dataType)
        return _call(lambda a: f"CAST({a[0]} AS {kind.simpleString()})", self)

    astype = cast

    def try_cast(self, dataType):
        """The value as another type, or NULL where that is not possible."""
        kind = dataType if isinstance(dataType, DataType) else parse_type(dataType)
        return _call(lambda a: f"try_cast({a[0]} AS {kind.simpleString()})", self)

    def alias(self, *names, metadata=None):
        """The same under a name."""
        if len(names) != 1:
            raise PySparkValueError("alias takes one name here.")
        return Column(self._render, names[0], self._direction)

    name = alias

    # Order

    def asc(self):
        """Ascending, NULL first."""
        return self._sorted(" ASC NULLS FIRST")

    asc_nulls_first = asc

    def asc_nulls_last(self):
        """Ascending, NULL last."""
        return self._sorted(" ASC NULLS LAST")

    def desc(self):
        """Descending, NULL last."""
        return self._sorted(" DESC NULLS LAST")

    desc_nulls_last = desc

    def desc_nulls_first(self):
        """Descending, NULL first."""
        return self._sorted(" DESC NULLS FIRST")

    # CASE and OVER

    def when(self, condition, value):
        """Another branch of a `when`."""
        raise PySparkTypeError("when() follows functions.when(…) only.", "INVALID_WHEN_USAGE", "42K0E")

    def otherwise(self, value):
        """What a `when` gives where no branch applies."""
        raise PySparkTypeError("otherwise() follows functions.when(…) only.", "INVALID_WHEN_USAGE", "42K0E")

    def over(self, window):
        """An aggregate or ranking function over a window."""
        return Column(lambda scopes: f"{self._render(scopes)} OVER ({window._render(scopes)})")

    def __repr__(self):
        return f"Column<'{self._render(())}'>"

    def _sorted(self, direction):
        return Column(self._render, self._name, direction, self._column)

    def _selected(self, scopes):
        """Its SQL in a list of columns."""
        sql = self._render(scopes)
        return sql if self._name is None else f"{sql} AS {quoted(self._name)}"


class CaseColumn(Column):
    """`when(…).when(…).otherwise(…)`"""

    def __init__(self, branches, default=None):
        self._branches = branches
        self._default = default
        super().__init__(self._case)

    def when(self, condition, value):
        return CaseColumn([*self._branches, (condition, as_literal(value))], self._default)

    def otherwise(self, value):
        return CaseColumn(self._branches, as_literal(value))

    def _case(self, scopes):
        branches = " ".join(f"WHEN {c._render(scopes)} THEN {v._render(scopes)}" for c, v in self._branches)
        default = "" if self._default is None else f" ELSE {self._default._render(scopes)}"
        return f"CASE {branches}{default} END"


def named(name):
    """The column of that name."""
    sql = reference(name)
    pieces = parts(name)
    plain = pieces[0] if len(pieces) == 1 and pieces[0] != "*" else None
    return Column(lambda scopes: sql, column=plain)


def of_frame(name, frame):
    """The column of that name of the DataFrame `frame`, wherever it has got to since."""

    def render(scopes):
        found = [scope for scope in scopes if frame in scope.lineage]
        if len(scopes) > 1 and len(found) == 1:
            return f"{quoted(found[0].alias)}.{reference(name)}"
        return reference(name)

    pieces = parts(name)
    return Column(render, column=pieces[0] if len(pieces) == 1 else None)


def raw(sql):
    """SQL as it stands."""
    return Column(lambda scopes: sql)


def as_literal(value):
    """A column as it is; anything else as a constant."""
    return value if isinstance(value, Column) else raw(literal(value))


def as_column(value):
    """A column as it is; text as the name of a column; anything else as a constant."""
    return named(value) if isinstance(value, str) else as_literal(value)


def function(name, *arguments):
    """A call of a SQL function; arguments that are no columns are constants."""
    return _call(lambda a: f"{name}({', '.join(a)})", *arguments)


def _call(template, *arguments):
    columns = [as_literal(argument) for argument in arguments]
    return Column(lambda scopes: template([column._render(scopes) for column in columns]))


def _binary(left, operator, right):
    return _call(lambda a: f"({a[0]} {operator} {a[1]})", left, right)
