// The Python that notebooks find: what `static/python` holds, in the page and under Node alike.

/** Paths below `static/python`. */
export const PYTHON_FILES = [
  "delta/__init__.py",
  "delta/tables.py",
  "lakelet/__init__.py",
  "lakelet/bridge.py",
  "lakelet/cells.py",
  "lakelet/output.py",
  "lakelet/utilities.py",
  "pyspark/__init__.py",
  "pyspark/errors.py",
  "pyspark/sql/__init__.py",
  "pyspark/sql/_literals.py",
  "pyspark/sql/_not_offered.py",
  "pyspark/sql/_query.py",
  "pyspark/sql/_values.py",
  "pyspark/sql/catalog.py",
  "pyspark/sql/column.py",
  "pyspark/sql/dataframe.py",
  "pyspark/sql/functions.py",
  "pyspark/sql/group.py",
  "pyspark/sql/readwriter.py",
  "pyspark/sql/session.py",
  "pyspark/sql/types.py",
  "pyspark/sql/window.py",
];
