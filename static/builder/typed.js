/** Carries what is being typed over a change of the page: the server's answer replaces the fields. */

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */

const FIELDS = "input, textarea, select";
/** Not saved with its form, but sent by a button beside it. */
const OWN = "[data-keeps-not]";

/**
 * Fields whose values are newer than what the server has stored, each with the number of its last change.
 * @type {Map<Field, number>}
 */
const changed = new Map();
let changes = 0;

export function watchTyping() {
  for (const type of ["input", "change"]) {
    document.addEventListener(type, (event) => {
      const field = /** @type {Field} */ (event.target);
      // A list that presses a button is sent by that button.
      const isSent = field.id && document.querySelector(`[data-pressed-by="${CSS.escape(field.id)}"]`);
      if (field.name && !isSent && field.closest("#questionnaire") && !field.closest("[data-waiting]")) changed.set(field, ++changes);
    }, true);
  }
}

/** The number of the last change. */
export const mark = () => changes;

/**
 * What was changed in a form up to a mark is stored.
 * @param {HTMLFormElement} form
 * @param {number} until
 */
export function forget(form, until) {
  for (const [field, number] of changed) {
    if (number <= until && field.form === form && !field.closest(OWN)) changed.delete(field);
  }
}

/**
 * What stands in this form is refused: it is not stored, and must not be lost.
 * @param {ParentNode} form
 */
export function remember(form) {
  for (const field of form.querySelectorAll(FIELDS)) {
    if (!isField(field) || !field.name || field.type === "hidden") continue;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/**
 * `row` is the id of its row; `was` what the server had sent in it; `beside` a question of the section of a field that belongs to no part.
 * @typedef {{part: string, id: string, row: string, was: string, beside: string, name: string, value: string, isChecked: boolean}} Carried
 */

/**
 * What is newer than the server knows, but for what a command has brought there.
 * @param {Carried[]} sent
 */
export function carried(sent = []) {
  const there = new Set(sent.map(signature));
  return [...changed.keys()].filter((field) => field.isConnected).map(read).filter((each) => !there.has(signature(each)));
}

/** @param {Carried} field */
const signature = ({ part, id, row, name, value, isChecked }) => JSON.stringify([keyNow(part), part ? "" : id, row, name, value, isChecked]);

/**
 * What a button sends of the fields that are not saved with a form: of its own form, or of those beside it. A list of
 * its own form stays as it was chosen: the next question is often of the same kind.
 * @param {HTMLFormElement} form
 * @param {Element | null} button
 */
export function sentBy(form, button) {
  const isPart = form.matches("[data-keeps]");
  const place = isPart ? button?.closest(`${OWN}, .kind-row`) : form;
  const isSent = (/** @type {Field} */ field) => place?.contains(field) && (isPart || !(field instanceof HTMLSelectElement));
  return [...changed.keys()].filter(isSent).map(read);
}

/** The field that the person writes in. */
export function written() {
  const field = document.activeElement;
  return isField(field) && field.closest("#questionnaire") ? field : null;
}

/**
 * @param {Element | null} element
 * @returns {element is Field}
 */
export const isField = (element) => Boolean(element?.matches(FIELDS));

/** @param {Field} field */
export function selection(field) {
  const isText = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type === "text");
  return { start: isText ? field.selectionStart : null, end: isText ? field.selectionEnd : null };
}

/**
 * @param {Field} field
 * @param {{start: number | null, end: number | null}} place
 */
export function focusAt(field, { start, end }) {
  field.focus();
  if (start !== null && !(field instanceof HTMLSelectElement)) field.setSelectionRange(start, end);
}

/** @param {Carried[]} values */
export function putBack(values) {
  for (const each of values) {
    const field = found(each);
    if (field) write(field, each);
  }
}

/**
 * @param {Field} field
 * @param {{value: string, isChecked: boolean}} typed
 */
export function write(field, { value, isChecked }) {
  if (isTicked(field)) field.checked = isChecked;
  else field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/**
 * The key that a question got instead of another one.
 * @type {Map<string, string>}
 */
const renamed = new Map();

/**
 * @param {string} key
 * @param {string} now
 */
export const rename = (key, now) => key && now && key !== now && renamed.set(key, now);

/** @param {string} key */
export const keyNow = (key) => renamed.get(key) ?? key;

/** @param {string} key */
export function formOf(key) {
  /** @type {NodeListOf<HTMLFormElement>} */
  const forms = document.querySelectorAll("#questionnaire form[data-keeps]");
  return [...forms].find((form) => partOf(form) === key) ?? [...forms].find((form) => partOf(form) === keyNow(key));
}

/** @param {HTMLFormElement | null} form */
export const partOf = (form) => String((form && new FormData(form).get("part")) ?? "");

/**
 * Which field it is, and what stands in it.
 * @param {Field} field
 * @returns {Carried}
 */
export function read(field) {
  return {
    part: partOf(field.closest("form[data-keeps]")),
    id: field.id,
    row: field.closest("[data-row]")?.getAttribute("data-row") ?? "",
    was: field instanceof HTMLSelectElement ? "" : field.defaultValue,
    beside: field.closest("[data-section]")?.querySelector("[data-key]")?.getAttribute("data-key") ?? "",
    name: field.name,
    value: field.value,
    isChecked: isTicked(field) && field.checked,
  };
}

/**
 * The same field in the page as it is now.
 * @param {Carried} wanted
 * @returns {Field | null | undefined}
 */
export function found(wanted) {
  if (!wanted.part) return wanted.id ? /** @type {Field | null} */ (document.getElementById(idNow(wanted))) : null;
  const form = formOf(wanted.part);
  /** @type {Field[]} */
  const fields = [...(form?.querySelectorAll(FIELDS) ?? [])].filter(isField);
  const same = fields.filter((field) => !isTicked(field) || field.value === wanted.value);
  // A row may have another number by now; its id stays, and so does the name that files use.
  const { row, was, name } = wanted;
  if (row) return same.find((field) => read(field).row === row && stem(field.name) === stem(name));
  if (/^name-\d+$/.test(name)) return same.find((field) => stem(field.name) === stem(name) && read(field).was === was);
  return same.find((field) => field.name === name);
}

/** @param {string} name */
const stem = (name) => name.replace(/(?<!\d)\d+$/, "");

/**
 * A section may have another number by now.
 * @param {Carried} wanted
 */
function idNow({ id, beside }) {
  const section = beside && document.querySelector(`#questionnaire [data-key="${CSS.escape(keyNow(beside))}"]`)?.closest("[data-section]");
  return section ? id.replace(/^section-\d+/, section.id) : id;
}

/**
 * @param {Element} field
 * @returns {field is HTMLInputElement}
 */
const isTicked = (field) => field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type);
