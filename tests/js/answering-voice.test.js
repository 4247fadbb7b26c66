import assert from "node:assert/strict";
import { test } from "node:test";
import { hidden, option, plain, voice } from "./answering.js";

const PAGE = {
  languages: [{ code: "de", interface: "en" }, { code: "zh-hans", interface: "zh-hans" }],
  words: { en: { yes: "Yes", no: "No", left: "%(n)s of %(all)s" }, "zh-hans": { yes: "是", no: "否", left: "%(all)s 之 %(n)s" } },
};
const DESIGN = { languages: ["de", "zh-hans"] };
const german = voice.voiceOf(PAGE, DESIGN, "de");
const chinese = voice.voiceOf(PAGE, DESIGN, "zh-hans");

test("our own words come in the nearest language that we speak", () => {
  assert.equal(german.interface, "en");
  assert.equal(german.word("left", { n: 2, all: 3 }), "2 of 3");
  assert.equal(chinese.word("left", { n: 2, all: 3 }), "3 之 2");
});

test("a missing text is said in the first language that has one, and owns up to it", () => {
  assert.deepEqual(chinese.text({ de: "Arbeit" }), { text: "Arbeit", language: "de" });
  assert.deepEqual(chinese.text({}), { text: "", language: "zh-hans" });
});

test("a bare yes or no is ours to translate", () => {
  assert.deepEqual(chinese.choice(hidden("x"), 1), { text: "是", language: "zh-hans" });
  assert.deepEqual(german.choice(hidden("x"), 0), { text: "No", language: "en" });
});

test("a yes that the design words itself is said in its words", () => {
  const worded = { ...hidden("x"), choices: [{ name: "no", label: {} }, { name: "yes", label: { de: "Ja, oft" } }] };
  assert.equal(german.choice(worded, 1).text, "Ja, oft");
});

test("a choice without a label is called by its name", () => {
  assert.equal(german.choice(plain("x"), 1).text, "b");
});

test("the label of an option's yes names the option, and its answers are yes and no", () => {
  const drug = { ...option("x", "used"), choices: [{ name: "no", label: {} }, { name: "yes", label: { de: "Kaffee" } }] };
  assert.equal(german.option(drug).text, "Kaffee");
  assert.equal(german.choice(drug, 1).text, "Yes");
});

test("shares are written as the language writes them", () => {
  assert.equal(german.percent(0.625), "62.5%");
  assert.equal(german.percent(0.6), "60%");
});
