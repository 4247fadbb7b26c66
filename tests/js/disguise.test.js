import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { device } from "./answering.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/records.json", import.meta.url), "utf8"));
const { OPEN, DISGUISED } = device;
const PRINT = "f".repeat(64);

/** What a caller without types might hand over. @type {(value: unknown) => any} */
const untyped = (value) => value;

/** Words from a list; asking for more of them is an error. @param {number[]} words */
function listed(words, bits = 32) {
  const left = [...words];
  const draw = () => left.shift() ?? assert.fail("no word is left");
  return { bits, left, draw };
}

/** @param {string} name @param {string[]} noise @param {Record<string, string[]>} show_if */
function question(name, noise, show_if = {}) {
  const names = noise.length === 2 ? ["no", "yes"] : noise.map((_, code) => `choice ${code}`);
  return { name, choices: names.map((choice) => ({ name: choice, label: {} })), noise, show_if };
}

const HALVES = ["0.5000", "0.5000"];
const work = { name: "work", choices: [{ name: "employed" }, { name: "not" }], show_if: {} };
const employed = { work: ["employed"] };

/** A plain question, then two of three sensitive ones, the first of them for the employed only. */
const design = {
  open_answers: true,
  sections: [
    { kind: "plain", questions: [work] },
    {
      kind: "unrelated-question",
      keep: "0.3000",
      asked: 2,
      questions: [
        question("theft", ["0.4000", "0.6000"], employed),
        question("drink", ["0.2000", "0.5000", "0.3000"]),
        question("drugs", HALVES),
      ],
    },
  ],
};

/** Coins of that design: two of the shuffle, keep, three of noise. @param {...number} values */
const coins = (...values) => ({ modulus: 10000, values });

test("the vectors give the same coins and the same record, byte for byte, after a reload too", () => {
  assert.ok(vectors.length >= 84);
  for (const vector of vectors) {
    const words = listed(vector.words);
    const thrown = device.drawCoins(vector.design, words);
    assert.deepEqual(thrown.values, vector.coins);
    assert.equal(words.left.length, 0);
    const record = device.disguise(vector.design, vector.fingerprint, thrown, vector.group, vector.answers);
    assert.equal(device.recordText(record), vector.record);
    assert.equal(device.impossible(vector.design, vector.fingerprint, record), null);
    const again = listed(vector.again.words);
    const rethrown = device.redraw(vector.design, device.seen(vector.design, thrown), again);
    assert.deepEqual(rethrown.values, vector.again.coins);
    assert.equal(again.left.length, 0);
    const later = device.disguise(vector.design, vector.fingerprint, rethrown, vector.group, vector.answers);
    assert.equal(device.recordText(later), vector.again.record);
  }
});

test("a coin is its word modulo n, and words past the last whole n are thrown again", () => {
  // 2^32 = 429,496 * 10,000 + 7,296, so 4,294,960,000 is the first word that does not count.
  assert.equal(device.below(10000, listed([4294959999])), 9999);
  assert.equal(device.below(10000, listed([4294960000, 4294967295, 10007])), 7);
  assert.equal(device.below(1, listed([4294967295])), 0);
  assert.equal(device.below(2 ** 32, listed([4294967295])), 4294967295);
});

test("a coin with more sides than words, or with none, is refused instead of thrown for ever", () => {
  for (const n of [0, -1, NaN, 257]) assert.throws(() => device.below(n, listed([1], 8)), RangeError);
});

test("the secure words come from the source that is handed in", () => {
  let next = 41;
  const words = device.secureWords({
    getRandomValues(array) {
      array[0] = next++;
      return array;
    },
  });
  assert.equal(words.bits, 32);
  assert.deepEqual([words.draw(), words.draw()], [41, 42]);
});

const everybody = structuredClone(design);
everybody.sections[1].asked = 3;

test("the coins of a design are the shuffle, if any, the keep coin and one noise coin per question", () => {
  assert.deepEqual(device.sides(design), [3, 2, 10000, 10000, 10000, 10000]);
  assert.deepEqual(device.sides(everybody), [10000, 10000, 10000, 10000]);
});

