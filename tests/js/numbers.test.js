import assert from "node:assert/strict";
import { test } from "node:test";

import { bands, device, journey as j, kinds, numbers, typed, voice as voices } from "./answering.js";

const base = { text: {}, help: {}, show_if: {}, unit: { en: "euros", de: "Euro" } };
/** @type {Intake.NumberQuestion} */
const debt = { ...base, name: "debt", law: "classes", step: 1, low: 0, high: 10000, limits: [500, 1000, 2000, 5000], cuts: 1, rest: 2 };
/** @type {Intake.NumberQuestion} */
const cold = { ...base, name: "cold", law: "window", low: -40, step: 5, values: 21, window: 2, uniform: "0.5000", unit: {} };
/** @type {Intake.NumberQuestion} */
const wide = { ...debt, high: 1000000000, limits: [1000000] };

/** @type {(question: Intake.NumberQuestion, text: string) => unknown} */
const outcome = (question, text) => {
  const { answer, problem } = typed.read(numbers.rangeOf(question), text);
  return problem ?? answer;
};

test("digits of any script are read, with signs that group them in threes", () => {
  const typed = ["1700", " 1700 ", "1,700", "1.700", "1 700", "1 700", "1 700", "1'700", "1’700", "0001700"];
  for (const text of typed) assert.equal(outcome(debt, text), 1700, text);
  for (const text of ["12,345,678", "12.345.678", "12 345 678", "12’345’678"]) assert.equal(outcome(wide, text), 12345678, text);
  for (const text of ["１７００", "１，７００", "١٧٠٠", "١٬٧٠٠", "१७००", "𝟏𝟕𝟎𝟎", "𝟷𝟽𝟶𝟶", "1７0０"]) assert.equal(outcome(debt, text), 1700, text);
  for (let digit = 0; digit < 10; digit += 1) assert.equal(outcome(debt, String.fromCodePoint(0x966 + digit)), digit);
});

test("nothing is guessed where signs group otherwise, and letters, units, powers and ranges are no number", () => {
  for (const text of ["1,70", "1,7000", "17,00", "1.700,5", "1,700.00", "0.500", "1.5", "1,5", "0,5"]) {
    assert.equal(outcome(debt, text), "decimal", text);
  }
  for (const text of ["1,,700", ",700", "1,234.567", "1 700,", "1.7.00", "1.700 500,300"]) assert.match(String(outcome(wide, text)), /unread|decimal/, text);
  for (const text of ["many", "1700 euros", "€1700", "1e3", "0x10", "1-2", "--5", "+", "-", "½", "Ⅻ", "十", "Infinity", "NaN", "1\n2"]) {
    assert.equal(outcome(debt, text), "unread", text);
  }
  for (const text of ["", "  ", "　"]) assert.equal(outcome(debt, text), "empty");
});

test("the ends are taken and nothing beyond them", () => {
  assert.deepEqual(["0", "-0", "10000"].map((text) => outcome(debt, text)), [0, 0, 10000]);
  assert.ok(Object.is(outcome(debt, "-0"), 0));
  assert.deepEqual(["-1", "10001", "9".repeat(400)].map((text) => outcome(debt, text)), ["small", "large", "large"]);
});

test("a minus of any kind is understood, and the answer counts steps from the lowest number", () => {
  for (const text of ["-35", "−35", "－３５"]) assert.equal(outcome(cold, text), 1, text);
  assert.deepEqual(["-40", "0", "60"].map((text) => outcome(cold, text)), [0, 8, 20]);
  assert.deepEqual(["-41", "61", "1", "-39"].map((text) => outcome(cold, text)), ["small", "large", "between", "between"]);
});

const words = new Proxy({}, { get: (_, key) => `${String(key)} %(number)s %(answer)s %(low)s %(high)s %(step)s` });
const english = voices.voiceOf({ languages: [{ code: "en", interface: "en", dir: "ltr", numbers: "en" }], words: { en: words } }, { languages: ["en"] }, "en");
const german = voices.voiceOf({ languages: [{ code: "de", interface: "de", dir: "ltr", numbers: "de" }], words: { de: words } }, { languages: ["en"] }, "de");

test("numbers are said in the language of the page, with their unit", () => {
  assert.equal(numbers.answerWords(english, debt, 1700), "1,700 euros");
  assert.equal(numbers.answerWords(german, debt, 1700), "1.700 Euro");
  assert.equal(numbers.answerWords(english, cold, 1), "−35");
});

test("a code says between which limits the number lies, where in its class, or the number", () => {
  assert.match(numbers.codeWords(english, debt, 0), /^number_below .* 500 euros/);
  assert.match(numbers.codeWords(english, debt, 6), /^number_within .* 500 euros 2,000 euros/);
  assert.match(numbers.codeWords(english, debt, 14), /^number_at_least .* 5,000 euros/);
  assert.match(numbers.codeWords(english, debt, 15), /^number_inside .*no /);
  assert.match(numbers.codeWords(english, debt, 16), /^number_inside .*yes /);
  assert.equal(numbers.codeWords(english, cold, 20), "60");
});

test("of a scale a code of one class is its number, and one of several is not", () => {
  // Of 0, 1, 2: [0,1), [0,2), [0,3), [1,2), [1,3), [2,3).
  const scale = { ...debt, high: 2, limits: [1, 2], cuts: 1, rest: 0, unit: {} };
  assert.deepEqual([0, 3, 5].map((code) => numbers.codeWords(english, scale, code)), ["0", "1", "2"]);
  assert.match(numbers.codeWords(english, scale, 1), /^number_below .* 2 /);
});

