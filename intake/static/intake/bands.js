/** Plain numbers: people type one, and their device records the band that it is in. */

import { add, kindOf } from "./kinds.js";
import { el, mark } from "./elements.js";
import { choicesScreen } from "./questions.js";
import { typedScreen } from "./typed_number.js";

const PLAIN = "plain";

/**
 * The choice of a number, which lies so many steps above the lowest.
 * @param {Intake.Bands} bands
 * @param {number} answer
 */
export const bandOf = ({ low, step, limits }, answer) => limits.filter((limit) => limit <= low + step * answer).length;

/**
 * The bands in a sentence. Lists of units have no comma in Chinese, where "under 2" would run into "2 to under 4".
 * @param {Intake.Voice} voice
 * @param {Intake.Question} question
 */
export const bandsInWords = (voice, question) =>
  new Intl.ListFormat(voice.interface).format(question.choices.map((_choice, code) => voice.choice(question, code).text));

/**
 * @param {Intake.Scene} scene
 * @param {number[]} page
 * @param {Intake.Question} question
 * @param {Intake.Wrong} wrong
 */
function screen(scene, page, question, wrong) {
  const { number } = question;
  if (!number) return choicesScreen(scene, page, question, wrong);
  const { voice } = scene;
  const promise = el("p", { id: "protection", class: "protection" }, mark("plain"),
    el("span", {}, voice.word("number_banded", { bands: bandsInWords(voice, question) })));
  return typedScreen(scene, page[0], question, number, wrong, { promise, codeOf: (answer) => bandOf(number, answer), below: null });
}

add(PLAIN, { ...kindOf({ kind: PLAIN }), screen });