test("after a reload the same questions are drawn and every other coin is new", () => {
  for (const shuffle of [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]) {
    const before = coins(...shuffle, 2999, 7, 8, 9);
    const seen = JSON.parse(JSON.stringify(device.seen(design, before)));
    const words = listed([2, 1, 3000, 17, 18, 19]);
    const after = device.redraw(design, seen, words);
    assert.deepEqual(device.seen(design, after), seen);
    assert.deepEqual(after.values.slice(2), [3000, 17, 18, 19]);
    assert.equal(words.left.length, 0);
  }
});

test("the coins after a reload depend on the questions drawn and on nothing else of the earlier coins", () => {
  /** @param {...number} before */
  const again = (...before) => device.redraw(design, device.seen(design, coins(...before)), listed([0, 0, 1, 2, 3, 4]));
  // Both draw drugs and theft, in the other order.
  assert.deepEqual(again(2, 1, 0, 1, 2, 3), again(0, 1, 9999, 9998, 9997, 9996));
});

test("where all questions are asked a reload throws every coin anew", () => {
  const after = device.redraw(everybody, { asked: [true, true, true, true], draws: [] }, listed([5, 6, 7, 8]));
  assert.deepEqual(after.values, [5, 6, 7, 8]);
});

test("what this design cannot have drawn is refused", () => {
  const T = true, F = false;
  const impossible = [
    [T, T, T, T], [T, T, F, F], [T, F, F, F], [F, T, T, F], [T, T, T], [T, T, T, F, F], [], [1, 1, 1, 0], [T, T, "x", F],
    ["true", T, T, F], null, undefined, 7, "1110", { length: 4 },
  ];
  for (const asked of impossible) {
    const seen = untyped({ asked, draws: [] });
    assert.throws(() => device.redraw(design, seen, listed([0, 0, 0, 0, 0, 0])), `${JSON.stringify(asked)} was taken`);
  }
  const asked = [T, T, T, F];
  for (const draws of [[0], ["0"], null, undefined, 7]) {
    assert.throws(() => device.redraw(design, untyped({ asked, draws }), listed([0, 0, 0, 0, 0, 0])), `${draws} was taken`);
  }
  for (const seen of [null, undefined, asked]) {
    assert.throws(() => device.redraw(design, untyped(seen), listed([0, 0, 0, 0, 0, 0])));
  }
});

test("the shuffle swaps a place with one at or after it", () => {
  // Coin 2 brings drugs to the front: drugs, drink, theft. Then coin 1 brings theft second.
  assert.deepEqual(device.drawn(design, coins(2, 1, 0, 0, 0, 0)), [true, true, false, true]);
  assert.deepEqual(device.drawn(design, coins(0, 0, 0, 0, 0, 0)), [true, true, true, false]);
});

test("below keep the truth is sent, from keep on the noise", () => {
  /** @type {(keep: number, ...noise: number[]) => number[]} */
  const send = (keep, ...noise) => device.disguisedCodes(design, coins(0, 0, keep, ...noise), DISGUISED, [0, 1, 2, null]);
  assert.deepEqual(send(2999, 0, 0, 0), [0, 1, 2, 2]);
  assert.deepEqual(send(3000, 0, 0, 0), [0, 0, 0, 2]);
  assert.deepEqual(send(3000, 3999, 1999, 0), [0, 0, 0, 2]);
  assert.deepEqual(send(3000, 4000, 2000, 0), [0, 1, 1, 2]);
  assert.deepEqual(send(9999, 9999, 7000, 0), [0, 1, 2, 2]);
});

test("an open answer is sent as it is, but only for the questions drawn", () => {
  assert.deepEqual(device.disguisedCodes(design, coins(0, 0, 9999, 0, 0, 0), OPEN, [0, 1, 2, 1]), [0, 1, 2, 2]);
});

test("a hidden question is not applicable in both groups, unless it was not asked at all", () => {
  for (const group of [OPEN, DISGUISED]) {
    assert.equal(device.disguisedCodes(design, coins(0, 0, 9999, 0, 0, 0), group, [1, null, 2, 1])[1], 3);
    assert.equal(device.disguisedCodes(design, coins(2, 0, 9999, 0, 0, 0), group, [1, null, 2, 1])[1], 2);
  }
});

