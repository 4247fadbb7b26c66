/** Questions for a place: the list of cells that can be searched, the map beside it, and places in words. */

import { DISGUISED, OPEN } from "./device.js";
import { answerLabel, button, el, mark, told } from "./elements.js";
import { add } from "./kinds.js";
import { placeMap } from "./place_map.js";
import { complaint, described, frame, heading, helpOf, lawDetails, numbered, protection, timesWords } from "./questions.js";

/** @typedef {Intake.PlaceQuestion} Question */
/** @typedef {{region: Intake.Region | null, codes: number[]}} Group  the cells of a region, or those in none */

/** The most rows that the list has at first, and by which it grows. */
const ROWS = 200;

/**
 * The text of a cell or a region.
 * @param {Intake.Voice} voice
 * @param {{name: string, label: Intake.Texts}} of
 * @returns {Intake.Said}
 */
export function nameWords(voice, { name, label }) {
  const said = voice.text(label);
  return said.text ? said : { text: name, language: voice.language };
}

/**
 * The regions in order with their cells in order, then the cells outside, where there are any.
 * @param {Question} question
 * @returns {Group[]}
 */
export function groupsOf({ cells, regions }) {
  const codes = new Map(cells.map(({ name }, code) => [name, code]));
  const groups = regions.map((region) => ({
    region, codes: region.cells.map((name) => /** @type {number} */ (codes.get(name))).sort((a, b) => a - b),
  }));
  const inside = new Set(groups.flatMap((group) => group.codes));
  const outside = [...codes.values()].filter((code) => !inside.has(code));
  return outside.length ? [...groups, { region: null, codes: outside }] : groups;
}

/**
 * The codes of the cells outside all regions.
 * @param {Question} question
 */
const outsideOf = (question) => groupsOf(question).find(({ region }) => !region)?.codes ?? [];

/**
 * @param {Question} question
 * @param {number} code
 */
const isOutside = (question, code) => outsideOf(question).includes(code);

/**
 * Letters that Unicode does not take apart.
 * @type {Record<string, string>}
 */
const LETTERS = { ł: "l", ø: "o", đ: "d", ħ: "h", ı: "i", ð: "d", þ: "th", æ: "ae", œ: "oe", ß: "ss" };

/**
 * A text as it is searched: without accents and capitals.
 * @param {string} text
 */
export const plainly = (text) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[łøđħıðþæœß]/g, (letter) => LETTERS[letter]);

/**
 * By code what a search looks at: the cell's label and name, and its region's.
 * @param {Intake.Voice} voice
 * @param {Question} question
 */
export function searched(voice, question) {
  /** @type {string[]} */
  const texts = [];
  for (const { region, codes } of groupsOf(question)) {
    for (const code of codes) {
      const all = [question.cells[code], region].map((of) => (of ? `${nameWords(voice, of).text} ${of.name}` : ""));
      texts[code] = plainly(all.join(" "));
    }
  }
  return texts;
}

/**
 * The groups of what has every word of the search, cut to so many rows.
 * @param {Group[]} groups
 * @param {string[]} texts
 * @param {string} search
 * @param {number} rows
 */
export function matching(groups, texts, search, rows) {
  const words = plainly(search).split(/\s+/);
  const found = groups.map(({ region, codes }) => ({
    region, codes: codes.filter((code) => words.every((word) => texts[code].includes(word))),
  }));
  let left = rows;
  const shown = found.map(({ region, codes }) => {
    const cut = codes.slice(0, left);
    left -= cut.length;
    return { region, codes: cut };
  });
  return { groups: shown.filter(({ codes }) => codes.length), total: found.reduce((sum, { codes }) => sum + codes.length, 0), shown: rows - left };
}

/**
 * The odds of a region as they are told: with one place, rounded up.
 * @param {Question} question
 * @param {Intake.Region} region
 */
export const oddsOf = ({ odds }, region) => Math.ceil(Number((region.odds ?? odds).replace(".", "")) / 10) / 10;

/**
 * By odds the regions that have them.
 * @param {Question} question
 */
function levelsOf(question) {
  /** @type {Map<number, Intake.Region[]>} */
  const levels = new Map();
  for (const region of question.regions) {
    const odds = oddsOf(question, region);
    levels.set(odds, [...(levels.get(odds) ?? []), region]);
  }
  return levels;
}

/**
 * What goes out for a place inside the regions and for one outside, and what it gives away.
 * @param {Intake.Scene} scene
 * @param {Question} question
 */
export function lawWords({ voice, journey, page }, question) {
  if (journey.group !== DISGUISED) return [];
  const levels = [...levelsOf(question)];
  const list = new Intl.ListFormat(voice.interface);
  const highest = Math.max(...levels.map(([odds]) => odds));
  const times = timesWords(voice, page.chances[question.name][0][0]);
  const byRegion = levels.map(([odds, regions]) => voice.word("place_level", {
    odds: voice.number(odds), regions: list.format(regions.map((region) => nameWords(voice, region).text)),
  }));
  return [
    [voice.word("place_inside", { odds: voice.number(highest) }), ...(levels.length > 1 ? byRegion : [])].join(" "),
    ...(outsideOf(question).length ? [voice.word("place_outside", { times })] : []),
  ];
}

