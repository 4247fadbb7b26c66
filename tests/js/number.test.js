import assert from "node:assert/strict";
import { test } from "node:test";

import { device } from "./answering.js";

const PRINT = "f".repeat(64);
const { OPEN, DISGUISED } = device;
const LIMITS = [500, 1000, 2000, 5000];

/** A design of one number. @param {object} question @param {object} section */
const of = (question, section = {}) => ({
  open_answers: true,
  sections: [{ kind: "number", ...section, questions: [{ name: "debt", show_if: {}, step: 1, ...question }] }],
});
const window = of({ law: "window", low: 0, values: 1001, window: 100, uniform: "0.5000" });
/** @param {number[]} limits */
const classes = (limits, more = {}, keeps = {}) =>
  of({ law: "classes", limits, cuts: 1, rest: 0, ...more }, { keep: "0.7142", ...keeps });
const RESTED = [{ low: 0, high: 10000, cuts: 2, rest: 5 }, { keep_rest: "0.5000" }];

/** @param {Device.Design} design @param {number[]} values @param {number} truth */
const sent = (design, values, truth, group = DISGUISED) =>
  device.disguisedCodes(design, { modulus: 10000, values }, group, [truth])[0];

test("a window throws three coins, classes a shuffle, a keep and another class, and four more for the rest", () => {
  assert.deepEqual(device.sides(window), [10000, 201, 1001]);
  assert.deepEqual(device.sides(classes([3, 5, 9])), [3, 10000, 2]);
  assert.deepEqual(device.sides(classes([3, 5, 9], { cuts: 2 })), [3, 2, 10000, 3]);
  assert.deepEqual(device.sides(classes([3, 5, 9], { cuts: 3 })), [10000, 4]);
  assert.deepEqual(device.sides(classes(LIMITS, ...RESTED)), [4, 3, 10000, 3, 20, 5000, 10000, 2]);
});

test("below uniform any number goes out, from uniform on the number shifted, which wraps round", () => {
  assert.equal(sent(window, [4999, 0, 777], 30), 777);
  assert.equal(sent(window, [5000, 100, 777], 30), 30);
  assert.equal(sent(window, [5000, 200, 777], 30), 130);
  assert.equal(sent(window, [5000, 0, 777], 30), 931);
  assert.equal(sent(window, [9999, 200, 777], 1000), 99);
  assert.equal(sent(window, [0, 0, 777], 30, OPEN), 30);
});

test("the class between the drawn limits is sent, or by a coin another", () => {
  const debt = classes(LIMITS, { low: 0, high: 10000 });
  // 1,700 lies in the third of five classes; codes 0 to 4 begin at the first, 5 to 8 at the second, and so on.
  const drawn = [0, 1, 2, 3].map((limit) => sent(debt, [limit, 7141, 0], 1700));
  assert.deepEqual(drawn, [8, 11, 2, 3]);
  assert.deepEqual([0, 1].map((other) => sent(debt, [2, 7142, other], 1700)), [2, 13]);
  // Who stands on a limit has at least that much; openly the class itself goes out.
  assert.deepEqual([499, 500].map((truth) => sent(debt, [0, 0, 0], truth)), [0, 8]);
  assert.equal(sent(debt, [0, 9999, 1], 1700, OPEN), 9);
});

test("some records send whether a random number is below the place inside the class", () => {
  const debt = classes(LIMITS, ...RESTED);
  // 1,700 lies 700 above the start of its class; codes of bits follow the fifteen intervals.
  assert.deepEqual([699, 700].map((move) => sent(debt, [0, 0, 0, 0, 4, move, 4999, 0], 1700)), [16, 15]);
  assert.deepEqual([0, 1].map((noise) => sent(debt, [0, 0, 0, 0, 4, 0, 5000, noise], 1700)), [15, 16]);
  assert.equal(sent(debt, [0, 0, 0, 0, 4, 699, 9999, 0], 1700, OPEN), 16);
  assert.ok(sent(debt, [0, 0, 0, 0, 5, 699, 0, 0], 1700) < 15);
});

