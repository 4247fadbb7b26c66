/**
 * Carries what a person has typed and opened over a change of the page: the server's answer replaces the fields.
 *
 * A field is found again in the new page by its part, its row and its name; rows keep an id (rows.js), and questions that
 * got another key are known by both.
 */

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */
/**
 * A field and what stands in it. `row` is the id of its row; `was` what the server had sent in it; `beside` a question of
 * the section of a field that belongs to no part.
 * @typedef {{part: string, id: string, row: string, was: string, beside: string, name: string, value: string, isChecked: boolean}} FieldValue
 */

const FIELDS = "input, textarea, select";
/** Not saved with its form, but sent by a button beside it. */
const OWN = "[data-keeps-not]";

/**
 * Fields whose values are newer than what the server has stored, each with the number of its last edit.
 * @type {Map<Field, number>}
 */
const edits = new Map();
let count = 0;

export function watchTyping() {
  for (const type of ["input", "change"]) {
    document.addEventListener(type, (event) => {
      const field = /** @type {Field} */ (event.target);
      // A list that presses a button is sent by that button.
      const isSent = field.id && document.querySelector(`[data-pressed-by="${CSS.escape(field.id)}"]`);
      if (field.name && !isSent && field.closest("#questionnaire") && !field.closest("[data-waiting]")) edits.set(field, ++count);
    }, true);
  }
}

/** The number of the last edit. */
export const lastEdit = () => count;

/**
 * The edits in a form up to this number are stored.
 * @param {HTMLFormElement} form
 * @param {number} until
 */
export function forget(form, until) {
  for (const [field, number] of edits) {
    if (number <= until && field.form === form && !field.closest(OWN)) edits.delete(field);
  }
}

/**
 * What stands in this form is refused: it is not stored, and must not be lost.
 * @param {ParentNode} form
 */
export function remember(form) {
  for (const field of form.querySelectorAll(FIELDS)) {
    if (isField(field) && field.name && field.type !== "hidden") field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/**
 * What is newer than the server knows, but for what a command has brought there.
 * @param {FieldValue[]} sent
 */
export function newerValues(sent) {
  const there = new Set(sent.map(signature));
  return [...edits.keys()].filter((field) => field.isConnected).map(read).filter((value) => !there.has(signature(value)));
}

/** @param {FieldValue} field */
const signature = ({ part, id, row, name, value, isChecked }) => JSON.stringify([currentKey(part), part ? "" : id, row, name, value, isChecked]);

/**
 * What a button sends of the fields that are not saved with a form: of its own form, or of those beside it. A list of
 * its own form stays as it was chosen: the next question is often of the same kind.
 * @param {HTMLFormElement} form
 * @param {Element | null} button
 */
export function valuesSentBy(form, button) {
  const isPart = form.matches("[data-keeps]");
  const place = isPart ? button?.closest(`${OWN}, .kind-row`) : form;
  const isSent = (/** @type {Field} */ field) => place?.contains(field) && (isPart || !(field instanceof HTMLSelectElement));
  return [...edits.keys()].filter(isSent).map(read);
}

/** @param {FieldValue[]} values */
export function restore(values) {
  for (const value of values) {
    const field = findField(value);
    if (field) write(field, value);
  }
}

/**
 * @param {Field} field
 * @returns {FieldValue}
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
 * @param {Field} field
 * @param {{value: string, isChecked: boolean}} typed
 */
export function write(field, { value, isChecked }) {
  if (isTicked(field)) field.checked = isChecked;
  else field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/**
 * The same field in the page as it is now.
 * @param {FieldValue} field
 * @returns {Field | null | undefined}
 */
export function findField({ part, id, row, was, beside, name, value }) {
  if (!part) {
    // A section may have another number by now.
    const section = beside && document.querySelector(`#questionnaire [data-key="${CSS.escape(currentKey(beside))}"]`)?.closest("[data-section]");
    const idNow = section ? id.replace(/^section-\d+/, section.id) : id;
    return id ? /** @type {Field | null} */ (document.getElementById(idNow)) : null;
  }
  const fields = [...(formOf(part)?.querySelectorAll(FIELDS) ?? [])].filter(isField);
  const same = fields.filter((field) => !isTicked(field) || field.value === value);
  // A row may have another number by now; its id stays, and so does the name that files use.
  if (row) return same.find((field) => read(field).row === row && stem(field.name) === stem(name));
  if (/^name-\d+$/.test(name)) return same.find((field) => stem(field.name) === stem(name) && read(field).was === was);
  return same.find((field) => field.name === name);
}

/** @param {string} name */
const stem = (name) => name.replace(/(?<!\d)\d+$/, "");

/**
 * @param {Element | null} element
 * @returns {element is Field}
 */
export const isField = (element) => Boolean(element?.matches(FIELDS));

/**
 * @param {Element} field
 * @returns {field is HTMLInputElement}
 */
const isTicked = (field) => field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type);

/** The field that the person writes in. */
export function activeField() {
  const field = document.activeElement;
  return isField(field) && field.closest("#questionnaire") ? field : null;
}

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

/**
 * The key that a question got instead of another one.
 * @type {Map<string, string>}
 */
const newKeys = new Map();

/**
 * @param {string} key
 * @param {string} now
 */
export const rename = (key, now) => key && now && key !== now && newKeys.set(key, now);

/** @param {string} key */
export const currentKey = (key) => newKeys.get(key) ?? key;

/** @param {string} key */
export function formOf(key) {
  /** @type {NodeListOf<HTMLFormElement>} */
  const forms = document.querySelectorAll("#questionnaire form[data-keeps]");
  return [...forms].find((form) => partOf(form) === key) ?? [...forms].find((form) => partOf(form) === currentKey(key));
}

/** @param {HTMLFormElement | null} form */
export const partOf = (form) => String((form && new FormData(form).get("part")) ?? "");

/**
 * The details with this summary in the element with this id.
 * @typedef {{id: string, words: string}} Details
 */

/**
 * @param {Element} summary
 * @returns {Details}
 */
const detailsOf = (summary) => ({
  id: summary.closest("[id]")?.id ?? "",
  words: summary.textContent?.trim() ?? "",
});

/** Details that are open stay open where a fragment is replaced while somebody types: estimates of a question. */
export function watchDetails() {
  /** @type {ReturnType<typeof openDetails>} */
  let before = { open: [], focused: null };
  document.addEventListener("htmx:beforeSwap", () => {
    before = openDetails();
  });
  document.addEventListener("htmx:afterSwap", () => {
    reopen(before)?.focus();
  });
}

/** Which details are open now, and which summary has the focus. */
export function openDetails() {
  const focused = document.activeElement?.closest("#questionnaire summary");
  const summaries = document.querySelectorAll("#questionnaire details[open] > summary");
  return { open: [...summaries].map(detailsOf), focused: focused ? detailsOf(focused) : null };
}

/**
 * Opens the same details in the page as it is now; the summary that had the focus, if it is still there.
 * @param {ReturnType<typeof openDetails>} before
 */
export function reopen({ open, focused }) {
  for (const details of open) findSummary(details)?.parentElement?.setAttribute("open", "");
  return focused && findSummary(focused);
}

/**
 * @param {Details} details
 * @returns {HTMLElement | undefined}
 */
function findSummary({ id, words }) {
  /** @type {NodeListOf<HTMLElement>} */
  const summaries = document.querySelectorAll("#questionnaire summary");
  return [...summaries].find((summary) => summary.closest("[id]")?.id === id && summary.textContent?.trim() === words);
}
