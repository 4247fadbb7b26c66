/** A record in words: for the receipt after sending, and for the page that checks one later. */

import { OPEN, decode, digits, notAsked, recordText } from "./device.js";
import { button, el, mark, save, told } from "./elements.js";
import { placesOf, sensitive } from "./journey.js";
import { kindOf } from "./kinds.js";

/**
 * The text of one code of a record.
 * @param {Intake.Voice} voice
 * @param {Intake.Place} place
 * @param {number} code
 */
export function meaning(voice, { section, question }, code) {
  const unasked = notAsked(section, question);
  if (code < unasked) return kindOf(section).code(voice, question, code);
  return el("span", { class: "soft" }, voice.word(code === unasked ? "not_asked" : "not_applicable"));
}

/**
 * A record question by question. The ARIA roles are explicit, since on a narrow screen CSS removes the table layout.
 * @param {Intake.Voice} voice
 * @param {Intake.Design} design
 * @param {Intake.Sent} record  possible
 */
export function recordTable(voice, design, record) {
  const codes = /** @type {number[]} */ (decode(design, record.answers));
  /** @type {(one: Intake.Place, place: number) => HTMLElement} */
  const line = ({ section, question }, place) => {
    const isOpen = record.group === OPEN || !sensitive(section) || kindOf(section).isBare(question, codes[place]);
    const isAnswer = codes[place] < notAsked(section, question);
    return el("tr", { role: "row" },
      el("th", { scope: "row", role: "rowheader" }, told(voice, voice.name(question)),
        ...(question.form === "many" ? [el("br"), told(voice, voice.option(question))] : [])),
      el("td", { role: "cell", class: "number" }, el("code", {}, digits(section, question, codes[place]))),
      el("td", { role: "cell" }, meaning(voice, { section, question }, codes[place])),
      el("td", { role: "cell" }, isAnswer
        ? el("span", { class: "mark-line" }, mark(isOpen ? "plain" : "disguised"),
            voice.word(isOpen ? "short_open" : "short_disguised"))
        : null));
  };
  /** @param {string} key */
  const column = (key) =>
    el("th", { scope: "col", role: "columnheader", class: key === "code" ? "number" : null }, voice.word(`column_${key}`));
  return el("div", { class: "table record", role: "region", tabindex: "0", "aria-label": voice.word("record_title") },
    el("table", { role: "table" },
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...["question", "code", "says", "how"].map(column))),
      el("tbody", { role: "rowgroup" }, ...placesOf(design).map(line))));
}

/**
 * What a record does not prove.
 * @param {Intake.Voice} voice
 * @param {Intake.Sent} record
 */
export const doubts = (voice, record) =>
  el("ul", {}, ...[record.group === OPEN ? "proves_open" : "proves_truth", "proves_sent", "proves_which"].map((key) =>
    el("li", {}, voice.word(key))));

/**
 * The record to the byte, question by question, and as a file.
 * @param {Intake.Voice} voice
 * @param {Intake.Design} design
 * @param {string} canonical
 * @param {Intake.Sent} record
 * @param {string} body
 */
export function receipt(voice, design, canonical, record, body) {
  const text = recordText(record);
  return el("div", { class: "flow" },
    el("h2", {}, voice.word("receipt_title")),
    el("p", {}, voice.word("receipt_about")),
    el("pre", { tabindex: "0", class: "bytes", "aria-label": voice.word("receipt_title") }, text),
    recordTable(voice, design, record),
    el("details", {},
      el("summary", {}, voice.word("request_title")),
      el("div", { class: "flow" },
        el("p", {}, voice.word("request_about", { bytes: body.length })),
        el("pre", { tabindex: "0", class: "bytes", "aria-label": voice.word("request_title") }, body))),
    el("h3", {}, voice.word("proves_title")),
    doubts(voice, record),
    el("p", { class: "buttons" },
      button(voice.word("save_receipt"), () => save("receipt.json", text)),
      button(voice.word("save_design"), () => save("design.json", canonical), { class: "button quiet" })),
    el("p", { class: "small soft" }, voice.word("receipt_later")));
}
