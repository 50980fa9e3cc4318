// The bytes of a gzip file, inflated, as a stream.
//
// Some hosts answer a request for a `.gz` file with `Content-Encoding: gzip`, and the browser then inflates it before
// anybody sees it; so the first bytes decide, not the name.
export async function inflated(response, onBytes = () => {}) {
  const reader = response.body.getReader();
  const first = await reader.read();
  const compressed = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b;
  let next = first;
  const stream = new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? (await reader.read());
      next = null;
      if (done) {
        controller.close();
      } else {
        onBytes(value.byteLength);
        controller.enqueue(value);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return compressed ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
}
