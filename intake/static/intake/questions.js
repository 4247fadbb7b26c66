/** The pages that ask: the choice between disguised and open, or what a coin decided of it, and one question at a time. */

import { DISGUISED, OPEN, codesOf } from "./device.js";
import { answerLabel, button, el, mark, told, toldAtLength } from "./elements.js";
import { excluding, opensSection, placesOf, position, sensitive } from "./journey.js";
import { kindOf } from "./kinds.js";
import { battery, chosenAt, options, ticks } from "./several.js";

/**
 * After Agree, where a coin decides how people are asked: what it decided.
 * @param {Intake.Scene} scene
 */
export function armScreen({ voice, journey, back, goOn, leave }) {
  const isDirect = journey.group === OPEN;
  return [
    el("p", { class: "back" }, button(voice.word("back"), back, { class: "button quiet" })),
    el("h1", { tabindex: "-1" }, voice.word("arm_title")),
    el("div", { class: "notice arm" }, mark(isDirect ? "plain" : "disguised"),
      el("p", { class: "lede" }, voice.word(isDirect ? "arm_direct" : "arm_disguised"))),
    el("p", { class: "buttons onward" },
      button(voice.word("arm_go_on"), goOn, { class: "button primary" }), button(voice.word("leave"), leave)),
  ];
}

/**
 * The sections whose answers the device's coins may replace.
 * @param {Intake.Design} design
 */
export const thrownOf = ({ sections }) => sections.filter((section) => sensitive(section) && kindOf(section).thrown);

/**
 * @param {Intake.Scene} scene
 * @param {Intake.Wrong} wrong
 */
export function choiceScreen(scene, wrong) {
  const { design, voice, journey } = scene;
  const cautions = new Set(placesOf(design).map(({ section, question }) => kindOf(section).caution(question)));
  const disguise = thrownOf(design).length ? "choice_disguised_means" : "crosswise_disguised_means";
  /** @type {(group: number, kind: string, means: string) => HTMLElement} */
  const radio = (group, kind, means) =>
    answerLabel(
      { type: "radio", name: "group", id: `group-${group}` },
      journey.group === group,
      () => scene.choose(group),
      el("span", { class: "answer-words" }, el("strong", {}, voice.word(`choice_${kind}`)), " ",
        el("span", { class: "mark-line" }, mark(group === OPEN ? "plain" : "disguised"))),
      el("span", { class: "hint" }, voice.word(means),
        ...[...cautions].map((key) => (key && group === DISGUISED ? ` ${voice.word(key)}` : ""))),
    );
  return frame(scene, wrong, true, [{ id: `group-${DISGUISED}`, words: voice.word("choose_how") }],
    el("fieldset", { "aria-describedby": described(["about", wrong.length && "wrong"]) },
      el("legend", {}, heading(voice.word("choice_title"))),
      el("p", { id: "about", class: "hint" }, voice.word("choice_about")),
      complaint(scene, wrong.length > 0, voice.word("choose_how")),
      el("div", { class: "answers" }, radio(DISGUISED, "disguised", disguise), radio(OPEN, "open", "choice_open_means")),
    ),
  );
}

/**
 * @param {Intake.Scene} scene
 * @param {number[]} page
 * @param {Intake.Wrong} wrong
 */
export function questionScreen(scene, page, wrong) {
  const { section, question } = placesOf(scene.design)[page[0]];
  /** @type {NonNullable<Intake.Kind["screen"]>} */
  const screen = kindOf(section).screen ?? choicesScreen;
  const [back, problem, ...rest] = screen(scene, page, question, wrong);
  return [back, problem, introOf(scene, page, section), ...rest];
}

/**
 * The text of a section, before the first of its questions that is shown.
 * @param {Intake.Scene} scene
 * @param {number[]} page
 * @param {Intake.Section} section
 */
function introOf({ design, voice, journey }, page, { intro }) {
  if (!intro || !opensSection(design, journey, page)) return null;
  return el("div", { class: "section-intro flow", tabindex: "-1" }, ...toldAtLength(voice, voice.text(intro)));
}

/**
 * @param {Intake.Scene} scene
 * @param {number[]} page
 * @param {Intake.Question} question
 * @param {Intake.Wrong} wrong
 * @param {HTMLElement | null} [chances]  instead of how often each answer is sent
 */