test("a complaint says what is wrong, the range, the step and the unit", () => {
  assert.match(typed.complaintWords(english, numbers.rangeOf(debt), "1.5"), /^number_decimal .*number_range .* 0 10,000 euros /);
  assert.match(typed.complaintWords(english, numbers.rangeOf(debt), "10001"), /^number_large .*number_range .*number_more .* 10,000 euros/);
  assert.match(typed.complaintWords(english, numbers.rangeOf(cold), "1"), /^number_between .*number_steps .* −40 60 5$/);
});

test("what was typed stays in the journey, and is an answer only where it is one", () => {
  const design = /** @type {Intake.Design} */ (/** @type {unknown} */ ({
    open_answers: false, sections: [{ kind: "number", keep: "0.5000", questions: [{ ...debt, rest: 0 }] }],
  }));
  const start = j.begin(design, { modulus: 10000, values: [3, 0, 0] });
  const wrong = j.type(start, 0, "1.5", typed.read(numbers.rangeOf(debt), "1.5").answer);
  assert.deepEqual([wrong.typed[0], wrong.answers[0], j.missing(wrong, [0])], ["1.5", null, [0]]);
  assert.deepEqual(j.pending(design, wrong), { name: "question", place: 0 });
  const right = j.type(wrong, 0, "1 700", typed.read(numbers.rangeOf(debt), "1 700").answer);
  assert.deepEqual([right.typed[0], right.answers[0], j.missing(right, [0])], ["1 700", 1700, []]);
  // The limit 5,000 is drawn, and the class kept: below it.
  assert.equal(j.seal(design, "f", right, "0".repeat(32), null).record.answers, "03");
  assert.equal(j.illustration(design, right, { bits: 32, draw: () => 7142 }).kept[0], false);
  assert.equal(device.DISGUISED, right.group);
});

test("a plain number becomes the band that it is in", () => {
  const age = { low: 0, high: 120, step: 1, limits: [18, 35, 55] };
  const codes = [0, 17, 18, 34, 35, 54, 55, 120].map((number) => bands.bandOf(age, number - age.low));
  assert.deepEqual(codes, [0, 0, 1, 1, 2, 2, 3, 3]);
  const cold = { low: -40, high: 60, step: 5, limits: [-10, 0] };
  assert.deepEqual([-40, -15, -10, -5, 0, 60].map((number) => bands.bandOf(cold, (number + 40) / 5)), [0, 0, 1, 1, 2, 2]);
});

test("a sign stands between the bands of a plain number in each language", () => {
  const labels = ["<2", "2-4", "4+"];
  const question = /** @type {Intake.Question} */ (/** @type {unknown} */ ({ choices: labels }));
  for (const language of ["en", "zh-Hans", "ja", "de", "ar"]) {
    const voice = /** @type {Intake.Voice} */ (/** @type {unknown} */ ({ interface: language, choice: (/** @type {unknown} */ _question, /** @type {number} */ code) => ({ text: labels[code] }) }));
    assert.match(bands.bandsInWords(voice, question), /<2\D+2-4\D+4\+/, language);
  }
});

test("four digits of a plain number without a unit are not grouped, since they may be a year", () => {
  const year = { low: 1900, high: 2026, step: 1, limits: [1950] };
  assert.equal(typed.amount(english, year, 1950), "1950");
  assert.equal(typed.amount(english, { ...year, unit: { en: "euros" } }, 1950), "1,950 euros");
  assert.equal(typed.amount(english, year, 19500), "19,500");
});

test("an answer that is looked over says what goes out for it, and of all classes if it is not disguised", () => {
  const kind = /** @type {Required<Intake.Kind>} */ (kinds.kindOf(/** @type {Intake.Section} */ ({ kind: "number" })));
  /** @type {Intake.NumberQuestion} */
  const scale = { ...base, name: "scale", law: "classes", step: 1, low: 0, high: 3, limits: [1, 2, 3], cuts: 3, rest: 0 };
  /** @type {(group: number) => (string | null)[]} */
  const sends = (group) => [debt, cold, scale, { ...scale, cuts: 2 }].map((question) =>
    kind.sends(/** @type {Intake.Journey} */ ({ group }), question, 0));
  assert.deepEqual(sends(1), ["number_sends_class", "number_sends_near", "number_sends_step", "number_sends_class"]);
  assert.deepEqual(sends(0), ["number_sends_own_class", null, null, null]);
});

test("a try says that a true answer is sent only where the number itself would be", () => {
  const kind = /** @type {Required<Intake.Kind>} */ (kinds.kindOf(/** @type {Intake.Section} */ ({ kind: "number" })));
  /** @type {Intake.NumberQuestion} */
  const scale = { ...base, name: "scale", law: "classes", step: 1, low: 0, high: 3, limits: [1, 2, 3], cuts: 3, rest: 0 };
  const thrown = [debt, cold, scale, { ...scale, cuts: 2 }].map((question) => kind.thrown(question, true, 0));
  const ofClass = ["throw_class", "throws_class"];
  assert.deepEqual(thrown, [ofClass, ["throw_near", "throws_near"], ["throw_kept", "throws_so_far"], ofClass]);
});
