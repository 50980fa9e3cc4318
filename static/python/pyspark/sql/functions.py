"""`pyspark.sql.functions`: each makes a column that calls a SQL function, mostly that of the same name.

Most differ only in their parameters, so they are declared in a table: names, then parameters. A parameter is a column,
given as such or by its name; one that ends in `:` is a value, constant unless it is a column; `?` may be left out; `*`
takes any number of columns.
"""

# Several of Spark's functions have the names of Python's.
import builtins

from pyspark.errors import PySparkTypeError
from pyspark.sql._not_offered import PYTHON_FUNCTIONS, nearest, not_offered
from pyspark.sql.column import CaseColumn, Column, as_column, as_literal, function, named, raw
from pyspark.sql.types import DataType

_DECLARED = """
current_date current_timestamp now localtimestamp current_catalog current_schema current_database row_number |
rank dense_rank percent_rank cume_dist uuid pi e |
rand | seed:?
sum avg mean min max stddev stddev_pop stddev_samp variance var_pop var_samp collect_list collect_set | col
median mode bool_and bool_or every some any_value count_if skewness kurtosis | col
abs sqrt exp ln log10 log2 log1p expm1 sign signum sin cos tan asin acos atan sinh cosh tanh degrees | col
radians cbrt factorial hex unhex bin negative positive rint isnan isnull isnotnull bit_count | col
upper lower ucase lcase length char_length character_length initcap reverse ascii base64 unbase64 md5 sha | col
sha1 crc32 soundex bit_length octet_length char chr | col
year month day dayofmonth dayofweek dayofyear weekofyear weekday quarter hour minute second last_day | col
unix_date unix_millis unix_micros unix_seconds date_from_unix_date timestamp_millis timestamp_micros | col
timestamp_seconds | col
size cardinality array_distinct array_max array_min array_size array_compact array_sort explode | col
explode_outer posexplode posexplode_outer flatten map_keys map_values map_entries map_from_entries inline | col
inline_outer typeof to_json | col
trim ltrim rtrim | col trim?
ceil ceiling floor | col scale:?
nullif ifnull nvl zeroifnull power atan2 hypot datediff date_diff max_by min_by corr covar_pop | col1 col2
covar_samp array_union array_intersect array_except arrays_overlap map_from_arrays equal_null pmod | col1 col2
date_add dateadd date_sub add_months shiftleft shiftright repeat contains startswith endswith like | col1 col2
ilike rlike regexp regexp_like regexp_count regexp_substr regexp_instr left right get array_repeat | col1 col2
to_number try_add try_subtract try_multiply try_divide map_contains_key | col1 col2
nvl2 split_part slice make_date | col1 col2 col3
make_timestamp | years months days hours mins secs
coalesce concat greatest least array struct named_struct hash xxhash64 arrays_zip map_concat | *cols
date_format | date format:
to_date to_timestamp to_timestamp_ntz to_timestamp_ltz from_unixtime | col format:?
try_to_timestamp try_to_date | col format?
unix_timestamp | timestamp? format:?
from_utc_timestamp to_utc_timestamp | timestamp tz:
date_trunc | format: timestamp
trunc | date format:
next_day | date dayOfWeek:
months_between | date1 date2 roundOff:?
first last | col ignorenulls:?
first_value last_value | col ignoreNulls?
nth_value | col offset: ignoreNulls:?
lag lead | col offset:? default:?
ntile | n:
approx_count_distinct | col rsd:?
percentile | col percentage: frequency:?
percentile_approx approx_percentile | col percentage: accuracy:?
round bround | col scale:?
format_number | col d:
conv | col fromBase: toBase:
sha2 | col numBits:
concat_ws | sep: *cols
format_string printf | format: *cols
substring | str pos: len:
substr | str pos len?
instr | str substr:
locate | substr: str pos:?
lpad rpad | col len: pad:?
translate | srcCol matching: replace:
replace | src search replace?
regexp_replace | string pattern: replacement:
regexp_extract | str pattern: idx:
regexp_extract_all | str regexp idx?
split | str pattern: limit:?
array_join | col delimiter: null_replacement:?
array_contains array_position array_remove array_append array_prepend | col value:
element_at try_element_at | col extraction:
sort_array | col asc:?
sequence | start stop step?
get_json_object | col path:
levenshtein | left right threshold:?
"""


