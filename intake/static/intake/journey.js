/**
 * Which screen a respondent sees and may go to: pure functions of the design and of a journey, which is immutable.
 * A journey has the coins, the group and the true answers, and exists in memory only.
 *
 * A screen is {name: "start" | "understanding" | "arm" | "choice" | "code" | "over" | "check"} or {name: "question",
 * place}, the place being that of the first question on it.
 */

import { DISGUISED, armOf, disguise, envelopeText, kept, orderOf, redraw, seen, shown } from "./device.js";
import { isOver, quotaPlaces } from "./quotas.js";

/** @type {Intake.Screen} */
export const START = Object.freeze({ name: "start" });
/** @type {Intake.Screen} */
const UNDERSTANDING = Object.freeze({ name: "understanding" });
/** @type {Intake.Screen} */
export const ARM = Object.freeze({ name: "arm" });
/** @type {Intake.Screen} */
export const CHOICE = Object.freeze({ name: "choice" });
/** @type {Intake.Screen} */
export const CODE = Object.freeze({ name: "code" });
/** The last screen of a person who is over quota. @type {Intake.Screen} */
export const OVER = Object.freeze({ name: "over" });
/** @type {Intake.Screen} */
export const CHECK = Object.freeze({ name: "check" });

/** @param {Intake.Section} section */
export const sensitive = (section) => section.kind !== "plain";

/**
 * The number that all pages give a section: plain ones count too.
 * @param {Intake.Design} design
 * @param {Intake.Section} section
 */
export const numberOf = ({ sections }, section) => sections.filter(sensitive).findIndex((one) => one === section) + 1;

/**
 * Every question with the section it stands in; its index is its place.
 * @param {Pick<Intake.Design, "sections">} design
 * @returns {Intake.Place[]}
 */
export const placesOf = (design) =>
  design.sections.flatMap((section) => section.questions.map((question) => ({ section, question })));

/**
 * Whether the device answers it, and nobody is asked.
 * @param {Intake.Place["question"]} question
 */
export const isDrawn = (question) => "shares" in question;

/**
 * The place of the check of understanding, which has a screen of its own; -1: nobody is checked.
 * @param {Intake.Design} design
 */
export const understoodPlace = (design) => (design.understanding ? placesOf(design).length - 1 : -1);

/**
 * Whether a coin decides if the answers are disguised.
 * @param {Intake.Design} design
 */
const hasArms = ({ direct }) => direct !== undefined;

/**
 * Whether there is a choice between open and disguised.
 * @param {Intake.Design} design
 */
export const offersChoice = (design) => design.open_answers && design.sections.some(sensitive);

/** @param {Intake.Section} section */
const lasts = (section) => section.kind === "unrelated-question" && section.lasting !== undefined;

/**
 * Whether a code of the person's own disguises some of the answers.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 */
export const needsCode = ({ sections }, { group }) => group === DISGUISED && sections.some(lasts);

/**
 * @param {Intake.Design} design
 * @param {Intake.Coins} coins
 * @param {number[]} [full]  the quotas that are full
 * @returns {Intake.Journey}
 */
export function begin(design, coins, full = []) {
  const answers = Object.freeze(placesOf(design).map(() => null));
  const group = armOf(design, coins) ?? (offersChoice(design) ? null : DISGUISED);
  return Object.freeze({ coins, answers, typed: {}, group, reviewed: false, full });
}

/**
 * @param {Intake.Journey} journey
 * @param {number} group
 * @returns {Intake.Journey}
 */
export const choose = (journey, group) => Object.freeze({ ...journey, group });

/** @param {Intake.Journey} journey */
export const review = (journey) => Object.freeze({ ...journey, reviewed: true });

/**
 * The journey once this screen is shown: from the first sensitive question on it is under way, and nobody is over quota.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @param {Intake.Screen} screen
 * @returns {Intake.Journey}
 */
export function reach(design, journey, screen) {
  const isSensitive = screen.name === "question" && sensitive(placesOf(design)[screen.place].section);
  return isSensitive ? Object.freeze({ ...journey, full: [] }) : journey;
}

/**
 * @param {Intake.Journey} journey
 * @param {number} place
 * @param {number | null} code
 * @returns {Intake.Journey}
 */
