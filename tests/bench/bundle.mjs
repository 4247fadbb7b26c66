// Holds a bundle, whose address is the first word, to the vectors of the modules that it joins.
import assert from "node:assert/strict";

import { readFileSync } from "node:fs";
import process from "node:process";

const bundle = await import(process.argv[2]);
const vectors = (/** @type {string} */ name) => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"));
const listed = (/** @type {number[]} */ words) => ({ bits: 32, draw: () => words.shift() ?? assert.fail("no word is left") });

for (const { design, fingerprint, words, coins, group, answers, record, again } of vectors("records")) {
  const thrown = bundle.drawCoins(design, listed([...words]));
  assert.deepEqual(thrown.values, coins);
  const made = bundle.disguise(design, fingerprint, thrown, group, answers);
  assert.equal(bundle.recordText(made), record);
  assert.equal(bundle.impossible(design, fingerprint, made), null);
  const rethrown = bundle.redraw(design, bundle.seen(design, thrown), listed([...again.words]));
  assert.equal(bundle.recordText(bundle.disguise(design, fingerprint, rethrown, group, answers)), again.record);
}
for (const { key, record, trial, text } of vectors("handed")) {
  assert.equal(bundle.handedText(bundle.envelopeText(key, record), trial), text);
}

// Of one person the text, from words that are all 0: the record keeps the answers.
const crypto = { subtle: globalThis.crypto.subtle, getRandomValues: (/** @type {Uint32Array} */ array) => array.fill(0) };
const design = readFileSync(process.argv[3], "utf8");
console.log(await bundle.disguisedText(design, [1, 0], { crypto }));
console.log(await bundle.disguisedText(design, [1, 0], { crypto, trial: true }));
await assert.rejects(bundle.disguisedText(design, [1, null]), RangeError);
await assert.rejects(bundle.disguisedText(design, [1, 2]), RangeError);
await assert.rejects(bundle.disguisedText(JSON.stringify({ ...JSON.parse(design), open_answers: true }), [1, 0]), TypeError);