test("a question that is drawn and shown must be answered, whatever the keep coin says", () => {
  for (const keep of [0, 9999]) {
    for (const answer of [null, undefined, -1, 2, 0.5, "1", NaN]) {
      const answers = [0, untyped(answer), 2, null];
      assert.throws(() => device.disguisedCodes(design, coins(0, 0, keep, 0, 0, 0), DISGUISED, answers), /theft/);
    }
  }
});

test("coins of another design, or edited ones, a group that is neither, and too few answers are refused", () => {
  for (const values of [[], [0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 10000], [0, 0, 0.5, 0, 0, 0], [0, 0, "0", 0, 0, 0]]) {
    assert.throws(() => device.disguise(design, PRINT, coins(...untyped(values)), DISGUISED, [0, 1, 2, 1]), RangeError);
  }
  const thrown = coins(0, 0, 0, 0, 0, 0);
  for (const group of [2, true, "1", null]) {
    assert.throws(() => device.disguise(design, PRINT, thrown, untyped(group), [0, 1, 2, 1]), RangeError);
  }
  assert.throws(() => device.disguise(design, PRINT, thrown, DISGUISED, [0, 1, 2]), RangeError);
});

test("a kind of section that this module does not know, and a probability that is not canonical, are refused", () => {
  const later = { open_answers: false, sections: [{ kind: "somewhere", keep: "0.5000", asked: 1, questions: [work] }] };
  assert.throws(() => device.drawCoins(later, listed([1, 2, 3])), TypeError);
  const loose = structuredClone(design);
  untyped(loose.sections[1]).keep = "0.3";
  assert.throws(() => device.drawCoins(loose, listed([0, 0, 0, 0, 0, 0])), TypeError);
  assert.throws(() => device.impossible(loose, PRINT, { design: PRINT, group: 1, answers: "0122" }), TypeError);
});

test("a page shows what is drawn and what the answers so far show", () => {
  const drawsTheftAndDrink = coins(0, 0, 0, 0, 0, 0);
  assert.deepEqual(device.shown(design, drawsTheftAndDrink, [null, null, null, null]), [true, false, true, false]);
  assert.deepEqual(device.shown(design, drawsTheftAndDrink, [0, null, null, null]), [true, true, true, false]);
  assert.deepEqual(device.shown(design, drawsTheftAndDrink, [1, null, null, null]), [true, false, true, false]);
});

test("an answer given before its question was hidden no longer shows others", () => {
  const shift = { name: "shift", choices: [{ name: "day" }, { name: "night" }], show_if: employed };
  const tired = { ...work, name: "tired", show_if: { shift: ["night"] } };
  const chained = { open_answers: false, sections: [{ kind: "plain", questions: [work, shift, tired] }] };
  assert.deepEqual(device.shown(chained, coins(), [0, 1, null]), [true, true, true]);
  assert.deepEqual(device.shown(chained, coins(), [1, 1, null]), [true, false, false]);
});

test("names that mean something to JavaScript are names like others", () => {
  const odd = JSON.parse(
    '{"open_answers":false,"sections":[{"kind":"plain","questions":[' +
      '{"name":"__proto__","choices":[{"name":"constructor"},{"name":"toString"}],"show_if":{}},' +
      '{"name":"b","choices":[{"name":"x"},{"name":"y"}],"show_if":{"__proto__":["toString"]}}]}]}',
  );
  assert.deepEqual(device.disguisedCodes(odd, coins(), DISGUISED, [1, 0]), [1, 0]);
  assert.deepEqual(device.disguisedCodes(odd, coins(), DISGUISED, [0, 0]), [0, 3]);
});

test("every code stands in its place, as wide as its question needs", () => {
  const nine = { open_answers: false, sections: [{ kind: "plain", questions: [question("nine", Array(9).fill("")), work] }] };
  // Nine choices: 0..8, not asked 9, not applicable 10.
  assert.equal(device.encode(nine, [8, 1]), "081");
  assert.deepEqual(device.decode(nine, "101"), [10, 1]);
  assert.equal(device.decode(nine, "111"), null);
});