export function answer(journey, place, code) {
  const answers = journey.answers.map((given, other) => (other === place ? code : given));
  return Object.freeze({ ...journey, answers: Object.freeze(answers) });
}

/**
 * What was typed, and the answer that it is, if it is one.
 * @param {Intake.Journey} journey
 * @param {number} place
 * @param {string} text
 * @param {number | null} code
 * @returns {Intake.Journey}
 */
export const type = (journey, place, text, code) =>
  Object.freeze({ ...answer(journey, place, code), typed: Object.freeze({ ...journey.typed, [place]: text }) });

/**
 * The text of the answer that excludes all others of a question of several answers, if there is one.
 * @param {Intake.Design} design
 * @param {number} place  of one of its options
 */
export function excluding(design, place) {
  const questions = placesOf(design);
  return questions.find(({ question }) => question.of === questions[place].question.of && "none" in question)?.question.none;
}

/**
 * One option ticked or not; the others are a no as soon as anything is ticked, and unanswered where nothing is.
 * @param {Intake.Journey} journey
 * @param {number[]} page
 * @param {number} place
 * @param {boolean} isTicked
 */
export function tick(journey, page, place, isTicked) {
  const ticked = page.filter((other) => (other === place ? isTicked : journey.answers[other] === 1));
  return page.reduce((now, other) => answer(now, other, ticked.length ? Number(ticked.includes(other)) : null), journey);
}

/**
 * "None of these" ticked or not: a no to every option on the page, or no answer.
 * @param {Intake.Journey} journey
 * @param {number[]} page
 * @param {boolean} isTicked
 */
export const tickNone = (journey, page, isTicked) =>
  page.reduce((now, place) => answer(now, place, isTicked ? 0 : null), journey);

/**
 * @param {Intake.Journey} journey
 * @param {number[]} page
 */
export const isNone = (journey, page) => page.every((place) => journey.answers[place] === 0);

/**
 * The questions that are put to this respondent, in the order in which they are shown: each page is the places that
 * stand on it. The options of one question of several answers share a page, and so do the rows of a table, unless one
 * looks at another of them.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @returns {number[][]}
 */
export function pages(design, journey) {
  const questions = placesOf(design);
  const isShown = shown(design, journey.coins, journey.answers);
  /** @type {number[][]} */
  const pages = [];
  const check = understoodPlace(design);
  for (const place of orderOf(design, journey.coins).filter((one) => isShown[one] && one !== check)) {
    const { question } = questions[place];
    const last = pages.at(-1);
    const beside = last && question.of && questions[last[0]].question.of === question.of;
    const looks = last?.some((other) => Object.hasOwn(question.show_if, questions[other].question.name));
    if (beside && !looks) last.push(place);
    else pages.push([place]);
  }
  return pages;
}

/**
 * Whether no question of the section is shown before this page.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @param {number[]} page
 */
export function opensSection(design, journey, [place]) {
  const questions = placesOf(design);
  const first = pages(design, journey).find(([other]) => questions[other].section === questions[place].section);
  return first?.[0] === place;
}

/**
 * The places of a page without an answer.
 * @param {Intake.Journey} journey
 * @param {number[]} page
 */
export const missing = (journey, page) => page.filter((place) => journey.answers[place] === null);

/**
 * What is still to be answered on a screen.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @param {Intake.Screen} screen
 * @returns {Intake.Wrong}
 */
export function lacking(design, journey, screen) {
  if (screen.name === "choice") return journey.group === null ? ["group"] : [];
  return screen.name === "question" ? missing(journey, pageOf(design, journey, screen.place) ?? []) : [];
}

/**
 * The page that a question stands on, or undefined if it is not put to this respondent.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @param {number} place
 */
export const pageOf = (design, journey, place) => pages(design, journey).find((page) => page.includes(place));

/**
 * "Question 3 of 12".
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @param {number} place
 */
export function position(design, journey, place) {
  const all = pages(design, journey);
  return { number: all.findIndex((page) => page.includes(place)) + 1, total: all.length };
}

/**
 * The pages that are put to this respondent: of a person over quota those up to the last answer that quotas look at.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 */
