// What survives: a reload, a second tab, a browser without files, a browser without any storage.
import assert from "node:assert/strict";
import { eventually, journey, pictures } from "./browser.mjs";
import { Engine } from "./pages/engine.mjs";

const MAKE = "CREATE TABLE kept (id INT); INSERT INTO kept VALUES (1), (2)";
const COUNT = "SELECT count(*) FROM kept";

/** The page hears of its storage, and of other tabs, when they have something to say. */
async function isStored(found, expected) {
  await eventually(async () => {
    const { place, state } = await found.storage();
    assert.deepEqual({ place: expected.place ?? place, state }, { place, ...expected });
  });
}

async function engine(page, url) {
  await page.goto(`${url}?test=1#/`);
  const found = new Engine(page);
  await found.ready();
  return found;
}

journey("storage_keeps_a_workspace_over_reloads", async ({ page, url }) => {
  let found = await engine(page, url);
  await found.sql(MAKE);
  await isStored(found, { place: "files", state: "saved" });
  for (let round = 1; round <= 3; round += 1) {
    found = await engine(page, url);
    assert.deepEqual(await found.sql(COUNT), [[String(round + 1)]]);
    await found.sql("INSERT INTO kept VALUES (0)");
  }
});

for (const agrees of [true, false]) {
  // Documents without an origin have no storage at all.
  const script = `globalThis.asked = 0;
    Object.assign(navigator.storage ?? {}, {
      persisted: async () => false,
      persist: async () => { globalThis.asked += 1; return ${agrees}; },
    });`;
  journey(`storage_asks_the_browser_to_keep_it_${agrees ? "and_is_promised" : "in_vain"}`, { script }, async ({ page, url }) => {
    const found = await engine(page, url);
    await page.goto(`${url}?test=1#/settings`);
    const storage = page.getByRole("group", { name: "Storage" });
    await storage.getByText("is asked to keep it once there is a change").waitFor();
    assert.equal(await page.evaluate(() => globalThis.asked), 0, "nothing is there to be kept");
    await found.sql(MAKE);
    await storage.getByText(agrees ? "has agreed to keep it" : "has not agreed to keep it").waitFor();
    assert.equal(await page.evaluate(() => globalThis.asked), 1);
    if (agrees) return;
    await pictures(page, "storage not kept");
    await storage.getByRole("button", { name: "Ask browser to keep" }).click();
    await page.waitForFunction(() => globalThis.asked === 2);
  });
}

journey("storage_forgets_what_was_reset", async ({ page, url }) => {
  let found = await engine(page, url);
  await found.sql(MAKE);
  await found.request({ kind: "reset" });
  await found.sql("CREATE TABLE anew (id INT)");
  found = await engine(page, url);
  assert.equal((await found.sql(COUNT)).condition, "TABLE_OR_VIEW_NOT_FOUND");
  assert.deepEqual(await found.sql("SELECT count(*) FROM anew"), [["0"]]);
});

journey("storage_lets_one_tab_write_until_another_takes_over", async ({ page, context, url }) => {
  const first = await engine(page, url);
  await first.sql(MAKE);
  const second = await engine(await context.newPage(), url);
  await isStored(second, { state: "read_only" });
  assert.deepEqual(await second.sql(COUNT), [["2"]]);
  const other = context.pages()[1];
  await first.sql("INSERT INTO kept VALUES (3)");
  await other.evaluate(() => globalThis.lakelet.engine.takeOver());
  await isStored(second, { state: "saved" });
  assert.deepEqual(await second.sql(COUNT), [["3"]]);
  await second.sql("INSERT INTO kept VALUES (4)");
  await isStored(first, { state: "read_only" });
  await page.close();
  const third = await engine(other, url);
  assert.deepEqual(await third.sql(COUNT), [["4"]]);
});

/** Runs in each document: a browser without files for workers. */
function withoutFiles() {
  Object.defineProperty(navigator, "storage", { get: () => undefined });
  // The worker's own world, too: the script that it starts from is ours to begin.
  globalThis.Blob = class extends globalThis.Blob {
    constructor(parts, options) {
      const first = options?.type === "text/javascript" ? ["delete globalThis.FileSystemFileHandle;\n"] : [];
      super([...first, ...parts], options);
    }
  };
}

journey("storage_falls_back_to_a_database", { script: withoutFiles }, async ({ page, url }) => {
  let found = await engine(page, url);
  await found.sql(MAKE);
  await isStored(found, { place: "database", state: "saved" });
  await found.kill();
  assert.deepEqual(await found.sql(COUNT), [["2"]]);
  found = await engine(page, url);
  assert.deepEqual(await found.sql(COUNT), [["2"]]);
});

/** Runs in each document: a browser whose every storage throws. */
function withoutStorage() {
  for (const name of ["indexedDB", "localStorage"]) {
    Object.defineProperty(globalThis, name, {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  }
  for (const name of ["storage", "locks"]) {
    Object.defineProperty(navigator, name, {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  }
  globalThis.Blob = class extends globalThis.Blob {
    constructor(parts, options) {
      const first = options?.type === "text/javascript" ? ["delete globalThis.FileSystemFileHandle;\n"] : [];
      super([...first, ...parts], options);
    }
  };
}

journey(
  "storage_that_throws_leaves_a_page_that_works_and_says_so",
  { script: withoutStorage },
  async ({ page, url }) => {
    const found = await engine(page, url);
    await found.sql(MAKE);
    await isStored(found, { place: "memory", state: "not_saved" });
    await found.trap();
    await found.sql("SELECT 1");
    assert.deepEqual(await found.sql(COUNT), [["2"]]);
    const draft = await page.evaluate(() => {
      globalThis.lakelet.storage.saveDraft("tab", "SELECT 1");
      return globalThis.lakelet.storage.loadDraft("tab");
    });
    assert.equal(draft, "SELECT 1");
  },
);

journey("storage_is_not_needed_in_a_sandboxed_frame", async ({ page, embedUrl }) => {
  await page.setContent(`<iframe sandbox="allow-scripts" src="${embedUrl}?test=1#/"></iframe>`);
  const found = new Engine(page.frames()[1]);
  await found.ready();
  await found.sql(MAKE);
  await found.kill();
  assert.deepEqual(await found.sql(COUNT), [["2"]]);
  await isStored(found, { state: "not_saved" });
});
