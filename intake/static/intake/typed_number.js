/** A number that people type: reading it, its input, and numbers in words; of sensitive numbers, and of those in bands. */

import { el, told } from "./elements.js";
import { complaint, described, frame, heading, helpOf, numbered } from "./questions.js";

/** @typedef {Intake.TypedRange} Range */
/** @typedef {"empty" | "unread" | "decimal" | "small" | "large" | "between"} Problem */

const GROUPING = /[.,\s'’٬，．]/;

/**
 * Whether signs of one kind divide these digits into threes.
 * @param {string} digits
 */
function isGrouped(digits) {
  const sign = GROUPING.exec(digits)?.[0];
  const [first, ...threes] = sign ? digits.split(sign) : [""];
  return /^[1-9]\d{0,2}$/.test(first) && threes.every((three) => /^\d{3}$/.test(three));
}

/**
 * The digits of any script as 0 to 9: in Unicode they stand in runs of ten, each from its 0 on.
 * @param {string} text
 */
const inDigits = (text) =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = /** @type {number} */ (digit.codePointAt(0));
    let first = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
    return String((code - first) % 10);
  });

/**
 * What was typed: the answer, which is the number of steps above the lowest number, or why it is none. Nothing is
 * guessed: signs that group digits stand in threes and are all the same.
 * @param {Range} range
 * @param {string} text
 * @returns {{answer: number, problem?: undefined} | {answer: null, problem: Problem}}
 */
export function read(range, text) {
  const typed = inDigits(text.trim());
  if (!typed) return { answer: null, problem: "empty" };
  const [, sign, rest] = /** @type {RegExpExecArray} */ (/^([-−－]?)(.*)$/s.exec(typed));
  if (!/^\d+$/.test(rest) && !isGrouped(rest)) {
    return { answer: null, problem: /^[\d\s'’.,．，٬]*\d[.,．，٫]\d+$/.test(rest) ? "decimal" : "unread" };
  }
  const size = Number(rest.replace(/\D/g, ""));
  const number = sign ? 0 - size : size;
  const { low, high, step } = range;
  if (number < low) return { answer: null, problem: "small" };
  if (number > high) return { answer: null, problem: "large" };
  if ((number - low) % step) return { answer: null, problem: "between" };
  return { answer: (number - low) / step };
}

/**
 * A number without its unit. Of bands without a unit, four digits may be a year: surveys/questionnaire/plain_number_bands.py.
 * @param {Intake.Voice} voice
 * @param {Range} range
 * @param {number} number
 */
const figure = (voice, { limits, unit }, number) => voice.number(number, !limits || !!unit || Math.abs(number) >= 10_000);

/**
 * @param {Intake.Voice} voice
 * @param {Range} range
 * @param {number} number
 */
export function amount(voice, range, number) {
  const unit = voice.text(range.unit ?? {}).text;
  return figure(voice, range, number) + (unit ? ` ${unit}` : "");
}

/**
 * Which numbers are taken.
 * @param {Intake.Voice} voice
 * @param {Range} range
 */
export function rangeWords(voice, range) {
  const { low, high, step } = range;
  const said = { low: figure(voice, range, low), high: amount(voice, range, high), step: voice.number(step) };
  return voice.word(step > 1 ? "number_steps" : "number_range", said);
}

/**
 * What the ends stand for.
 * @param {Intake.Voice} voice
 * @param {Range} range
 */
function endWords(voice, range) {
  const { low, high } = range;
  const said = { low: amount(voice, range, low), high: amount(voice, range, high) };
  return voice.word(low ? "number_ends" : "number_more", said);
}

/**
 * Why what was typed is no answer, and which numbers are.
 * @param {Intake.Voice} voice
 * @param {Range} range
 * @param {string} text
 */
export function complaintWords(voice, range, text) {
  const problem = read(range, text).problem ?? "empty";
  const isOutside = problem === "small" || problem === "large";
  const words = [voice.word(`number_${problem}`), rangeWords(voice, range), isOutside ? endWords(voice, range) : ""];
  return words.filter(Boolean).join(" ");
}

/**
 * The page with the input, and which numbers are taken. What is typed stays in the page's memory: the input has no name
 * and stands in no form, and no service of the browser may read it.
 * @param {Intake.Scene} scene
 * @param {number} place
 * @param {Intake.Question | Intake.NumberQuestion} question
 * @param {Range} range
 * @param {Intake.Wrong} wrong
 * @param {{promise: HTMLElement, codeOf?: (answer: number) => number, below: Intake.Child}} own  `codeOf` makes the
 *   answer of the steps above the lowest number; without it, these are the answer
 */
export function typedScreen(scene, place, question, range, wrong, { promise, codeOf = (answer) => answer, below }) {
  const { voice, journey } = scene;
  const id = `answer-${place}`;
  const isWrong = wrong.length > 0;
  const words = complaintWords(voice, range, journey.typed[place] ?? "");
  const help = helpOf(scene, question);
  const unit = voice.text(range.unit ?? {});
  const input = el("input", {
    type: "text", id, autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
    // The numeric keypad of some phones has no minus.
    inputmode: range.low < 0 ? "text" : "numeric",
    "aria-describedby": described(["range", "protection", help && "help", isWrong && "wrong"]),
    "aria-invalid": isWrong ? "true" : null,
    on: {
      input: () => {
        const { answer } = read(range, input.value);
        scene.type(place, input.value, answer === null ? null : codeOf(answer));
      },
    },
  });
  input.value = journey.typed[place] ?? "";
  return frame(scene, wrong, true, [{ place, id, words }],
    heading(el("label", { for: id }, told(voice, voice.name(question))), numbered(scene, place)),
    promise,
    help,
    el("div", { id: "range", class: "hint" }, rangeWords(voice, range), " ", endWords(voice, range)),
    complaint(scene, isWrong, words),
    el("div", { class: "typed" }, input, unit.text ? told(voice, unit, "span", { "aria-hidden": "true" }) : null),
    below,
  );
}
