"""`df.na`: what becomes of NULL."""

from pyspark.sql import types as t
from pyspark.sql._literals import literal, quoted
from pyspark.sql.column import raw


class DataFrameNaFunctions:
    """`df.na`"""

    def __init__(self, frame):
        self._frame = frame

    def fill(self, value, subset=None):
        """Puts values in the place of NULL: one value into columns of its kind, or one for each column."""
        schema = self._frame.schema
        chosen = value if isinstance(value, dict) else {f.name: value for f in schema if _fits(value, f.dataType)}
        wanted = (
            None if subset is None or isinstance(value, dict) else {subset} if isinstance(subset, str) else set(subset)
        )
        kinds = {field.name: field.dataType.simpleString() for field in schema}
        filled = {
            name: raw(f"coalesce({quoted(name)}, CAST({literal(item)} AS {kinds[name]}))")
            for name, item in chosen.items()
            if name in kinds and (wanted is None or name in wanted)
        }
        return self._frame.withColumns(filled) if filled else self._frame

    def drop(self, how="any", thresh=None, subset=None):
        """Leaves out rows with NULL in any, or in all, of the columns, or with fewer than `thresh` values."""
        names = self._frame.columns if subset is None else [subset] if isinstance(subset, str) else list(subset)
        if thresh is None:
            joined = " AND " if how == "any" else " OR "
            return self._frame.filter(joined.join(f"{quoted(name)} IS NOT NULL" for name in names))
        values = " + ".join(f"CASE WHEN {quoted(name)} IS NULL THEN 0 ELSE 1 END" for name in names)
        return self._frame.filter(f"{values} >= {thresh}")


def _fits(value, kind):
    if isinstance(value, bool):
        return isinstance(kind, t.BooleanType)
    if isinstance(value, str):
        return isinstance(kind, (t.StringType, t.VarcharType, t.CharType))
    return isinstance(kind, t.NUMERIC_TYPES)
