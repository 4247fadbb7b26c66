import assert from "node:assert/strict";
import { test } from "node:test";

import { device } from "./answering.js";

const PRINT = "f".repeat(64);
const { OPEN, DISGUISED } = device;

/** A design of one place, whose cells are called by their numbers. @param {[number, number][]} points @param {object[]} regions */
const of = (points, regions, more = {}) => ({
  open_answers: true,
  sections: [
    {
      kind: "place",
      questions: [{ name: "home", show_if: {}, cells: points.map((at, i) => ({ name: String(i), at })), regions, ...more }],
    },
  ],
});

/** @param {number[]} cells */
const region = (cells, more = {}) => ({ name: `r${cells[0]}`, cells: cells.map(String), ...more });

/** @param {number} width @param {number} height @returns {[number, number][]} */
const grid = (width, height) => Array.from({ length: width * height }, (_, i) => [i % width, Math.floor(i / width)]);

/** Number 27 of the vectors of numbers, places and studies. */
const six = of(grid(6, 6), [region([0, 1, 6, 7]), region([8, 9, 14, 15, 2]), region([28, 29, 34, 35, 22, 23])], { near: 3, odds: "7.38" });

/** @param {Device.Design} design @param {number} truth @param {number} coin */
const sent = (design, truth, coin, group = DISGUISED) =>
  device.disguisedCodes(design, { modulus: 10000, values: [coin] }, group, [truth])[0];

