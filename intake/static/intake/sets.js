/** Questions of many choices, of which a set of several goes out. They are asked like all questions with choices. */

import { DISGUISED } from "./device.js";
import { el, told } from "./elements.js";
import { placesOf } from "./journey.js";
import { add } from "./kinds.js";
import { choicesScreen, timesWords } from "./questions.js";

/**
 * The choices that a code names: the members of the set with this rank in lexicographic order, of an open record one.
 * @param {Intake.Subset} section
 * @param {number} code
 */
export function membersOf({ size, questions: [{ choices: { length } }] }, code) {
  const members = Array.from({ length: size }, (_, i) => i);
  for (let rank = 0; rank < code; rank += 1) {
    let last = size - 1;
    while (last >= 0 && members[last] === length - size + last) last -= 1;
    // Behind the last set.
    if (last < 0) return [code - rank - 1];
    members[last] += 1;
    for (let i = last + 1; i < size; i += 1) members[i] = members[i - 1] + 1;
  }
  return members;
}

/**
 * @param {Intake.Voice} voice
 * @param {Intake.Question} question
 * @param {number} code
 * @param {Intake.Subset} section
 */
const listed = (voice, question, code, section) =>
  el("span", {}, ...new Intl.ListFormat(voice.interface, { type: "disjunction" }).formatToParts(membersOf(section, code).map(String))
    .map(({ type, value }) => (type === "element" ? told(voice, voice.choice(question, Number(value))) : value)));

/**
 * What goes out, and how often the own choice is in it.
 * @param {Intake.Scene} scene
 * @param {number} place
 */
function oddsWords({ voice, design, page: { chances } }, place) {
  const { section, question } = placesOf(design)[place];
  const { size } = /** @type {Intake.Subset} */ (section);
  const [times, others] = chances[question.name][0].map((odds) => timesWords(voice, odds));
  return el("details", { class: "chances" },
    el("summary", {}, voice.word("how_likely")),
    el("p", {}, voice.word("set_odds", { size: voice.number(size), times, others })));
}

/** @type {Intake.Kind} */
const sets = {
  screen: (scene, page, question, wrong) =>
    choicesScreen(scene, page, question, wrong, scene.journey.group === DISGUISED ? oddsWords(scene, page[0]) : null),
  answer: (voice, question, answer) => told(voice, voice.choice(question, answer)),
  code: listed,
  recorded(voice, question, code, _codeOf, section) {
    const [before, after] = voice.word("set_recorded", { choices: "\0" }).split("\0");
    return el("span", {}, before, listed(voice, question, code, section), after);
  },
  sends: () => null,
  isBare: () => false,
  caution: () => null,
  differs: "differs_set",
  proves: "proves_set",
  thrown: (_question, isKept) => [isKept ? "throw_set" : "throw_others", "throws_set"],
};

add("subset", sets);
