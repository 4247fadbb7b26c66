/**
 * Crosswise questions: a private question and another one in one frame. Somebody who is disguised says only whether the two
 * answers are the same. Somebody who is asked openly or directly gets the private question alone, like any other.
 */

import { DIFFERENT, DISGUISED, SAME, choicesOf, wordOfYes } from "./device.js";
import { answerLabel, el, mark, told } from "./elements.js";
import { placesOf } from "./journey.js";
import { add } from "./kinds.js";
import { choicesScreen, complaint, described, frame, heading, helpOf, numbered } from "./questions.js";

const WORDS = /** @type {const} */ ([[SAME, "crosswise_same"], [DIFFERENT, "crosswise_different"]]);

/**
 * The text of the other question: its opposite for whoever drew the second choice of the question that turns it.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @param {Intake.CrosswiseQuestion} question
 */
export function secretOf(design, { coins }, { secret, turned, turned_by }) {
  const place = placesOf(design).findIndex((one) => one.question.name === turned_by);
  return turned && choicesOf(design, coins).get(place) === 1 ? turned : secret;
}

/**
 * @param {Intake.Scene} scene
 * @param {number[]} page
 * @param {Intake.CrosswiseQuestion} question
 * @param {Intake.Wrong} wrong
 */
function screen(scene, page, question, wrong) {
  if (scene.journey.group !== DISGUISED) return choicesScreen(scene, page, question, wrong);
  const { voice } = scene;
  const [place] = page;
  const help = helpOf(scene, question);
  return frame(scene, wrong, true, [{ place, id: `answer-${place}-${SAME}`, words: voice.word("crosswise_choose") }],
    el("fieldset", { "aria-describedby": described(["protection", "pair", help && "help", wrong.length && "wrong"]) },
      el("legend", {}, heading(voice.word("crosswise_title"), numbered(scene, place))),
      el("p", { id: "protection", class: "protection" }, mark("disguised"), el("span", {}, voice.word("crosswise_protects"))),
      pair(scene, question, help),
      complaint(scene, wrong.length > 0, voice.word("crosswise_choose")),
      el("div", { class: "answers two" }, ...WORDS.map((word) => answer(scene, place, word)))),
    el("div", { class: "flow crosswise-why" },
      el("h2", {}, voice.word("crosswise_why_title")),
      el("p", {}, voice.word("crosswise_why")),
      el("p", {}, voice.word("crosswise_breaks"))));
}

/**
 * Both questions, which are answered in the head.
 * @param {Intake.Scene} scene
 * @param {Intake.CrosswiseQuestion} question
 * @param {HTMLElement | null} help
 */
function pair({ design, voice, journey }, question, help) {
  return el("div", { id: "pair", class: "card pair flow" },
    el("dl", {},
      el("div", {},
        el("dt", {}, voice.word("crosswise_first")),
        el("dd", {}, told(voice, voice.text(secretOf(design, journey, question))))),
      el("div", {},
        el("dt", {}, voice.word("crosswise_second")),
        el("dd", {}, told(voice, voice.name(question)), help))),
    el("p", { class: "hint" }, voice.word("crosswise_both")));
}

/**
 * @param {Intake.Scene} scene
 * @param {number} place
 * @param {typeof WORDS[number]} word
 */
const answer = (scene, place, [code, key]) =>
  answerLabel({ type: "radio", name: `answer-${place}`, id: `answer-${place}-${code}` },
    scene.journey.answers[place] === code, () => scene.answer(place, code),
    el("strong", {}, scene.voice.word(key)), el("span", { class: "hint" }, scene.voice.word(`${key}_means`)));

/** @type {(voice: Intake.Voice, word: number) => string} */
const said = (voice, word) => voice.word(word === SAME ? "crosswise_same" : "crosswise_different");

/** @type {Intake.Kind} */
const pairs = {
  screen,
  answer: (voice, question, code, isDisguised) =>
    isDisguised
      ? el("span", {}, said(voice, code))
      : told(voice, voice.choice(question, code)),
  code: (voice, question, code) => told(voice, voice.choice(question, code)),
  /** The word that was pressed: "yes" would read as an answer to the private question. */
  recorded(voice, question, code, codeOf) {
    const yes = wordOfYes(question, question.turned_by !== undefined && codeOf(question.turned_by) === 1);
    const word = code === 1 ? yes : SAME + DIFFERENT - yes;
    return el("span", {}, voice.word("crosswise_recorded", { answer: said(voice, word), code }));
  },
  sends: () => null,
  isBare: () => false,
  caution: () => null,
  differs: "crosswise_differs",
  proves: "crosswise_proves",
};

add("crosswise", pairs);
