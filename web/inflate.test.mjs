// The loader must start the page whether or not the host has inflated the file already.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { inflated } from "./inflate.mjs";

const plain = new TextEncoder().encode("\0asm".repeat(10_000));

async function bytesOf(stream) {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

test("a_compressed_file_is_inflated", async () => {
  assert.deepEqual(await bytesOf(await inflated(new Response(gzipSync(plain)))), plain);
});

test("a_file_that_the_host_has_inflated_is_left_alone", async () => {
  assert.deepEqual(await bytesOf(await inflated(new Response(plain))), plain);
});

test("progress_counts_the_bytes_that_arrive", async () => {
  const compressed = gzipSync(plain);
  let seen = 0;
  await bytesOf(await inflated(new Response(compressed), (count) => (seen += count)));
  assert.equal(seen, compressed.length);
});

test("an_empty_file_is_an_empty_stream", async () => {
  assert.equal((await bytesOf(await inflated(new Response(new Uint8Array())))).length, 0);
});
