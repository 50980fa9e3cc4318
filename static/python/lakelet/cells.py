"""Runs the cells of notebooks, each notebook in a namespace of its own."""

import ast
import json
import linecache
import sys
import traceback
import types
from collections import OrderedDict

from lakelet import output
from lakelet.utilities import DBUtils, NotebookExit, display
from pyspark.sql import SparkSession

_LIBRARY = "/lakelet/"

# More notebooks than a job may have running at once; the one that was used the longest time ago goes first.
_NAMESPACES_MAX = 256
_namespaces = OrderedDict()

output.install()


def run_cell(notebook, source, fresh, filename, arguments):
    """Runs one cell and returns its outcome as JSON; see `PythonHost.run` for its forms.

    `notebook` names the namespace, `fresh` starts it anew, `filename` is what tracebacks call the cell. `arguments` is
    JSON: null for a cell of a notebook, the command-line arguments of a file that is run as a program.
    """
    arguments = json.loads(arguments)
    output.begin()
    try:
        if arguments is None:
            _execute(source, filename, _namespace(notebook, fresh))
        else:
            _execute_program(source, filename, arguments)
        outcome = {"outcome": "succeeded"}
    except NotebookExit as exit:
        outcome = {"outcome": "exited", "value": exit.value}
    except BaseException as error:
        outcome = {
            "outcome": "failed",
            "exception": type(error).__name__,
            "message": _message(error),
            "traceback": _traceback(error),
        }
    output.flush()
    return json.dumps(outcome)


def _namespace(notebook, fresh):
    if fresh or notebook not in _namespaces:
        module = types.ModuleType("__main__")
        module.__dict__.update(spark=SparkSession._the_session, dbutils=DBUtils(), display=display)
        _namespaces[notebook] = module.__dict__
    _namespaces.move_to_end(notebook)
    if len(_namespaces) > _NAMESPACES_MAX:
        _namespaces.popitem(last=False)
    return _namespaces[notebook]


def _execute(source, filename, namespace):
    # Tracebacks quote the lines of the cell.
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    tree = ast.parse(source, filename)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, filename, "exec"), namespace)
    if last is not None:
        value = eval(compile(last, filename, "eval"), namespace)
        # As notebooks do: the value of a cell's last line is shown. A trailing semicolon hides it.
        if value is not None and not source.rstrip().endswith(";"):
            print(repr(value))


def _execute_program(source, filename, arguments):
    """As `python filename arguments` would: nothing is there that the program has not imported, and nothing is shown
    that it has not printed. It succeeds by ending, or by `sys.exit()` without a failure."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    sys.argv = [filename, *arguments]
    module = types.ModuleType("__main__")
    try:
        exec(compile(source, filename, "exec"), module.__dict__)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise ProgramExit(f"The program ended with sys.exit({end.code!r}).") from None
    finally:
        sys.argv = [""]


class ProgramExit(Exception):
    """A program that says itself that it failed."""


def _message(error):
    if isinstance(error, SystemExit):
        return "The cell called sys.exit(). To end a notebook as a success, call dbutils.notebook.exit(value)."
    return str(error)


def _traceback(error):
    report = traceback.TracebackException.from_exception(error)
    _hide_library(report)
    return "".join(report.format())


def _hide_library(report):
    """A learner's mistake stands in the cell, not in the library that noticed it."""
    shown = [frame for frame in report.stack if not frame.filename.startswith(_LIBRARY)]
    report.stack[:] = shown
    for other in (report.__cause__, report.__context__):
        if other is not None:
            _hide_library(other)
