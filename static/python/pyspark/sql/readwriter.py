"""`df.write` and `spark.read`: tables are all there is to write to and to read from."""

from lakelet import bridge
from pyspark.errors import PySparkValueError
from pyspark.sql._literals import literal, without_semicolon
from pyspark.sql._not_offered import no_attribute, not_offered
from pyspark.sql._query import Query

_MODES = {"append": "append", "overwrite": "overwrite", "error": "error", "errorifexists": "error", "ignore": "ignore"}
_WRITER_HINTS = dict.fromkeys(
    ["save", "csv", "json", "parquet", "orc", "text", "jdbc", "xml"], "There are no files here: use saveAsTable(name)."
) | dict.fromkeys(
    ["partitionBy", "bucketBy", "sortBy", "clusterBy"],
    "Tables here are small and have no partitions: leave it out, or write CREATE TABLE … CLUSTER BY in SQL.",
)
_READER_HINTS = dict.fromkeys(
    ["load", "csv", "json", "parquet", "orc", "text", "jdbc", "xml"],
    "There are no files here: make a table with INSERT INTO … VALUES, and read it with spark.table(name).",
)


class _Options:
    """What readers and writers have in common."""

    def __init__(self):
        self._options = {}

    def format(self, source):
        """The format; Delta is the only one."""
        if source.lower() != "delta":
            raise not_offered(
                f"The format '{source}'", 'Tables here are Delta tables: leave it out or write format("delta").'
            )
        return self

    def option(self, key, value):
        """Sets an option."""
        self._options[key.lower()] = str(value).lower() if isinstance(value, bool) else str(value)
        return self

    def options(self, **options):
        """Sets options."""
        for key, value in options.items():
            self.option(key, value)
        return self

    def _take(self, *known):
        unknown = set(self._options) - {name.lower() for name in known}
        if unknown:
            raise not_offered(f"The option '{sorted(unknown)[0]}'", f"Known here: {', '.join(known)}.")
        return {name: self._options.get(name.lower()) for name in known}


class DataFrameWriter(_Options):
    """`df.write`"""

    def __init__(self, frame):
        super().__init__()
        self._frame = frame
        self._mode = "error"

    def mode(self, saveMode):
        """What happens when the table is there: append, overwrite, error, ignore."""
        if saveMode.lower() not in _MODES:
            raise PySparkValueError(
                f"'{saveMode}' is no mode: append, overwrite, error, ignore.", "INVALID_SAVE_MODE", "42000"
            )
        self._mode = _MODES[saveMode.lower()]
        return self

    def saveAsTable(self, name, format=None, mode=None, partitionBy=None, **options):
        """Writes the rows to a table, by name of the columns, and makes it if it is not there."""
        if format is not None:
            self.format(format)
        if mode is not None:
            self.mode(mode)
        if partitionBy:
            raise not_offered("saveAsTable(partitionBy=…)", _WRITER_HINTS["partitionBy"])
        self.options(**options)
        chosen = self._take("overwriteSchema", "replaceWhere")
        query = self._frame._sql()
        if self._mode == "overwrite" and chosen["replaceWhere"] is not None:
            self._run(f"INSERT INTO {name} REPLACE WHERE {chosen['replaceWhere']} {query}")
        elif self._mode == "overwrite" and chosen["overwriteSchema"] == "true":
            self._run(f"CREATE OR REPLACE TABLE {name} AS {query}")
        else:
            bridge.call("save_as_table", query=query, table=name, mode=self._mode)

    def insertInto(self, tableName, overwrite=None):
        """Writes the rows to a table that is there, by place of the columns."""
        self._take()
        replaced = self._mode == "overwrite" if overwrite is None else overwrite
        self._run(f"INSERT {'OVERWRITE' if replaced else 'INTO'} {tableName} {self._frame._sql()}")

    def _run(self, statement):
        bridge.call("sql", text=statement, args={}, collect=True)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise no_attribute(
            "DataFrameWriter", name, _WRITER_HINTS, [item for item in dir(DataFrameWriter) if item[0] != "_"]
        )


class DataFrameWriterV2:
    """`df.writeTo(table)`"""

    def __init__(self, frame, table):
        self._frame = frame
        self._table = table

    def using(self, provider):
        """The format; Delta is the only one."""
        DataFrameWriter(self._frame).format(provider)
        return self

    def create(self):
        """Makes the table."""
        self._run(f"CREATE TABLE {self._table} AS {self._frame._sql()}")

    def createOrReplace(self):
        """Makes the table, in the place of one that is there."""
        self._run(f"CREATE OR REPLACE TABLE {self._table} AS {self._frame._sql()}")

    def append(self):
        """Adds the rows, by name of the columns."""
        self._run(f"INSERT INTO {self._table} BY NAME {self._frame._sql()}")

    def overwrite(self, condition):
        """Puts the rows in the place of those for which a condition holds."""
        self._run(f"INSERT INTO {self._table} REPLACE WHERE {condition._render(())} {self._frame._sql()}")

    def _run(self, statement):
        bridge.call("sql", text=statement, args={}, collect=True)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise no_attribute("DataFrameWriterV2", name, {}, [item for item in dir(DataFrameWriterV2) if item[0] != "_"])


class DataFrameReader(_Options):
    """`spark.read`"""

    def __init__(self, session):
        super().__init__()
        self._session = session

    def table(self, tableName):
        """A table, one of its versions, or its change feed."""
        names = (
            "versionAsOf",
            "timestampAsOf",
            "readChangeFeed",
            "startingVersion",
            "startingTimestamp",
            "endingVersion",
            "endingTimestamp",
        )
        chosen = self._take(*names)
        name = without_semicolon(tableName)
        if chosen["readChangeFeed"] == "true" or self._options.get("readchangedata") == "true":
            return self._frame(_changes(name, chosen))
        if chosen["versionAsOf"] is not None:
            return self._frame(f"{name} VERSION AS OF {int(chosen['versionAsOf'])}")
        if chosen["timestampAsOf"] is not None:
            return self._frame(f"{name} TIMESTAMP AS OF {literal(chosen['timestampAsOf'])}")
        return self._frame(name)

    def _frame(self, source):
        from pyspark.sql.dataframe import DataFrame

        return DataFrame(self._session, Query(source=source))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise no_attribute(
            "DataFrameReader", name, _READER_HINTS, [item for item in dir(DataFrameReader) if item[0] != "_"]
        )


def _changes(name, chosen):
    start, end = (
        int(chosen[f"{edge}Version"]) if chosen[f"{edge}Version"] is not None else chosen[f"{edge}Timestamp"]
        for edge in ("starting", "ending")
    )
    if start is None:
        raise PySparkValueError(
            'A change feed is read from a version or timestamp on: option("startingVersion", 0).',
            "DELTA_NO_START_FOR_CDC_READ",
            "42601",
        )
    return f"table_changes({', '.join(literal(item) for item in (name, start, end) if item is not None)})"