def _declare(name, parameters):
    """The function that a line of the table describes."""
    kinds = [(part.strip("*:?"), ":" in part, "?" in part, part.startswith("*")) for part in parameters]
    required = builtins.sum(not optional and not many for _, _, optional, many in kinds)
    usage = f"{name}({', '.join(part.replace(':', '') for part in parameters)})"

    def declared(*values, **given):
        values = list(values)
        for parameter, _, _, many in kinds[len(values) :]:
            if many or parameter not in given:
                break
            values.append(given.pop(parameter))
        if len(values) == 1 and isinstance(values[0], (list, tuple)) and kinds and kinds[0][3]:
            values = list(values[0])
        most = None if any(many for *_, many in kinds) else len(kinds)
        if given or len(values) < required or (most is not None and len(values) > most):
            raise PySparkTypeError(
                f"The arguments do not fit: {usage}, where ? may be left out.", "WRONG_NUM_ARGS", "42605"
            )
        columns = []
        for index, value in enumerate(values):
            _, constant, _, _ = kinds[builtins.min(index, len(kinds) - 1)]
            columns.append(as_literal(value) if constant else as_column(value))
        while columns and values[len(columns) - 1] is None and kinds[builtins.min(len(columns), len(kinds)) - 1][2]:
            columns.pop()
        return function(name, *columns)

    declared.__name__ = declared.__qualname__ = name
    declared.__doc__ = f"`{usage}` of SQL."
    return declared


for _line in _DECLARED.strip().splitlines():
    _names, _parameters = _line.split("|")
    for _name in _names.split():
        globals()[_name] = _declare(_name, _parameters.split())


def col(col):
    """The column of that name."""
    return named(col)


column = col


def lit(col):
    """A constant."""
    return as_literal(col)


def expr(str):
    """SQL as a column."""
    return raw(str)


def asc(col):
    """Ascending, NULL first."""
    return as_column(col).asc()


def asc_nulls_first(col):
    """Ascending, NULL first."""
    return as_column(col).asc()


def asc_nulls_last(col):
    """Ascending, NULL last."""
    return as_column(col).asc_nulls_last()


def desc(col):
    """Descending, NULL last."""
    return as_column(col).desc()


def desc_nulls_first(col):
    """Descending, NULL first."""
    return as_column(col).desc_nulls_first()


def desc_nulls_last(col):
    """Descending, NULL last."""
    return as_column(col).desc()


def when(condition, value):
    """The first branch of a CASE."""
    if not isinstance(condition, Column):
        raise PySparkTypeError('when takes a condition such as col("x") > 1.', "NOT_COLUMN", "42K0E")
    return CaseColumn([(condition, as_literal(value))])


def count(col):
    """How many rows have a value; `count("*")` counts all rows."""
    return raw("count(1)") if isinstance(col, str) and col == "*" else function("count", as_column(col))


def count_distinct(col, *cols):
    """How many different values there are."""
    columns = [as_column(item) for item in (col, *cols)]
    return Column(lambda scopes: f"count(DISTINCT {', '.join(item._render(scopes) for item in columns)})")


countDistinct = count_distinct


def sum_distinct(col):
    """The sum of the different values."""
    item = as_column(col)
    return Column(lambda scopes: f"sum(DISTINCT {item._render(scopes)})")


sumDistinct = sum_distinct


def create_map(*cols):
    """A map of keys and values in turn."""
    items = cols[0] if len(cols) == 1 and isinstance(cols[0], (list, tuple)) else cols
    return function("map", *(as_column(item) for item in items))


def pow(col1, col2):
    """`power` of SQL."""
    return function("power", as_column(col1), as_column(col2))


def log(arg1, arg2=None):
    """The natural logarithm, or that to the base `arg1`."""
    return function("ln", as_column(arg1)) if arg2 is None else function("log", arg1, as_column(arg2))


def from_json(col, schema, options=None):
    """A text of JSON as a struct, array or map of the given type."""
    text = schema.simpleString() if isinstance(schema, DataType) else schema
    return function("from_json", as_column(col), text)


def broadcast(df):
    """Changes nothing here."""
    return df


def udf(f=None, returnType=None, **kwargs):
    """Not offered."""
    raise not_offered("udf", PYTHON_FUNCTIONS)


pandas_udf = arrow_udf = udtf = udf

_HINTS = {
    "transform": 'Use expr("transform(x, item -> item + 1)").',
    "filter": 'Use expr("filter(x, item -> item > 1)"), or df.filter(…).',
    "exists": 'Use expr("exists(x, item -> item > 1)").',
    "forall": 'Use expr("forall(x, item -> item > 1)").',
    "aggregate": 'Use expr("aggregate(x, 0, (sum, item) -> sum + item)").',
    "monotonically_increasing_id": "Use row_number().over(Window.orderBy(…)).",
    "input_file_name": "There are no files here.",
    "window": "Use date_trunc(unit, timestamp) as a key of groupBy.",
}


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    offered = [item for item, value in globals().items() if callable(value) and not item.startswith("_")]
    hint = _HINTS.get(name) or nearest(name, offered)
    if hint.startswith("spark.sql"):
        hint = 'expr("…") takes whatever SQL has.'
    raise not_offered(f"pyspark.sql.functions.{name}", hint)
