"""The one door from Python to the engine. Calls and replies are those of `crates/protocol/src/notebook.rs`."""

import builtins
import json

from _lakelet_bridge import call as _call_engine
from lakelet import output
from pyspark import errors


class InputWidgetNotDefined(Exception):
    """A widget was read that neither the notebook nor a job has made."""


# Exceptions that the engine asks for by name and that are not PySpark's.
_OTHERS = {"InputWidgetNotDefined": InputWidgetNotDefined}
_WIDGET_CLASS = "com.databricks.dbutils_v1.InputWidgetNotDefined"


def call(name, **fields):
    """Asks the engine and returns its reply as a dictionary; an error reply is raised.

    What has been printed so far is sent first, so that output stays in order.
    """
    output.flush()
    return _ask(name, fields)


def send_text(text):
    """Sends printed text."""
    _ask("print", {"text": text})


def _ask(name, fields):
    reply = json.loads(_call_engine(json.dumps({"call": name, **fields})))
    if reply["reply"] == "error":
        raise _exception(reply["exception"], reply["error"])
    return reply


def _exception(name, error):
    message = error["message"]
    if error.get("hint"):
        message = f"{message} {error['hint']}"
    if name == "InputWidgetNotDefined":
        return InputWidgetNotDefined(message if message.startswith("com.") else f"{_WIDGET_CLASS}: {message}")
    kind = _OTHERS.get(name) or getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, errors.PySparkException):
        return kind(message, error["condition"], error["sqlstate"])
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        return kind(message)
    return errors.PySparkException(message, error["condition"], error["sqlstate"])
