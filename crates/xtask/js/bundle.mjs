// Bundles entry points into one script each. Request: {"entries": [path], "folder", "sourceMaps"}. An entry
// `NAME.entry.mjs` becomes `folder/NAME.js`; its first line says `// format: esm` or `// format: iife`.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import esbuild from "esbuild";

const { entries, folder, sourceMaps } = JSON.parse(process.argv[2]);
const written = [];
for (const entry of entries) {
  const firstLine = readFileSync(entry, "utf8").split("\n", 1)[0];
  const format = /^\/\/ format: (esm|iife)$/.exec(firstLine)?.[1];
  if (!format) throw new Error(`${entry}: the first line must be "// format: esm" or "// format: iife"`);
  const name = basename(entry, ".entry.mjs");
  await esbuild.build({
    entryPoints: [entry],
    outfile: `${folder}/${name}.js`,
    bundle: true,
    format,
    target: "es2022",
    charset: "utf8",
    minify: true,
    legalComments: "none",
    sourcemap: sourceMaps ? "linked" : false,
    // The modules' glue stands beside the bundle and is loaded at run time.
    external: ["./web.js", "./engine.js", "./pyodide/*"],
    logLevel: "error",
  });
  written.push(`${name}.js`);
}
console.log(JSON.stringify(written));
