import assert from "node:assert/strict";
import { test } from "node:test";
import { device, journey, plain, toy, understanding } from "./answering.js";

const choices = ["at-once", "explained", "not"].map((name) => ({ name, label: {} }));
/** @type {any} */
const design = {
  open_answers: false, languages: ["en"], understanding: true,
  sections: [
    { kind: "plain", questions: [plain("age"), plain("work", { age: ["b"] })] },
    { kind: "plain", questions: [{ ...plain("understood"), choices }] },
  ],
};
const words = { bits: 32, draw: () => 1 };
const begun = () => journey.begin(design, device.drawCoins(design, words));

/** What is left of the journey after these answers to both items, try by try. @param {...(number | null)[]} tries */
function after(...tries) {
  /** @type {ReturnType<typeof understanding.taken>} */
  let taken = { journey: begun(), wrong: [], isDone: false };
  for (const given of tries) {
    const tries = taken.journey.checking?.tries ?? 0;
    taken = understanding.taken(design, { ...taken.journey, checking: { given, tries } });
  }
  return { stored: taken.journey.answers[2], isDone: taken.isDone, wrong: taken.wrong, checking: taken.journey.checking };
}

test("all answers to both items, in both tries, are stored as the first right try, or as not", () => {
  const pairs = [[0, 0], [0, 1], [1, 0], [1, 1]];
  const right = "0,1";
  for (const first of pairs) {
    for (const second of pairs) {
      const { stored, isDone } = String(first) === right ? after(first) : after(first, second);
      const expected = String(first) === right ? 0 : String(second) === right ? 1 : 2;
      assert.equal(stored, expected, `${first} then ${second}`);
      assert.equal(isDone, expected < 2);
    }
  }
});

test("after a wrong first try only what was right stays selected, and an item without an answer costs no try", () => {
  assert.deepEqual(after([1, 1]), { stored: null, isDone: false, wrong: [], checking: { given: [null, 1], tries: 1 } });
  assert.deepEqual(after([1, 0]).checking, { given: [null, null], tries: 1 });
  const { stored, wrong, checking } = after([0, null]);
  assert.deepEqual([stored, wrong, checking?.tries], [null, [1], 0]);
});

test("what is stored stays, whatever is selected afterwards", () => {
  assert.deepEqual(after([1, 1], [1, 1], [0, 1]).stored, 2);
  assert.equal(after([1, 1], [1, 1], [0, 1]).isDone, true);
});

test("the check comes first and is on no page of questions", () => {
  const now = begun();
  assert.deepEqual(journey.next(design, now, journey.START), { name: "understanding" });
  assert.deepEqual(journey.permitted(design, now, { name: "question", place: 0 }), { name: "understanding" });
  assert.deepEqual(journey.pages(design, journey.answer(now, 0, 1)), [[0], [1]]);
  const checked = journey.answer(now, 2, 1);
  assert.deepEqual(journey.next(design, checked, { name: "understanding" }), { name: "question", place: 0 });
  assert.deepEqual(journey.position(design, journey.answer(checked, 0, 0), 0), { number: 1, total: 1 });
});

test("without the switch the last question is one like any other", () => {
  const off = { ...design, understanding: undefined };
  assert.deepEqual(journey.pages(off, journey.answer(begun(), 0, 0)), [[0], [2]]);
  assert.deepEqual(journey.next(off, begun(), journey.START), { name: "question", place: 0 });
});

test("an outsider's ten records are half yes, and follow the answer by the survey's odds", () => {
  let seed = 7;
  const source = { bits: 31, draw: () => (seed = (seed * 48271) % 2147483647) };
  const records = Array.from({ length: 400 }, () => understanding.recordsOf("0.8000", source, toy.flip));
  assert.ok(records.every((ten) => ten.length === 10));
  const yes = records.flat().filter((code) => code === 1).length / 4000;
  assert.ok(Math.abs(yes - 0.5) < 0.03, String(yes));
  /** @type {(answer: number) => number} */
  const same = (answer) => Array.from({ length: 4000 }, () => toy.flip("0.8000", answer, source).code).filter((code) => code === answer).length / 4000;
  // .8 + .2/2
  assert.ok(Math.abs(same(1) - 0.9) < 0.02);
  assert.ok(Math.abs(same(0) - 0.9) < 0.02);
});
