// The rival's page: start the engine in its worker, answer one query, then whatever the benchmark asks.
import * as duckdb from "@duckdb/duckdb-wasm";

const beside = (name) => new URL(name, location.href).href;
const worker = new Worker(beside("duckdb-browser-eh.worker.js"));
const database = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), worker);
await database.instantiate(beside("duckdb-eh.wasm"));
const connection = await database.connect();

globalThis.rival = {
  query: async (sql) => {
    const table = await connection.query(sql);
    return table.toArray().map(String);
  },
};
const [answer] = (await connection.query("SELECT 42 AS answer")).toArray();
document.getElementById("answer").textContent = String(answer.answer);
