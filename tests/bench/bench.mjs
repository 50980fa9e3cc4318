// This page beside duckdb-wasm: both cold, in one Chromium, over the same local server, several times in turn.
//
// Bytes are what a host with gzip sends. Times are medians in milliseconds. The rival's page is as plain as it can
// be: it downloads, starts and answers; it shows nothing else.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { SqlScreen } from "../e2e/pages/sql.mjs";

const ROUNDS = 5;
const ROWS = 1_000_000;
const HERE = dirname(fileURLToPath(import.meta.url));
const DUCKDB = dirname(createRequire(import.meta.url).resolve("@duckdb/duckdb-wasm"));

const SITE = process.env.LAKELET_SITE;
const WAIT_MS_MAX = 120_000;

const FIRST_QUERY = "SELECT 42 AS answer";
const GROUP_BY = "SELECT k, count(*) AS n, sum(v) AS total FROM bench GROUP BY k ORDER BY k LIMIT 5";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * A server as good hosts are: it compresses what is not compressed yet and knows the media types. It counts what it
 * sends, whoever in the page asks for it.
 *
 * @param find gives the contents of a path, or throws where there is nothing
 */
async function serve(find) {
  const ready = new Map();
  let bytes = 0;
  const prepare = (path) => {
    if (!ready.has(path)) {
      const contents = find(path);
      const packed = [".gz", ".br", ".zip"].includes(extname(path));
      ready.set(path, { body: packed ? contents : gzipSync(contents, { level: 9 }), packed });
    }
    return ready.get(path);
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = pathname === "/" ? "index.html" : decodeURIComponent(pathname.slice(1));
    try {
      const { body, packed } = prepare(path);
      if (!packed) response.setHeader("content-encoding", "gzip");
      response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
      response.end(body);
      bytes += body.length;
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** Bytes sent since this was last asked. */
    taken: () => {
      const taken = bytes;
      bytes = 0;
      return taken;
    },
    stop: () => server.close(),
  };
}

const serveOurs = () => serve((path) => readFileSync(join(SITE, path)));

async function serveRival() {
  const bundle = await build({
    stdin: { contents: readFileSync(join(HERE, "duckdb.mjs"), "utf8"), resolveDir: HERE },
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
  });
  const made = {
    "index.html": '<!doctype html><title>rival</title><p id="answer">loading</p><script type="module" src="rival.js"></script>',
    "rival.js": bundle.outputFiles[0].contents,
  };
  return serve((path) => made[path] ?? readFileSync(join(DUCKDB, path)));
}

/** Opens a page in a fresh profile. */
async function coldPage(browser) {
  const context = await browser.newContext();
  context.setDefaultTimeout(WAIT_MS_MAX);
  return { context, page: await context.newPage() };
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

async function measureOurs(browser, { url, taken }) {
  const { context, page } = await coldPage(browser);
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
  const fetched = taken();
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

async function measureRival(browser, { url, taken }) {
  const { context, page } = await coldPage(browser);
  const started = performance.now();
  await page.goto(url);
  const painted = await firstPaint(page);
  await page.locator("#answer", { hasText: "42" }).waitFor();
  const answered = performance.now() - started;
  const fetched = taken();
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

const ours = { server: await serveOurs(), rounds: [] };
const rival = { server: await serveRival(), rounds: [] };
const browser = await chromium.launch({
  executablePath: process.env.LAKELET_CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
try {
  // The first round is not counted: the servers compress during it.
  for (let round = 0; round <= ROUNDS; round += 1) {
    ours.rounds.push(await measureOurs(browser, ours.server));
    rival.rounds.push(await measureRival(browser, rival.server));
  }
} finally {
  await browser.close();
  ours.server.stop();
  rival.server.stop();
}
const { version } = JSON.parse(readFileSync(join(DUCKDB, "../package.json"), "utf8"));
console.log(`median of ${ROUNDS} cold starts, in turn`.padEnd(44), "Lakelet".padStart(14), `duckdb-wasm ${version}`.padStart(20));
for (const [name, label] of [
  ["bytes", "bytes to the first query"],
  ["painted", "first paint, ms"],
  ["answered", "first result, ms"],
  ["grouped", `group by 50 keys over ${ROWS} rows, ms`],
]) {
  const [a, b] = [ours, rival].map((side) => median(side.rounds.slice(1).map((round) => round[name])));
  console.log(label.padEnd(44), a.toFixed(0).padStart(14), b.toFixed(0).padStart(20));
}