/**
 * The list: a search, the rows of what it finds, and the chosen one always.
 * @param {Intake.Scene} scene
 * @param {number} place
 * @param {Question} question
 * @param {(code: number) => void} chose
 */
function placeList({ voice, journey, answer }, place, question, chose) {
  const groups = groupsOf(question);
  const texts = searched(voice, question);
  const isDisguised = journey.group === DISGUISED;
  let chosen = journey.answers[place];
  let rows = ROWS;
  const count = el("p", { id: "places-shown", class: "hint", role: "status" });
  const list = el("div", {});
  const more = button(voice.word("places_more"), () => {
    rows += ROWS;
    fill();
  });
  const box = el("div", { class: "place-list" }, list, el("p", { class: "more" }, more));
  /** @param {number} code */
  const choose = (code) => {
    chosen = code;
    answer(place, code);
    chose(code);
  };
  /** @param {number} code */
  const line = (code) => answerLabel({ type: "radio", name: `answer-${place}`, id: `answer-${place}-${code}` }, code === chosen, () => choose(code),
    told(voice, nameWords(voice, question.cells[code])));
  /** @type {(id: string, title: Intake.Child, codes: number[]) => HTMLElement} */
  const block = (id, title, codes) =>
    el("div", { class: "place-group", role: "group", "aria-labelledby": id },
      el("h2", { id }, title), el("div", { class: "answers scale" }, ...codes.map(line)));
  /** @param {Group} group */
  function titleOf({ region }) {
    const words = region ? told(voice, nameWords(voice, region)) : voice.word("places_outside");
    return isDisguised ? el("span", { class: "mark-line" }, mark(region ? "disguised" : "plain"), words) : el("span", {}, words);
  }
  const search = el("input", {
    type: "search", id: `search-${place}`, autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
    "aria-describedby": "places-shown",
    on: { input: () => {
      rows = ROWS;
      fill();
      box.scrollTop = 0;
    } },
  });
  function fill() {
    const found = matching(groups, texts, search.value, rows);
    const isShown = chosen === null || found.groups.some(({ codes }) => codes.includes(/** @type {number} */ (chosen)));
    list.replaceChildren(
      ...(isShown ? [] : [block("places-chosen", voice.word("place_chosen"), [/** @type {number} */ (chosen)])]),
      ...found.groups.map((group) => block(`places-${groups.findIndex(({ region }) => region === group.region)}`, titleOf(group), group.codes)));
    count.textContent = found.total
      ? voice.word("places_shown", { shown: voice.number(found.shown), total: voice.number(question.cells.length) })
      : voice.word("places_none");
    more.hidden = found.shown === found.total;
  }
  fill();
  return {
    element: el("div", { class: "place-choice" }, el("label", { for: search.id }, voice.word("search")), search, count, box),
    /** @param {number} code */
    choose(code) {
      choose(code);
      fill();
      const input = /** @type {HTMLElement} */ (document.getElementById(`answer-${place}-${code}`));
      box.scrollTop += input.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
    },
  };
}

/**
 * @param {Intake.Scene} scene
 * @param {number[]} page
 * @param {Question} question
 * @param {Intake.Wrong} wrong
 */
function screen(scene, [place], question, wrong) {
  const { voice, journey } = scene;
  const isWrong = wrong.length > 0;
  const words = voice.word("choose_place");
  const help = helpOf(scene, question);
  const law = lawWords(scene, question);
  const list = placeList(scene, place, question, (code) => map.mark(code));
  const map = placeMap(scene, question, groupsOf(question), list.choose, (of) => nameWords(voice, of));
  const chosen = journey.answers[place];
  if (chosen !== null) map.mark(chosen);
  return frame(scene, wrong, true, [{ place, id: `search-${place}`, words }],
    el("fieldset", { "aria-describedby": described(["protection", help && "help", isWrong && "wrong"]) },
      el("legend", {}, heading(told(voice, voice.name(question)), numbered(scene, place))),
      protection(scene, journey.group === DISGUISED, outsideOf(question).length ? "place_disguised" : "disguised"),
      help,
      complaint(scene, isWrong, words),
      el("div", { class: "places" }, list.element, map.element)),
    lawDetails(voice, law),
  );
}

/** @type {(voice: Intake.Voice, question: Question, code: number) => HTMLElement} */
const cellWords = (voice, { cells }, code) => told(voice, nameWords(voice, cells[code]));

add("place", {
  screen,
  answer: cellWords,
  code: cellWords,
  sends({ group }, question, answer) {
    if (group === OPEN) return null;
    return isOutside(question, answer) ? "place_sends_outside" : "place_sends_inside";
  },
  // Nobody but those whose place it is sends a cell outside the regions.
  isBare: isOutside,
  caution: (question) => (outsideOf(question).length ? "place_caution" : null),
  differs: "differs_about",
  proves: "proves_truth",
  thrown(question, isKept, answer) {
    const [kept, soFar] = isOutside(question, answer) ? ["throw_exact", "throws_exact"] : ["throw_place", "throws_place"];
    return [isKept ? kept : "throw_anywhere", soFar];
  },
});
