// Compresses and measures files. Request: {"files": [{"from", "gzip"?, "brotli"?}]}, where `gzip` and `brotli` are
// the paths to write, or `true` to measure only. Answer: [{"raw", "sha256", "gzip"?, "brotli"?}] with sizes in bytes.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

const gzip = (bytes) => gzipSync(bytes, { level: 9 });

const { files } = JSON.parse(process.argv[2]);
const answer = files.map((file) => {
  const bytes = readFileSync(file.from);
  const result = { raw: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  for (const [name, compress] of [["gzip", gzip], ["brotli", brotli]]) {
    const to = file[name];
    if (!to) continue;
    const compressed = compress(bytes);
    if (to !== true) writeFileSync(to, compressed);
    result[name] = compressed.length;
  }
  return result;
});
console.log(JSON.stringify(answer));
