import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { cache } from "./answering.js";

/** A server with these files, and a browser's caches. @param {Record<string, string>} site */
function browser(site) {
  /** @type {Map<string, Map<string, Response>>} */
  const all = new Map();
  const open = (/** @type {string} */ name) => all.get(name) ?? all.set(name, new Map()).get(name);
  Object.assign(globalThis, {
    fetch: async (/** @type {string} */ path) => new Response(site[path], { status: path in site ? 200 : 404 }),
    caches: {
      open: async (/** @type {string} */ name) => {
        const kept = /** @type {Map<string, Response>} */ (open(name));
        return { put: async (/** @type {string} */ path, /** @type {Response} */ response) => void kept.set(path, response), match: async (/** @type {string} */ path) => kept.get(path)?.clone() };
      },
      match: async (/** @type {string} */ path, /** @type {{cacheName: string}} */ { cacheName }) => all.get(cacheName)?.get(path)?.clone(),
      keys: async () => [...all.keys()],
      delete: async (/** @type {string} */ name) => all.delete(name),
    },
  });
  return all;
}

/** @param {Record<string, string>} site */
const listed = (site) =>
  Object.entries(site).map(([path, text]) => ({ path, sha256: createHash("sha256").update(text).digest("hex") }));

test("a new version takes the place of the old one whole, and other surveys' stay", async () => {
  const site = { "/a/x/field": "shell", "/static/one.js": "one" };
  const all = browser(site);
  all.set("candor-field xy", new Map());
  await cache.fill("x", listed(site));
  const before = listed(site);
  assert.ok(await cache.isWhole("x", before));
  site["/static/one.js"] = "two";
  await cache.fill("x", listed(site));
  assert.deepEqual([await cache.isWhole("x", listed(site)), await cache.isWhole("x", before), all.size], [true, false, 3]);
  await cache.forget("x");
  assert.deepEqual([...all.keys()], ["candor-field xy"]);
});

for (const [name, change] of /** @type {[string, string | undefined][]} */ ([["is another", "evil"], ["is missing", undefined]])) {
  test(`a file that ${name} leaves the current version as it is`, async () => {
    /** @type {Record<string, string>} */
    const site = { "/a/x/field": "shell", "/static/one.js": "one" };
    browser(site);
    const before = listed(site);
    await cache.fill("x", before);
    const next = listed({ ...site, "/static/one.js": "two" });
    if (change) site["/static/one.js"] = change;
    else delete site["/static/one.js"];
    await assert.rejects(cache.fill("x", next), /another file: \/static\/one\.js/);
    assert.ok(await cache.isWhole("x", before));
  });
}
