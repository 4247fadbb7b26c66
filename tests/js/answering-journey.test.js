import assert from "node:assert/strict";
import { test } from "node:test";
import { asPlain, coins, design, device, hidden, journey as j, option, plain, sensitive } from "./answering.js";

const TWO = design([{ kind: "plain", questions: [plain("age")] }, sensitive([hidden("theft"), hidden("tax")])]);
const OPEN = { ...TWO, open_answers: true };
/** @type {(place: number) => Intake.Screen} */
const at = (place) => ({ name: "question", place });
/** @param {Intake.Design} design */
const begin = (design) => j.begin(design, coins(design));
/** @type {(start: Intake.Journey, codes: Record<number, number>) => Intake.Journey} */
const answered = (start, codes) => Object.entries(codes).reduce((now, [place, code]) => j.answer(now, Number(place), code), start);

test("a choice is offered, and nothing chosen beforehand, only where open answers are allowed and something is disguised", () => {
  const onlyPlain = design([{ kind: "plain", questions: [plain("age")] }], { open_answers: true });
  for (const [of, group, first] of /** @type {[Intake.Design, number | null, Intake.Screen][]} */ ([
    [TWO, device.DISGUISED, at(0)], [OPEN, null, j.CHOICE], [onlyPlain, device.DISGUISED, at(0)],
  ])) {
    assert.equal(begin(of).group, group);
    assert.deepEqual(j.next(of, begin(of), j.START), first);
  }
});

test("no screen is reached before those ahead of it are answered, and without a journey only the start", () => {
  assert.deepEqual(j.permitted(TWO, null, j.CHECK), j.START);
  assert.deepEqual(j.permitted(TWO, begin(TWO), j.CHECK), at(0));
  assert.deepEqual(j.permitted(TWO, answered(begin(TWO), { 0: 1 }), at(2)), at(1));
  assert.deepEqual(j.permitted(OPEN, begin(OPEN), at(1)), j.CHOICE);
});

const once = /** @type {Intake.Sensitive} */ (sensitive([hidden("theft")]));
const LASTING = design([{ kind: "plain", questions: [plain("age")] }, { ...once, lasting: "0.9000" }]);

test("where the disguise lasts, a code comes before the first question of whoever is disguised", () => {
  assert.deepEqual(j.next(LASTING, begin(LASTING), j.START), j.CODE);
  assert.deepEqual(j.permitted(LASTING, answered(begin(LASTING), { 0: 1 }), j.CHECK), j.CODE);
  const coded = { ...begin(LASTING), code: new Uint8Array(10) };
  assert.deepEqual(j.next(LASTING, coded, j.CODE), at(0));
  const open = j.choose(begin({ ...LASTING, open_answers: true }), device.OPEN);
  assert.deepEqual(j.next({ ...LASTING, open_answers: true }, open, j.CHOICE), at(0));
});

test("a record of a disguise that lasts is sealed with its permanent answers alone, and illustrated without them", () => {
  const ready = answered({ ...begin(LASTING), code: new Uint8Array(10) }, { 0: 0, 1: 1 });
  assert.throws(() => j.seal(LASTING, "", ready, "", null), /of no code/);
  const settled = { ...ready, coins: { ...ready.coins, permanent: [0, 0] } };
  assert.match(j.seal(LASTING, "", settled, "", null).record.answers, /^0[01]$/);
  assert.match(j.illustration(LASTING, ready, { bits: 32, draw: () => 7 }).record.answers, /^0[01]$/);
});

test("going back is always permitted", () => {
  const all = answered(begin(TWO), { 0: 1, 1: 0, 2: 1 });
  for (const screen of [j.START, at(0), at(1), at(2), j.CHECK]) assert.deepEqual(j.permitted(TWO, all, screen), screen);
});

test("Continue leads from question to question and at last to the check", () => {
  let now = begin(TWO);
  const road = [];
  for (let screen = j.START; screen.name !== "check"; road.push(screen)) {
    screen = j.next(TWO, now, screen);
    if (screen.name === "question") now = j.answer(now, screen.place, 0);
  }
  assert.deepEqual(road, [at(0), at(1), at(2), j.CHECK]);
});

test("Continue leads past answered questions one by one, until all was looked over and is left alone after a change", () => {
  const all = answered(begin(TWO), { 0: 1, 1: 0, 2: 1 });
  assert.deepEqual(j.next(TWO, all, at(0)), at(1));
  assert.deepEqual(j.next(TWO, j.review(all), at(0)), j.CHECK);
});

