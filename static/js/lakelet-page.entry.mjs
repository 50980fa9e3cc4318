// format: esm
// The page's JavaScript beside the user interface: the engine's host, the browser's storage, text editors. It defines
// `globalThis.lakelet`, which the interface binds to.

import { createEditor } from "./editor.mjs";
import { loadEngine } from "./engine-assets.mjs";
import { EngineHost } from "./engine-host.mjs";
import * as storage from "./storage.mjs";
import { WorkspaceLog } from "./workspace-log.mjs";

const BASE = new URL(".", import.meta.url);
const WORKSPACE = "default";
const test = new URLSearchParams(globalThis.location.search).get("test") === "1";

const drafts = storage.openDrafts();
const log = new WorkspaceLog({ storage, workspace: WORKSPACE });
const host = new EngineHost({
  log,
  loadEngine: (progress) => loadEngine(BASE, progress),
  startWorker: openWorkerStarter(),
  base: BASE,
  test,
});

globalThis.lakelet = {
  engine: {
    request: (json) => host.request(json),
    onEvent: (listener) => host.onEvent(listener),
    onStatus: (listener) => host.onStatus(listener),
    start: (optionsJson) => host.start(optionsJson === undefined ? undefined : JSON.parse(optionsJson)),
    retry: () => host.retry(),
    restart: () => host.restart(),
    cancel: () => host.cancel(),
    takeOver: () => host.takeOver(),
  },
  storage: {
    state: () => JSON.stringify(log.state),
    onState: (listener) => log.onState((state) => listener(JSON.stringify(state))),
    persist: () => log.persist(),
    saveDraft: (key, text) => drafts.save(key, text, { readOnly: log.state.state === "read_only" }),
    loadDraft: (key) => drafts.load(key),
    removeDraft: (key) => drafts.remove(key),
  },
  editor: { create: createEditor },
};

if (test) {
  globalThis.lakeletTest = {
    trapEngine: () => host.sabotage("trap"),
    killWorker: () => host.kill(),
    spin: () => host.sabotage("spin"),
  };
}

/**
 * Workers come from a blob, so that they inherit the page's policy on hosts that send none. A page without an origin
 * of its own cannot start module workers from blobs; there a classic one does.
 */
function openWorkerStarter() {
  let address = null;
  return (source) => {
    address ??= URL.createObjectURL(source);
    return new Worker(address, { type: globalThis.origin === "null" ? "classic" : "module" });
  };
}
