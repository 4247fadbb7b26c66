/** The store of a field device, as the page reaches it in its worker: every method gives a promise. */

import { functionsOf } from "./calls.js";

const NAMES = /** @type {const} */ ([
  "exists", "open", "create", "remove",
  "header", "saveHeader", "counts", "lots", "lot", "putBlinded", "putTokens", "takeToken", "finish", "waiting", "sealed", "arrived",
  "mark", "drop", "overwrite",
]);

/**
 * @typedef {import("./slots.js").Store} Store
 * @typedef {Omit<Store, "empty" | "load">} Methods
 * @typedef {{[Name in keyof Methods]: (...given: Parameters<Methods[Name]>) => Promise<Awaited<ReturnType<Methods[Name]>>>}} Promised
 * @typedef {{[Name in keyof Methods]: Methods[Name] | Promised[Name]}} StoreMethods  in the worker or out of it
 * @typedef {Promised & {exists(): Promise<boolean>, open(): Promise<boolean>, remove(): Promise<void>,
 *           create(header: import("./slots.js").Header, people: number, width: number): Promise<void>}} Remote
 */

/**
 * @param {Worker} worker
 * @returns {Remote}
 */
export const connect = (worker) => functionsOf(worker, NAMES);
