import assert from "node:assert/strict";
import { test } from "node:test";
import { hidden, option, plain, voice } from "./answering.js";

const PAGE = {
  languages: [
    { code: "pt", interface: "en", dir: "ltr", numbers: "en" },
    { code: "zh-hans", interface: "zh-hans", dir: "ltr", numbers: "en" },
  ],
  words: { pt: { yes: "Yes", no: "No", left: "%(n)s of %(all)s", percent: "%(number)s %" }, "zh-hans": { yes: "是", no: "否", left: "%(all)s 之 %(n)s" } },
};
const DESIGN = { languages: ["pt", "zh-hans"] };
const portuguese = voice.voiceOf(PAGE, DESIGN, "pt");
const chinese = voice.voiceOf(PAGE, DESIGN, "zh-hans");

test("our own words come in the nearest language that we speak, and a missing text in the first that has one, owning up to it", () => {
  assert.equal(portuguese.interface, "en");
  assert.equal(portuguese.word("left", { n: 2, all: 3 }), "2 of 3");
  assert.equal(chinese.word("left", { n: 2, all: 3 }), "3 之 2");
  assert.deepEqual(chinese.text({ pt: "Trabalho" }), { text: "Trabalho", language: "pt" });
  assert.deepEqual(chinese.text({}), { text: "", language: "zh-hans" });
});

test("a choice is said in the words of its design, a bare yes or no in ours, and any other without a label by its name", () => {
  assert.deepEqual(chinese.choice(hidden("x"), 1), { text: "是", language: "zh-hans" });
  assert.deepEqual(portuguese.choice(hidden("x"), 0), { text: "No", language: "en" });
  const worded = { ...hidden("x"), choices: [{ name: "no", label: {} }, { name: "yes", label: { pt: "Sim, muito" } }] };
  assert.equal(portuguese.choice(worded, 1).text, "Sim, muito");
  assert.equal(portuguese.choice(plain("x"), 1).text, "b");
});

test("the label of an option's yes names the option, and its answers are yes and no", () => {
  const drug = { ...option("x", "used"), choices: [{ name: "no", label: {} }, { name: "yes", label: { pt: "Café" } }] };
  assert.equal(portuguese.option(drug).text, "Café");
  assert.equal(portuguese.choice(drug, 1).text, "Yes");
});

test("shares are written as the language writes them", () => {
  assert.equal(portuguese.percent(0.625), "62.5 %");
  assert.equal(portuguese.percent(0.6), "60 %");
});

test("a phrase of the design is said, unless the page brings another in its place", () => {
  const design = { ...DESIGN, phrases: { no: { pt: "Não" }, agree: { pt: "Aceito" } } };
  const spoken = voice.voiceOf(PAGE, design, "pt");
  assert.equal(spoken.word("agree"), "Aceito");
  assert.equal(spoken.word("no"), "No");
});

test("the page names the keys of its words once, and the design says what the page does not", () => {
  const told = { keys: ["yes", "ask"], words: { en: ["Yes", null], de: ["Ja", "Fragen?"] }, languages: PAGE.languages };
  const element = { textContent: JSON.stringify(told) };
  Object.assign(globalThis, { document: { getElementById: () => element } });
  const page = voice.embeddedPage();
  assert.deepEqual(Object.keys(page), ["words", "languages"]);
  assert.deepEqual(page.words.de, { yes: "Ja", ask: "Fragen?" });
  const languages = [{ code: "en", interface: "en", dir: "ltr", numbers: "en" }];
  const english = voice.voiceOf({ ...page, languages }, { languages: ["en"], phrases: { ask: { en: "Ask us" } } }, "en");
  assert.deepEqual(["yes", "ask"].map((key) => english.word(key)), ["Yes", "Ask us"]);
});