test("a text that is not of this design is not decoded", () => {
  assert.deepEqual(device.decode(design, "0122"), [0, 1, 2, 2]);
  for (const text of ["", "012", "01222", "01 2", "01x2", "4122", "0152", "٠١٢٢", null, 122, ["0", "1", "2", "2"]]) {
    assert.equal(device.decode(design, untyped(text)), null);
  }
});

test("an impossible record is told from a possible one, with the reason", () => {
  /** @param {string} answers */
  const why = (answers, more = {}) => device.impossible(design, PRINT, { design: PRINT, group: DISGUISED, answers, ...more });
  assert.equal(why("0122"), null);
  assert.equal(why("1322"), null);
  assert.equal(why("0122", { group: OPEN }), null);
  assert.deepEqual(why("0122", { design: "0".repeat(64) }), { reason: "design", question: null });
  assert.deepEqual(why("0122", { group: "1" }), { reason: "group", question: null });
  assert.deepEqual(why("012"), { reason: "answers", question: null });
  assert.deepEqual(why("0121"), { reason: "asked", question: "theft" });
  assert.deepEqual(why("0232"), { reason: "asked", question: "theft" });
  assert.deepEqual(why("2122"), { reason: "asked", question: "work" });
  assert.deepEqual(why("0322"), { reason: "applicable", question: "theft" });
  assert.deepEqual(why("1122"), { reason: "applicable", question: "theft" });
  assert.deepEqual(why("0142"), { reason: "applicable", question: "drink" });
  assert.deepEqual(why("3122"), { reason: "applicable", question: "work" });
  const open = { design: PRINT, group: OPEN, answers: "0122" };
  assert.deepEqual(device.impossible({ ...design, open_answers: false }, PRINT, open), { reason: "group", question: null });
  // What is no record at all is impossible, not an error.
  for (const record of [null, undefined, 1, "x", [], {}]) {
    assert.equal(device.impossible(design, PRINT, untyped(record))?.reason, "design");
  }
});

test("the texts that are sent have the same number of bytes for every record", () => {
  const record = { answers: "0122", design: PRINT, group: 1 };
  assert.equal(device.recordText(record), `{"design":"${PRINT}","group":1,"answers":"0122"}`);
  assert.equal(device.envelopeText("ab", record), `{"key":"ab","record":${device.recordText(record)}}`);
  assert.equal(device.envelopeText("ab", record, "cd"), `{"key":"ab","record":${device.recordText(record)},"token":"cd"}`);
  assert.equal(device.envelopeText("ab", record, null, 682), `{"key":"ab","epoch":682,"record":${device.recordText(record)}}`);
});

test("a submission key is 32 hexadecimal digits from the words", () => {
  assert.equal(device.drawKey(listed([0, 15, 16, 255, ...Array(12).fill(256)])), "000f10ff" + "00".repeat(12));
});

const FOLDER = new URL("../../privacy/static/privacy/", import.meta.url);
const MODULES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));

test("there are modules behind the entry", () => {
  assert.ok(MODULES.includes("disguise.js") && MODULES.includes("kinds/grouped.js"));
});

for (const name of MODULES) {
  test(`${name} reaches for nothing: no import, no page, no network, no storage, no clock, no chance`, () => {
    const code = readFileSync(new URL(name, FOLDER), "utf8").replace(/\/\*[^]*?\*\/|\/\/.*/g, "");
    const reaches =
      /\b(import|require|eval|Function|globalThis|(?<!\.)window(?!:)|self|document|navigator|location|history|fetch|XMLHttpRequest|WebSocket|EventSource|Worker|localStorage|sessionStorage|indexedDB|cookie|caches|Date|performance|setTimeout|setInterval|console|process|random(?! draws\b))\b/;
    assert.doesNotMatch(code, reaches);
  });
}

test("the kinds are made known once", () => {
  assert.throws(() => device.compose({}, untyped(null), device.below), TypeError);
});
