"""`dbutils` and `display` as notebooks know them."""

from lakelet import bridge
from pyspark.sql import DataFrame
from pyspark.sql._not_offered import not_offered

_ABSENT = object()


class NotebookExit(BaseException):
    """Ends a notebook as a success; not an `Exception`, so that no handler of the notebook swallows it."""

    def __init__(self, value):
        super().__init__(value)
        self.value = value


def display(value=None, *args, **kwargs):
    """Shows a DataFrame as a table; prints anything else."""
    if isinstance(value, DataFrame):
        bridge.call("display", query=value._sql())
    elif value is not None:
        print(value)


class _Widgets:
    """`dbutils.widgets`: parameters of the notebook. Their values are always text."""

    def text(self, name, defaultValue, label=None):
        """Makes a text field; one that exists keeps its value."""
        self._make("text", name, defaultValue, [], label)

    def dropdown(self, name, defaultValue, choices, label=None):
        """Makes a list to choose from."""
        self._make("dropdown", name, defaultValue, [choices], label)

    def combobox(self, name, defaultValue, choices, label=None):
        """Makes a field with a list of proposals."""
        self._make("combobox", name, defaultValue, [choices], label)

    def multiselect(self, name, defaultValue, choices, label=None):
        """Makes a list from which several may be chosen; its value joins them with commas."""
        self._make("multiselect", name, defaultValue, [choices], label)

    def get(self, name):
        """The value of a widget."""
        return bridge.call("widget", method="get", args=[name])["value"]

    def getAll(self):
        """All values by name."""
        return bridge.call("widget", method="getAll", args=[])["value"]

    def getArgument(self, name, defaultValue=_ABSENT):
        """The value of a widget, or the default where there is no such widget."""
        try:
            return self.get(name)
        except bridge.InputWidgetNotDefined:
            if defaultValue is _ABSENT:
                raise
            return defaultValue

    def remove(self, name):
        """Removes a widget."""
        bridge.call("widget", method="remove", args=[name])

    def removeAll(self):
        """Removes all widgets."""
        bridge.call("widget", method="removeAll", args=[])

    def _make(self, method, name, default, choices, label):
        for what, value in (("name", name), ("defaultValue", default)):
            if not isinstance(value, str):
                raise TypeError(
                    f'widgets.{method}: {what} must be text (str), not {type(value).__name__}; write "{value}".'
                )
        for items in choices:
            for choice in items:
                if not isinstance(choice, str):
                    raise TypeError(f"widgets.{method}: every choice must be text (str), not {type(choice).__name__}.")
        lists = [list(items) for items in choices]
        bridge.call("widget", method=method, args=[name, default, *lists, name if label is None else label])


class _TaskValues:
    """`dbutils.jobs.taskValues`: small values that one task of a job leaves for later ones."""

    def set(self, key, value):
        """Leaves a value that JSON can hold under a key."""
        bridge.call("task_value", method="set", args={"key": key, "value": value})

    def get(self, taskKey, key, default=None, debugValue=None):
        """The value that a task left; outside of a job `debugValue`."""
        args = {"taskKey": taskKey, "key": key}
        if default is not None:
            args["default"] = default
        if debugValue is not None:
            args["debugValue"] = debugValue
        return bridge.call("task_value", method="get", args=args)["value"]


class _Jobs:
    def __init__(self):
        self.taskValues = _TaskValues()


class _Notebook:
    """`dbutils.notebook`"""

    def exit(self, value=""):
        """Ends the notebook as a success with a value."""
        text = str(value)
        bridge.call("exit", value=text)
        raise NotebookExit(text)

    def run(self, *args, **kwargs):
        """Not offered."""
        raise not_offered(
            "dbutils.notebook.run",
            "Make the other notebook a task of a job, and hand values over with dbutils.jobs.taskValues.",
        )


class DBUtils:
    """`dbutils`"""

    def __init__(self, spark=None):
        self.widgets = _Widgets()
        self.jobs = _Jobs()
        self.notebook = _Notebook()

    def __getattr__(self, name):
        hints = {
            "fs": "There are no files here: data lives in tables, which spark.table(name) reads.",
            "secrets": "Nothing here needs a password.",
            "library": "Python's standard library is all there is.",
            "credentials": "Nothing here needs credentials.",
            "data": "Use display(df), or aggregate with df.agg(…).",
        }
        if name.startswith("__"):
            raise AttributeError(name)
        raise not_offered(
            f"dbutils.{name}",
            hints.get(name, "There are dbutils.widgets, dbutils.jobs.taskValues and dbutils.notebook.exit."),
        )
