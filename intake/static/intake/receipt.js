/** A record in words: for the receipt after sending, and for the page that checks one later. */

import { OPEN, decode, digits, notAsked, recordText } from "./device.js";
import { button, el, mark, save, told } from "./elements.js";
import { isDrawn, placesOf, sensitive } from "./journey.js";
import { kindOf } from "./kinds.js";

/**
 * The text of one code of a record.
 * @param {Intake.Voice} voice
 * @param {Intake.Place} place
 * @param {number} code
 */
export function meaning(voice, { section, question }, code) {
  const unasked = notAsked(section, question);
  if (code < unasked) return kindOf(section).code(voice, question, code, section);
  return el("span", { class: "soft" }, voice.word(code === unasked ? "not_asked" : "not_applicable"));
}

/**
 * What a line of a receipt says: of a disguised answer never the answer alone.
 * @param {Intake.Voice} voice
 * @param {Intake.Place} place
 * @param {number} code
 * @param {boolean} disguised
 * @param {(name: string) => number} codeOf
 */
function recorded(voice, place, code, disguised, codeOf) {
  const { section, question } = place;
  const answer = meaning(voice, place, code);
  if (code >= notAsked(section, question)) return answer;
  if (!disguised) return el("span", {}, answer, " ", el("span", { class: "hint" }, voice.word(isDrawn(question) ? "short_drawn" : "short_open")));
  const own = kindOf(section).recorded?.(voice, question, code, codeOf, section);
  const [before, after] = voice.word("perhaps_drawn", { answer: "\0" }).split("\0");
  return own ?? el("span", {}, before, answer, after);
}

/**
 * A record question by question; what was not asked is folded.
 * @param {Intake.Voice} voice
 * @param {Intake.Design} design
 * @param {Intake.Sent} record  possible
 */
export function recordTable(voice, design, record) {
  const codes = /** @type {number[]} */ (decode(design, record.answers));
  const all = placesOf(design);
  /** @param {string} name */
  const codeOf = (name) => codes[all.findIndex(({ question }) => question.name === name)];
  const lines = all.map((one, place) =>
    ({ line: lineOf(voice, one, codes[place], isDisguised(one, record, codes[place]), codeOf), unasked: codes[place] === notAsked(one.section, one.question) }));
  const [unasked, asked] = [true, false].map((which) => lines.filter((one) => one.unasked === which).map(({ line }) => line));
  return el("div", { class: "flow" },
    table(voice, voice.word("record_title"), asked),
    unasked.length ? folded(voice.word("receipt_unasked", { number: unasked.length }), table(voice, voice.word("not_asked"), unasked)) : null);
}

/**
 * Whether what a code says was disguised.
 * @param {Intake.Place} place
 * @param {Intake.Sent} record
 * @param {number} code
 */
const isDisguised = ({ section, question }, record, code) =>
  record.group !== OPEN && sensitive(section) && !kindOf(section).isBare(question, code);

/**
 * @param {Intake.Voice} voice
 * @param {Intake.Place} place
 * @param {number} code
 * @param {boolean} disguised
 * @param {(name: string) => number} codeOf
 */
function lineOf(voice, { section, question }, code, disguised, codeOf) {
  const isAnswer = code < notAsked(section, question);
  return el("tr", { role: "row" },
    el("th", { scope: "row", role: "rowheader" }, told(voice, voice.name(question)),
      ...(question.form === "many" ? [el("br"), told(voice, voice.option(question))] : [])),
    el("td", { role: "cell" }, el("span", { class: "mark-line" }, isAnswer ? mark(disguised ? "disguised" : "plain") : null,
      recorded(voice, { section, question }, code, disguised, codeOf))),
    el("td", { role: "cell", class: "number" }, el("code", {}, digits(section, question, code))));
}

/**
 * The ARIA roles are explicit, since on a narrow screen CSS removes the table layout.
 * @param {Intake.Voice} voice
 * @param {string} name
 * @param {HTMLElement[]} lines
 */
function table(voice, name, lines) {
  /** @param {string} key */
  const column = (key) =>
    el("th", { scope: "col", role: "columnheader", class: key === "code" ? "number" : null }, voice.word(`column_${key}`));
  return el("div", { class: "table record", role: "region", tabindex: "0", "aria-label": name },
    el("table", { role: "table" },
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...["question", "says", "code"].map(column))),
      el("tbody", { role: "rowgroup" }, ...lines)));
}

/**
 * @param {string} title
 * @param {...Intake.Child} body
 */
const folded = (title, ...body) => el("details", {}, el("summary", {}, title), el("div", { class: "flow" }, ...body));

/**
 * @param {string} name
 * @param {string} text
 */
const bytes = (name, text) => el("pre", { tabindex: "0", class: "bytes", "aria-label": name }, text);

/**
 * What a record does not prove.
 * @param {Intake.Voice} voice
 * @param {Intake.Design} design
 * @param {Intake.Sent} record
 */
export function doubts(voice, design, record) {
  const kinds = design.sections.filter(sensitive).map((section) => kindOf(section).proves);
  const truth = record.group === OPEN || !kinds.length ? ["proves_open"] : kinds;
  return el("ul", {}, ...[...new Set(truth), "proves_sent", "proves_which"].map((key) => el("li", {}, voice.word(key))));
}

/**
 * Why an answer may differ from what was said. The page has forgotten the true answers, so it is said wherever an
 * answer was disguised, whether it differs or not.
 * @param {Intake.Voice} voice
 * @param {Intake.Design} design
 * @param {Intake.Sent} record
 */
export function whyDiffers(voice, design, record) {
  const codes = /** @type {number[]} */ (decode(design, record.answers));
  const differing = placesOf(design).filter((one, place) =>
    codes[place] < notAsked(one.section, one.question) && isDisguised(one, record, codes[place]));
  const why = [...new Set(differing.map(({ section }) => kindOf(section).differs))];
  return why.length ? el("div", { class: "flow" }, el("h2", {}, voice.word("differs_title")), ...why.map((key) => el("p", {}, voice.word(key)))) : null;
}

/**
 * The record in words, to the byte, and as a file; folded, since those who have sent are done.
 * @param {Intake.Voice} voice
 * @param {Intake.Design} design
 * @param {string} canonical
 * @param {Intake.Sent} record
 * @param {string} body
 */
export function receipt(voice, design, canonical, record, body) {
  const text = recordText(record);
  /** @param {string} key */
  const title = (key) => voice.word(`${key}_title`);
  return folded(title("receipt"),
    el("p", {}, voice.word("receipt_about")),
    recordTable(voice, design, record),
    whyDiffers(voice, design, record),
    folded(title("bytes"), el("p", {}, voice.word("bytes_about")), bytes(title("bytes"), text)),
    folded(title("request"), el("p", {}, voice.word("request_about", { bytes: voice.number(body.length) })), bytes(title("request"), body)),
    el("h2", {}, title("proves")),
    doubts(voice, design, record),
    el("p", { class: "buttons" },
      button(voice.word("save_receipt"), () => save("receipt.json", text)),
      button(voice.word("save_design"), () => save("design.json", canonical), { class: "button quiet" })),
    el("p", { class: "small soft" }, voice.word("receipt_later")));
}
