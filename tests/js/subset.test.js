import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { device, sets as shown } from "./answering.js";

const { designs } = JSON.parse(readFileSync(new URL("../vectors/subset.json", import.meta.url), "utf8"));
const { OPEN, DISGUISED } = device;

/** @param {number} count @param {number} size @param {string} keep */
const of = (count, size, keep, more = {}) => ({
  open_answers: true,
  sections: [
    {
      kind: "subset",
      keep,
      size,
      questions: [{ name: "drug", show_if: {}, choices: Array.from({ length: count }, (_, i) => ({ name: `c${i}` })), ...more }],
    },
  ],
});

test("the vectors give the same coins, sets and codes", () => {
  assert.equal(designs.length, 3);
  for (const { choices, size, keep, sides, sets, device: cases } of designs) {
    const design = of(choices, size, keep);
    assert.deepEqual(device.sides(design), sides);
    assert.equal(device.notAsked(design.sections[0], design.sections[0].questions[0]), sets + choices);
    for (const { coins, choice, code } of cases) {
      const thrown = { modulus: 10000, values: coins };
      assert.deepEqual(device.disguisedCodes(design, thrown, DISGUISED, [choice]), [code]);
      assert.deepEqual(device.disguisedCodes(design, thrown, OPEN, [choice]), [sets + choice]);
    }
  }
});

test("what was seen says nothing of the coins, and an answer that is no choice is refused", () => {
  const design = of(7, 2, "0.5454");
  const coins = { modulus: 10000, values: [0, 0, 0] };
  assert.deepEqual(device.seen(design, coins), { asked: [true], draws: [] });
  assert.throws(() => device.disguisedCodes(design, coins, DISGUISED, [7]), RangeError);
  assert.throws(() => device.disguisedCodes(design, coins, DISGUISED, [null]), RangeError);
});

/** @type {(size: number, choices: number) => Intake.Subset} */
const section = (size, choices) => ({
  kind: "subset", keep: "0.5000", size,
  questions: [{ name: "drug", form: "one", text: {}, help: {}, show_if: {}, choices: Array.from({ length: choices }, (_, i) => ({ name: `c${i}`, label: {} })) }],
});

test("codes name the sets in lexicographic order, and behind them the choices of open records", () => {
  const expected = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3], [0], [1], [2], [3]];
  assert.deepEqual(expected.map((_, code) => shown.membersOf(section(2, 4), code)), expected);
  // The last of 20,349 sets holds the last five choices.
  assert.deepEqual(shown.membersOf(section(5, 21), 20_348), [16, 17, 18, 19, 20]);
  assert.deepEqual(shown.membersOf(section(5, 21), 20_349 + 20), [20]);
});
