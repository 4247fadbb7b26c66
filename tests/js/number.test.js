import assert from "node:assert/strict";
import { test } from "node:test";

import { device } from "./answering.js";

const PRINT = "f".repeat(64);
const { OPEN, DISGUISED } = device;
const POINTS = [0, 500, 1000, 2000, 5000, 10000];

/**
 * A design of one number.
 * @param {object} question
 * @param {object} section
 */
const of = (question, section = {}) => ({
  open_answers: true,
  sections: [{ kind: "number", ...section, questions: [{ name: "debt", show_if: {}, low: 0, step: 1, ...question }] }],
});
const window = of({ law: "window", values: 1001, window: 100, uniform: "0.5000" });
/** @param {number[]} thresholds */
const thresholds = (thresholds, more = {}, keep = "0.7142") => of({ law: "thresholds", mean: false, thresholds, ...more }, { keep });

/**
 * @param {Device.Design} design
 * @param {number[]} values
 * @param {number} truth
 */
const sent = (design, values, truth, group = DISGUISED) =>
  device.disguisedCodes(design, { modulus: 10000, values }, group, [truth])[0];

test("a window throws three coins, thresholds a shuffle, a keep and N noise coins, and one more for the mean", () => {
  assert.deepEqual(device.sides(window), [10000, 201, 1001]);
  assert.deepEqual(device.sides(thresholds([0, 3, 5, 9])), [3, 10000, 10000, 10000, 10000]);
  assert.deepEqual(device.sides(thresholds([0, 3, 5, 9], { mean: true })), [3, 10000, 10000, 10000, 10000, 12]);
  assert.equal(device.sides(thresholds(POINTS, { mean: true })).at(-1), 15000);
});

test("below uniform any number goes out, from uniform on the number shifted, which wraps round", () => {
  assert.equal(sent(window, [4999, 0, 777], 30), 777);
  assert.equal(sent(window, [5000, 100, 777], 30), 30);
  assert.equal(sent(window, [5000, 200, 777], 30), 130);
  assert.equal(sent(window, [5000, 0, 777], 30), 931);
  assert.equal(sent(window, [9999, 200, 777], 1000), 99);
  assert.equal(sent(window, [0, 0, 777], 30, OPEN), 30);
});

test("the drawn threshold is answered as it is, or by its own noise coin", () => {
  const debt = thresholds(POINTS);
  // 1,700: at least 500 and 1,000, less than the others.
  const answers = [0, 1, 2, 3, 4].map((drawn) => sent(debt, [drawn, 7141, 0, 0, 0, 0, 0], 1700));
  assert.deepEqual(answers, [1, 3, 4, 6, 8]);
  assert.equal(sent(debt, [3, 7142, 5000, 5000, 5000, 4999, 5000], 1700), 6);
  assert.equal(sent(debt, [3, 7142, 4999, 4999, 4999, 5000, 4999], 1700), 7);
  assert.equal(sent(debt, [3, 9999, 0, 0, 0, 9999, 0], 1700, OPEN), 6);
  // Who stands on a threshold has at least that much.
  assert.deepEqual([499, 500].map((truth) => sent(debt, [0, 0, 0, 0, 0, 0, 0], truth)), [0, 1]);
});

test("with mean a number moves to the threshold above in proportion, and a threshold stays (vectors 24 and 25)", () => {
  const four = thresholds([0, 3, 5, 9], { mean: true }, "0.5000");
  // Threshold 5 is drawn and kept: 4 lies half way from 3.
  const moved = Array.from({ length: 12 }, (_, coin) => sent(four, [1, 0, 0, 0, 0, coin], 4));
  assert.deepEqual(moved, [3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2]);
  for (let coin = 0; coin < 12; coin += 1) {
    assert.deepEqual([0, 3, 5, 9].map((truth) => sent(four, [0, 0, 0, 0, 0, coin], truth)), [0, 1, 1, 1]);
    assert.equal(sent(four, [2, 0, 0, 0, 0, coin], 9), 5);
  }
  const debt = thresholds(POINTS, { mean: true });
  assert.deepEqual([10499, 10500].map((coin) => sent(debt, [2, 0, 0, 0, 0, 0, 0, coin], 1700)), [5, 4]);
});

