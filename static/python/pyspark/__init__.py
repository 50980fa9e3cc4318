"""The part of PySpark that notebooks here can use: `spark`, DataFrames that stand for SQL, columns and functions.

It is not Apache Spark's package. A DataFrame holds the text of a query, which the engine of this page runs. What is
not offered raises an error that names the nearest form that is.
"""

from pyspark.sql import Row, SparkSession

__version__ = "4.3.0"
__all__ = ["Row", "SparkSession"]


def __getattr__(name):
    from pyspark.sql._not_offered import not_offered

    if name.startswith("__"):
        raise AttributeError(name)
    raise not_offered(f"pyspark.{name}", "Use the session `spark` that every notebook has.")
