"""SELECT statements under construction: what a DataFrame is made of."""

import itertools
from dataclasses import dataclass, replace

from pyspark.sql._literals import quoted

_aliases = itertools.count(1)


def fresh_alias():
    """A name for a subquery that no other has."""
    return f"t{next(_aliases)}"


@dataclass(frozen=True)
class Scope:
    """One side of a FROM clause: columns of the DataFrames in `lineage` are found under `alias`."""

    alias: str
    lineage: frozenset


@dataclass(frozen=True)
class Order:
    """A sort key: its SQL, its direction, and the column it is if it is nothing but a column."""

    expression: str
    direction: str
    column: str | None

    def sql(self):
        """The text."""
        return self.expression + self.direction


@dataclass(frozen=True)
class Query:
    """A SELECT. `text` is a whole query that came from outside; the other parts then wait for it to be wrapped."""

    text: str | None = None
    source: str | None = None
    scopes: tuple = ()
    star: tuple | None = None
    where: tuple = ()
    select: tuple | None = None
    group: str | None = None
    distinct: bool = False
    order: tuple = ()
    limit: int | None = None
    offset: int | None = None

    def sql(self):
        """The text."""
        if self.text is not None:
            return self.text
        chosen = self.select if self.select is not None else self.star
        text = f"SELECT {'DISTINCT ' if self.distinct else ''}{', '.join(chosen) if chosen else '*'} FROM {self.source}"
        if self.where:
            text += f" WHERE {' AND '.join(self.where)}"
        if self.group is not None:
            text += f" GROUP BY {self.group}"
        if self.order:
            text += f" ORDER BY {', '.join(key.sql() for key in self.order)}"
        if self.limit is not None:
            text += f" LIMIT {self.limit}"
        if self.offset is not None:
            text += f" OFFSET {self.offset}"
        return text

    def wrapped(self, lineage, columns, alias=None, hoist=True):
        """A query over this one as a subquery; an order by plain columns holds on outside, if it may `hoist`."""
        name = alias or fresh_alias()
        kept = self.order if hoist and all(key.column in columns for key in self.order) else ()
        inner = (
            self
            if self.limit is not None or self.offset is not None
            else replace(self, order=() if kept else self.order)
        )
        # The line break ends a comment that the text may end with.
        ending = "\n" if self.text is not None else ""
        return Query(
            source=f"({inner.sql()}{ending}) AS {quoted(name)}",
            scopes=(Scope(name, frozenset(lineage)),),
            order=tuple(replace(key, expression=quoted(key.column)) for key in kept),
        )

    @property
    def is_open(self):
        """Whether a WHERE or a list of columns can be added without a subquery."""
        return (
            self.text is None
            and self.select is None
            and not self.distinct
            and self.limit is None
            and self.offset is None
        )

    @property
    def is_sortable(self):
        """Whether an ORDER BY can be added, or replaced, without a subquery."""
        return self.text is None and not self.distinct and self.limit is None and self.offset is None