function askedPages(design, journey) {
  const all = pages(design, journey);
  if (!isOver(design, journey)) return all;
  const counted = quotaPlaces(design);
  return all.slice(0, 1 + Math.max(...all.map((page, at) => (page.some((place) => counted.includes(place)) ? at : -1))));
}

/**
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @returns {Intake.Screen[]}
 */
function screens(design, journey) {
  const questions = askedPages(design, journey).map((page) => ({ name: /** @type {const} */ ("question"), place: page[0] }));
  const choice = offersChoice(design) ? [CHOICE] : [];
  const code = needsCode(design, journey) ? [CODE] : [];
  const check = design.understanding ? [UNDERSTANDING] : [];
  return [START, ...check, ...(hasArms(design) ? [ARM] : []), ...choice, ...code, ...questions, isOver(design, journey) ? OVER : CHECK];
}

/**
 * The first screen on which something is still missing; if nothing is, CHECK, or OVER for a person over quota.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @returns {Intake.Screen}
 */
export function pending(design, journey) {
  if (journey.answers[understoodPlace(design)] === null) return UNDERSTANDING;
  if (journey.group === null) return CHOICE;
  if (needsCode(design, journey) && !journey.code) return CODE;
  const page = askedPages(design, journey).find((page) => missing(journey, page).length);
  if (page) return { name: "question", place: page[0] };
  return isOver(design, journey) ? OVER : CHECK;
}

/**
 * @param {Intake.Screen[]} list
 * @param {Intake.Screen} screen
 */
const index = (list, screen) =>
  list.findIndex(({ name, place }) => name === screen.name && place === screen.place);

/**
 * The screen to show where `wanted` was asked for, by Back, Forward or a link: no screen is reached before
 * those ahead of it are answered, and one that no longer exists gives way to the one after it.
 * @param {Intake.Design} design
 * @param {Intake.Journey | null} journey
 * @param {Intake.Screen} wanted
 */
export function permitted(design, journey, wanted) {
  if (!journey) return START;
  const list = screens(design, journey);
  let at = index(list, wanted);
  if (at < 0 && wanted.name === "question") {
    const page = pageOf(design, journey, wanted.place);
    const order = orderOf(design, journey.coins);
    const after = order.slice(order.indexOf(wanted.place));
    at = page
      ? index(list, { name: "question", place: page[0] })
      : list.findIndex(({ name, place }) => name === "check" || after.includes(/** @type {number} */ (place)));
  }
  if (at < 0 && isOver(design, journey)) at = list.length - 1;
  return list[Math.min(Math.max(at, 0), index(list, pending(design, journey)))];
}

/**
 * After Continue: the next screen, or, once everything has been reviewed, whatever is missing.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @param {Intake.Screen} screen
 */
export function next(design, journey, screen) {
  if (journey.reviewed) return pending(design, journey);
  const list = screens(design, journey);
  return permitted(design, journey, list[index(list, permitted(design, journey, screen)) + 1] ?? CHECK);
}

/**
 * The record, and the body of the request that carries it.
 * @param {Intake.Design} design
 * @param {string} fingerprint
 * @param {Intake.Journey} journey
 * @param {string} key
 * @param {string | null} token
 * @param {number} [epoch]
 */
export function seal(design, fingerprint, journey, key, token, epoch) {
  const record = disguise(design, fingerprint, journey.coins, /** @type {number} */ (journey.group), journey.answers);
  return { record, body: envelopeText(key, record, token, epoch) };
}

/**
 * A record of the same questions with other coins: what may leave the device, not what will. `kept` says for each
 * sensitive section whether these coins keep its true answers. A disguise that lasts is shown as one round has it, in
 * one stage: the permanent answers are never shown.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 * @param {Intake.Random} words
 */
export function illustration(design, journey, words) {
  const sections = design.sections.map((section) => (lasts(section) ? { ...section, lasting: undefined } : section));
  const once = { ...design, sections };
  const coins = redraw(once, seen(design, journey.coins), words);
  return {
    kept: kept(once, coins).filter((_, i) => sensitive(design.sections[i])),
    record: disguise(once, "", coins, DISGUISED, journey.answers),
  };
}
