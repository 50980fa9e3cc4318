// The log in the origin's private file system, as segments `log.<generation>`.
//
// Each worker writes a segment of its own and never opens another's for writing: the handle of a worker that was ended
// in the middle of its work stays locked for seconds. A segment begins with a header that names the earlier segments
// it continues and how many bytes of each it has adopted; whatever an ended worker may still have written past those
// bytes is ignored. The newest segment with an intact header says what the log is.
//
// Header: "lakelet1", length of the JSON text (u32, little endian), its CRC-32 (u32), the JSON text
// `{"adopted":[[generation, bytes], …]}`. The records follow.

import { concatenate, crc32 } from "./bytes.mjs";

const MAGIC = new TextEncoder().encode("lakelet1");
const FIXED_BYTES = MAGIC.length + 8;
const HEADER_BYTES_MAX = 64 * 1024;

/** From this many segments on, a new one takes over the bytes of all, so that their number stays small. */
const SEGMENTS_MAX = 8;

/**
 * Reads the log of a workspace.
 *
 * @param folder the workspace's private folder
 * @returns `{ log, parts, newest, names }`: the bytes, and what they were read from
 */
export async function readSegments(folder) {
  const files = new Map();
  for await (const [name, handle] of folder.entries()) {
    const match = /^log\.(\d{1,15})$/.exec(name);
    if (match !== null && handle.kind === "file") files.set(Number(match[1]), handle);
  }
  const generations = [...files.keys()].sort((a, b) => b - a);
  const highest = generations[0] ?? 0;
  for (const generation of generations) {
    const own = await files.get(generation).getFile();
    const header = await readHeader(own);
    if (header === null) continue;
    const parts = [];
    for (const [earlier, length] of header.adopted) {
      const body = await readBody(files.get(earlier), length);
      parts.push({ generation: earlier, bytes: body });
      // A segment that was cut short by something else than us ends the log there: what follows has lost its context.
      if (body.byteLength < length) return { log: concatenate(parts.map((part) => part.bytes)), parts, highest, files };
    }
    parts.push({ generation, bytes: new Uint8Array(await own.slice(header.size).arrayBuffer()) });
    return { log: concatenate(parts.map((part) => part.bytes)), parts, highest, files };
  }
  return { log: new Uint8Array(0), parts: [], highest, files };
}

/**
 * Starts a segment that continues what was read.
 *
 * @param folder the workspace's private folder
 * @param read what `readSegments` gave
 * @param log the log as the engine has recovered it
 * @param fromDisk how many of its first bytes are those that were read; what follows had not reached the disk
 * @returns `{ append(bytes), empty(), close() }`; they throw when the browser refuses the write
 */
export async function startSegment(folder, read, log, fromDisk) {
  const generation = read.highest + 1;
  const file = await folder.getFileHandle(`log.${generation}`, { create: true });
  const handle = await file.createSyncAccessHandle();
  try {
    const adopted = [];
    let stored = 0;
    if (read.parts.length < SEGMENTS_MAX) {
      for (const part of read.parts) {
        const length = Math.min(part.bytes.byteLength, fromDisk - stored);
        if (length > 0) adopted.push([part.generation, length]);
        stored += length;
      }
    }
    const header = writeHeader(adopted);
    // The header goes last: until it stands, the segments before this one are the log.
    const rest = log.subarray(stored);
    let end = header.byteLength;
    if (rest.byteLength > 0) {
      end += handle.write(rest, { at: end });
      handle.flush();
    }
    handle.write(header, { at: 0 });
    handle.flush();
    const needed = new Set(adopted.map(([earlier]) => earlier));
    await removeOthers(folder, read.files, needed);
    return {
      append(bytes) {
        const written = handle.write(bytes, { at: end });
        if (written !== bytes.byteLength) throw new Error("The disk took only a part of a record.");
        handle.flush();
        end += written;
      },
      empty() {
        // Between these two writes the segment has no header, and the segments before it are the log.
        const alone = writeHeader([]);
        handle.truncate(0);
        end = handle.write(alone, { at: 0 });
        handle.flush();
      },
      close: () => handle.close(),
    };
  } catch (error) {
    handle.close();
    throw error;
  }
}

async function removeOthers(folder, files, needed) {
  for (const generation of files.keys()) {
    if (needed.has(generation)) continue;
    try {
      await folder.removeEntry(`log.${generation}`);
    } catch {
      // Still locked by a worker that was just ended; a later start removes it.
    }
  }
}

async function readBody(handle, length) {
  if (handle === undefined) return new Uint8Array(0);
  const file = await handle.getFile();
  const header = await readHeader(file);
  if (header === null) return new Uint8Array(0);
  return new Uint8Array(await file.slice(header.size, header.size + length).arrayBuffer());
}

async function readHeader(file) {
  const bytes = new Uint8Array(await file.slice(0, HEADER_BYTES_MAX).arrayBuffer());
  if (bytes.byteLength < FIXED_BYTES || !MAGIC.every((byte, index) => bytes[index] === byte)) return null;
  const view = new DataView(bytes.buffer);
  const size = FIXED_BYTES + view.getUint32(MAGIC.length, true);
  if (size > bytes.byteLength) return null;
  const json = bytes.subarray(FIXED_BYTES, size);
  if (crc32(json) !== view.getUint32(MAGIC.length + 4, true)) return null;
  return { size, adopted: JSON.parse(new TextDecoder().decode(json)).adopted };
}

function writeHeader(adopted) {
  const json = new TextEncoder().encode(JSON.stringify({ adopted }));
  const header = new Uint8Array(FIXED_BYTES + json.byteLength);
  const view = new DataView(header.buffer);
  header.set(MAGIC, 0);
  view.setUint32(MAGIC.length, json.byteLength, true);
  view.setUint32(MAGIC.length + 4, crc32(json), true);
  header.set(json, FIXED_BYTES);
  return header;
}
