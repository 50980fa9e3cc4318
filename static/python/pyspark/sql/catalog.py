"""`spark.catalog`: which tables there are."""

from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql._literals import quoted
from pyspark.sql._not_offered import no_attribute

_HINTS = {
    "dropTempView": 'Use spark.sql("DROP VIEW …").',
    "createTable": 'Use spark.sql("CREATE TABLE …").',
    "refreshTable": "Tables here are never out of date.",
    "listColumns": "Use spark.table(name).dtypes.",
    "listDatabases": 'Use spark.sql("SHOW SCHEMAS").',
}


@dataclass(frozen=True)
class Table:
    """A table in a list."""

    name: str
    namespace: list
    isTemporary: bool


class Catalog:
    """The catalog of a session."""

    def __init__(self, session):
        self._session = session

    def currentCatalog(self):
        """Name of the catalog in use."""
        return self._session.sql("SELECT current_catalog()").first()[0]

    def currentDatabase(self):
        """Name of the schema in use."""
        return self._session.sql("SELECT current_schema()").first()[0]

    def setCurrentCatalog(self, catalogName):
        """Uses a catalog from now on."""
        self._session.sql(f"USE CATALOG {quoted(catalogName)}")

    def setCurrentDatabase(self, dbName):
        """Uses a schema from now on."""
        self._session.sql(f"USE SCHEMA {dbName}")

    def tableExists(self, tableName, dbName=None):
        """Whether there is a table or view of that name."""
        try:
            self._session.table(tableName if dbName is None else f"{dbName}.{tableName}")
        except AnalysisException as error:
            if error.getCondition() in ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND"):
                return False
            raise
        return True

    def listTables(self, dbName=None, pattern=None):
        """The tables of a schema."""
        rows = self._session.sql(f"SHOW TABLES{'' if dbName is None else f' IN {dbName}'}").collect()
        return [Table(row["tableName"], [row[0]], bool(row["isTemporary"])) for row in rows]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise no_attribute("Catalog", name, _HINTS, [item for item in dir(Catalog) if item[0] != "_"])
