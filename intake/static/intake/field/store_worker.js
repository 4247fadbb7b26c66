/** Holds the one file of a field device: no second tab gets it. A dedicated worker under /a/<slug>/field/. */

import { serve } from "./calls.js";
import { createStore, openStore } from "./slots.js";

const name = `${location.pathname.split("/").at(-3)}.field`;
/** @type {import("./slots.js").Draw} */
const draw = (length) => crypto.getRandomValues(new Uint8Array(length));
/** @type {import("./slots.js").Handle | null} */
let handle = null;
/** @type {import("./slots.js").Store | null} */
let store = null;

/** @param {boolean} create */
async function hold(create) {
  if (handle) return handle;
  const folder = await navigator.storage.getDirectory();
  const file = await folder.getFileHandle(name, { create });
  return (handle = await /** @type {any} */ (file).createSyncAccessHandle());
}

/** Whether the file was made whole. */
async function open() {
  try {
    store ??= await openStore(/** @type {import("./slots.js").Handle} */ (await hold(false)), draw);
  } catch (error) {
    if (/** @type {Error} */ (error).name !== "NotFoundError") throw error;
  }
  return store !== null;
}

/** @type {(header: import("./slots.js").Header, people: number, width: number) => Promise<void>} */
async function create(header, people, width) {
  store = await createStore(/** @type {import("./slots.js").Handle} */ (await hold(true)), draw, header, people, width);
}

async function remove() {
  handle?.close();
  handle = store = null;
  await (await navigator.storage.getDirectory()).removeEntry(name);
}

/** @type {(method: string) => (...given: any[]) => unknown} */
const ofStore = (method) => (...given) => /** @type {any} */ (store)[method](...given);

const methods = ["header", "saveHeader", "counts", "lots", "lot", "putBlinded", "putTokens", "takeToken", "finish", "waiting", "sealed", "arrived", "mark", "drop", "overwrite"];
serve({ ...Object.fromEntries(methods.map((method) => [method, ofStore(method)])), exists: open, open, create, remove });
