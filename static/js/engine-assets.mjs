// Fetches what an engine is started from: the compiled module, and the source of its worker.

import { inflated } from "../../web/inflate.mjs";

const ENGINE = "engine.wasm.gz";

/** How often a download is tried, and how long to wait before the second and third time, in milliseconds. */
const RETRY_DELAYS_MS = [400, 1600];

/**
 * Downloads and compiles the engine, telling `progress` how far it is.
 *
 * The module travels as `engine.wasm.gz` and is inflated here, so that a host that neither compresses nor knows the
 * media type of wasm serves too.
 *
 * @param base address of the folder that holds `manifest.json`
 * @param progress called with `{ phase: "downloading", done, total }` and `{ phase: "compiling" }`
 * @returns `{ module, workerSource, build }`: the compiled module, a `Blob` to start workers from, and the identity of
 *   the build, which the worker puts into the addresses of what it loads
 */
export async function loadEngine(base, progress) {
  const manifest = JSON.parse(await fetchText(new URL("manifest.json", base), { cache: "no-cache" }));
  const beside = (name) => {
    const address = new URL(name, base);
    // A new build is a new address: no cache can mix the parts of two builds.
    address.search = `?v=${manifest.build}`;
    return address;
  };
  const [module, glue, worker] = await Promise.all([
    compile(beside(ENGINE), manifest.files[ENGINE]?.bytes ?? 0, progress),
    fetchText(beside("engine.js")),
    fetchText(beside("lakelet-worker.js")),
  ]);
  return { module, workerSource: new Blob([glue, "\n", worker], { type: "text/javascript" }), build: manifest.build };
}

async function compile(address, total, progress) {
  const response = await fetchRetrying(address, {});
  let done = 0;
  progress({ phase: "downloading", done, total });
  const stream = await inflated(response, (bytes) => {
    done += bytes;
    progress(done < total ? { phase: "downloading", done, total } : { phase: "compiling" });
  });
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "content-type": "application/wasm" } }));
}

async function fetchText(address, options = {}) {
  return (await fetchRetrying(address, options)).text();
}

/**
 * Fetches an address, trying again after a failure that may pass.
 *
 * @throws with a sentence that names the file and the reason
 */
export async function fetchRetrying(address, options) {
  const name = address.pathname.split("/").at(-1);
  for (let attempt = 0; ; attempt += 1) {
    let reason;
    let passing = true;
    try {
      const response = await fetch(address, options);
      if (response.ok) return response;
      reason = `the server answered ${response.status}`;
      passing = response.status >= 500 || response.status === 429;
    } catch (error) {
      reason = unreachable(error);
    }
    if (!passing || attempt >= RETRY_DELAYS_MS.length) throw new Error(`${name} could not be loaded: ${reason}.`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAYS_MS[attempt]));
  }
}

function unreachable(error) {
  if (globalThis.origin === "null") {
    return (
      "this page is embedded without an origin of its own, and its host does not let such pages read the file " +
      "(it does not send Access-Control-Allow-Origin)"
    );
  }
  return error?.message ?? String(error);
}
