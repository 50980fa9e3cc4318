// This page beside duckdb-wasm: both cold, in one Chromium, over the same local server, several times in turn.
//
// Bytes are what a host with gzip sends. Times are medians in milliseconds. The rival's page is as plain as it can
// be: it downloads, starts and answers; it shows nothing else.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { SqlScreen } from "../e2e/pages/sql.mjs";

const ROUNDS = 5;
const ROWS = 1_000_000;
const HERE = dirname(fileURLToPath(import.meta.url));
const DUCKDB = dirname(createRequire(import.meta.url).resolve("@duckdb/duckdb-wasm"));

const FIRST_QUERY = "SELECT 42 AS answer";
const GROUP_BY = "SELECT k, count(*) AS n, sum(v) AS total FROM bench GROUP BY k ORDER BY k LIMIT 5";

/** A server that compresses, as good hosts do, and knows the media types that streaming compilation wants. */
async function serveRival() {
  const bundle = await build({
    stdin: { contents: readFileSync(join(HERE, "duckdb.mjs"), "utf8"), resolveDir: HERE },
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
  });
  const script = gzipSync(bundle.outputFiles[0].contents);
  const types = { ".js": "text/javascript", ".wasm": "application/wasm" };
  const compressed = new Map();
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url, "http://x").pathname);
    if (name === "" || name === "index.html") {
      response.setHeader("content-type", "text/html");
      response.end('<!doctype html><title>rival</title><p id="answer">loading</p><script type="module" src="rival.js"></script>');
      return;
    }
    response.setHeader("content-encoding", "gzip");
    response.setHeader("content-type", types[extname(name)] ?? "application/octet-stream");
    if (name === "rival.js") {
      response.end(script);
      return;
    }
    const file = join(DUCKDB, name);
    try {
      if (!compressed.has(name)) compressed.set(name, gzipSync(readFileSync(file), { level: 9 }));
      response.end(compressed.get(name));
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Compressed before anybody waits for it, so that the first round is no slower than the others.
  for (const name of ["duckdb-eh.wasm", "duckdb-browser-eh.worker.js"]) {
    compressed.set(name, gzipSync(readFileSync(join(DUCKDB, name)), { level: 9 }));
  }
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() };
}

/** Opens an address in a fresh profile and counts what arrives. */
async function coldPage(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  session.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  return { context, page, bytes: () => bytes };
}

async function firstPaint(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const seen = performance.getEntriesByName("first-contentful-paint")[0];
        if (seen) return resolve(seen.startTime);
        new PerformanceObserver((list) => {
          const entry = list.getEntriesByName("first-contentful-paint")[0];
          if (entry) resolve(entry.startTime);
        }).observe({ type: "paint", buffered: true });
      }),
  );
}

async function measureOurs(browser, url) {
  const { context, page, bytes } = await coldPage(browser);
  const started = performance.now();
  await page.goto(`${url}#/w/sql/bench`);
  const painted = await firstPaint(page);
  const sql = new SqlScreen(page);
  await sql.write(FIRST_QUERY);
  await sql.engineReady();
  await sql.runAllButton.click();
  await sql.settled();
  await sql.result().waitFor();
  const answered = performance.now() - started;
  const fetched = bytes();
  await sql.run(
    `CREATE TABLE bench AS SELECT CAST(id % 50 AS INT) AS k, CAST(id AS DOUBLE) * 1.5 AS v FROM range(${ROWS})`,
  );
  await sql.write(GROUP_BY);
  const grouped = await timed(async () => {
    await sql.runAllButton.click();
    await page.getByRole("grid", { name: "Result of statement 1" }).getByRole("gridcell", { name: "20000" }).first().waitFor();
  });
  await context.close();
  return { bytes: fetched, painted, answered, grouped };
}

async function measureRival(browser, url) {
  const { context, page, bytes } = await coldPage(browser);
  const started = performance.now();
  await page.goto(url);
  const painted = await firstPaint(page);
  await page.locator("#answer", { hasText: "42" }).waitFor({ timeout: 120_000 });
  const answered = performance.now() - started;
  const fetched = bytes();
  await page.evaluate(
    (rows) => globalThis.rival.query(`CREATE TABLE bench AS SELECT (range % 50)::INT AS k, range::DOUBLE * 1.5 AS v FROM range(${rows})`),
    ROWS,
  );
  const grouped = await timed(() => page.evaluate((sql) => globalThis.rival.query(sql), GROUP_BY));
  await context.close();
  return { bytes: fetched, painted, answered, grouped };
}

async function timed(body) {
  const started = performance.now();
  await body();
  return performance.now() - started;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const rival = await serveRival();
const browser = await chromium.launch({
  executablePath: process.env.LAKELET_CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
const ours = [];
const theirs = [];
try {
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await measureOurs(browser, process.env.LAKELET_URL));
    theirs.push(await measureRival(browser, rival.url));
  }
} finally {
  await browser.close();
  rival.stop();
}
const version = JSON.parse(readFileSync(join(DUCKDB, "../package.json"), "utf8")).version;
console.log(`median of ${ROUNDS} cold starts, in turn`.padEnd(44), "Lakelet".padStart(14), `duckdb-wasm ${version}`.padStart(20));
for (const [name, label, digits] of [
  ["bytes", "bytes to the first query", 0],
  ["painted", "first paint, ms", 0],
  ["answered", "first result, ms", 0],
  ["grouped", `group by 50 keys over ${ROWS} rows, ms`, 0],
]) {
  const [a, b] = [ours, theirs].map((side) => median(side.map((round) => round[name])));
  console.log(label.padEnd(44), a.toFixed(digits).padStart(14), b.toFixed(digits).padStart(20));
}
