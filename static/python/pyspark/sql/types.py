"""Data types, rows, and the text form of types."""

import re

from pyspark.errors import ParseException, PySparkTypeError, PySparkValueError


_LONG_NAMES = {"tinyint": "byte", "smallint": "short", "int": "integer", "bigint": "long"}


class DataType:
    """A type of SQL."""

    _name = None

    def simpleString(self):
        """Spark's short text, `array<int>`."""
        return self._name

    def typeName(self):
        """The long name of the type alone, as `printSchema` shows it."""
        name = re.split(r"[<(]", self.simpleString(), maxsplit=1)[0]
        return _LONG_NAMES.get(name, name)

    def __repr__(self):
        return f"{type(self).__name__}()"

    def __eq__(self, other):
        return isinstance(other, DataType) and self.simpleString() == other.simpleString()

    def __hash__(self):
        return hash(self.simpleString())


def _plain(class_name, name, doc):
    return type(class_name, (DataType,), {"_name": name, "__doc__": doc, "__module__": __name__})


NullType = _plain("NullType", "void", "The type of a NULL that has no other.")
StringType = _plain("StringType", "string", "Text.")
BinaryType = _plain("BinaryType", "binary", "Bytes.")
BooleanType = _plain("BooleanType", "boolean", "True or false.")
DateType = _plain("DateType", "date", "A day.")
TimestampType = _plain("TimestampType", "timestamp", "An instant, in microseconds.")
TimestampNTZType = _plain("TimestampNTZType", "timestamp_ntz", "A date and time without a zone.")
ByteType = _plain("ByteType", "tinyint", "8 bits.")
ShortType = _plain("ShortType", "smallint", "16 bits.")
IntegerType = _plain("IntegerType", "int", "32 bits.")
LongType = _plain("LongType", "bigint", "64 bits.")
FloatType = _plain("FloatType", "float", "32-bit floating point.")
DoubleType = _plain("DoubleType", "double", "64-bit floating point.")


class IntervalType(DataType):
    """A span of time; its text names the units."""

    def __init__(self, text):
        self._name = text


class DecimalType(DataType):
    """Exact numbers of a precision and scale."""

    def __init__(self, precision=10, scale=0):
        self.precision = precision
        self.scale = scale

    def simpleString(self):
        return f"decimal({self.precision},{self.scale})"

    def __repr__(self):
        return f"DecimalType({self.precision},{self.scale})"


class _Sized(DataType):
    def __init__(self, length):
        self.length = length

    def simpleString(self):
        return f"{self._name}({self.length})"

    def __repr__(self):
        return f"{type(self).__name__}({self.length})"


class CharType(_Sized):
    """Text of a fixed length."""

    _name = "char"


class VarcharType(_Sized):
    """Text up to a length."""

    _name = "varchar"


class ArrayType(DataType):
    """A list."""

    def __init__(self, elementType, containsNull=True):
        self.elementType = elementType
        self.containsNull = containsNull

    def simpleString(self):
        return f"array<{self.elementType.simpleString()}>"

    def __repr__(self):
        return f"ArrayType({self.elementType!r}, {self.containsNull})"


class MapType(DataType):
    """Keys and values."""

    def __init__(self, keyType, valueType, valueContainsNull=True):
        self.keyType = keyType
        self.valueType = valueType
        self.valueContainsNull = valueContainsNull

    def simpleString(self):
        return f"map<{self.keyType.simpleString()},{self.valueType.simpleString()}>"

    def __repr__(self):
        return f"MapType({self.keyType!r}, {self.valueType!r}, {self.valueContainsNull})"


class StructField:
    """A field of a struct, or a column of a schema."""

    def __init__(self, name, dataType, nullable=True, metadata=None):
        self.name = name
        self.dataType = dataType
        self.nullable = nullable
        self.metadata = metadata or {}

    def simpleString(self):
        """`name:type`"""
        return f"{self.name}:{self.dataType.simpleString()}"

    def __repr__(self):
        return f"StructField('{self.name}', {self.dataType!r}, {self.nullable})"

    def __eq__(self, other):
        return isinstance(other, StructField) and (self.name, self.dataType) == (other.name, other.dataType)

    def __hash__(self):
        return hash((self.name, self.dataType))


class StructType(DataType):
    """Named fields in order."""

    def __init__(self, fields=None):
        self.fields = list(fields or [])

    def add(self, field, data_type=None, nullable=True, metadata=None):
        """Adds a field and returns the struct."""
        if not isinstance(field, StructField):
            kind = _parse_ddl_type(data_type) if isinstance(data_type, str) else data_type
            field = StructField(field, kind, nullable, metadata)
        self.fields.append(field)
        return self

    @property
    def names(self):
        """Names of the fields."""
        return [field.name for field in self.fields]

    def fieldNames(self):
        """Names of the fields."""
        return self.names

    def simpleString(self):
        return f"struct<{','.join(field.simpleString() for field in self.fields)}>"

    @staticmethod
    def fromDDL(ddl):
        """Reads `a INT, b STRING`."""
        return parse_schema(ddl)

    def __iter__(self):
        return iter(self.fields)

    def __len__(self):
        return len(self.fields)

    def __getitem__(self, key):
        if isinstance(key, str):
            for field in self.fields:
                if field.name == key:
                    return field
            raise KeyError(f"No StructField named {key}")
        return self.fields[key]

    def __repr__(self):
        return f"StructType([{', '.join(map(repr, self.fields))}])"


