/**
 * What a visitor can try on the start page: a made-up question that is disguised ten times with the modules that disguise
 * real answers, and a question that checks understanding. Buttons, not inputs: no browser restores what was pressed.
 * Nothing of it is sent, stored or timed.
 */

import { DISGUISED, disguisedCodes, drawCoins, kept, secureWords } from "./device.js";
import { button, el, mark } from "./elements.js";

const FLIPS = 10;
const ANSWERS = /** @type {const} */ (["no", "yes"]);
/**
 * A section of one question of which a share of the answers is kept, else a fair coin answers.
 * @param {string} keep
 */
const designOf = (keep) => ({
  open_answers: false,
  sections: [{
    kind: "unrelated-question",
    keep,
    asked: 1,
    questions: [{ name: "toy", show_if: {}, choices: ANSWERS.map((name) => ({ name })), noise: ["0.5000", "0.5000"] }],
  }],
});

/**
 * Disguises an answer to the made-up question.
 * @param {string} keep
 * @param {number} answer  1 is yes
 * @param {Device.Words} words
 */
export function flip(keep, answer, words) {
  const design = designOf(keep), coins = drawCoins(design, words);
  return { isKept: kept(design, coins)[0], code: disguisedCodes(design, coins, DISGUISED, [answer])[0] };
}

/**
 * Again and again, by a fair coin.
 * @param {number} answer
 * @param {Device.Words} words
 */
export const flips = (answer, words) => Array.from({ length: FLIPS }, () => flip("0.5000", answer, words));

/**
 * A question with the buttons Yes and No.
 * @param {Intake.Voice} voice
 * @param {string} key
 * @param {(answer: number) => void} press
 */
function yesOrNo(voice, key, press) {
  const buttons = ["yes", "no"].map((name) =>
    button(voice.word(name), () => {
      buttons.forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.answer === name)));
      press(Number(name === "yes"));
    }, { "aria-pressed": "false", "data-answer": name }));
  return el("div", { class: "flow", role: "group", "aria-labelledby": key },
    el("p", { id: key }, el("strong", {}, voice.word(key))),
    el("p", { class: "buttons" }, ...buttons));
}

/**
 * The made-up question; each press of an answer flips ten times.
 * @param {Intake.Voice} voice
 */
export function toy(voice) {
  const row = el("ol", { class: "flips" });
  const result = el("p", { role: "status" });
  const legend = el("ul", { class: "kinds small", hidden: true },
    el("li", {}, mark("plain"), voice.word("toy_kept")), el("li", {}, mark("hatched"), voice.word("toy_random")));
  /** @param {number} answer */
  const press = (answer) => {
    const thrown = flips(answer, secureWords(crypto));
    row.replaceChildren(...thrown.map(({ isKept, code }) =>
      el("li", { class: "fell" }, mark(isKept ? "plain" : "hatched"), el("span", {}, voice.word(ANSWERS[code])),
        el("span", { class: "unseen" }, voice.word(isKept ? "toy_kept" : "toy_random")))));
    const yes = thrown.filter(({ code }) => code === 1).length;
    result.textContent = voice.word("toy_result", { yes, no: FLIPS - yes });
    legend.hidden = false;
  };
  return [el("p", {}, voice.word("toy_about")), yesOrNo(voice, "toy_question", press), row, legend, result];
}

/**
 * The question that checks understanding, with kind words for either answer.
 * @param {Intake.Voice} voice
 */
export function quiz(voice) {
  const reply = el("p", { role: "status" });
  return [yesOrNo(voice, "quiz_question", (answer) => (reply.textContent = voice.word(answer ? "quiz_wrong" : "quiz_right"))), reply];
}
