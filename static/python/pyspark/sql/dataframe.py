"""DataFrames: queries that wait until their rows are asked for."""

import itertools
from dataclasses import replace

from lakelet import bridge
from pyspark.errors import AnalysisException, PySparkTypeError, PySparkValueError
from pyspark.sql import _printing, _values
from pyspark.sql import types as t
from pyspark.sql._literals import parts, quoted
from pyspark.sql._not_offered import DATAFRAME_HINTS, no_attribute
from pyspark.sql._query import Order, Query, Scope, fresh_alias
from pyspark.sql.column import Column, as_column, named, of_frame, raw
from pyspark.sql.group import GroupedData, aggregates
from pyspark.sql.na import DataFrameNaFunctions
from pyspark.sql.readwriter import DataFrameWriter, DataFrameWriterV2

_numbers = itertools.count(1)

_JOINS = {
    "inner": "INNER JOIN", "cross": "CROSS JOIN",
    "outer": "FULL OUTER JOIN", "full": "FULL OUTER JOIN", "fullouter": "FULL OUTER JOIN",
    "left": "LEFT OUTER JOIN", "leftouter": "LEFT OUTER JOIN",
    "right": "RIGHT OUTER JOIN", "rightouter": "RIGHT OUTER JOIN",
    "semi": "LEFT SEMI JOIN", "leftsemi": "LEFT SEMI JOIN",
    "anti": "LEFT ANTI JOIN", "leftanti": "LEFT ANTI JOIN",
}  # fmt: skip