test("steps are counted from the lowest number", () => {
  const cold = classes([-10, 0], { low: -40, high: 20, step: 10 });
  // Six steps above -40: the number 20; two: -20.
  assert.equal(sent(cold, [1, 0, 0], 6), 5);
  assert.equal(sent(cold, [0, 0, 0], 2), 0);
  assert.throws(() => sent(cold, [0, 0, 0], 7), RangeError);
});

test("every possible answer has a code of its own, as wide as the codes (vector 29)", () => {
  /** @param {Device.Design} design */
  const facts = ({ sections: [section] }) => {
    const unasked = device.notAsked(section, section.questions[0]);
    return [unasked, device.notApplicable(section, section.questions[0]), device.digits(section, section.questions[0], 0).length];
  };
  assert.deepEqual(facts(window), [1001, 1002, 4]);
  assert.deepEqual(facts(classes(LIMITS)), [15, 16, 2]);
  assert.deepEqual(facts(classes(LIMITS, ...RESTED)), [17, 18, 2]);
  assert.deepEqual(facts(classes(Array.from({ length: 20 }, (_, i) => i))), [231, 232, 3]);
});

test("a number is not applicable if and only if a rule hides it, and never not asked", () => {
  const work = { name: "work", choices: [{ name: "employed" }, { name: "not" }], show_if: {} };
  const ruled = {
    open_answers: true,
    sections: [{ kind: "plain", questions: [work] }, ...classes([3, 5], { low: 0, high: 5, show_if: { work: ["employed"] } }).sections],
  };
  /** @param {string} answers */
  const wrong = (answers) => device.impossible(ruled, PRINT, { design: PRINT, group: 1, answers })?.reason ?? null;
  assert.deepEqual(["00", "05", "17"].map(wrong), [null, null, null]);
  assert.deepEqual(["06", "16", "07", "10", "08", "0"].map(wrong), ["asked", "asked", "applicable", "applicable", "answers", "answers"]);
  const thrown = { modulus: 10000, values: [1, 0, 0] };
  assert.deepEqual(device.disguisedCodes(ruled, thrown, DISGUISED, [1, null]), [1, 7]);
  assert.throws(() => device.disguisedCodes(ruled, thrown, DISGUISED, [0, null]), RangeError);
  assert.deepEqual(device.shown(ruled, thrown, [null, null]), [true, false]);
  assert.deepEqual(device.shown(ruled, thrown, [0, null]), [true, true]);
});

test("a number is always drawn, and after a reload all its coins are new", () => {
  let next = 7;
  const words = { bits: 32, draw: () => (next += 1) };
  for (const design of [window, classes(LIMITS, ...RESTED)]) {
    const before = device.drawCoins(design, words);
    assert.deepEqual(device.drawn(design, before), [true]);
    const after = device.redraw(design, { asked: [true], draws: [] }, words);
    assert.ok(after.values.every((coin, i) => coin !== before.values[i] || device.sides(design)[i] < 10));
    assert.throws(() => device.redraw(design, { asked: [false], draws: [] }, words), RangeError);
  }
});

test("whether true answers were kept is told by the uniform coin or the keep coin", () => {
  assert.deepEqual([4999, 5000].map((coin) => device.kept(window, { modulus: 10000, values: [coin, 0, 0] })[0]), [false, true]);
  const debt = classes([3, 5]);
  assert.deepEqual([7141, 7142].map((coin) => device.kept(debt, { modulus: 10000, values: [0, coin, 0] })[0]), [true, false]);
});

test("probabilities that are not canonical, and laws that nobody knows, are refused before any coin is thrown", () => {
  const words = { bits: 32, draw: () => assert.fail("a coin was thrown") };
  assert.throws(() => device.drawCoins(of({ law: "window", low: 0, values: 5, window: 1, uniform: "0.5" }), words), TypeError);
  assert.throws(() => device.drawCoins(classes([1, 2], {}, { keep: "1.0000" }), words), TypeError);
  assert.throws(() => device.drawCoins(of({ law: "sum", values: 5 }), words), TypeError);
});
