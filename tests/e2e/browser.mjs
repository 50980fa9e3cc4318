// What every browser test stands on: the served page, one Chromium for a file, a fresh profile for each test.
//
// `cargo xtask test` and `cargo xtask e2e` serve the page and say where in the environment. A test file that is run
// by itself (`node --test tests/e2e/home.test.mjs`) starts the same server on its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { WAIT_MS_MAX } from "./waiting.mjs";

export { drawn, eventually } from "./waiting.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ARTIFACTS = process.env.LAKELET_ARTIFACTS ?? join(ROOT, "target/e2e");
/** Longer than any test takes on a small machine that does other things besides: it only ends one that hangs. */
const TEST_MS_MAX = 480_000;
/**
 * The ceiling for what happens at once, on however busy a machine. It tells that from what waits for the end of
 * something else; how long things take is measured by `cargo xtask bench`, and never decides a test.
 */
export const AT_ONCE_MS_MAX = 10_000;

const CHROMIUM_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 360, height: 740 };

let browserStarted;
let siteStarted;

/** The addresses of the page: `url` without any header, `embedUrl` for frames of other origins. */
export function site() {
  siteStarted ??= process.env.LAKELET_URL
    ? Promise.resolve({ url: process.env.LAKELET_URL, embedUrl: process.env.LAKELET_EMBED_URL, stop() {} })
    : startServer();
  return siteStarted;
}

async function startServer() {
  const server = spawn("cargo", ["xtask", "serve", "--no-build", "--port", "0", "--until-input-ends"], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const addresses = [];
  for await (const line of createInterface({ input: server.stdout })) {
    const address = / (http:\/\/\S+)$/.exec(line)?.[1];
    if (address) addresses.push(address);
    if (addresses.length === 2) break;
  }
  if (addresses.length < 2) throw new Error("the server did not say where it is; is the page built?");
  server.unref();
  return { url: addresses[0], embedUrl: addresses[1], stop: () => server.stdin.end() };
}

function browser() {
  browserStarted ??= chromium.launch({
    executablePath: process.env.LAKELET_CHROMIUM ?? findChromium(),
    args: CHROMIUM_ARGUMENTS,
    headless: true,
  });
  return browserStarted;
}

function findChromium() {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!found) throw new Error("no Chromium; name one in LAKELET_CHROMIUM");
  return found;
}

after(async () => {
  if (browserStarted) await (await browserStarted).close();
  if (siteStarted) (await siteStarted).stop();
});

/**
 * One test with a fresh profile.
 *
 * `options`: `viewport`, `colorScheme` ("light" or "dark"), `locale`, `touch`, `reducedMotion`, `permissions`,
 * `script` (runs in each document before its own scripts), `expectProblems` (patterns of console errors that belong
 * to the test). Any other error in the console, uncaught exception or request to another origin fails the test.
 *
 * `body` gets `page`, `context`, `url` (of the page), `embedUrl`, `open(route)`, `picture(name)`,
 * `problems` and `foreign` (both filled while the test runs).
 */
export function journey(name, options, body) {
  if (typeof options === "function") [options, body] = [{}, options];
  test(name, { timeout: options.timeout ?? TEST_MS_MAX }, async () => {
    const { url, embedUrl } = await site();
    const context = await newProfile(options);
    const watch = watchProblems(context, url, embedUrl);
    const page = await context.newPage();
    const tools = {
      page,
      context,
      url,
      embedUrl,
      open: (route = "#/", search = "") => page.goto(`${url}${search}${route}`),
      picture: (label) => picture(page, `${name} ${label}`),
      problems: watch.problems,
      foreign: watch.foreign,
    };
    try {
      await body(tools);
    } catch (error) {
      await picture(page, `${name} failed`).catch(() => {});
      if (watch.problems.length > 0) error.message += `\nthe page complained:\n  ${watch.problems.join("\n  ")}`;
      throw error;
    } finally {
      await context.close();
    }
    const unexpected = watch.problems.filter((text) => !(options.expectProblems ?? []).some((known) => known.test(text)));
    assert.deepEqual(unexpected, [], "the page complained");
    assert.deepEqual(watch.foreign, [], "the page asked another origin");
  });
}

/** A browser profile without history. */
export async function newProfile(options = {}) {
  const context = await (await browser()).newContext({
    viewport: options.viewport ?? WIDE,
    colorScheme: options.colorScheme ?? "light",
    locale: options.locale ?? "en-US",
    timezoneId: "UTC",
    hasTouch: options.touch ?? false,
    isMobile: options.touch ?? false,
    reducedMotion: options.reducedMotion ?? "no-preference",
    permissions: options.permissions ?? [],
  });
  context.setDefaultTimeout(WAIT_MS_MAX);
  if (options.script) await context.addInitScript(options.script);
  return context;
}

function watchProblems(context, url, embedUrl) {
  const origins = [url, embedUrl].filter(Boolean).map((address) => new URL(address).origin);
  const watch = { problems: [], foreign: [] };
  context.on("weberror", (error) => watch.problems.push(`uncaught: ${error.error().message}`));
  context.on("console", (message) => {
    if (message.type() === "error") watch.problems.push(`console: ${message.text()}`);
  });
  context.on("request", (request) => {
    const address = new URL(request.url());
    const local = ["blob:", "data:", "about:"].includes(address.protocol) || origins.includes(address.origin);
    if (!local) watch.foreign.push(request.url());
  });
  return watch;
}

/** Saves what the page shows; the file is named after the test. */
export async function picture(page, name) {
  mkdirSync(ARTIFACTS, { recursive: true });
  const file = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "")}.png`;
  await page.screenshot({ path: join(ARTIFACTS, file), fullPage: false });
}

/**
 * Saves what the page shows as a picture of the documentation: beside the other pictures, and into `docs/images` where
 * `LAKELET_UPDATE_IMAGES=1` asks for it. The window is 1280 px wide and light.
 */
export async function documentPicture(page, name) {
  await page.mouse.move(0, 0);
  await picture(page, name);
  if (process.env.LAKELET_UPDATE_IMAGES !== "1") return;
  const images = join(ROOT, "docs/images");
  mkdirSync(images, { recursive: true });
  copyFileSync(join(ARTIFACTS, `${name}.png`), join(images, `${name}.png`));
}

/** Saves what the page shows wide and narrow, light and dark, and leaves it as it was. */
export async function pictures(page, name) {
  const viewport = page.viewportSize();
  for (const [label, size] of Object.entries({ 1280: WIDE, 360: NARROW })) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await picture(page, `${name} ${label} ${colorScheme}`);
    }
  }
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: null });
}

let axe;

/** Fails where axe finds something serious or critical; `scope` is a selector that limits the search. */
export async function assertAccessible(page, scope) {
  axe ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // Evaluated by the debugger, which the page's policy does not bind; a script element would be refused.
  await page.evaluate(axe);
  const violations = await page.evaluate(async (within) => {
    const result = await globalThis.axe.run(within ?? document, { resultTypes: ["violations"] });
    return result.violations
      .filter((violation) => ["serious", "critical"].includes(violation.impact))
      .map((violation) => `${violation.id}: ${violation.help} (${violation.nodes.map((node) => node.target).join(", ")})`);
  }, scope);
  assert.deepEqual(violations, [], "axe found barriers");
}

/** Fails where the page itself scrolls sideways; regions inside it may. */
export async function assertNoSidewaysScroll(page) {
  const { content, window } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  assert.ok(content <= window, `the page is ${content} px wide in a window of ${window} px`);
}