const ruled = design([{ kind: "plain", questions: [plain("work"), plain("boss", { work: ["b"] })] }, sensitive([hidden("theft")])]);

test("a change that shows another question leads to it, and only then back to the check", () => {
  const first = j.review(answered(begin(ruled), { 0: 0, 2: 1 }));
  assert.deepEqual(j.next(ruled, first, at(0)), j.CHECK);
  const changed = j.answer(first, 0, 1);
  assert.deepEqual(j.next(ruled, changed, at(0)), at(1));
  assert.deepEqual(j.next(ruled, j.answer(changed, 1, 0), at(1)), j.CHECK);
});

test("a screen that a rule has taken away gives way to the one that is shown after it, in a random order too", () => {
  assert.deepEqual(j.permitted(ruled, answered(begin(ruled), { 0: 0, 1: 1 }), at(1)), at(2));
  const turning = design([
    { kind: "plain", questions: [plain("work")] },
    { kind: "plain", order: "random", questions: [plain("a"), plain("b", { work: ["b"] }), plain("c")] },
  ]);
  // c, b, a.
  const now = answered(j.begin(turning, { modulus: 10000, values: [2, 0] }), { 0: 0, 3: 1 });
  assert.deepEqual(j.permitted(turning, now, at(2)), at(1));
});

test("the number of questions counts what is put to this respondent", () => {
  assert.deepEqual(j.position(ruled, begin(ruled), 0), { number: 1, total: 2 });
  assert.deepEqual(j.position(ruled, answered(begin(ruled), { 0: 1 }), 2), { number: 3, total: 3 });
});

test("questions that chance did not draw are not asked", () => {
  const three = design([sensitive([hidden("a"), hidden("b"), hidden("c")], { asked: 1 })]);
  // One shuffle coin below 3, keep, three noises; the coin 2 draws the last question.
  const drawn = { modulus: 10000, values: [2, 0, 0, 0, 0] };
  assert.deepEqual(j.pages(three, j.begin(three, drawn)), [[2]]);
});

test("the options of one question share a page, and those of two stand on two", () => {
  const one = design([sensitive([option("x", "used"), option("y", "used"), hidden("z")])]);
  assert.deepEqual(j.pages(one, begin(one)), [[0, 1], [2]]);
  const two = design([sensitive([option("x", "used"), option("y", "seen")])]);
  assert.deepEqual(j.pages(two, begin(two)), [[0], [1]]);
});

test("an option that looks at another of its question waits for the next page", () => {
  const x = asPlain(option("x", "used"));
  const y = asPlain(option("y", "used", { x: ["yes"] }));
  const many = design([{ kind: "plain", questions: [x, y, asPlain(option("z", "used"))] }]);
  assert.deepEqual(j.pages(many, begin(many)), [[0, 2]]);
  assert.deepEqual(j.pages(many, answered(begin(many), { 0: 1 })), [[0], [1, 2]]);
});

test("a page of options is left only when each has its answer", () => {
  const many = design([sensitive([option("x", "used"), option("y", "used")])]);
  const half = answered(begin(many), { 0: 1 });
  assert.deepEqual(j.missing(half, [0, 1]), [1]);
  assert.deepEqual(j.permitted(many, half, j.CHECK), at(0));
});

const rows = (/** @type {string} */ name) => ({ ...plain(name), of: "views" });

test("the rows of a table share a page", () => {
  const table = design([{ kind: "plain", questions: [plain("age"), rows("x"), rows("y"), plain("z")] }]);
  assert.deepEqual(j.pages(table, begin(table)), [[0], [1, 2], [3]]);
  assert.deepEqual(j.missing(answered(begin(table), { 1: 0 }), [1, 2]), [2]);
});

const shuffled = design([
  { kind: "plain", questions: [plain("first")] },
  { kind: "plain", order: "random", questions: [plain("a"), rows("b"), rows("c"), plain("d")] },
]);
// Three blocks: the first coin is below 3, the second below 2. 2 and 0: the last block comes first, the table second.
const turned = () => j.begin(shuffled, { modulus: 10000, values: [2, 0] });

test("questions are shown in the order that the coins decide, and a table stays together", () => {
  assert.deepEqual(j.pages(shuffled, turned()), [[0], [4], [2, 3], [1]]);
  assert.deepEqual(j.position(shuffled, turned(), 1), { number: 4, total: 4 });
  assert.deepEqual(j.next(shuffled, answered(turned(), { 0: 0, 4: 0 }), at(4)), at(2));
});

