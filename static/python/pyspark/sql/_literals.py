"""Python values as SQL literals, names as identifiers, and parameters put into the text of a statement."""

import datetime
import decimal
import math
import re

from pyspark.errors import PySparkTypeError, PySparkValueError
from pyspark.sql.types import Row

_UTC = datetime.timezone.utc
_INT = range(-(2**31), 2**31)
_BIGINT = range(-(2**63), 2**63)


def quoted(name):
    """A name as an identifier."""
    return "`" + name.replace("`", "``") + "`"


def parts(name):
    """The parts of a dotted name; back-ticks keep dots inside a part."""
    if name.count("`") % 2:
        raise PySparkValueError(f"{name} has a back-tick too few.", "INVALID_ATTRIBUTE_NAME_SYNTAX", "42000")
    return [
        part[1:-1].replace("``", "`") if part.startswith("`") else part
        for part in re.findall(r"`(?:[^`]|``)*`|[^.`]+", name)
    ]


def reference(name):
    """A column name, possibly dotted or ending in `*`, as SQL."""
    return ".".join(part if part == "*" else quoted(part) for part in parts(name))


def literal(value):
    """A Python value as SQL."""
    # Imported late: columns need literals, too.
    from pyspark.sql.column import Column

    if value is None:
        return "NULL"
    if isinstance(value, Column):
        return value._render(())
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        if value not in _BIGINT:
            raise PySparkValueError(f"{value} does not fit into 64 bits; use decimal.Decimal.")
        return str(value) if value in _INT else f"CAST({value} AS BIGINT)"
    if isinstance(value, float):
        text = {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN" if math.isnan(value) else repr(value))
        return f"CAST('{text}' AS DOUBLE)"
    if isinstance(value, decimal.Decimal):
        return _decimal(value)
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, (bytes, bytearray)):
        return f"X'{bytes(value).hex().upper()}'"
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(_UTC).replace(tzinfo=None)
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, datetime.timedelta):
        seconds = (
            f"{value.seconds // 3600:02}:{value.seconds // 60 % 60:02}:{value.seconds % 60:02}.{value.microseconds:06}"
        )
        if value.days < 0:
            return f"(INTERVAL '{value.days}' DAY + INTERVAL '{seconds}' HOUR TO SECOND)"
        return f"INTERVAL '{value.days} {seconds}' DAY TO SECOND"
    if isinstance(value, Row) and hasattr(value, "__fields__"):
        pairs = (f"{literal(name)}, {literal(item)}" for name, item in zip(value.__fields__, value, strict=True))
        return f"named_struct({', '.join(pairs)})"
    if isinstance(value, dict):
        return f"map({', '.join(f'{literal(key)}, {literal(item)}' for key, item in value.items())})"
    if isinstance(value, tuple):
        return f"struct({', '.join(map(literal, value))})"
    if isinstance(value, (list, range)):
        return f"array({', '.join(map(literal, value))})"
    raise PySparkTypeError(f"A value of type {type(value).__name__} has no form in SQL.")


def _decimal(value):
    if not value.is_finite():
        raise PySparkValueError(f"{value} is no DECIMAL.")
    _, digits, exponent = value.as_tuple()
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    if precision > 38:
        raise PySparkValueError(f"{value} has more than the 38 digits of a DECIMAL.")
    return f"CAST('{value:f}' AS DECIMAL({precision}, {scale}))"


# Everything that a parameter marker cannot stand in, and the two kinds of markers. A colon behind a name, a bracket or
# another colon is a path or a cast.
_MARKERS = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `(?:[^`]|``)*` | --[^\n]* | /\*.*?\*/"""
    r"""| (?<![\w:)\]`"'])(?P<name>:[A-Za-z_]\w*) | (?P<place>\?)""",
    re.DOTALL | re.VERBOSE,
)


def bind(text, args):
    """The statement with its parameters filled in. Markers without a value stay, and the engine names them."""
    if not args:
        return text
    named = args if isinstance(args, dict) else {}
    places = iter(() if isinstance(args, dict) else args)

    def fill(match):
        if match.group("name") is not None:
            name = match.group("name")[1:]
            return literal(named[name]) if name in named else match.group()
        if match.group("place") is not None and not isinstance(args, dict):
            value = next(places, match)
            return match.group() if value is match else literal(value)
        return match.group()

    return _MARKERS.sub(fill, text)


_WORDS = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `(?:[^`]|``)*` | --[^\n]* | /\*.*?\*/ | [()] | \w+""",
    re.DOTALL | re.VERBOSE,
)
_QUERIES = frozenset(["select", "values", "table", "from"])


def is_query(text):
    """Whether a statement only reads, so that it can wait until its rows are asked for."""
    depth = 0
    with_clause = False
    for match in _WORDS.finditer(text):
        word = match.group().lower()
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
        elif word[0] in "'\"`" or word.startswith(("--", "/*")):
            continue
        elif with_clause:
            if depth == 0 and word in _QUERIES:
                return True
            if depth == 0 and word in ("insert", "update", "delete", "merge"):
                return False
        elif word == "with":
            with_clause = True
        else:
            return word in _QUERIES
    return False


def without_semicolon(text):
    """A statement that can be put into brackets."""
    return re.sub(r";\s*\Z", "", text).strip()
