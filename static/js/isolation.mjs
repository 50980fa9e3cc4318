// Takes away from a worker whatever could carry data out of it or into it, before a notebook's first cell runs.
//
// This is a list of what stays, not of what goes: a new door in a new browser is shut without anybody knowing of it.

/** The language itself. */
const LANGUAGE = [
  "AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date",
  "DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array",
  "Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp",
  "Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TypeError URIError Uint16Array Uint32Array",
  "Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly decodeURI decodeURIComponent encodeURI",
  "encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape",
];

/** What the engine, its glue and Pyodide use while they run, and what only describes the worker. */
const PLATFORM = [
  "AbortController AbortSignal DOMException Event EventTarget MessageChannel MessagePort TextDecoder TextEncoder URL",
  "URLSearchParams atob btoa clearInterval clearTimeout console crypto performance queueMicrotask setInterval setTimeout",
  "structuredClone constructor crossOriginIsolated isSecureContext location name origin self",
  // Two numbers that Chromium makes permanent.
  "TEMPORARY PERSISTENT",
  // The engine's panic hook and the glue of its module.
  "lakeletPanicked wasm_bindgen",
];

const KEPT = new Set([...LANGUAGE, ...PLATFORM].join(" ").split(" "));

/**
 * Removes every name that is not on the list from a worker's global object and from the prototypes that make it a
 * worker.
 *
 * @throws when a name cannot be removed; then nothing foreign may run here
 */
export function isolate(scope) {
  const left = [];
  for (let object = scope; object !== null && !isShared(scope, object); object = Object.getPrototypeOf(object)) {
    for (const key of Reflect.ownKeys(object)) {
      if (typeof key === "string" && !KEPT.has(key) && !Reflect.deleteProperty(object, key)) left.push(key);
    }
  }
  if (left.length > 0)
    throw new Error(`Python cannot be shut in here: the browser does not let go of ${left.join(", ")}.`);
}

/** Prototypes that every object has: they belong to no worker. */
function isShared(scope, object) {
  return object === Object.prototype || object === scope.EventTarget?.prototype;
}