/** How many sides of the coin send each cell. @param {Device.Design} design @param {number} truth */
function sidesBySent(design, truth) {
  const counts = /** @type {Map<number, number>} */ (new Map());
  for (let coin = 0; coin < device.sides(design)[0]; coin += 1) {
    const code = sent(design, truth, coin);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return counts;
}

test("one coin of Z sides decides, and near cells lie in the own region (vector 27)", () => {
  assert.deepEqual(device.sides(six), [3414]);
  const nearOf = (/** @type {number} */ truth) => [...sidesBySent(six, truth)].filter(([, n]) => n === 738).map(([cell]) => cell);
  assert.deepEqual(nearOf(7).sort((a, b) => a - b), [1, 6, 7]);
  assert.deepEqual(nearOf(14).sort((a, b) => a - b), [8, 14, 15]);
  /** @param {number} truth */
  const inFirst = (truth) => {
    const sides = sidesBySent(six, truth);
    return [0, 1, 6, 7].reduce((sum, cell) => sum + (sides.get(cell) ?? 0), 0);
  };
  // 1157/1707 and 200/1707 of 3414.
  assert.deepEqual([inFirst(7), inFirst(3)], [2314, 400]);
});

test("the sides of the coin go to the near cells in their order, then to the others by number", () => {
  // Of cell 7 near are itself, then 1 and 6, which are as far, by number.
  assert.deepEqual([0, 737, 738, 1475, 1476, 2213].map((coin) => sent(six, 7, coin)), [7, 7, 1, 1, 6, 6]);
  assert.deepEqual([2214, 2313, 2314, 2414, 3413].map((coin) => sent(six, 7, coin)), [0, 0, 2, 8, 35]);
});

test("outside a region the cell itself goes out, or any cell inside by number", () => {
  assert.deepEqual([0, 1913, 1914, 2013, 2014, 3413].map((coin) => sent(six, 3, coin)), [3, 3, 0, 0, 1, 35]);
});

test("an open place goes out as it is, and a place behind a rule that hides it is not applicable", () => {
  assert.equal(sent(six, 7, 3413, OPEN), 7);
  const work = { name: "work", choices: [{ name: "employed" }, { name: "not" }], show_if: {} };
  const ruled = {
    open_answers: true,
    sections: [{ kind: "plain", questions: [work] }, ...of(grid(3, 1), [region([0, 1])], { near: 1, odds: "2.00", show_if: { work: ["employed"] } }).sections],
  };
  const thrown = { modulus: 10000, values: [299] };
  assert.deepEqual(device.disguisedCodes(ruled, thrown, DISGUISED, [1, null]), [1, 4]);
  assert.throws(() => device.disguisedCodes(ruled, thrown, DISGUISED, [0, null]), RangeError);
  assert.throws(() => device.disguisedCodes(ruled, thrown, DISGUISED, [0, 3]), RangeError);
  assert.deepEqual(device.shown(ruled, thrown, [0, null]), [true, true]);
  /** @param {string} answers */
  const wrong = (answers) => device.impossible(ruled, PRINT, { design: PRINT, group: 1, answers })?.reason ?? null;
  assert.deepEqual(["00", "02", "14"].map(wrong), [null, null, null]);
  assert.deepEqual(["03", "13", "04", "10", "05", "0"].map(wrong), ["asked", "asked", "applicable", "applicable", "answers", "answers"]);
});

test("a region may have near cells and odds of its own", () => {
  const levels = of(grid(6, 1), [region([0, 1, 2]), region([3, 4, 5], { near: 2, odds: "2.50" })], { near: 1, odds: "4.00" });
  assert.deepEqual(device.sides(levels), [900]);
  assert.deepEqual([...sidesBySent(levels, 0).values()], [400, 100, 100, 100, 100, 100]);
  assert.deepEqual([...sidesBySent(levels, 5)], [[5, 250], [4, 250], [0, 100], [1, 100], [2, 100], [3, 100]]);
});

test("cells may be called as properties of objects are", () => {
  const odd = of([[0, 0], [1, 0], [2, 0]], [], { near: 1, odds: "2.00" });
  odd.sections[0].questions[0].cells.forEach((cell, i) => (cell.name = ["__proto__", "constructor", "toString"][i]));
  odd.sections[0].questions[0].regions.push({ name: "hasOwnProperty", cells: ["__proto__", "toString"] });
  assert.deepEqual([0, 199, 200, 299].map((coin) => sent(odd, 0, coin)), [0, 0, 2, 2]);
  assert.equal(sent(odd, 1, 99), 1);
});

test("every cell has a code of its own, as wide as the codes (vector 29)", () => {
  const facts = [98, 99, 4096].map((count) => {
    const { sections: [section] } = of(grid(count, 1), [region([0])], { near: 1, odds: "2.00" });
    const [question] = section.questions;
    return [device.notAsked(section, question), device.notApplicable(section, question), device.digits(section, question, 0).length];
  });
  assert.deepEqual(facts, [[98, 99, 2], [99, 100, 3], [4096, 4097, 4]]);
});

test("the farthest coordinates and the most sides are exact", () => {
  const far = 10 ** 7;
  // From the first cell the second is nearer than the third by 1 in a squared distance of 8 * 10^14.
  const wide = of([[-far, -far], [far, far], [far, far - 1], [-far, far]], [region([0, 1, 2])], { near: 2, odds: "1000.00" });
  assert.deepEqual([0, 99999, 100000, 199999, 200000].map((coin) => sent(wide, 0, coin)), [0, 0, 2, 2, 1]);
  const all = of(grid(64, 64), [region(Array.from({ length: 4096 }, (_, i) => i))], { near: 4096, odds: "1000.00" });
  assert.deepEqual(device.sides(all), [409600000]);
  assert.equal(sent(all, 0, 409599999), 4095);
});

test("of 4,096 cells only those of the own region are measured", () => {
  const regions = Array.from({ length: 100 }, (_, r) => region(Array.from({ length: 40 }, (_, i) => 40 * r + i)));
  const all = of(grid(64, 64), regions, { near: 30, odds: "7.38" });
  let measured = 0;
  for (const cell of all.sections[0].questions[0].cells) {
    const { at } = cell;
    Object.defineProperty(cell, "at", { get: () => ((measured += 1), at) });
  }
  assert.equal(sent(all, 85, 30 * 738), 0);
  // Two coordinates of each of 40 cells, and the point itself once.
  assert.ok(measured > 0 && measured <= 81);
});

test("a place is always drawn, and after a reload its coin is new", () => {
  let next = 7;
  const words = { bits: 32, draw: () => (next += 1) };
  const before = device.drawCoins(six, words);
  assert.deepEqual(device.drawn(six, before), [true]);
  assert.deepEqual(device.redraw(six, { asked: [true], draws: [] }, words).values, [before.values[0] + 1]);
  assert.throws(() => device.redraw(six, { asked: [false], draws: [] }, words), RangeError);
});

test("a place was kept if the coin is below m (W - V)", () => {
  assert.deepEqual([0, 1913, 1914, 3413].map((coin) => device.kept(six, { modulus: 10000, values: [coin] })[0]), [true, true, false, false]);
});

test("odds that are not canonical are refused before any coin is thrown", () => {
  const words = { bits: 32, draw: () => assert.fail("a coin was thrown") };
  for (const odds of ["2", "2.5", "02.50", "2.500", "-2.50", "0.99", "12345.00"]) {
    assert.throws(() => device.drawCoins(of(grid(3, 1), [region([0])], { near: 1, odds }), words), TypeError);
  }
});
