"""The older home of the exceptions."""

from pyspark.errors import AnalysisException, IllegalArgumentException, ParseException

__all__ = ["AnalysisException", "IllegalArgumentException", "ParseException"]
