import assert from "node:assert/strict";
import { test } from "node:test";
import { coins, crosswise, design, device, hidden, journey as j, kinds, pairs, plain, sensitive, yesNo } from "./answering.js";

/** @type {Intake.CrosswiseQuestion} */
const CASH = {
  ...hidden("cash"), secret: { en: "January to March?" }, turned_by: "version", turned: { en: "April to December?" },
};
/** @type {any} */
const VERSION = { ...plain("version"), form: "drawn", shares: ["0.5000", "0.5000"] };
const ARMS = { ...design([{ kind: "plain", questions: [plain("age")] }, sensitive([hidden("theft")])]), direct: "0.2500" };
const TURNED = design([
  { kind: "plain", questions: [VERSION, plain("age"), { ...plain("boss", { version: ["b"] }), choices: yesNo }] },
  /** @type {any} */ ({ kind: "crosswise", questions: [{ ...CASH, share: "0.2466" }] }),
]);
/** @type {(of: Intake.Design, ...values: number[]) => Intake.Journey} */
const thrown = (of, ...values) => j.begin(of, { modulus: 10000, values });

test("the coin of the arm alone says whether the answers are disguised", () => {
  assert.equal(thrown(ARMS, 0, 0, 2499).group, device.OPEN);
  assert.equal(thrown(ARMS, 0, 0, 2500).group, device.DISGUISED);
});

test("where there are arms their screen comes before the first question, and nothing is missing on it", () => {
  const now = thrown(ARMS, 0, 0, 0);
  assert.deepEqual(j.next(ARMS, now, j.START), j.ARM);
  assert.deepEqual(j.lacking(ARMS, now, j.ARM), []);
  assert.deepEqual(j.next(ARMS, now, j.ARM), { name: "question", place: 0 });
  assert.deepEqual(j.permitted(ARMS, now, j.ARM), j.ARM);
  const without = design(ARMS.sections);
  assert.deepEqual(j.next(without, j.begin(without, coins(without)), j.START), { name: "question", place: 0 });
});

test("a record of the direct arm has the answers, whatever the coins of the section are", () => {
  const now = j.answer(j.answer(thrown(ARMS, 9999, 0, 0), 0, 1), 1, 1);
  assert.deepEqual(j.seal(ARMS, "f", now, "k", null).record, { design: "f", group: 0, answers: "11" });
});

test("a drawn question is on no page and leads the rules", () => {
  assert.deepEqual(j.pages(TURNED, thrown(TURNED, 4999)), [[1], [3]]);
  assert.deepEqual(j.pages(TURNED, thrown(TURNED, 5000)), [[1], [2], [3]]);
  assert.deepEqual(j.position(TURNED, thrown(TURNED, 4999), 3), { number: 2, total: 2 });
});

test("whoever drew the second version is asked the opposite secret, and the other word is a yes", () => {
  const [first, second] = [4999, 5000].map((coin) => thrown(TURNED, coin));
  assert.equal(crosswise.secretOf(TURNED, first, CASH), CASH.secret);
  assert.equal(crosswise.secretOf(TURNED, second, CASH), CASH.turned);
  /** @type {(now: Intake.Journey, word: number) => string} */
  const sent = (now, word) =>
    j.seal(TURNED, "f", [1, 2].reduce((so, place) => j.answer(so, place, 0), j.answer(now, 3, word)), "k", null).record.answers;
  assert.deepEqual([pairs.SAME, pairs.DIFFERENT].map((word) => sent(first, word)), ["0030", "0031"]);
  assert.deepEqual([pairs.SAME, pairs.DIFFERENT].map((word) => sent(second, word)), ["1001", "1000"]);
});

test("the illustration throws no coin for a crosswise question", () => {
  assert.equal(kinds.kindOf({ kind: "crosswise" }).thrown, undefined);
  assert.notEqual(kinds.kindOf({ kind: "unrelated-question" }).thrown, undefined);
});
