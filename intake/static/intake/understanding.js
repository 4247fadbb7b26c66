/**
 * The check of understanding: two items about the protection before the first question, an explanation after a wrong
 * answer, and a second try. What was selected stays in the journey; stored is one of three plain answers. And what
 * somebody else sees of ten records, on the start page, of which nothing is stored.
 */

import { addUnderstanding, below, secureWords } from "./device.js";

const [AT_ONCE, EXPLAINED, NOT] = [0, 1, 2];
const ANSWERS = /** @type {const} */ (["no", "yes"]);
/** The right answers are not alike: somebody who always presses the same button understood nothing. */
const ITEMS = [{ key: "understood_sure", right: 0 }, { key: "understood_common", right: 1 }];
const RECORDS = 10;

/** @type {NonNullable<Intake.Journey["checking"]>} */
const NOTHING = Object.freeze({ given: ITEMS.map(() => null), tries: 0 });

/** @param {Intake.Journey} journey */
const checkingOf = ({ checking }) => checking ?? NOTHING;

/** @param {Intake.Design} design */
const placeOf = ({ sections }) => sections.reduce((sum, { questions }) => sum + questions.length, -1);

/** @type {Intake.Understanding["taken"]} */
export function taken(design, journey) {
  const { given, tries } = checkingOf(journey);
  if (journey.answers[placeOf(design)] !== null) return { journey, wrong: [], isDone: true };
  const wrong = ITEMS.map((_, i) => i).filter((i) => given[i] === null);
  if (wrong.length) return { journey, wrong, isDone: false };
  const right = ITEMS.map((item, i) => given[i] === item.right);
  const isRight = right.every(Boolean);
  if (!isRight && !tries) {
    // Where it was wrong, nothing is selected for the second try.
    const checking = { given: given.map((code, i) => (right[i] ? code : null)), tries: 1 };
    return { journey: Object.freeze({ ...journey, checking }), wrong: [], isDone: false };
  }
  const code = isRight ? (tries ? EXPLAINED : AT_ONCE) : NOT;
  const answers = Object.freeze(journey.answers.map((answer, place) => (place === placeOf(design) ? code : answer)));
  return { journey: Object.freeze({ ...journey, answers }), wrong: [], isDone: isRight };
}

/**
 * What is said above the items: after a wrong answer, and once what is stored is settled.
 * @param {number | null} stored
 * @param {number} tries
 */
function noticeOf(stored, tries) {
  if (stored === NOT) return "understood_after";
  if (stored !== null) return "understood_done";
  return tries ? "understood_again" : null;
}

/** @type {Intake.Understanding["screen"]} */
function screen(scene, wrong, { answerLabel, complaint, described, el, frame, heading }) {
  const { design, voice, journey } = scene;
  const { given, tries } = checkingOf(journey);
  const stored = journey.answers[placeOf(design)];
  const notice = noticeOf(stored, tries);
  /** @type {(item: number, code: number) => void} */
  const choose = (item, code) => {
    const { given: before, tries } = checkingOf(scene.now());
    scene.become({ ...scene.now(), checking: { tries, given: before.map((one, i) => (i === item ? code : one)) } });
  };
  /** @type {(item: typeof ITEMS[number], i: number) => HTMLElement} */
  const asked = ({ key, right }, i) => {
    const isMissing = wrong.includes(i);
    const isExplained = stored === NOT || (tries > 0 && given[i] !== right);
    const why = isExplained ? el("p", { id: `why-${i}`, class: "notice" }, voice.word(`${key}_why`)) : null;
    const answers = ANSWERS.map((name, code) =>
      answerLabel({ type: "radio", name: `understood-${i}`, id: `understood-${i}-${code}` }, given[i] === code,
        () => choose(i, code), voice.word(name)));
    return el("fieldset", { class: isMissing ? "field wrong" : "field", "aria-describedby": described([why && `why-${i}`, isMissing && "wrong"]) },
      el("legend", {}, el("strong", {}, voice.word(key))), why,
      complaint(scene, isMissing, voice.word("yes_or_no")),
      stored === null ? el("div", { class: "answers" }, ...answers) : null);
  };
  return frame(scene, wrong, false,
    ITEMS.map((_, i) => ({ place: i, id: `understood-${i}-0`, words: voice.word("yes_or_no") })),
    notice ? el("p", { class: "notice section-intro", tabindex: "-1" }, voice.word(notice)) : null,
    heading(voice.word("understood_title")),
    stored === null ? el("p", { class: "lede" }, voice.word("understood_lede")) : null,
    ...(stored === null || stored === NOT ? ITEMS.map(asked) : []));
}

/**
 * The records of people of whom half would say yes.
 * @param {string} keep
 * @param {Device.Words} words
 * @param {Intake.Toy["flip"]} flip
 */
export const recordsOf = (keep, words, flip) => Array.from({ length: RECORDS }, () => flip(keep, below(2, words), words).code);

/** @type {Intake.Understanding["outsider"]} */
function outsider(voice, keep, { button, el, flip, mark }) {
  const row = el("ol", { class: "flips" });
  const result = el("p", { role: "status" });
  const draw = () => {
    const records = recordsOf(keep, secureWords(crypto), flip);
    row.replaceChildren(...records.map((code) => el("li", { class: "fell" }, mark("disguised"), el("span", {}, voice.word(ANSWERS[code])))));
    const yes = records.filter((code) => code === 1).length;
    result.textContent = voice.word("outsider_result", { yes, no: RECORDS - yes });
  };
  return [el("p", {}, voice.word("outsider_about", { share: voice.percent((1 + Number(keep)) / 2) })),
    el("p", { class: "buttons" }, button(voice.word("outsider_draw"), draw)), row, result];
}

addUnderstanding({ screen, taken, outsider });
