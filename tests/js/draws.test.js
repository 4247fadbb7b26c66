import assert from "node:assert/strict";
import { test } from "node:test";

import { device, pairs } from "./answering.js";

/** @type {(name: string, more?: object) => any} */
const question = (name, more = {}) => ({ name, choices: [{ name: "no" }, { name: "yes" }], show_if: {}, ...more });
const SHARES = ["0.5000", "0.5000"];
/** Arm, two drawn questions, a section of three blocks in random order, a crosswise question and a rotating section. */
const design = {
  open_answers: false,
  direct: "0.4000",
  sections: [
    { kind: "plain", questions: [question("version", { shares: SHARES }), question("vignette", { shares: ["0.1000", "0.9000"] })] },
    {
      kind: "plain",
      order: /** @type {"random"} */ ("random"),
      questions: [question("age"), question("a", { of: "t" }), question("b", { of: "t" }), question("in b", { show_if: { version: ["yes"] } })],
    },
    { kind: "crosswise", questions: [question("tax", { share: "0.2000", turned_by: "version" })] },
    {
      kind: "unrelated-question", keep: "0.5000", asked: 1,
      questions: [question("theft", { noise: SHARES }), question("bet", { noise: SHARES })],
    },
  ],
};
const SIDES = [2, 10000, 10000, 10000, /* arm */ 10000, /* drawn */ 10000, 10000, /* order */ 3, 2];
/** @type {(...behind: number[]) => Device.Coins} */
const coins = (...behind) => ({ modulus: 10000, values: [1, 0, 0, 0, ...behind] });
/** @type {(list: number[]) => Device.Words} */
const listed = (list) => ({ bits: 32, draw: () => /** @type {number} */ (list.shift()) });

test("the coins of the whole design stand behind those of the sections, and its shares are written canonically", () => {
  assert.deepEqual(device.sides(design), SIDES);
  assert.throws(() => device.sides({ ...design, direct: ".4" }), TypeError);
});

test("the arm, if there are any, is direct below its share, and nothing else is taken for the group", () => {
  assert.equal(device.armOf(design, coins(3999, 0, 0, 0, 0)), device.OPEN);
  assert.equal(device.armOf(design, coins(4000, 0, 0, 0, 0)), device.DISGUISED);
  const answers = Array(9).fill(0);
  assert.throws(() => device.disguise(design, "", coins(0, 0, 0, 0, 0), device.DISGUISED, answers), /the other arm/);
  assert.equal(device.disguise(design, "", coins(0, 0, 0, 0, 0), device.OPEN, answers).group, device.OPEN);
  const { direct, ...without } = design;
  assert.equal(direct, "0.4000");
  assert.equal(device.armOf(without, { modulus: 10000, values: [1, 0, 0, 0, 0, 0, 0, 0] }), null);
});

test("a drawn question is put to nobody, and its choice shows what depends on it", () => {
  const first = coins(9999, 4999, 999, 0, 0);
  const second = coins(9999, 5000, 1000, 0, 0);
  assert.deepEqual([...device.choicesOf(design, first)], [[0, 0], [1, 0]]);
  assert.deepEqual([...device.choicesOf(design, second)], [[0, 1], [1, 1]]);
  const answers = Array(9).fill(null);
  assert.deepEqual(device.shown(design, first, answers), [false, false, true, true, true, false, true, false, true]);
  assert.deepEqual(device.shown(design, second, answers), [false, false, true, true, true, true, true, false, true]);
});

test("the blocks of a section change places, and the rows of a table stay together", () => {
  assert.deepEqual(device.orderOf(design, coins(0, 0, 0, 0, 0)), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(device.orderOf(design, coins(0, 0, 0, 1, 0)), [0, 1, 3, 4, 2, 5, 6, 7, 8]);
  assert.deepEqual(device.orderOf(design, coins(0, 0, 0, 2, 1)), [0, 1, 5, 2, 3, 4, 6, 7, 8]);
});

test("a word is recorded by the secret that was asked, a plain answer as it is", () => {
  /** @type {(arm: number, version: number, given: number) => number} */
  const recorded = (arm, version, given) => {
    const answers = [null, null, 0, 0, 0, 0, given, null, 0];
    const group = arm < 4000 ? device.OPEN : device.DISGUISED;
    return device.disguisedCodes(design, coins(arm, version, 0, 0, 0), group, answers)[6];
  };
  assert.deepEqual([pairs.SAME, pairs.DIFFERENT].map((word) => recorded(9999, 0, word)), [0, 1]);
  assert.deepEqual([pairs.SAME, pairs.DIFFERENT].map((word) => recorded(9999, 9999, word)), [1, 0]);
  assert.deepEqual([0, 1].map((answer) => recorded(0, 9999, answer)), [0, 1]);
});

test("arm, drawn questions and order survive a reload, and all other coins are new", () => {
  const before = coins(1234, 5678, 999, 2, 1);
  const seen = JSON.parse(JSON.stringify(device.seen(design, before)));
  assert.deepEqual(seen.draws, [1234, 5678, 999, 2, 1]);
  const after = device.redraw(design, seen, listed([0, 7, 8, 9, 1, 2, 3, 0, 0]));
  assert.deepEqual(after.values, [1, 7, 8, 9, 1234, 5678, 999, 2, 1]);
  assert.deepEqual(device.seen(design, after), seen);
});

test("draws of another design are refused after a reload", () => {
  const { asked } = device.seen(design, coins(0, 0, 0, 0, 0));
  for (const draws of [[], [0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 3, 0], [10000, 0, 0, 0, 0], [0.5, 0, 0, 0, 0], ["0", 0, 0, 0, 0]]) {
    const seen = /** @type {any} */ ({ asked, draws });
    assert.throws(() => device.redraw(design, seen, listed(Array(9).fill(0))), RangeError);
  }
});

test("a record of group 0 is possible where there is a direct arm", () => {
  const record = device.disguise(design, "f", coins(0, 0, 0, 0, 0), device.OPEN, Array(9).fill(0));
  assert.equal(device.impossible(design, "f", record), null);
  const { direct, ...without } = design;
  assert.deepEqual(device.impossible(without, "f", record), { reason: "group", question: null }, direct);
});

test("answers in random order are shown as the last coins say, those behind them last", () => {
  const asked = [
    { ...question("job", { form: "one", shuffled: 3 }), choices: ["a", "b", "c", "none"].map((name) => ({ name })) },
    question("bus", { form: "many", of: "use", shuffled: 2 }), question("car", { form: "many", of: "use" }),
    question("else", { form: "many", of: "use" }),
  ];
  const shuffled = { open_answers: false, sections: [{ kind: "plain", order: /** @type {"random"} */ ("random"), questions: asked }] };
  assert.deepEqual(device.sides(shuffled), [2, 3, 2, 2]);
  const thrown = { modulus: 10000, values: [1, 2, 0, 1] };
  assert.deepEqual(device.orderOf(shuffled, thrown), [2, 1, 3, 0]);
  assert.deepEqual(device.codesOf(shuffled, thrown, 0), [2, 1, 0, 3]);
  assert.deepEqual(device.codesOf(shuffled, thrown, 1), [0, 1]);
  const again = device.redraw(shuffled, device.seen(shuffled, thrown), listed([0, 0, 0, 0]));
  assert.deepEqual(again.values, thrown.values);
});