test("the record has the order of the design, whatever was shown", () => {
  const { record } = j.seal(shuffled, "f", answered(turned(), { 0: 0, 1: 1, 2: 0, 3: 1, 4: 0 }), "0".repeat(32), null);
  assert.equal(record.answers, "01010");
});

test("the text of a section belongs to the first of its questions that is shown", () => {
  assert.deepEqual(j.pages(shuffled, turned()).map((page) => j.opensSection(shuffled, turned(), page)), [true, true, false, false]);
});

const NONE = { en: "None of these" };
const several = design([sensitive([{ ...option("x", "used"), none: NONE }, option("y", "used"), option("z", "seen")])]);

test("what excludes the others is said by the first option for all of them", () => {
  assert.deepEqual([0, 1, 2].map((place) => j.excluding(several, place)), [NONE, NONE, undefined]);
});

test("an option that is ticked makes the others a no, and without any there is no answer", () => {
  const ticked = j.tick(begin(several), [0, 1], 1, true);
  assert.deepEqual(ticked.answers, [0, 1, null]);
  assert.deepEqual(j.tick(ticked, [0, 1], 0, true).answers, [1, 1, null]);
  assert.deepEqual(j.tick(ticked, [0, 1], 1, false).answers, [null, null, null]);
});

test("none of these clears the others, and another clears it", () => {
  const none = j.tickNone(j.tick(begin(several), [0, 1], 1, true), [0, 1], true);
  assert.deepEqual(none.answers, [0, 0, null]);
  assert.equal(j.isNone(none, [0, 1]), true);
  assert.equal(j.isNone(j.tick(none, [0, 1], 0, true), [0, 1]), false);
  assert.deepEqual(j.tickNone(none, [0, 1], false).answers, [null, null, null]);
});

test("an answer makes a new journey and leaves the coins and the old one as they were", () => {
  const before = begin(TWO);
  const after = j.answer(before, 1, 1);
  assert.deepEqual(before.answers, [null, null, null]);
  assert.deepEqual(after.answers, [null, 1, null]);
  assert.equal(after.coins, before.coins);
  assert.throws(() => /** @type {unknown[]} */ (after.answers).push(0), TypeError);
});

test("what is sealed is the disguise of these coins, in the envelope of this key", () => {
  // keep coin 9999: replaced. Noise coins 0 and 9999: no and yes.
  const replaced = { modulus: 10000, values: [9999, 0, 9999] };
  for (const truth of [{ 0: 1, 1: 0, 2: 0 }, { 0: 1, 1: 1, 2: 1 }]) {
    const { record, body } = j.seal(TWO, "f", answered(j.begin(TWO, replaced), truth), "0".repeat(32), null);
    assert.deepEqual(record, { design: "f", group: 1, answers: "101" });
    assert.equal(body, `{"key":"${"0".repeat(32)}","record":{"design":"f","group":1,"answers":"101"}}`);
  }
});

test("an invitation is sealed with the record", () => {
  const { body } = j.seal(TWO, "f", answered(begin(TWO), { 0: 1, 1: 0, 2: 0 }), "0".repeat(32), "1".repeat(32));
  assert.equal(JSON.parse(body).token, "1".repeat(32));
});

const rotating = design([
  sensitive([hidden("a"), hidden("b"), hidden("c")], { asked: 2, keep: "0.2500" }),
  sensitive([hidden("d")], { keep: "0.7500" }),
]);
// Shuffle 2, 0: c and b are drawn. Keep, three noises; then keep and one noise.
const ownCoins = { modulus: 10000, values: [2, 0, 9999, 0, 0, 0, 9999, 0] };
const ready = answered(j.begin(rotating, ownCoins), { 1: 1, 2: 1, 3: 1 });
/** @param {number[]} values */
const words = (values) => ({ bits: 32, draw: () => /** @type {number} */ (values.shift()) });

test("the illustration asks the same questions with coins of its own, and says of each section whether its answers were kept", () => {
  for (const [values, kept, answers] of /** @type {[number[], boolean[], string][]} */ ([
    [[0, 0, 2499, 0, 0, 0, 7500, 0], [true, false], "2110"], [[0, 0, 2500, 0, 9999, 0, 7499, 0], [false, true], "2101"],
  ])) {
    const shown = j.illustration(rotating, ready, words(values));
    assert.deepEqual([shown.kept, shown.record.answers], [kept, answers]);
  }
  assert.deepEqual(ready.coins, { modulus: 10000, values: [2, 0, 9999, 0, 0, 0, 9999, 0] });
});