class DataFrame:
    """A query with known columns. Every method that takes something gives a new DataFrame; none changes this one."""

    def __init__(self, session, query, lineage=frozenset(), alias=None, result=None):
        self._session = session
        self._source = query
        self._number = next(_numbers)
        self._lineage = lineage | {self._number}
        self._alias = alias
        # Rows of a statement that has run already; everything else is a query still to be run.
        self._result = result
        reply = result or bridge.call("sql", text=self._sql(), args={}, collect=False)
        self._schema = t.StructType([t.StructField(name, t.parse_type(kind)) for name, kind in reply["columns"]])

    # What it is

    @property
    def sparkSession(self):
        """The session."""
        return self._session

    @property
    def schema(self):
        """Its columns with their types."""
        return self._schema

    @property
    def columns(self):
        """Names of its columns."""
        return self._schema.names

    @property
    def dtypes(self):
        """Names and types of its columns."""
        return [(field.name, field.dataType.simpleString()) for field in self._schema]

    def printSchema(self, level=None):
        """Prints the columns as a tree."""
        print("root\n" + _printing.schema_tree(self._schema))

    def explain(self, *args, **kwargs):
        """Prints the plan."""
        for row in self._session.sql(f"EXPLAIN {self._sql()}").collect():
            print("\n".join(str(value) for value in row))

    def __repr__(self):
        return f"DataFrame[{', '.join(f'{name}: {kind}' for name, kind in self.dtypes)}]"

    # Columns

    def __getitem__(self, item):
        if isinstance(item, str):
            return self._column(item)
        if isinstance(item, int):
            return self._column(quoted(self.columns[item]))
        if isinstance(item, Column):
            return self.filter(item)
        if isinstance(item, (list, tuple)):
            return self.select(*item)
        raise PySparkTypeError(f"A DataFrame cannot be indexed by {type(item).__name__}.", "NOT_COLUMN_OR_STR", "42K0E")

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name.lower() in (column.lower() for column in self.columns):
            return self._column(quoted(name))
        raise no_attribute("DataFrame", name, DATAFRAME_HINTS, [*self.columns, *_public(DataFrame)])

    def __dir__(self):
        return sorted([*_public(DataFrame), *self.columns])

    def _column(self, name):
        first = parts(name)[0]
        known = {column.lower() for column in self.columns} | {scope.alias.lower() for scope in self._query.scopes}
        if first != "*" and first.lower() not in known:
            candidates = ", ".join(map(quoted, self.columns[:5]))
            raise AnalysisException(
                f"A column, variable, or function parameter with name {quoted(name)} cannot be resolved. "
                f"Did you mean one of the following? [{candidates}].",
                "UNRESOLVED_COLUMN.WITH_SUGGESTION",
                "42703",
            )
        return of_frame(name, self._number)

    # Building queries

    @property
    def _query(self):
        # The rows of a statement become a query only if somebody goes on with them.
        if callable(self._source):
            self._source = self._source()
        return self._source

    def _sql(self):
        """The text of the query."""
        return self._query.sql()

    def _open(self, names=()):
        """A query to which a WHERE can be added, or a list of columns of which some get `names`."""
        query = self._query
        taken = {name.lower() for name in names if name is not None}
        if taken and any(key.column is None or key.column.lower() in taken for key in query.order):
            # Outside, the order would be one by the new columns of those names.
            return query.wrapped(self._lineage, self.columns, self._alias, hoist=False)
        return query if query.is_open else self._wrapped()

    def _wrapped(self):
        return self._query.wrapped(self._lineage, self.columns, self._alias)

    def _derive(self, query, lineage=frozenset()):
        return DataFrame(self._session, query, self._lineage | lineage)

    def select(self, *columns):
        """Chooses and computes columns."""
        chosen = [as_column(column) for column in _flat(columns)]
        query = self._open(column._name for column in chosen)
        select = [column._selected(query.scopes) for column in chosen]
        return self._derive(replace(query, select=tuple(select or ["*"])))

    def selectExpr(self, *expressions):
        """Chooses and computes columns, in SQL."""
        return self.select(*(raw(expression) for expression in _flat(expressions)))

    def filter(self, condition):
        """Keeps the rows for which a condition holds: a column, or SQL."""
        query = self._open()
        if isinstance(condition, str):
            sql = f"({condition}\n)" if "--" in condition else f"({condition})"
        elif isinstance(condition, Column):
            sql = condition._render(query.scopes)
        else:
            raise PySparkTypeError(
                f"filter takes a column or SQL text, not {type(condition).__name__}.", "NOT_COLUMN_OR_STR", "42K0E"
            )
        return self._derive(replace(query, where=(*query.where, sql)))

    where = filter

    def withColumn(self, colName, col):
        """Adds a column, or replaces the one of that name."""
        return self.withColumns({colName: col})

    def withColumns(self, colsMap):
        """Adds or replaces several columns."""
        for column in colsMap.values():
            if not isinstance(column, Column):
                raise PySparkTypeError(
                    f"withColumn takes a column; write lit({column!r}) for a constant.", "NOT_COLUMN", "42K0E"
                )
        query = self._open(colsMap)
        added = {name.lower(): f"{column._render(query.scopes)} AS {quoted(name)}" for name, column in colsMap.items()}
        select = [added.pop(name.lower(), None) or self._kept(name, query) for name in self.columns]
        return self._derive(replace(query, select=(*select, *added.values())))

    def withColumnRenamed(self, existing, new):
        """Renames a column; a name that is not there changes nothing."""
        return self.withColumnsRenamed({existing: new})

    def withColumnsRenamed(self, colsMap):
        """Renames columns."""
        renamed = {old.lower(): new for old, new in colsMap.items()}
        query = self._open(renamed.values())
        select = [
            f"{self._kept(name, query)} AS {quoted(renamed[name.lower()])}"
            if name.lower() in renamed
            else self._kept(name, query)
            for name in self.columns
        ]
        return self._derive(replace(query, select=tuple(select)))

    def toDF(self, *cols):
        """Renames all columns."""
        names = _flat(cols)
        if len(names) != len(self.columns):
            raise PySparkValueError(f"toDF needs {len(self.columns)} names, not {len(names)}.")
        query = self._open(names)
        select = [f"{self._kept(old, query)} AS {quoted(new)}" for old, new in zip(self.columns, names, strict=True)]
        return self._derive(replace(query, select=tuple(select)))

    def drop(self, *cols):
        """Leaves columns out; names that are not there change nothing."""
        gone = {(col._column or "").lower() if isinstance(col, Column) else col.lower() for col in _flat(cols)}
        query = self._open()
        select = [self._kept(name, query) for name in self.columns if name.lower() not in gone]
        if not select:
            raise PySparkValueError("drop cannot leave a DataFrame without columns here.")
        return self._derive(replace(query, select=tuple(select)))

    def _kept(self, name, query):
        """A column of this DataFrame in a list of columns, even where two sides of a join have one of that name."""
        if query.star is not None:
            matching = [item for item in query.star if item.endswith(quoted(name))]
            if len(matching) == 1:
                return matching[0]
        return quoted(name)

    def distinct(self):
        """Leaves out rows that are there already."""
        query = self._query if self._can_be_distinct() else self._wrapped()
        return self._derive(replace(query, distinct=True))

    def _can_be_distinct(self):
        query = self._query
        return (
            query.text is None
            and not query.order
            and not query.distinct
            and query.limit is None
            and query.offset is None
        )

    def dropDuplicates(self, subset=None):
        """Keeps one row of those that agree in some columns."""
        if subset is None:
            return self.distinct()
        keys = ", ".join(quoted(name) for name in subset)
        number = quoted(f"_{fresh_alias()}")
        ranked = f"SELECT *, row_number() OVER (PARTITION BY {keys} ORDER BY {keys}) AS {number} FROM ({self._sql()}\n)"
        columns = ", ".join(map(quoted, self.columns))
        return self._derive(Query(text=f"SELECT {columns} FROM ({ranked}) WHERE {number} = 1"))

    drop_duplicates = dropDuplicates

    def orderBy(self, *cols, ascending=True):
        """Sorts."""
        keys = [as_column(self.columns[col - 1] if isinstance(col, int) else col) for col in _flat(cols)]
        flags = list(ascending) if isinstance(ascending, (list, tuple)) else [ascending] * len(keys)
        query = self._query if self._query.is_sortable else self._wrapped()
        order = []
        for key, up in zip(keys, flags, strict=True):
            direction = key._direction or (" ASC NULLS FIRST" if up else " DESC NULLS LAST")
            order.append(Order(key._render(query.scopes), direction, key._column))
        return self._derive(replace(query, order=tuple(order)))

    sort = orderBy

    def limit(self, num):
        """Keeps at most so many rows."""
        query = self._query
        if query.text is not None or query.offset is not None:
            query = self._wrapped()
        return self._derive(replace(query, limit=num if query.limit is None else min(num, query.limit)))

    def offset(self, num):
        """Leaves out the first rows."""
        query = self._query
        if query.text is not None or query.limit is not None or query.offset is not None:
            query = self._wrapped()
        return self._derive(replace(query, offset=num))

    def alias(self, alias):
        """The same under a name that its columns can be told apart by."""
        return DataFrame(self._session, self._query.wrapped(self._lineage, self.columns, alias), self._lineage, alias)

    # Two DataFrames

    def join(self, other, on=None, how="inner"):
        """Joins two DataFrames, on a condition, or on columns that both have, which then appear once."""
        kind = _JOINS.get(how.lower().replace("_", ""))
        if kind is None:
            raise PySparkValueError(
                f"'{how}' is no kind of join: inner, cross, left, right, outer, left_semi, left_anti."
            )
        left, right = self._side(), other._side()
        scopes = (left[1], right[1])
        source = f"{left[0]} {kind} {right[0]}"
        conditions = on if isinstance(on, (list, tuple)) else [] if on is None else [on]
        lineage = other._lineage
        if all(isinstance(item, Column) for item in conditions):
            if conditions:
                source = source.replace("CROSS JOIN", "INNER JOIN") if kind == "CROSS JOIN" else source
                source += f" ON {' AND '.join(item._render(scopes) for item in conditions)}"
            elif kind == "INNER JOIN":
                source = f"{left[0]} CROSS JOIN {right[0]}"
            star = None
        else:
            a, b = quoted(scopes[0].alias), quoted(scopes[1].alias)
            source += " ON " + " AND ".join(f"({a}.{quoted(name)} = {b}.{quoted(name)})" for name in conditions)
            star = self._star_of_using(other, conditions, kind, a, b)
        if kind in ("LEFT SEMI JOIN", "LEFT ANTI JOIN"):
            scopes, lineage = scopes[:1], frozenset()
        return self._derive(Query(source=source, scopes=scopes, star=star), lineage)

    def _star_of_using(self, other, names, kind, a, b):
        keys = {name.lower() for name in names}
        own = [f"{a}.{quoted(name)}" for name in self.columns if name.lower() not in keys]
        if kind in ("LEFT SEMI JOIN", "LEFT ANTI JOIN"):
            return (*(f"{a}.{quoted(name)}" for name in self.columns),)
        if kind == "FULL OUTER JOIN":
            shared = [f"coalesce({a}.{quoted(name)}, {b}.{quoted(name)}) AS {quoted(name)}" for name in names]
        else:
            shared = [f"{b if kind == 'RIGHT OUTER JOIN' else a}.{quoted(name)}" for name in names]
        return (*shared, *own, *(f"{b}.{quoted(name)}" for name in other.columns if name.lower() not in keys))

    def _side(self):
        """This DataFrame in a FROM clause, and its scope."""
        query = self._query
        if (
            self._alias is not None
            and query.source is not None
            and query == replace(Query(), source=query.source, scopes=query.scopes)
        ):
            return query.source, query.scopes[0]
        name = fresh_alias()
        return f"({self._sql()}\n) AS {quoted(name)}", Scope(name, self._lineage)

    def crossJoin(self, other):
        """Every row with every row."""
        return self.join(other, how="cross")

    def union(self, other):
        """The rows of both, by place of the columns; equal rows stay."""
        return self._combined("UNION ALL", other)

    unionAll = union

    def unionByName(self, other, allowMissingColumns=False):
        """The rows of both, by name of the columns."""
        names = self.columns
        missing = [name for name in names if name.lower() not in {column.lower() for column in other.columns}]
        if allowMissingColumns:
            extra = [name for name in other.columns if name.lower() not in {column.lower() for column in names}]
            left = self.withColumns({name: raw("NULL") for name in extra}) if extra else self
            right = other.withColumns({name: raw("NULL") for name in missing}) if missing else other
            return left.union(right.select(*(named(quoted(name)) for name in left.columns)))
        return self.union(other.select(*(named(quoted(name)) for name in names)))

    def intersect(self, other):
        """Rows that both have, once each."""
        return self._combined("INTERSECT", other)

    def intersectAll(self, other):
        """Rows that both have."""
        return self._combined("INTERSECT ALL", other)

    def subtract(self, other):
        """Rows that the other has not, once each."""
        return self._combined("EXCEPT", other)

    def exceptAll(self, other):
        """Rows that the other has not."""
        return self._combined("EXCEPT ALL", other)

    def _combined(self, operator, other):
        return self._derive(Query(text=f"(\n{self._sql()}\n) {operator} (\n{other._sql()}\n)"))

    # Groups

    def groupBy(self, *cols):
        """Groups rows of equal values."""
        return GroupedData(self, [as_column(col) for col in _flat(cols)])

    groupby = groupBy

    def agg(self, *exprs):
        """Aggregates over all rows."""
        query = self._open()
        chosen = tuple(column._selected(query.scopes) for column in aggregates(exprs))
        return self._derive(replace(query, select=chosen, order=()))

    # NULL

    def fillna(self, value, subset=None):
        """See `na.fill`."""
        return self.na.fill(value, subset)

    def dropna(self, how="any", thresh=None, subset=None):
        """See `na.drop`."""
        return self.na.drop(how, thresh, subset)

    @property
    def na(self):
        """`df.na.fill(…)` and `df.na.drop(…)`"""
        return DataFrameNaFunctions(self)

    # Rows

    def collect(self):
        """All rows."""
        if self._result is None:
            reply = bridge.call("sql", text=self._sql(), args={}, collect=True)
        else:
            reply = self._result
        return _values.rows(self._schema, reply["rows"])

    def count(self):
        """The number of rows."""
        if self._result is not None:
            return len(self._result["rows"])
        query = replace(self._wrapped(), select=("count(1) AS `count`",), order=())
        return bridge.call("sql", text=query.sql(), args={}, collect=True)["rows"][0][0]

    def take(self, num):
        """The first rows."""
        return self.collect()[:num] if self._result is not None else self.limit(num).collect()

    def head(self, n=None):
        """The first row, or a list of the first `n`."""
        if n is None:
            return self.first()
        return self.take(n)

    def first(self):
        """The first row, or `None`."""
        rows = self.take(1)
        return rows[0] if rows else None

    def isEmpty(self):
        """Whether there is no row."""
        return not self.take(1)

    def toLocalIterator(self, prefetchPartitions=False):
        """All rows, one after the other."""
        return iter(self.collect())

    def show(self, n=20, truncate=True, vertical=False):
        """Prints the first rows as a table."""
        if vertical:
            raise PySparkValueError("show(vertical=True) is not offered here; use display(df).")
        names = self.columns
        cells = []
        if names:
            query = self._wrapped()
            texts = tuple(f"CAST({quoted(name)} AS STRING)" for name in names)
            query = replace(query, select=texts, limit=n + 1)
            cells = bridge.call("sql", text=query.sql(), args={}, collect=True)["rows"]
        width = 20 if truncate is True else int(truncate)
        print(_printing.table(names, [["NULL" if cell is None else cell for cell in row] for row in cells[:n]], width))
        if len(cells) > n:
            print(f"only showing top {n} row{'' if n == 1 else 's'}")
        print()

    # Elsewhere

    @property
    def write(self):
        """Writes the rows to a table."""
        return DataFrameWriter(self)

    def writeTo(self, table):
        """Writes the rows to a table; the newer form."""
        return DataFrameWriterV2(self, table)

    def createOrReplaceTempView(self, name):
        """Gives the query a name for SQL of this session."""
        self._session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {quoted(name)} AS {self._sql()}")

    def createTempView(self, name):
        """The same, unless the name is taken."""
        self._session.sql(f"CREATE TEMPORARY VIEW {quoted(name)} AS {self._sql()}")

    def transform(self, func, *args, **kwargs):
        """`func(df, …)`, for chains."""
        return func(self, *args, **kwargs)

    # How Spark spreads and keeps data has no counterpart here; the rows are the same.

    def cache(self):
        """Changes nothing here."""
        return self

    def persist(self, storageLevel=None):
        """Changes nothing here."""
        return self

    def unpersist(self, blocking=False):
        """Changes nothing here."""
        return self

    def coalesce(self, numPartitions):
        """Changes nothing here."""
        return self

    def repartition(self, *cols):
        """Changes nothing here."""
        return self

    def hint(self, name, *parameters):
        """Changes nothing here."""
        return self


def _flat(items):
    return list(items[0]) if len(items) == 1 and isinstance(items[0], (list, tuple)) else list(items)


def _public(kind):
    return [name for name in vars(kind) if not name.startswith("_")]
