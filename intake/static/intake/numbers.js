/** Questions that take a typed number: reading what was typed, the input, and numbers in words. */

import { number } from "../privacy/kinds/number.js";
import { DISGUISED, OPEN, addKind } from "./device.js";
import { answerLabel, el, told } from "./elements.js";
import { add } from "./kinds.js";
import { complaint, described, frame, heading, helpOf, lawDetails, numbered, protection, timesWords } from "./questions.js";

/** @typedef {Intake.NumberQuestion} Question */
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

/** @param {Question} question */
export function rangeOf(question) {
  const { step } = question;
  if (question.law === "window") return { low: question.low, high: question.low + step * (question.values - 1), step };
  const { low, high, limits: [first] } = question;
  if (low !== undefined && high !== undefined) return { low, high, step };
  // Without ends, the farthest that a device takes.
  return { low: first - Math.floor((first + 1e9) / step) * step, high: first + Math.floor((1e9 - first) / step) * step, step };
}

/**
 * Whether every number is a class of its own: people choose one of them rather than type it.
 * @param {Question} question
 */
function isScale(question) {
  const { low, high, step } = rangeOf(question);
  return question.law === "classes" && question.limits.length === (high - low) / step;
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
 * @param {Question} question
 * @param {string} text
 * @returns {{answer: number, problem?: undefined} | {answer: null, problem: Problem}}
 */
export function read(question, text) {
  const typed = inDigits(text.trim());
  if (!typed) return { answer: null, problem: "empty" };
  const [, sign, rest] = /** @type {RegExpExecArray} */ (/^([-−－]?)(.*)$/s.exec(typed));
  if (!/^\d+$/.test(rest) && !isGrouped(rest)) {
    return { answer: null, problem: /^[\d\s'’.,．，٬]*\d[.,．，٫]\d+$/.test(rest) ? "decimal" : "unread" };
  }
  const size = Number(rest.replace(/\D/g, ""));
  const number = sign ? 0 - size : size;
  const { low, high, step } = rangeOf(question);
  if (number < low) return { answer: null, problem: "small" };
  if (number > high) return { answer: null, problem: "large" };
  if ((number - low) % step) return { answer: null, problem: "between" };
  return { answer: (number - low) / step };
}

/**
 * A number with its unit.
 * @param {Intake.Voice} voice
 * @param {Question} question
 * @param {number} number
 */
function amount(voice, question, number) {
  const unit = voice.text(question.unit).text;
  return voice.number(number) + (unit ? ` ${unit}` : "");
}

/**
 * @param {Intake.Voice} voice
 * @param {Question} question
 * @param {number} answer
 */
export const answerWords = (voice, question, answer) => {
  const { low, step } = rangeOf(question);
  return amount(voice, question, low + step * answer);
};

/**
 * What a record says by this code, which is one of an answer.
 * @param {Intake.Voice} voice
 * @param {Question} question
 * @param {number} code
 */
export function codeWords(voice, question, code) {
  if (question.law === "window") return answerWords(voice, question, code);
  const { limits } = question;
  let place = code;
  for (let a = 0; a <= limits.length; a += 1) {
    const width = limits.length + 1 - a;
    if (place === 0 && isScale(question)) return answerWords(voice, question, a);
    if (place < width) return classWords(voice, question, limits[a - 1], limits[a + place]);
    place -= width;
  }
  return voice.word("number_inside", { answer: voice.word(place ? "yes" : "no") });
}

/**
 * @param {Intake.Voice} voice
 * @param {Question} question
 * @param {number | undefined} from  none: no lower limit
 * @param {number | undefined} below
 */
function classWords(voice, question, from, below) {
  const low = from === undefined ? "" : amount(voice, question, from);
  const high = below === undefined ? "" : amount(voice, question, below);
  if (!high) return voice.word("number_at_least", { low });
  return voice.word(low ? "number_within" : "number_below", { low, high });
}

/**
 * Which numbers are taken.
 * @param {Intake.Voice} voice
 * @param {Question} question
 */
function rangeWords(voice, question) {
  const { low, high, step } = rangeOf(question);
  const said = { low: voice.number(low), high: amount(voice, question, high), step: voice.number(step) };
  return voice.word(step > 1 ? "number_steps" : "number_range", said);
}

/**
 * What the ends stand for.
 * @param {Intake.Voice} voice
 * @param {Question} question
 */
function endWords(voice, question) {
  const { low, high } = rangeOf(question);
  const said = { low: amount(voice, question, low), high: amount(voice, question, high) };
  return voice.word(low ? "number_ends" : "number_more", said);
}

/**
 * Why what was typed is no answer, and which numbers are.
 * @param {Intake.Voice} voice
 * @param {Question} question
 * @param {string} text
 */
export function complaintWords(voice, question, text) {
  const problem = read(question, text).problem ?? "empty";
  const isOutside = problem === "small" || problem === "large";
  const words = [voice.word(`number_${problem}`), rangeWords(voice, question), isOutside ? endWords(voice, question) : ""];
  return words.filter(Boolean).join(" ");
}

/**
 * What goes out for a number, and how often.
 * @param {Intake.Scene} scene
 * @param {Question} question
 */
function lawWords({ voice, journey, page }, question) {
  const isDisguised = journey.group === DISGUISED;
  const { low, high, step } = rangeOf(question);
  const times = isDisguised ? timesWords(voice, page.chances[question.name][0][0]) : "";
  const said = { times, low: voice.number(low), high: voice.number(high) };
  if (question.law === "window") {
    if (!isDisguised) return [];
    const far = amount(voice, question, question.window * step);
    return [voice.word(question.window ? "number_near" : "number_exact", { ...said, far })];
  }
  const { limits, cuts, rest } = question;
  if (isScale(question) && cuts === limits.length) {
    return isDisguised ? [voice.word("number_step_sent", { ...said, steps: voice.number(cuts + 1) })] : [];
  }
  const drawn = { cuts: voice.number(cuts), limits: new Intl.ListFormat(voice.interface).format(limits.map(voice.number)) };
  return [
    voice.word("number_classes", { ...drawn, classes: voice.number(cuts + 1) }),
    voice.word(isDisguised ? "number_class_sent" : "number_class", said),
    rest ? voice.word(isDisguised ? "number_rest" : "number_rest_open", { rest: voice.number(rest) }) : "",
  ].filter(Boolean);
}

/**
 * The input, with what goes out and which numbers are taken. What is typed stays in the page's memory: the input has
 * no name and stands in no form, and no service of the browser may read it.
 * @param {Intake.Scene} scene
 * @param {number} place
 * @param {Question} question
 * @param {string} describedBy
 * @param {Intake.Child} complaint
 */
function numberField(scene, place, question, describedBy, complaint) {
  const { voice, journey } = scene;
  const unit = voice.text(question.unit);
  const input = el("input", {
    type: "text", id: `answer-${place}`, autocomplete: "off", autocapitalize: "off", autocorrect: "off",
    spellcheck: "false",
    // The numeric keypad of some phones has no minus.
    inputmode: rangeOf(question).low < 0 ? "text" : "numeric",
    "aria-describedby": `range ${describedBy}`, "aria-invalid": complaint ? "true" : null,
    on: { input: () => scene.type(place, input.value, read(question, input.value).answer) },
  });
  input.value = journey.typed[place] ?? "";
  return [
    el("div", { id: "range", class: "hint" }, rangeWords(voice, question), " ", endWords(voice, question)),
    complaint,
    el("div", { class: "typed" }, input, unit.text ? told(voice, unit, "span", { "aria-hidden": "true" }) : null),
  ];
}

/**
 * The numbers of a scale, as choices in rows.
 * @param {Intake.Scene} scene
 * @param {number[]} page
 * @param {Question} question
 * @param {Intake.Wrong} wrong
 */
function scaleScreen(scene, [place], question, wrong) {
  const { voice, journey } = scene;
  const { low, high, step } = rangeOf(question);
  const isWrong = wrong.length > 0;
  const words = voice.word("choose_answer");
  const help = helpOf(scene, question);
  const hasUnit = voice.text(question.unit).text !== "";
  return frame(scene, wrong, true, [{ place, id: `answer-${place}-0`, words }],
    el("fieldset", { "aria-describedby": described(["protection", help && "help", hasUnit && "range", isWrong && "wrong"]) },
      el("legend", {}, heading(told(voice, voice.name(question)), numbered(scene, place))),
      protection(scene, journey.group === DISGUISED),
      help,
      hasUnit ? el("div", { id: "range", class: "hint" }, rangeWords(voice, question)) : null,
      complaint(scene, isWrong, words),
      el("div", { class: "answers steps" },
        ...Array.from({ length: (high - low) / step + 1 }, (_none, code) =>
          answerLabel({ type: "radio", name: `answer-${place}`, id: `answer-${place}-${code}` }, journey.answers[place] === code,
            () => scene.answer(place, code), el("span", {}, voice.number(low + step * code)))))),
    lawDetails(voice, lawWords(scene, question)),
  );
}

/**
 * @param {Intake.Scene} scene
 * @param {number[]} page
 * @param {Question} question
 * @param {Intake.Wrong} wrong
 */
function fieldScreen(scene, [place], question, wrong) {
  const { voice, journey } = scene;
  const id = `answer-${place}`;
  const isWrong = wrong.length > 0;
  const words = complaintWords(voice, question, journey.typed[place] ?? "");
  const help = helpOf(scene, question);
  return frame(scene, wrong, true, [{ place, id, words }],
    heading(el("label", { for: id }, told(voice, voice.name(question))), numbered(scene, place)),
    protection(scene, journey.group === DISGUISED),
    help,
    ...numberField(scene, place, question, described(["protection", help && "help", isWrong && "wrong"]),
      complaint(scene, isWrong, words)),
    lawDetails(voice, lawWords(scene, question)),
  );
}

addKind("number", number);
add("number", {
  screen: (scene, page, question, wrong) => (isScale(question) ? scaleScreen : fieldScreen)(scene, page, question, wrong),
  answer: (voice, question, answer) => el("span", {}, answerWords(voice, question, answer)),
  code: (voice, question, code) => el("span", {}, codeWords(voice, question, code)),
  sends({ group }, { law }) {
    if (law === "classes") return "number_sends_class";
    return group === OPEN ? null : "number_sends_near";
  },
  isBare: () => false,
  caution: () => null,
  differs: "differs_about",
  proves: "proves_truth",
  thrown: ({ law }, isKept) =>
    law === "window" ? [isKept ? "throw_near" : "throw_any", "throws_near"] : [isKept ? "throw_kept" : "throw_chance", "throws_so_far"],
});
