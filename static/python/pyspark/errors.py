"""Exceptions, named as in PySpark. Their text begins with Spark's error condition in brackets."""


class PySparkException(Exception):
    """What all others derive from."""

    def __init__(self, message="", condition=None, sqlstate=None):
        self._message = message
        self._condition = condition
        self._sqlstate = sqlstate
        super().__init__(message)

    def getCondition(self):
        """Spark's error condition, or `None`."""
        return self._condition

    def getErrorClass(self):
        """The older name of `getCondition`."""
        return self._condition

    def getSqlState(self):
        """Five characters, or `None`."""
        return self._sqlstate

    def getMessage(self):
        """The message as `str` gives it."""
        return str(self)

    def __str__(self):
        if self._condition is None or self._message.startswith("["):
            return self._message
        state = f" SQLSTATE: {self._sqlstate}" if self._sqlstate else ""
        return f"[{self._condition}] {self._message}{state}"


class AnalysisException(PySparkException):
    """A query that cannot be planned."""


class ParseException(AnalysisException):
    """Text that is no SQL."""


class TempTableAlreadyExistsException(AnalysisException):
    """A temporary view of that name exists."""


class IllegalArgumentException(PySparkException):
    """An argument that makes no sense."""


class ArithmeticException(PySparkException):
    """A number too large, or a division by zero."""


class NumberFormatException(IllegalArgumentException):
    """Text that is no number."""


class DateTimeException(PySparkException):
    """Text that is no date or timestamp."""


class ArrayIndexOutOfBoundsException(PySparkException):
    """A place past the end of an array."""


class SparkRuntimeException(PySparkException):
    """A query that failed while it ran."""


class SparkNoSuchElementException(PySparkException):
    """Something that is not there."""


class QueryExecutionException(PySparkException):
    """A query that could not be run."""


class UnsupportedOperationException(PySparkException):
    """Something that a table or query cannot do."""


class UnknownException(PySparkException):
    """Anything else."""


class PySparkValueError(PySparkException, ValueError):
    """A value that does not fit."""


class PySparkTypeError(PySparkException, TypeError):
    """A value of the wrong type."""


class PySparkAttributeError(PySparkException, AttributeError):
    """A name that an object does not have."""


class PySparkIndexError(PySparkException, IndexError):
    """A place that is not there."""


class PySparkKeyError(PySparkException, KeyError):
    """A key that is not there."""


class PySparkRuntimeError(PySparkException, RuntimeError):
    """A failure while running."""


class PySparkAssertionError(PySparkException, AssertionError):
    """A check that failed."""


class PySparkNotImplementedError(PySparkException, NotImplementedError):
    """Something of PySpark that is not offered here."""