export function choicesScreen(scene, page, question, wrong, chances) {
  const { design, voice, journey } = scene;
  const disguised = sensitive(placesOf(design)[page[0]].section) && journey.group === DISGUISED;
  const { body, complaints, asOne, heading: above } = layoutOf(design, page, question)(scene, page, wrong);
  const help = above ? null : helpOf(scene, question);
  return frame(scene, wrong, asOne, complaints,
    el("fieldset", { "aria-describedby": described(["protection", help && "help", wrong.length && asOne && "wrong"]) },
      el("legend", {}, heading(above ?? told(voice, voice.name(question)), numbered(scene, page[0]))),
      protection(scene, disguised),
      help,
      asOne ? complaint(scene, wrong.length > 0, complaints[0].words) : null,
      body,
    ),
    chances ?? (disguised ? odds(scene, page) : null),
  );
}

/**
 * @param {Intake.Design} design
 * @param {number[]} page
 * @param {Intake.Question} question
 * @returns {Intake.Layout}
 */
function layoutOf(design, page, { form }) {
  if (form === "many") return excluding(design, page[0]) ? ticks : options;
  return page.length > 1 ? battery : choices;
}

/**
 * "Question 3 of 8", with a bar that screen readers skip.
 * @param {Intake.Scene} scene
 * @param {number} place
 */
export function numbered({ design, voice, journey }, place) {
  const at = position(design, journey, place);
  return el("span", { class: "caption" }, el("span", {}, voice.word("question_number", at)), " ",
    el("progress", { class: "meter", "aria-hidden": "true", value: at.number, max: at.total }));
}

/**
 * @param {Intake.Scene} scene
 * @param {boolean} isDisguised
 * @param {string} key  of what to say where it is disguised
 * @param {string} openKey  where it is not
 */
export const protection = ({ voice }, isDisguised, key = "disguised", openKey = "sent_as_answered") =>
  el("p", { id: "protection", class: "protection" }, mark(isDisguised ? "disguised" : "plain"),
    el("span", {}, voice.word(isDisguised ? key : openKey)));

/**
 * What the device sends and how often: folded, so that the answer is in sight.
 * @param {Intake.Voice} voice
 * @param {string[]} words
 */
export const lawDetails = (voice, words) => words.length
  ? el("details", { class: "chances" }, el("summary", {}, voice.word("how_likely")),
      el("div", { id: "law", class: "flow" }, ...words.map((said) => el("p", {}, said))))
  : null;

/**
 * @param {Intake.Scene} scene
 * @param {Intake.Asked} question
 */
export function helpOf({ voice }, question) {
  const help = voice.text(question.help);
  return help.text ? el("div", { id: "help", class: "hint" }, ...toldAtLength(voice, help)) : null;
}

/**
 * The frame of every page with questions: Back, errors, the question, Continue.
 * @param {Intake.Scene} scene
 * @param {Intake.Wrong} wrong
 * @param {boolean} asOne
 * @param {Intake.Complaint[]} complaints
 * @param {...Intake.Child} body
 */
export function frame(scene, wrong, asOne, complaints, ...body) {
  const { voice } = scene;
  const shown = complaints.filter(({ place }) => place === undefined || wrong.includes(place));
  /** @param {KeyboardEvent} event */
  const keydown = (event) => isEnter(event) && scene.goOn();
  return [
    el("p", { class: "back" }, button(voice.word("back"), scene.back, { class: "button quiet" })),
    wrong.length ? summary(voice, shown) : null,
    el("div", { class: wrong.length && asOne ? "field wrong flow" : "field flow", on: { keydown } }, ...body),
    el("p", { class: "buttons onward" }, button(voice.word("continue"), scene.goOn, { class: "button primary" })),
  ];
}

/**
 * Whether Enter was pressed on an answer: no form takes it. A key held down counts once.
 * @param {KeyboardEvent} event
 */
const isEnter = ({ key, repeat, isComposing, target }) =>
  key === "Enter" && !repeat && !isComposing && target instanceof HTMLInputElement && target.type !== "search";

/**
 * @param {Intake.Child} words
 * @param {Intake.Child} [caption]
 */
export const heading = (words, caption) => el("h1", { tabindex: "-1" }, caption, " ", words);

