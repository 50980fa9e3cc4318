// Small things done to byte arrays.

/** One array with the bytes of all, in order. */
export function concatenate(chunks) {
  const total = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  const all = new Uint8Array(total);
  let position = 0;
  for (const chunk of chunks) {
    all.set(chunk, position);
    position += chunk.byteLength;
  }
  return all;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  }
  return remainder;
});

/** The CRC-32 (IEEE 802.3) of the bytes. */
export function crc32(bytes) {
  let remainder = 0xffffffff;
  for (const byte of bytes) remainder = CRC_TABLE[(remainder ^ byte) & 0xff] ^ (remainder >>> 8);
  return (remainder ^ 0xffffffff) >>> 0;
}
