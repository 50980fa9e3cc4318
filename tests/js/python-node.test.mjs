// The subprocess that the native binary starts for notebooks.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../../static/js/python-node.mjs", import.meta.url));

test("cells run in a subprocess that asks for what it needs", { timeout: 120_000 }, async () => {
  const child = spawn(process.execPath, ["--disallow-code-generation-from-strings", SCRIPT], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => JSON.parse((await lines.next()).value);
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const cell = { execution: 1, notebook: 1, fresh: true, filename: "test, cell 1" };

  assert.deepEqual(await read(), { ready: true });
  send({ run: { ...cell, source: 'print("ação " + dbutils.widgets.get("market"))' } });
  assert.deepEqual(await read(), { call: { call: "widget", method: "get", args: ["market"] } });
  send({ reply: { reply: "value", value: "NL" } });
  assert.deepEqual(await read(), { call: { call: "print", text: "ação NL\n" } });
  send({ reply: { reply: "value", value: null } });
  assert.deepEqual(await read(), { outcome: { outcome: "succeeded" } });

  // JavaScript makes no function of text, whatever a notebook gets hold of.
  send({ run: { ...cell, source: "import _lakelet_bridge as b\nb.call.constructor('return process')()" } });
  const { outcome } = await read();
  assert.equal(outcome.exception, "JsException");
  assert.match(outcome.message, /EvalError/);

  child.stdin.end();
  const code = await new Promise((resolve) => child.on("exit", resolve));
  assert.equal(code, 0);
});