/** @param {(string | number | false | null)[]} ids */
export const described = (ids) => ids.filter(Boolean).join(" ");

/**
 * Buttons and not links, which would put a fragment into the address.
 * @param {Intake.Voice} voice
 * @param {Intake.Complaint[]} complaints
 */
function summary(voice, complaints) {
  /** @param {string} id */
  const lead = (id) => () => document.getElementById(id)?.focus();
  return el("div", { class: "error-summary", role: "alert", tabindex: "-1", "aria-labelledby": "problem" },
    el("h2", { id: "problem" }, voice.word("problem")),
    el("ul", {}, ...complaints.map(({ id, words }) => el("li", {}, button(words, lead(id), { class: "plain-link" })))));
}

/**
 * @param {Intake.Scene} scene
 * @param {boolean} isWrong
 * @param {string} words
 */
export const complaint = ({ voice }, isWrong, words) =>
  isWrong
    ? el("p", { id: "wrong", class: "errorlist" }, el("span", { class: "unseen" }, voice.word("error")), " ", words)
    : null;

/** @type {Intake.Layout} */
function choices(scene, [place]) {
  const { design, voice, journey } = scene;
  const question = chosenAt(scene, place);
  const codes = codesOf(design, journey.coins, place);
  const body = el("div", { class: question.form === "scale" ? "answers scale" : "answers" },
    ...codes.map((code) =>
      answerLabel({ type: "radio", name: `answer-${place}`, id: `answer-${place}-${code}` }, journey.answers[place] === code,
        () => scene.answer(place, code), told(voice, voice.choice(question, code)))));
  return { body, asOne: true, complaints: [{ place, id: `answer-${place}-${codes[0]}`, words: voice.word("choose_answer") }] };
}

/**
 * How often each answer is sent, by people whose true answer it is and by the others.
 * @param {Intake.Scene} scene
 * @param {number[]} page
 */
function odds(scene, page) {
  const { page: { chances }, voice } = scene;
  const first = chosenAt(scene, page[0]);
  const many = first.form === "many";
  /** @param {Intake.Odds} odds */
  const said = ([m, n, share]) => [
    el("span", { class: "odds" }, m ? voice.word("about_times", { m, n }) : voice.percent(share)),
    m ? el("span", { class: "soft" }, ` (${voice.percent(share)})`) : null,
  ];
  /** @type {(words: Intake.Child, pair: [Intake.Odds, Intake.Odds]) => HTMLElement} */
  const line = (words, [theirs, others]) =>
    el("tr", {}, el("th", { scope: "row" }, words), el("td", {}, ...said(theirs)), el("td", {}, ...said(others)));
  /** @param {Intake.Question} question */
  const choiceLines = (question) => chances[question.name].map((pair, code) => line(told(voice, voice.choice(question, code)), pair));
  const asked = page.map((place) => chosenAt(scene, place));
  const isAlike = new Set(asked.map(({ name }) => String(chances[name]))).size === 1;
  const lines = many
    ? asked.map((question) => line(told(voice, voice.option(question)), chances[question.name][1]))
    : isAlike
      ? choiceLines(first)
      : asked.flatMap((question) => [
          el("tr", {}, el("th", { scope: "rowgroup", colspan: "3" }, told(voice, voice.name(question)))),
          ...choiceLines(question),
        ]);
  const kind = many ? "yes" : "answer";
  return el("details", { class: "chances" },
    el("summary", {}, voice.word("how_likely")),
    el("div", { class: "flow" },
      el("p", {}, voice.word("how_likely_means")),
      el("div", { class: "table", role: "region", tabindex: "0", "aria-label": voice.word("how_likely") },
        el("table", {},
          el("thead", {}, el("tr", {},
            el("th", { scope: "col" }, voice.word(many ? "option" : "answer")),
            el("th", { scope: "col" }, voice.word(`${kind}_if_true`)),
            el("th", { scope: "col" }, voice.word(`${kind}_if_not`)))),
          el("tbody", {}, ...lines)))));
}

/**
 * How often something goes out, in one text.
 * @param {Intake.Voice} voice
 * @param {Intake.Odds} odds
 */
export const timesWords = (voice, [m, n, share]) =>
  m ? `${voice.word("about_times", { m, n })} (${voice.percent(share)})` : voice.percent(share);
