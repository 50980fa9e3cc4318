"""`from pyspark.dbutils import DBUtils`"""

from lakelet.utilities import DBUtils

__all__ = ["DBUtils"]
