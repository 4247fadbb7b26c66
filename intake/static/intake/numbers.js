/** Sensitive numbers: what is typed or chosen, what goes out for it, and numbers in words. */

import { DISGUISED, OPEN } from "./device.js";
import { answerLabel, el, told } from "./elements.js";
import { add } from "./kinds.js";
import { complaint, described, frame, heading, helpOf, lawDetails, numbered, protection, timesWords } from "./questions.js";
import { amount, rangeWords, typedScreen } from "./typed_number.js";

/** @typedef {Intake.NumberQuestion} Question */
/**
 * @param {Question} question
 * @returns {Intake.TypedRange}
 */
export function rangeOf(question) {
  const { step, unit } = question;
  if (question.law === "window") return { low: question.low, high: question.low + step * (question.values - 1), step, unit };
  const { low, high, limits: [first] } = question;
  if (low !== undefined && high !== undefined) return { low, high, step, unit };
  // Without ends, the farthest that a device takes.
  return { low: first - Math.floor((first + 1e9) / step) * step, high: first + Math.floor((1e9 - first) / step) * step, step, unit };
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
 * @param {Intake.Voice} voice
 * @param {Question} question
 * @param {number} answer
 */
export const answerWords = (voice, question, answer) => {
  const range = rangeOf(question);
  return amount(voice, range, range.low + range.step * answer);
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
  const low = from === undefined ? "" : amount(voice, rangeOf(question), from);
  const high = below === undefined ? "" : amount(voice, rangeOf(question), below);
  if (!high) return voice.word("number_at_least", { low });
  return voice.word(low ? "number_within" : "number_below", { low, high });
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
    const far = amount(voice, rangeOf(question), question.window * step);
    return [voice.word(question.window ? "number_near" : "number_exact", { ...said, far })];
  }
  const { limits, cuts, rest } = question;
  // Without disguise no limits are drawn: the classes lie between all of them.
  const used = isDisguised ? cuts : limits.length;
  const usesAll = used === limits.length;
  if (isScale(question) && usesAll) {
    return isDisguised ? [voice.word("number_step_sent", { ...said, steps: voice.number(cuts + 1) })] : [];
  }
  const drawn = { cuts: voice.number(cuts), limits: new Intl.ListFormat(voice.interface).format(limits.map((limit) => voice.number(limit))) };
  return [
    voice.word(usesAll ? "number_classes_all" : "number_classes", { ...drawn, classes: voice.number(used + 1) }),
    voice.word(isDisguised ? "number_class_sent" : "number_class", said),
    rest ? voice.word(isDisguised ? "number_rest" : "number_rest_open", { rest: voice.number(rest) }) : "",
  ].filter(Boolean);
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
      hasUnit ? el("div", { id: "range", class: "hint" }, rangeWords(voice, rangeOf(question))) : null,
      complaint(scene, isWrong, words),
      el("div", { class: "answers steps" },
        ...Array.from({ length: (high - low) / step + 1 }, (_none, code) =>
          answerLabel({ type: "radio", name: `answer-${place}`, id: `answer-${place}-${code}` }, journey.answers[place] === code,
            () => scene.answer(place, code), el("span", {}, voice.number(low + step * code)))))),
    lawDetails(voice, lawWords(scene, question)),
  );
}

add("number", {
  screen: (scene, page, question, wrong) => isScale(question)
    ? scaleScreen(scene, page, question, wrong)
    : typedScreen(scene, page[0], question, rangeOf(question), wrong, {
        promise: protection(scene, scene.journey.group === DISGUISED, "disguised",
          question.law === "window" ? "sent_as_answered" : "number_class_open"),
        below: lawDetails(scene.voice, lawWords(scene, question)),
      }),
  answer: (voice, question, answer) => el("span", {}, answerWords(voice, question, answer)),
  code: (voice, question, code) => el("span", {}, codeWords(voice, question, code)),
  sends({ group }, question) {
    const isOpen = group === OPEN;
    if (question.law === "window") return isOpen ? null : "number_sends_near";
    const { cuts, limits } = question;
    if (isScale(question) && (isOpen || cuts === limits.length)) return isOpen ? null : "number_sends_step";
    return isOpen ? "number_sends_own_class" : "number_sends_class";
  },
  isBare: () => false,
  caution: () => null,
  differs: "differs_about",
  proves: "proves_truth",
  thrown(question, isKept) {
    if (question.law === "window") return [isKept ? "throw_near" : "throw_any", "throws_near"];
    if (isScale(question) && question.cuts === question.limits.length) return [isKept ? "throw_kept" : "throw_chance", "throws_so_far"];
    return [isKept ? "throw_class" : "throw_chance", "throws_class"];
  },
});
