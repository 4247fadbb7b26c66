import assert from "node:assert/strict";
import { test } from "node:test";
import { coins, design, hidden, journey as j, plain, sensitive } from "./answering.js";

/** @type {Intake.Design} */
const ASKS = {
  ...design([
    { kind: "plain", questions: [plain("age"), plain("region"), plain("job")] },
    sensitive([hidden("theft")]),
  ]),
  quotas: [
    { answers: { age: "a" }, limit: 30 },
    { answers: { age: "b", region: "b" }, limit: 40 },
  ],
};
/** @type {(place: number) => Intake.Screen} */
const at = (place) => ({ name: "question", place });
/** @type {(full: number[] | undefined, codes: Record<number, number>) => Intake.Journey} */
const answered = (full, codes) =>
  Object.entries(codes).reduce((now, [place, code]) => j.answer(now, Number(place), code), j.begin(ASKS, coins(ASKS), full));

test("after the last answer that a quota looks at, and not before, the survey ends without a further question", () => {
  assert.deepEqual(j.next(ASKS, answered([0, 1], { 0: 0 }), at(0)), at(1));
  const now = answered([0], { 0: 0, 1: 1 });
  assert.equal(j.next(ASKS, now, at(1)), j.OVER);
  assert.equal(j.pending(ASKS, now), j.OVER);
  for (const wanted of [at(2), at(3), j.CHECK]) assert.equal(j.permitted(ASKS, now, wanted), j.OVER);
  // Before Continue was pressed on the last of them a person can still go back.
  assert.deepEqual(j.permitted(ASKS, now, at(0)), at(0));
});

test("all answers of a cell must be given", () => {
  assert.deepEqual(j.next(ASKS, answered([1], { 0: 1, 1: 0 }), at(1)), at(2));
  assert.equal(j.next(ASKS, answered([1], { 0: 1, 1: 1 }), at(1)), j.OVER);
});

test("a cell that is not full, a full one that the design does not have, and no quotas at all end nothing", () => {
  for (const full of [undefined, [], [1], [7]]) {
    assert.deepEqual(j.next(ASKS, answered(full, { 0: 0, 1: 0 }), at(1)), at(2));
    assert.equal(j.pending(ASKS, answered(full, { 0: 0, 1: 0, 2: 0, 3: 1 })), j.CHECK);
  }
  assert.equal(j.pending(design(ASKS.sections), answered([0], { 0: 0, 1: 0, 2: 0, 3: 1 })), j.CHECK);
});

test("once a sensitive question was shown, another plain answer ends nothing", () => {
  const shown = j.reach(ASKS, answered([0], { 0: 1, 1: 0, 2: 0 }), at(3));
  const changed = j.answer(j.review(j.answer(shown, 3, 1)), 0, 0);
  assert.equal(j.pending(ASKS, changed), j.CHECK);
  assert.equal(j.next(ASKS, changed, at(0)), j.CHECK);
  assert.equal(j.pending(ASKS, j.answer(shown, 0, 0)).name, "question");
});

test("a plain question that was shown does not count as being under way", () => {
  for (const screen of [j.START, j.CHOICE, at(0), at(2)]) {
    assert.equal(j.pending(ASKS, j.reach(ASKS, answered([0], { 0: 0, 1: 0 }), screen)), j.OVER);
  }
});
