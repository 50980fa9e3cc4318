"""Values of the engine's replies as Python values. The JSON forms are those of Lakelet's results: dates and timestamps
as ISO text, decimals as text, maps as lists of pairs, structs as objects."""

import datetime
import decimal
import re

from pyspark.sql import types as t


def decoder(kind):
    """A function that turns the JSON of a value of that type into a Python value."""
    if isinstance(kind, t.DecimalType):
        convert = decimal.Decimal
    elif isinstance(kind, (t.TimestampType, t.TimestampNTZType)):
        convert = _timestamp
    elif isinstance(kind, t.DateType):
        convert = datetime.date.fromisoformat
    elif isinstance(kind, (t.ByteType, t.ShortType, t.IntegerType, t.LongType)):
        convert = int
    elif isinstance(kind, (t.FloatType, t.DoubleType)):
        convert = float
    elif isinstance(kind, t.BinaryType):
        convert = lambda value: bytearray.fromhex(value)
    elif isinstance(kind, t.ArrayType):
        element = decoder(kind.elementType)
        convert = lambda value: [element(item) for item in value]
    elif isinstance(kind, t.MapType):
        key, item = decoder(kind.keyType), decoder(kind.valueType)
        convert = lambda value: {key(k): item(v) for k, v in value}
    elif isinstance(kind, t.StructType):
        convert = _struct(kind)
    elif isinstance(kind, t.IntervalType):
        convert = _interval
    else:
        return lambda value: value
    return lambda value: None if value is None else convert(value)


def rows(schema, values):
    """Rows of JSON values as `Row`s."""
    decoders = [decoder(field.dataType) for field in schema]
    names = schema.names
    return [t._row(names, [decode(value) for decode, value in zip(decoders, row, strict=True)]) for row in values]


def _struct(kind):
    decoders = [(field.name, decoder(field.dataType)) for field in kind]
    names = kind.names
    return lambda value: t._row(names, [decode(value.get(name)) for name, decode in decoders])


def _timestamp(text):
    # Instants come out without a zone, in that of the session, which is UTC.
    return datetime.datetime.fromisoformat(text).replace(tzinfo=None)


_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")
_INTERVAL = re.compile(r"INTERVAL '(?P<sign>-?)(?P<value>[\d :.]+)' (?P<first>[A-Z]+)(?: TO [A-Z]+)?")


def _interval(text):
    """Intervals of days to seconds become `timedelta`; those of years and months have no Python type and stay text."""
    match = _INTERVAL.fullmatch(text)
    if match is None or match["first"] not in _UNITS:
        return text
    amounts = dict.fromkeys(_UNITS, decimal.Decimal(0))
    numbers = re.split(r"[ :]", match["value"])
    for unit, number in zip(_UNITS[_UNITS.index(match["first"]) :], numbers, strict=False):
        amounts[unit] = decimal.Decimal(number)
    micros = ((amounts["DAY"] * 24 + amounts["HOUR"]) * 60 + amounts["MINUTE"]) * 60_000_000 + amounts[
        "SECOND"
    ] * 1_000_000
    span = datetime.timedelta(microseconds=int(micros))
    return -span if match["sign"] else span
