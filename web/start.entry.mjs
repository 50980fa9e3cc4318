// format: esm
// Starts the page's module. It stands in a file because the page's policy forbids inline scripts.
import { inflated } from "./inflate.mjs";

// The build's identity, which the page gives to this script, goes on to everything that must fit it.
const build = new URL(import.meta.url).search;
const beside = (name) => new URL(`./${name}${build}`, import.meta.url);

async function start() {
  const wasm = fetch(beside("web.wasm.gz"));
  const glue = await import(beside("web.js").href);
  const response = await wasm;
  if (!response.ok) throw new Error(`${response.url}: HTTP ${response.status}`);
  await glue.default({
    module_or_path: new Response(await inflated(response), { headers: { "content-type": "application/wasm" } }),
  });
}

start().catch((error) => {
  console.error(error);
  const place = document.getElementById("start-failed");
  if (place) {
    place.textContent = `Lakelet could not start: ${error.message ?? error}`;
    place.hidden = false;
  }
});
