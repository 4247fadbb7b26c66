import assert from "node:assert/strict";
import { test } from "node:test";
import { calls } from "./answering.js";

/** A worker that serves these functions, and the page's side of it. @param {Record<string, (...given: any[]) => unknown>} functions */
function served(functions) {
  const inside = /** @type {any} */ (globalThis);
  inside.onmessage = null;
  /** @type {any} */
  const worker = { postMessage: (/** @type {unknown} */ data) => setImmediate(() => inside.onmessage({ data })) };
  inside.postMessage = (/** @type {unknown} */ data) => void setImmediate(() => worker.onmessage({ data }));
  calls.serve(functions);
  return { worker, page: calls.functionsOf(worker, Object.keys(functions)) };
}

test("calls are answered each with its own result, one after the other", async () => {
  /** @type {string[]} */
  const log = [];
  const { page } = served({
    async slow(/** @type {number} */ n) {
      log.push(`begin ${n}`);
      await new Promise((resolve) => setTimeout(resolve, 10 - n));
      log.push(`end ${n}`);
      return n * n;
    },
  });
  assert.deepEqual(await Promise.all([1, 5, 9].map((n) => page.slow(n))), [1, 25, 81]);
  assert.deepEqual(log, ["begin 1", "end 1", "begin 5", "end 5", "begin 9", "end 9"]);
});

test("an error comes back as a word, and the next call is answered", async () => {
  const { page } = served({
    held: () => Promise.reject(new DOMException("no", "NoModificationAllowedError")),
    none: () => { throw new Error("no token"); },
    fine: () => 1,
  });
  await assert.rejects(page.held(), /^Error: in use$/);
  await assert.rejects(page.none(), /^Error: no token$/);
  assert.equal(await page.fine(), 1);
});

test("calls of a worker that does not start are refused", async () => {
  const worker = /** @type {any} */ ({ postMessage: () => setImmediate(() => worker.onerror()) });
  await assert.rejects(calls.functionsOf(worker, ["any"]).any(), /no worker/);
});
