import assert from "node:assert/strict";
import { test } from "node:test";
import { toy } from "./answering.js";

/** A source that draws these words in turn. @param {number[]} words */
const scripted = (words) => {
  let drawn = 0;
  return { words: { bits: 32, draw: () => words[drawn++] }, count: () => drawn };
};
/** @type {(keep: number, noise: number) => number[]} */
const tenTimes = (keep, noise) => Array.from({ length: 10 }, () => [keep, noise]).flat();

test("heads sends the true answer, tails what the coin draws", () => {
  for (const answer of [0, 1]) {
    for (const [keep, noise, isKept, code] of /** @type {const} */ ([
      [0, 0, true, answer], [4999, 9999, true, answer], [5000, 0, false, 0], [5000, 4999, false, 0], [9999, 5000, false, 1],
    ])) {
      const thrown = toy.flips(answer, scripted(tenTimes(keep, noise)).words);
      assert.deepEqual(thrown, Array(10).fill({ isKept, code }));
    }
  }
});

test("each of the ten flips has coins of its own", () => {
  const { words, count } = scripted([...tenTimes(0, 0).slice(2), 9999, 0]);
  assert.deepEqual(toy.flips(1, words).map(({ code }) => code), [1, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
  assert.equal(count(), 20);
});

test("whatever is answered, half of the flips are the answer and a quarter the opposite by chance", () => {
  const all = { kept: 0, other: 0 };
  let seed = 7;
  const words = { bits: 32, draw: () => (seed = (seed * 48271) % 2147483647) * 2 };
  for (let run = 0; run < 500; run += 1) {
    for (const { isKept, code } of toy.flips(1, words)) {
      all.kept += Number(isKept);
      all.other += Number(code === 0);
    }
  }
  assert.ok(Math.abs(all.kept / 5000 - 0.5) < 0.03);
  assert.ok(Math.abs(all.other / 5000 - 0.25) < 0.03);
});
