/** Carries what is being typed over a change of the page: the server's answer replaces the fields. */

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */

const FIELDS = "input, textarea, select";

/**
 * Fields that were changed since `forget`: their values are newer than what the server knows.
 * @type {Set<Field>}
 */
const changed = new Set();

export function watchTyping() {
  for (const type of ["input", "change"]) {
    document.addEventListener(type, (event) => {
      const field = /** @type {Field} */ (event.target);
      // A list that presses a button is sent by that button.
      const isSent = field.id && document.querySelector(`[data-pressed-by="${CSS.escape(field.id)}"]`);
      if (field.name && !isSent && field.closest("#questionnaire") && !field.closest("[data-waiting]")) changed.add(field);
    }, true);
  }
}

/** What was changed so far is stored. */
export const forget = () => changed.clear();

/**
 * What stands in this form is refused: it is not stored, and must not be lost.
 * @param {ParentNode} form
 */
export function remember(form) {
  for (const field of form.querySelectorAll(FIELDS)) {
    if (!isField(field) || !field.name || field.type === "hidden") continue;
    changed.add(field);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/** @typedef {{part: string, id: string, answer: string, name: string, value: string, isChecked: boolean}} Carried */

/** @returns {Carried[]} */
export const carried = () => [...changed].filter((field) => field.isConnected).map(read);

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
    answer: field.closest("li")?.dataset.answerName ?? "",
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
  if (!wanted.part) return wanted.id ? /** @type {Field | null} */ (document.getElementById(wanted.id)) : null;
  const form = formOf(wanted.part);
  /** @type {Field[]} */
  const fields = [...(form?.querySelectorAll(FIELDS) ?? [])].filter(isField);
  // An answer may have another number by now; its name stays.
  if (wanted.answer) return fields.find((field) => field.closest("li")?.dataset.answerName === wanted.answer);
  return fields.find((field) => field.name === wanted.name && (!isTicked(field) || field.value === wanted.value));
}

/**
 * @param {Element} field
 * @returns {field is HTMLInputElement}
 */
const isTicked = (field) => field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type);