test("steps are counted from the lowest number", () => {
  const cold = thresholds([-40, -10, 0, 20], { step: 10 });
  // Six steps above -40: the number 20; two: -20.
  assert.equal(sent(cold, [2, 0, 0, 0, 0], 6), 5);
  assert.equal(sent(cold, [0, 0, 0, 0, 0], 2), 0);
  assert.throws(() => sent(cold, [0, 0, 0, 0, 0], 7), RangeError);
});

test("the largest multiple that a design may have is exact", () => {
  // Gaps 2^16 and 2^15 - 1: their multiple is 2^31 - 2^16.
  const wide = thresholds([-1000000000, -999934464, -999901697], { mean: true }, "0.9999");
  assert.equal(device.sides(wide).at(-1), 2 ** 31 - 2 ** 16);
  // 65,535 of 65,536: up below (2^31 - 2^16) / 2^16 * 65,535 = 2,147,385,345.
  assert.deepEqual([2147385344, 2147385345].map((coin) => sent(wide, [0, 0, 0, 0, coin], 65535)), [1, 0]);
});

test("every possible answer has a code of its own, as wide as the codes (vector 29)", () => {
  /** @param {Device.Design} design */
  const facts = ({ sections: [section] }) => {
    const unasked = device.notAsked(section, section.questions[0]);
    return [unasked, device.notApplicable(section, section.questions[0]), device.digits(section, section.questions[0], 0).length];
  };
  assert.deepEqual(facts(window), [1001, 1002, 4]);
  assert.deepEqual(facts(thresholds(POINTS)), [10, 11, 2]);
  assert.deepEqual(facts(thresholds(Array.from({ length: 21 }, (_, i) => i))), [40, 41, 2]);
});

test("a number is not applicable if and only if a rule hides it, and never not asked", () => {
  const work = { name: "work", choices: [{ name: "employed" }, { name: "not" }], show_if: {} };
  const ruled = {
    open_answers: true,
    sections: [{ kind: "plain", questions: [work] }, ...thresholds([0, 3, 5], { show_if: { work: ["employed"] } }).sections],
  };
  /** @param {string} answers */
  const wrong = (answers) => device.impossible(ruled, PRINT, { design: PRINT, group: 1, answers })?.reason ?? null;
  assert.deepEqual(["00", "03", "15"].map(wrong), [null, null, null]);
  assert.deepEqual(["04", "14", "05", "10", "06", "0"].map(wrong), ["asked", "asked", "applicable", "applicable", "answers", "answers"]);
  const thrown = { modulus: 10000, values: [1, 0, 0, 0] };
  assert.deepEqual(device.disguisedCodes(ruled, thrown, DISGUISED, [1, null]), [1, 5]);
  assert.throws(() => device.disguisedCodes(ruled, thrown, DISGUISED, [0, null]), RangeError);
  assert.deepEqual(device.shown(ruled, thrown, [null, null]), [true, false]);
  assert.deepEqual(device.shown(ruled, thrown, [0, null]), [true, true]);
});

test("a number is always drawn, and after a reload all its coins are new", () => {
  let next = 7;
  const words = { bits: 32, draw: () => (next += 1) };
  for (const design of [window, thresholds(POINTS, { mean: true })]) {
    const before = device.drawCoins(design, words);
    assert.deepEqual(device.drawn(design, before), [true]);
    const after = device.redraw(design, { asked: [true], draws: [] }, words);
    assert.ok(after.values.every((coin, i) => coin !== before.values[i] || device.sides(design)[i] < 10));
    assert.throws(() => device.redraw(design, { asked: [false], draws: [] }, words), RangeError);
  }
});

test("whether true answers were kept is told by the uniform coin or the keep coin", () => {
  assert.deepEqual([4999, 5000].map((coin) => device.kept(window, { modulus: 10000, values: [coin, 0, 0] })[0]), [false, true]);
  const debt = thresholds([0, 3, 5]);
  assert.deepEqual([7141, 7142].map((coin) => device.kept(debt, { modulus: 10000, values: [0, coin, 0, 0] })[0]), [true, false]);
});

test("probabilities that are not canonical, and laws that nobody knows, are refused before any coin is thrown", () => {
  const words = { bits: 32, draw: () => assert.fail("a coin was thrown") };
  assert.throws(() => device.drawCoins(of({ law: "window", values: 5, window: 1, uniform: "0.5" }), words), TypeError);
  assert.throws(() => device.drawCoins(thresholds([0, 1, 2], {}, "1.0000"), words), TypeError);
  assert.throws(() => device.drawCoins(of({ law: "sum", values: 5 }), words), TypeError);
});