class Row(tuple):
    """A row: a tuple whose places have names."""

    def __new__(cls, *values, **named):
        if values and named:
            raise PySparkValueError("A Row has either names or bare values, not both.")
        if named:
            return _row(list(named), list(named.values()))
        return tuple.__new__(cls, values)

    def __call__(self, *values):
        """`Row("a", "b")(1, 2)`: a row of the names that this one holds."""
        if len(values) > len(self):
            raise PySparkValueError(f"{len(self)} names cannot take {len(values)} values.")
        return _row(list(self), list(values))

    def asDict(self, recursive=False):
        """The row as a dictionary; with `recursive` the rows inside it as well."""
        if not hasattr(self, "__fields__"):
            raise PySparkTypeError("A Row without names has no dictionary.")
        convert = _to_dict if recursive else (lambda value: value)
        return {name: convert(value) for name, value in zip(self.__fields__, self, strict=True)}

    def __contains__(self, item):
        if hasattr(self, "__fields__"):
            return item in self.__fields__
        return tuple.__contains__(self, item)

    def __getitem__(self, key):
        if isinstance(key, str):
            fields = getattr(self, "__fields__", [])
            if key not in fields:
                raise PySparkValueError(f"The row has no field {key}; it has {', '.join(fields) or 'no names'}.")
            return tuple.__getitem__(self, fields.index(key))
        return tuple.__getitem__(self, key)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        fields = getattr(self, "__fields__", [])
        if name not in fields:
            raise AttributeError(f"The row has no field {name}; it has {', '.join(fields) or 'no names'}.")
        return tuple.__getitem__(self, fields.index(name))

    def __setattr__(self, name, value):
        if name != "__fields__":
            raise PySparkTypeError("A Row cannot be changed; make a new one.")
        self.__dict__[name] = value

    def __repr__(self):
        if hasattr(self, "__fields__"):
            return f"Row({', '.join(f'{name}={value!r}' for name, value in zip(self.__fields__, self, strict=True))})"
        return f"<Row({', '.join(map(repr, self))})>"


def _row(names, values):
    row = tuple.__new__(Row, values)
    row.__fields__ = names
    return row


def _to_dict(value):
    if isinstance(value, Row):
        return value.asDict(True)
    if isinstance(value, list):
        return [_to_dict(item) for item in value]
    if isinstance(value, dict):
        return {key: _to_dict(item) for key, item in value.items()}
    return value


NUMERIC_TYPES = (ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType, DecimalType)

_NAMED = {
    kind._name: kind
    for kind in (
        NullType,
        StringType,
        BinaryType,
        BooleanType,
        DateType,
        TimestampType,
        TimestampNTZType,
        ByteType,
        ShortType,
        IntegerType,
        LongType,
        FloatType,
        DoubleType,
    )
}
_NAMED |= {
    "integer": IntegerType,
    "long": LongType,
    "byte": ByteType,
    "short": ShortType,
    "real": FloatType,
    "timestamp_ltz": TimestampType,
    "null": NullType,
}

_TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|[<>(),:]|[^\s<>(),:`]+)")


class _Types:
    """Reads types from text: simple strings (`struct<a:int>`) and DDL (`a INT NOT NULL, b STRING`)."""

    def __init__(self, text):
        self.text = text
        self.tokens = [match.group(1) for match in _TOKEN.finditer(text)]
        self.index = 0

    def peek(self):
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected is not None and token != expected):
            raise ParseException(f"'{self.text}' is no type or schema.", "PARSE_SYNTAX_ERROR", "42601")
        self.index += 1
        return token

    def type(self):
        name = self.take().lower()
        if name in ("decimal", "dec", "numeric"):
            numbers = self.numbers()
            return DecimalType(*(numbers or [10, 0]))
        if name in ("varchar", "char", "character"):
            return (VarcharType if name == "varchar" else CharType)(*self.numbers())
        if name == "array":
            self.take("<")
            element = self.type()
            self.take(">")
            return ArrayType(element)
        if name == "map":
            self.take("<")
            key = self.type()
            self.take(",")
            value = self.type()
            self.take(">")
            return MapType(key, value)
        if name == "struct":
            self.take("<")
            fields = [] if self.peek() == ">" else self.fields()
            self.take(">")
            return StructType(fields)
        if name == "interval":
            words = [name]
            while self.peek() not in (None, ",", ">", ")"):
                words.append(self.take().lower())
            return IntervalType(" ".join(words))
        if name not in _NAMED:
            raise ParseException(f"'{name}' is no data type.", "UNSUPPORTED_DATATYPE", "0A000")
        return _NAMED[name]()

    def numbers(self):
        numbers = []
        if self.peek() == "(":
            self.take()
            numbers.append(int(self.take()))
            while self.peek() == ",":
                self.take()
                numbers.append(int(self.take()))
            self.take(")")
        return numbers

    def fields(self):
        fields = []
        while True:
            name = self.take()
            if name.startswith("`"):
                name = name[1:-1].replace("``", "`")
            if self.peek() == ":":
                self.take()
            kind = self.type()
            nullable = True
            if (self.peek() or "").lower() == "not":
                self.take()
                self.take()
                nullable = False
            fields.append(StructField(name, kind, nullable))
            if self.peek() != ",":
                return fields
            self.take()


def _parse_ddl_type(text):
    reader = _Types(text)
    kind = reader.type()
    if reader.peek() is not None:
        reader.take("")
    return kind


def parse_type(text):
    """The type that a simple string names."""
    return _parse_ddl_type(text)


def parse_schema(text):
    """The schema that DDL text names: `a INT, b STRING`."""
    reader = _Types(text)
    fields = reader.fields()
    if reader.peek() is not None:
        reader.take("")
    return StructType(fields)
