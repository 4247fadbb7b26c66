/**
 * What a person adds or opens stands in the page at once, to be written in, until the server's answer brings the real one.
 *
 * Several may wait at a time. One that the server refused stays, with the reason and what was typed.
 */

import { idOf, rowsIn } from "./rows.js";
import { formOf, isField, write } from "./carrying.js";

/** @typedef {import("./carrying.js").Field} Field */
/** @typedef {{element: HTMLElement, put: () => void, withdraw: () => void}} Arrival */
/**
 * `row` is the id of the row that its button belongs to; `opens` the question that its link opens.
 * @typedef {{values: Values, part: string, row: string, opens: string}} Pressed
 */
/** @typedef {Map<string, string>} Values  the values of a command */

/**
 * By the word of a command what stands for its outcome; a link has no word.
 * @type {Record<string, (pressed: Pressed) => Arrival | null>}
 */
const BY_WORD = {
  "": ({ opens }) => (opens ? opening(opens) : null),
  add: ({ values }) => question(() => list(Number(values.get("section")))),
  "section-add": ({ values }) => section(values.get("kind") ?? ""),
  "answer-add": row,
  "limit-add": row,
};

/** @param {Pressed} pressed */
export function arrival(pressed) {
  const waiting = BY_WORD[word(pressed.values)]?.(pressed) ?? null;
  waiting?.put();
  const field = waiting?.element.querySelector("[name]");
  if (field instanceof HTMLElement) field.focus();
  waiting?.element.scrollIntoView({ block: "nearest" });
  return waiting;
}

/** @param {Values} values */
export const word = (values) => (values.get("do") ?? "").split(" ")[0];

/** @param {Arrival} waiting */
export const isWritten = ({ element }) => fields(element).some(isNew);

/** @param {Field} field */
const isNew = (field) => !(field instanceof HTMLSelectElement) && field.value !== field.defaultValue;

/**
 * Hands what was typed to the real fields, of the answer or the form where the element `id` stands.
 * Returns the real one of `written`.
 * @param {Arrival} waiting
 * @param {string} id
 * @param {Field | null} written
 */
export function handOver({ element }, id, written) {
  const place = document.getElementById(id)?.closest("[data-answer], form, .sheet");
  let real = null;
  for (const field of place ? fields(element) : []) {
    const goal = place?.matches("[data-answer]") ? place.querySelector("input") : place?.querySelector(`[name="${field.name}"]`);
    if (!goal || !isField(goal)) continue;
    if (isNew(field)) write(goal, { value: field.value, isChecked: false });
    if (field === written) real = goal;
  }
  element.remove();
  return real;
}

/**
 * Keeps one that was refused, with the reason, until the person has decided.
 * @param {Arrival} waiting
 * @param {string} reason
 * @param {{again: () => void, discard: () => void}} decide
 */
export function refuse({ element }, reason, { again, discard }) {
  element.querySelector("[data-refused]")?.remove();
  const template = /** @type {HTMLTemplateElement} */ (document.querySelector("template[data-refusal]"));
  const note = copyTemplate(template);
  const sending = element.querySelector("[data-sending]");
  sending?.toggleAttribute("hidden", true);
  const words = /** @type {HTMLElement} */ (note.querySelector("[data-reason]"));
  words.textContent = (words.textContent ?? "").replace("%(reason)s", reason);
  note.querySelector("[data-again]")?.addEventListener("click", () => {
    note.remove();
    sending?.toggleAttribute("hidden", false);
    again();
  });
  note.querySelector("[data-discard]")?.addEventListener("click", discard);
  (element.querySelector(".block-body") ?? element).append(note);
}

/**
 * @param {() => Element | null | undefined} place
 * @returns {Arrival | null}
 */
function question(place) {
  const template = document.querySelector("template[data-new-question]");
  if (!(template instanceof HTMLTemplateElement) || !place()) return null;
  const element = copyTemplate(template);
  return { element, put: () => place()?.append(element), withdraw: () => element.remove() };
}

/**
 * In the place of a closed question, with its words.
 * @param {string} id
 * @returns {Arrival | null}
 */
function opening(id) {
  const template = document.querySelector("template[data-opening-question]");
  if (!(template instanceof HTMLTemplateElement)) return null;
  const element = copyTemplate(template);
  /** @type {Element | null} */
  let closed = null;
  return {
    element,
    put() {
      const now = document.getElementById(id);
      if (now === null || now.matches(".open")) return;
      if (closed === null) start(now);
      closed = now;
      now.replaceWith(element);
    },
    withdraw: () => closed && element.replaceWith(closed),
  };

  /** @param {Element} question */
  function start(question) {
    const words = question.querySelector("[data-words]")?.getAttribute("data-words") ?? "";
    for (const field of fields(element)) if (field instanceof HTMLTextAreaElement) field.defaultValue = words;
    for (const number of element.querySelectorAll(".order")) number.textContent = question.querySelector(".order")?.textContent ?? "";
  }
}

/** @param {string} kind */
function section(kind) {
  const template = document.querySelector("template[data-new-section]");
  if (!(template instanceof HTMLTemplateElement)) return null;
  const element = copyTemplate(template);
  const blocks = element.querySelector("ol");
  if (template.dataset.alone?.split(" ").includes(kind)) question(() => blocks)?.put();
  return { element, put: () => document.getElementById("sections")?.append(element), withdraw: () => element.remove() };
}

/**
 * An answer or a limit, below the row of its button, else as the last.
 * @param {Pressed} pressed
 * @returns {Arrival | null}
 */
function row({ part, row: below }) {
  const rows = () => answersOf(part);
  const model = rows()[0];
  if (!model) return null;
  const element = emptyCopy(model);
  return {
    element,
    put() {
      const own = rows().filter((each) => !each.matches(".prefer-not"));
      const before = own.find((each) => idOf(each) === below) ?? own.at(-1);
      (before ?? rows()[0])?.after(element);
    },
    withdraw: () => element.remove(),
  };
}

/** @param {string} part */
const answersOf = (part) => rowsIn(formOf(part)).filter((each) => each.querySelector("[data-answer]"));

/** @param {HTMLElement} model */
function emptyCopy(model) {
  const element = /** @type {HTMLElement} */ (model.cloneNode(true));
  element.dataset.waiting = "";
  element.dataset.row = "";
  element.classList.remove("prefer-not");
  delete element.dataset.answerName;
  for (const extra of element.querySelectorAll(".tools, .errorlist")) extra.remove();
  for (const named of element.querySelectorAll("[id]")) named.removeAttribute("id");
  const label = element.querySelector("label");
  for (const field of fields(element)) {
    field.value = "";
    if (!(field instanceof HTMLSelectElement)) field.defaultValue = "";
    field.name = "new";
    field.setAttribute("aria-label", label?.textContent ?? "");
  }
  label?.remove();
  return element;
}

/** @param {HTMLTemplateElement} template */
const copyTemplate = (template) => /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));

/**
 * @param {Element} within
 * @returns {Field[]}
 */
const fields = (within) => [...within.querySelectorAll("[name]")].filter(isField);

/** @param {number} section */
const list = (section) => document.querySelector(`#section-${section} [data-blocks]`);
