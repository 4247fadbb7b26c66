/** The page before sending: the answers to look over, and what may leave the device. */

import { DISGUISED, decode, notAsked, secureWords } from "./device.js";
import { button, el, mark, told } from "./elements.js";
import { illustration, numberOf, offersChoice, pages, placesOf, sensitive, understoodPlace } from "./journey.js";
import { kindOf } from "./kinds.js";
import { thrownOf } from "./questions.js";
import { meaning } from "./receipt.js";
import { stem } from "./several.js";

const MOST_THROWS = 24;

/** @param {Intake.Scene} scene */
export function checkScreen(scene) {
  const { design, voice, journey } = scene;
  const isDisguised = journey.group === DISGUISED;
  return [
    el("p", { class: "back" }, button(voice.word("back"), scene.back, { class: "button quiet" })),
    el("h1", { tabindex: "-1" }, voice.word("check_title")),
    el("p", { class: "lede" }, voice.word("check_about")),
    el("dl", { class: "summary" }, design.understanding ? understoodRow(scene) : null, offersChoice(design) ? groupRow(scene) : null,
      ...pages(design, journey).map((page) => pageRow(scene, page, isDisguised))),
    isDisguised && thrownOf(design).length ? possible(scene) : null,
    el("h2", {}, voice.word("send_title")),
    el("p", {}, voice.word(isDisguised ? "send_about" : "send_about_open")),
    el("p", { class: "buttons sending" }, button(voice.word("send"), scene.send, { class: "button primary", "data-send": true })),
  ];
}

/**
 * What is stored of the check of understanding, which nobody changes.
 * @param {Intake.Scene} scene
 */
function understoodRow({ design, voice, journey }) {
  const place = understoodPlace(design);
  const question = /** @type {Intake.Question} */ (placesOf(design)[place].question);
  const answer = told(voice, voice.choice(question, /** @type {number} */ (journey.answers[place])));
  return summaryRow(voice, told(voice, voice.name(question)), [answer], mark("plain"));
}

/** @param {Intake.Scene} scene */
function groupRow(scene) {
  const { voice, journey } = scene;
  const kind = journey.group === DISGUISED ? "disguised" : "open";
  return summaryRow(voice, voice.word("choice_title"), [voice.word(`choice_${kind}`)],
    mark(kind === "open" ? "plain" : "disguised"), () => scene.change({ name: "choice" }));
}

/**
 * @param {Intake.Scene} scene
 * @param {number[]} page
 * @param {boolean} isDisguised
 */
function pageRow(scene, page, isDisguised) {
  const { design, voice, journey } = scene;
  const questions = placesOf(design);
  const { section, question } = questions[page[0]];
  const isTable = page.length > 1 && question.form !== "many";
  const answers = page.flatMap((place) => {
    const asked = questions[place].question;
    const answer = /** @type {number} */ (journey.answers[place]);
    const kind = kindOf(section);
    const given = kind.answer(voice, asked, answer, isDisguised);
    const sends = kind.sends(journey, asked, answer);
    if (sends) return [given, el("span", { class: "hint" }, voice.word(sends))];
    if (asked.form === "many") return el("span", {}, told(voice, voice.option(asked)), ": ", given);
    // The line of a table may be a sentence, with its own full stop.
    return isTable ? el("span", {}, told(voice, voice.name(asked)), " – ", given) : given;
  });
  return summaryRow(voice, isTable ? stem(scene, page) : told(voice, voice.name(question)), answers,
    mark(isDisguised && sensitive(section) ? "disguised" : "plain"),
    () => scene.change({ name: "question", place: page[0] }));
}

/**
 * @param {Intake.Voice} voice
 * @param {string | HTMLElement} question
 * @param {(string | HTMLElement)[]} answers
 * @param {HTMLElement} sign
 * @param {() => void} [change]  without it the answer is final
 */
function summaryRow(voice, question, answers, sign, change) {
  const words = typeof question === "string" ? question : question.textContent;
  return el("div", {},
    el("dt", {}, question),
    el("dd", {}, sign, el("ul", {}, ...answers.map((answer) => el("li", {}, answer)))),
    el("dd", {}, change && button(voice.word("change"), change,
      { class: "plain-link", "aria-label": voice.word("change_this", { question: words }) })));
}

/**
 * Shows what may leave the device, with coins thrown for the illustration. The real coins are thrown already and
 * never shown: a person who saw their record first might not send it, and the results would be biased.
 * @param {Intake.Scene} scene
 */
function possible(scene) {
  const { design, voice, journey } = scene;
  const words = secureWords(crypto);
  const all = design.sections.filter(sensitive);
  const sections = thrownOf(design);
  const parts = sections.map((section) =>
    partOf(scene, section, all.length > 1 ? voice.word("part", { number: numberOf(design, section) }) : null));
  const throwAll = () => {
    const { kept, record } = illustration(design, journey, words);
    const codes = /** @type {number[]} */ (decode(design, record.answers));
    parts.forEach((part, i) => part.fall(codes, kept[all.findIndex((one) => one === sections[i])]));
  };
  throwAll();
  return el("section", { class: "card flow illustration", "aria-labelledby": "possible" },
    el("h2", { id: "possible" }, voice.word("possible_title")),
    el("p", {}, voice.word("possible_about")),
    ...parts.map(({ element }) => element),
    el("p", { class: "buttons" }, button(voice.word("throw_again"), throwAll)),
    el("p", { class: "small soft" }, voice.word("possible_why")));
}

/**
 * One section of the illustration; one coin keeps or replaces all of its answers.
 * @param {Intake.Scene} scene
 * @param {Intake.Section} section
 * @param {string | null} title
 */
function partOf({ design, voice, journey }, section, title) {
  const list = el("dl", { class: "possible" });
  const outcome = el("p", { class: "outcome", role: "status" });
  const strip = el("p", { class: "throws", "aria-hidden": "true" });
  const tally = { throws: 0, kept: 0 };
  const asked = placesOf(design).map((one, place) => ({ ...one, place })).filter((one) => one.section === section);
  /** @type {(question: Intake.Place["question"], code: number) => HTMLElement} */
  const line = (question, code) =>
    el("div", {},
      el("dt", {}, told(voice, question.form === "many" ? voice.option(question) : voice.name(question))),
      el("dd", { class: "fell" }, mark(kindOf(section).isBare(question, code) ? "plain" : "disguised"), meaning(voice, { section, question }, code)));
  const element = el("div", { class: "part" }, title ? el("h3", {}, title) : null, list, outcome, strip);
  return {
    element,
    /**
     * @param {number[]} codes
     * @param {boolean} isKept
     */
    fall(codes, isKept) {
      tally.throws += 1;
      tally.kept += Number(isKept);
      list.replaceChildren(...asked.filter(({ question, place }) => codes[place] < notAsked(section, question))
        .map(({ question, place }) => line(question, codes[place])));
      // Rules hide all of its questions.
      element.hidden = !list.childElementCount;
      const [{ question, place }] = asked;
      const [fell, soFar] = /** @type {Required<Intake.Kind>} */ (kindOf(section)).thrown(question, isKept, journey.answers[place]);
      outcome.replaceChildren(el("strong", {}, voice.word(fell)), " ", voice.word(soFar, tally));
      strip.append(mark(isKept ? "plain" : "hatched"));
      if (strip.childElementCount > MOST_THROWS) /** @type {ChildNode} */ (strip.firstChild).remove();
    },
  };
}
