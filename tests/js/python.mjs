// Python under Node for the tests, and an engine that is nothing but answers.

import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

import { PYTHON_FILES } from "../../static/js/python-files.mjs";
import { startPython } from "../../static/js/python-host.mjs";

const LIBRARY = new URL("../../static/python/", import.meta.url);

let host = null;

/** The one Python of a test file. */
async function python() {
  if (host === null) {
    const files = {};
    for (const path of PYTHON_FILES) files[path] = readFileSync(new URL(path, LIBRARY), "utf8");
    host = startPython({ loadPyodide, options: {}, files });
  }
  return host;
}

/** An error reply. */
export function refusal(exception, condition, message, sqlstate = "42000") {
  const error = {
    condition,
    sqlstate,
    message,
    hint: null,
    line: null,
    column: null,
    start: null,
    end: null,
    suggestions: [],
  };
  return { reply: "error", exception, error };
}

/** Runs a file as a program with command-line arguments; its outcome and what it printed. */
export async function program(source, args = [], answers = {}) {
  const host = await python();
  let text = "";
  const call = (json) => {
    const asked = JSON.parse(json);
    if (asked.call === "print") text += asked.text;
    return JSON.stringify(reply(asked, answers));
  };
  notebooks += 1;
  const cell = { execution: 1, notebook: notebooks, source, fresh: true, filename: "load.py", arguments: args };
  return { outcome: host.run(cell, call), text };
}

let notebooks = 0;

/**
 * Runs cells as one notebook. Printed text, tables and the calls that a notebook makes are kept in order.
 *
 * @param sources the cells
 * @param answers what the engine says: `sql(text, collect)`, `widget(method, args)`, `task_value(method, args)`, and
 *   `save_as_table(call)`, each giving a reply, a list of rows after `columns`, or a plain value
 * @returns `{ outcomes, text, calls }`
 */
export async function notebook(sources, answers = {}) {
  const host = await python();
  notebooks += 1;
  const calls = [];
  let text = "";
  const call = (json) => {
    const asked = JSON.parse(json);
    if (asked.call === "print") text += asked.text;
    else calls.push(asked);
    return JSON.stringify(reply(asked, answers));
  };
  const outcomes = []
    .concat(sources)
    .map((source, index) =>
      host.run(
        { execution: index, notebook: notebooks, source, fresh: index === 0, filename: `test, cell ${index + 1}` },
        call,
      ),
    );
  return { outcomes, text, calls };
}

function reply(asked, answers) {
  switch (asked.call) {
    case "sql": {
      const answer = answers.sql?.(asked.text, asked.collect) ?? { columns: [] };
      return answer.reply
        ? answer
        : { reply: "rows", columns: answer.columns, rows: asked.collect ? (answer.rows ?? []) : [] };
    }
    case "widget":
    case "task_value": {
      const answer = answers[asked.call]?.(asked.method, asked.args) ?? null;
      return answer?.reply ? answer : { reply: "value", value: answer };
    }
    case "save_as_table":
      return answers.save_as_table?.(asked) ?? { reply: "value", value: null };
    default:
      return { reply: "value", value: null };
  }
}
