// The only module that names the browser's storage. Each of these names may be missing, and each throws in a page
// without an origin of its own (a sandboxed frame), in some private windows, or when the reader has switched site data
// off. Here every such failure becomes `null` or a rejected promise with a reason; nobody else has to guard.

const DATABASE = "lakelet";
const STORE = "log";
const DRAFT_PREFIX = "lakelet.draft.";
const LOCK_PREFIX = "lakelet.workspace.";
const FOLDER = "lakelet";

/** The private folder that holds a workspace's segments, or `null` where there is none. */
export async function privateFolder(workspace) {
  try {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(FOLDER, { create: true });
    return await folder.getDirectoryHandle(workspace, { create: true });
  } catch {
    return null;
  }
}

/** Whether the browser has agreed before not to clear this site's data. Asks nobody. */
export async function persisted() {
  try {
    return await navigator.storage.persisted();
  } catch {
    return false;
  }
}

/** Asks the browser not to clear this site's data when space runs short. Whether it agreed. */
export async function persist() {
  try {
    return await navigator.storage.persist();
  } catch {
    return false;
  }
}

/**
 * Takes the exclusive right to write to a workspace, so that two tabs never continue one log in two ways.
 *
 * Resolves to `{ held, lost }`: `held` is false when another tab has the right; `lost` is a promise that resolves when
 * another tab has taken it over. Where there are no locks (a page without an origin) nothing is shared between tabs
 * either, so the right is held.
 */
export function holdWorkspace(workspace, { steal = false } = {}) {
  const never = new Promise(() => {});
  let locks;
  try {
    locks = navigator.locks;
  } catch {
    locks = undefined;
  }
  if (locks === undefined) return Promise.resolve({ held: true, lost: never });
  return new Promise((resolve) => {
    let lose;
    const lost = new Promise((settle) => {
      lose = settle;
    });
    locks
      .request(LOCK_PREFIX + workspace, steal ? { steal: true } : { ifAvailable: true }, (lock) => {
        if (lock === null) {
          resolve({ held: false, lost: never });
          return undefined;
        }
        resolve({ held: true, lost });
        // The lock is held as long as this promise is open: until the page goes away.
        return never;
      })
      .catch(() => {
        // Refused outright, for want of an origin; or granted before and stolen now, and then this settles nothing.
        resolve({ held: true, lost: never });
        lose();
      });
  });
}

/**
 * The log of a workspace in a database, for browsers without synchronous files. Resolves to `null` where there is no
 * database; otherwise to `{ read, append, replace }`, whose promises settle when the data is safe.
 */
export async function openLogDatabase(workspace) {
  let database;
  try {
    database = await settled(() => {
      const request = indexedDB.open(DATABASE, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE);
      return request;
    });
  } catch {
    return null;
  }
  const range = IDBKeyRange.bound([workspace, 0], [workspace, Number.MAX_SAFE_INTEGER]);
  let next = 0;
  const change = (work) =>
    new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("The browser gave the write up."));
      work(transaction.objectStore(STORE));
    });
  return {
    /** All chunks in order. */
    async read() {
      const store = database.transaction(STORE, "readonly").objectStore(STORE);
      const [keys, chunks] = await Promise.all([
        settled(() => store.getAllKeys(range)),
        settled(() => store.getAll(range)),
      ]);
      next = keys.length === 0 ? 0 : keys.at(-1)[1] + 1;
      return chunks;
    },
    /** Adds a chunk at the end. */
    append(bytes) {
      const key = [workspace, next];
      next += 1;
      return change((store) => store.put(bytes, key));
    },
    /** Puts one chunk in the place of all. */
    replace(bytes) {
      next = 1;
      return change((store) => {
        store.delete(range);
        store.put(bytes, [workspace, 0]);
      });
    },
  };
}

function settled(start) {
  return new Promise((resolve, reject) => {
    const request = start();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("Another tab keeps an older version open."));
  });
}

/**
 * Short texts that survive a reload: what stands in an editor and is not yet in the workspace. Where the browser keeps
 * nothing they last as long as the page.
 */
export function openDrafts() {
  const memory = new Map();
  const local = localTexts();
  return {
    /** Keeps a text under a key; a page that may not write keeps it for itself. Whether it will survive a reload. */
    save(key, text, { readOnly = false } = {}) {
      memory.set(key, text);
      if (readOnly) return false;
      try {
        local.setItem(DRAFT_PREFIX + key, text);
        return true;
      } catch {
        return false;
      }
    },
    /** The text under a key, or `null`. */
    load(key) {
      if (memory.has(key)) return memory.get(key);
      try {
        return local.getItem(DRAFT_PREFIX + key);
      } catch {
        return null;
      }
    },
    /** Forgets a key. */
    remove(key) {
      memory.delete(key);
      try {
        local.removeItem(DRAFT_PREFIX + key);
      } catch {
        // Nothing was kept, so nothing is left.
      }
    },
  };
}

function localTexts() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
