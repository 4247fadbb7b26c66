/** The answers of a question of several answers, and of several questions that share one scale. */

import { answerLabel, el, told } from "./elements.js";
import { excluding, isNone, placesOf, tick, tickNone } from "./journey.js";

/** More points than this stand in no line. */
const MOST_COLUMNS = 7;

/**
 * A place whose question has choices.
 * @param {Intake.Scene} scene
 * @param {number} place
 */
export const chosenAt = ({ design }, place) => /** @type {Intake.Question} */ (placesOf(design)[place].question);

/**
 * Several of many: a yes or a no for each option, so that a skipped option is not a no.
 * @type {Intake.Layout}
 */
export function options(scene, page, wrong) {
  const { voice, journey } = scene;
  const body = el("div", { class: "options" }, ...page.map((place) => {
    const question = chosenAt(scene, place);
    const isWrong = wrong.includes(place);
    return el("div", { class: isWrong ? "option wrong" : "option", role: "radiogroup",
        "aria-labelledby": `option-${place}`, "aria-describedby": isWrong ? `wrong-${place}` : null },
      el("div", { class: "option-words" },
        told(voice, voice.option(question), "span", { id: `option-${place}` }),
        isWrong ? el("span", { id: `wrong-${place}`, class: "errorlist" }, voice.word("yes_or_no")) : null),
      el("div", { class: "yes-no" }, ...[1, 0].map((code) =>
        answerLabel({ type: "radio", name: `answer-${place}`, id: `answer-${place}-${code}` }, journey.answers[place] === code,
          () => scene.answer(place, code), told(voice, voice.choice(question, code))))));
  }));
  const complaints = page.map((place) => ({ place, id: `answer-${place}-1`,
    words: voice.word("say_yes_or_no", { option: voice.option(chosenAt(scene, place)).text }) }));
  return { body, complaints, asOne: false };
}

/**
 * Several of many, or none of them: what is ticked is a yes, and what is not is a no as soon as anything is.
 * @type {Intake.Layout}
 */
export function ticks(scene, page) {
  const { voice, design } = scene;
  const none = voice.text(/** @type {Intake.Texts} */ (excluding(design, page[0])));
  const idOf = (/** @type {number | "none"} */ which) => (which === "none" ? `answer-none-${page[0]}` : `answer-${which}-1`);
  const inputOf = (/** @type {number | "none"} */ which) => /** @type {HTMLInputElement} */ (document.getElementById(idOf(which)));
  /** @param {Intake.Journey} journey */
  const take = (journey) => {
    page.forEach((place) => (inputOf(place).checked = journey.answers[place] === 1));
    inputOf("none").checked = isNone(journey, page);
  };
  const box = (/** @type {number | "none"} */ which, /** @type {boolean} */ isTicked, /** @type {() => Intake.Journey} */ change, /** @type {Intake.Said} */ words) =>
    answerLabel({ type: "checkbox", id: idOf(which) }, isTicked, () => take(scene.become(change())), told(voice, words));
  const body = el("div", { class: "answers" },
    ...page.map((place) => box(place, scene.journey.answers[place] === 1,
      () => tick(scene.now(), page, place, inputOf(place).checked), voice.option(chosenAt(scene, place)))),
    el("div", { class: "excluding" },
      box("none", isNone(scene.journey, page), () => tickNone(scene.now(), page, inputOf("none").checked), none)));
  return { body, asOne: true,
    complaints: [{ place: page[0], id: idOf(page[0]), words: voice.word("choose_one_or_none", { none: none.text }) }] };
}

/**
 * A battery: the same answers to several statements, a table on a wide screen and cards on a narrow one. Each statement
 * names its own group of radio buttons; the line of answers above them is for eyes only, since each button has its own.
 * @type {Intake.Layout}
 */
export function battery(scene, page, wrong) {
  const { voice, journey } = scene;
  const { choices } = chosenAt(scene, page[0]);
  const words = (/** @type {number} */ place) => told(voice, voice.name(chosenAt(scene, place)), "span", { id: `statement-${place}` });
  const rows = page.map((place) => {
    const question = chosenAt(scene, place);
    const isWrong = wrong.includes(place);
    return el("div", { class: isWrong ? "statement wrong" : "statement", role: "radiogroup",
        "aria-labelledby": `statement-${place}`, "aria-describedby": isWrong ? `wrong-${place}` : null },
      el("div", { class: "statement-words" }, words(place),
        isWrong ? el("span", { id: `wrong-${place}`, class: "errorlist" }, voice.word("choose_answer")) : null),
      ...choices.map((_, code) => el("div", { class: "point" },
        answerLabel({ type: "radio", name: `answer-${place}`, id: `answer-${place}-${code}` }, journey.answers[place] === code,
          () => scene.answer(place, code), told(voice, voice.choice(question, code))))));
  });
  const head = el("div", { class: "scale-words", "aria-hidden": "true" }, el("div"),
    ...choices.map((_, code) => el("div", {}, told(voice, voice.choice(chosenAt(scene, page[0]), code)))));
  const body = el("div", { class: choices.length > MOST_COLUMNS ? "battery" : "battery columns" }, head, ...rows);
  const complaints = page.map((place) => ({ place, id: `answer-${place}-0`,
    words: voice.word("choose_answer_to", { question: voice.name(chosenAt(scene, place)).text }) }));
  return { body, complaints, asOne: false, heading: stem(scene, page) };
}

/**
 * What stands above the statements: the words that help with all of them.
 * @param {Intake.Scene} scene
 * @param {number[]} page
 */
export function stem(scene, page) {
  const { voice } = scene;
  const helps = page.map((place) => voice.text(chosenAt(scene, place).help));
  const isShared = helps[0].text && helps.every(({ text }) => text === helps[0].text);
  return isShared ? told(voice, helps[0]) : voice.word("choose_each");
}
