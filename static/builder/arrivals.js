/**
 * What a person adds stands in the page at once, to be written in, until the server's answer brings the real one.
 *
 * Several may wait at a time. One that the server refused stays, with the reason and what was typed.
 */

import { formOf, isField, write } from "./typed.js";

/** @typedef {import("./typed.js").Field} Field */
/** @typedef {{element: HTMLElement, put: () => void}} Arrival */
/** @typedef {Map<string, string>} Values  the values of a command */

/**
 * By the word of a command what stands for its outcome.
 * @type {Record<string, (values: Values, part: string) => Arrival | null>}
 */
const BY_WORD = {
  add: (values) => question(() => list(Number(values.get("section")))),
  "section-add": (values) => section(values.get("kind") ?? ""),
  "answer-add": (values, part) => row(values, part),
  "threshold-add": (values, part) => row(values, part),
};

/**
 * @param {Values} values
 * @param {string} part
 */
export function arrival(values, part) {
  const made = BY_WORD[word(values)]?.(values, part) ?? null;
  made?.put();
  const field = made?.element.querySelector("[name]");
  if (field instanceof HTMLElement) field.focus();
  made?.element.scrollIntoView({ block: "nearest" });
  return made;
}

/** @param {Values} values */
export const word = (values) => (values.get("do") ?? "").split(" ")[0];

/** @param {Arrival} waiting */
export const isWritten = ({ element }) => fields(element).some((field) => field.value !== "");

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
    if (field.value !== "") write(goal, { value: field.value, isChecked: false });
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
  const note = copied(template);
  const sending = element.querySelector("[data-sending]");
  sending?.toggleAttribute("hidden", true);
  const said = /** @type {HTMLElement} */ (note.querySelector("[data-reason]"));
  said.textContent = (said.textContent ?? "").replace("%(reason)s", reason);
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
  const element = copied(template);
  return { element, put: () => place()?.append(element) };
}

/** @param {string} kind */
function section(kind) {
  const template = document.querySelector("template[data-new-section]");
  if (!(template instanceof HTMLTemplateElement)) return null;
  const element = copied(template);
  const blocks = element.querySelector("ol");
  if (["number", "place", "crosswise"].includes(kind)) question(() => blocks)?.put();
  return { element, put: () => document.getElementById("sections")?.append(element) };
}

/**
 * An answer or a threshold, below the row that its command names, else as the last.
 * @param {Values} values
 * @param {string} part
 * @returns {Arrival | null}
 */
function row(values, part) {
  const rows = rowsOf(part);
  const model = rows[0]?.closest("li");
  if (!model) return null;
  const below = values.get("do")?.split(" ")[1];
  const element = emptied(model);
  return {
    element,
    put() {
      const items = rowsOf(part).map((each) => /** @type {HTMLElement} */ (each.closest("li")));
      const own = items.filter((item) => !item.matches(".prefer-not"));
      const before = below ? own[Math.min(Number(below), own.length - 1)] : own.at(-1);
      (before ?? items[0])?.after(element);
      renumber(part);
    },
  };
}

/** @param {string} part */
const rowsOf = (part) => /** @type {HTMLElement[]} */ ([...(formOf(part)?.querySelectorAll("[data-answer]") ?? [])]);

/**
 * The commands run in their order, so those that come later count what is still to arrive.
 * @param {string} part
 */
export function renumber(part) {
  rowsOf(part).forEach((each, number) => {
    each.dataset.answer = String(number);
    /** @type {NodeListOf<HTMLButtonElement>} */
    const buttons = (each.closest("li") ?? each).querySelectorAll("button[name=do]");
    for (const button of buttons) button.value = `${button.value.split(" ")[0]} ${number}`;
  });
}

/** @param {HTMLElement} model */
function emptied(model) {
  const element = /** @type {HTMLElement} */ (model.cloneNode(true));
  element.dataset.waiting = "";
  element.classList.remove("prefer-not");
  delete element.dataset.answerName;
  for (const each of element.querySelectorAll(".tools, .errorlist")) each.remove();
  for (const each of element.querySelectorAll("[id]")) each.removeAttribute("id");
  const label = element.querySelector("label");
  for (const field of fields(element)) {
    field.value = "";
    field.name = "new";
    field.setAttribute("aria-label", label?.textContent ?? "");
  }
  label?.remove();
  return element;
}

/** @param {HTMLTemplateElement} template */
const copied = (template) => /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));

/**
 * @param {Element} within
 * @returns {Field[]}
 */
const fields = (within) => [...within.querySelectorAll("[name]")].filter(isField);

/** @param {number} section */
const list = (section) => document.querySelector(`#section-${section} [data-blocks]`);
