"""`from delta.tables import DeltaTable` works, so that the error says what to write instead."""

from pyspark.sql._not_offered import not_offered

_HINTS = {
    "merge": 'spark.sql("MERGE INTO … USING … ON … WHEN MATCHED …")',
    "update": 'spark.sql("UPDATE … SET … WHERE …")',
    "delete": 'spark.sql("DELETE FROM … WHERE …")',
    "history": 'spark.sql("DESCRIBE HISTORY …")',
    "restoreToVersion": 'spark.sql("RESTORE TABLE … TO VERSION AS OF …")',
    "createIfNotExists": 'spark.sql("CREATE TABLE IF NOT EXISTS …")',
    "createOrReplace": 'spark.sql("CREATE OR REPLACE TABLE …")',
    "create": 'spark.sql("CREATE TABLE …")',
}


class _NotOffered(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        hint = _HINTS.get(name, "Write the statement: " + _HINTS["merge"] + ", UPDATE, DELETE, DESCRIBE HISTORY.")
        raise not_offered(f"DeltaTable.{name}", hint)


class DeltaTable(metaclass=_NotOffered):
    """Not offered: each of its operations has a statement."""

    def __init__(self, *args, **kwargs):
        raise not_offered(
            "DeltaTable", "Write the statement: " + _HINTS["merge"] + ", UPDATE, DELETE, DESCRIBE HISTORY."
        )
