/**
 * Autosave: saves the forms of a draft while a person types, and shows the status.
 *
 * One request at a time is under way, so that the server's answers come in the order of what was asked. A save that
 * fails because the connection or the server is away is repeated until it succeeds; a refused one waits for the
 * person. Nothing that was typed is lost.
 */

import { forget, lastEdit } from "./carrying.js";
import { post } from "./posting.js";

const PAUSE = 700;
const SLOW = 1000;
const FIRST_RETRY = 2000;
const LAST_RETRY = 30000;
/** @type {Intl.DateTimeFormatOptions} */
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/**
 * `unanswered`: what was sent without an answer, perhaps stored. It is repeated as it was, before anything newer is saved.
 * @typedef {{body: FormData, sent: number, why: import("./posting.js").Why | null}} Attempt
 * `refused`: why the last save was refused.
 * @typedef {{dirty: boolean, timer: number, tries: number, unanswered: Attempt | null, refused: string}} State
 */

/** @type {Map<HTMLFormElement, State>} */
const states = new Map();

/** While a command changes the page: what it brings has other bases. */
let isHeld = false;

/**
 * The form of a command without an answer. The command may have been done, so the base of the form is not known.
 * @type {HTMLFormElement | null}
 */
let unsure = null;

/**
 * The save that is under way.
 * @type {{form: HTMLFormElement, stored: Promise<boolean>} | null}
 */
let under = null;

/**
 * The status line of the page; its data attributes have the texts.
 * @type {HTMLElement}
 */
let status;

/** @param {HTMLFormElement} form */
const stateOf = (form) => {
  if (!states.has(form)) states.set(form, { dirty: false, timer: 0, tries: 0, unanswered: null, refused: "" });
  return /** @type {State} */ (states.get(form));
};

/** @param {HTMLElement} line  the status line */
export function autosave(line) {
  status = line;
  document.addEventListener("input", noteEdit);
  document.addEventListener("change", noteEdit);
  addEventListener("online", () => flush());
  document.addEventListener("visibilitychange", () => document.hidden && flush());
  addEventListener("beforeunload", (event) => {
    if (pending()) event.preventDefault();
  });
  return { pending, flush, hold, idle, say, words, unanswered };
}

/**
 * @param {boolean} isOn
 * @param {HTMLFormElement | null} form  of a command without an answer
 */
function hold(isOn, form = null) {
  isHeld = isOn;
  unsure = form;
  tell();
}

/**
 * Why the last save of a form has no answer.
 * @param {HTMLFormElement | null | undefined} form
 */
const unanswered = (form) => (form && states.get(form)?.unanswered?.why) || null;

/** Until no save is under way. */
async function idle() {
  while (under) await under.stored;
}

function pending() {
  return Boolean(under?.form.isConnected) || [...states].some(([form, state]) => form.isConnected && state.dirty);
}

async function flush() {
  const forms = [...states.keys()].filter((form) => form.isConnected);
  const stored = await Promise.all(forms.map((form) => save(form)));
  return stored.every(Boolean);
}

/** @param {Event} event */
function noteEdit(event) {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const form = /** @type {HTMLFormElement | null} */ (field.closest("form[data-keeps]"));
  if (!form || field.closest("[data-keeps-not], [data-waiting]") || !field.name) return;
  const state = stateOf(form);
  state.dirty = true;
  state.tries = 0;
  tell();
  later(form, PAUSE);
}

/** The status line has the attribute while something that was typed is not stored. */
const tell = () => status.toggleAttribute("data-unsaved", pending());

/**
 * @param {HTMLFormElement} form
 * @param {number} pause
 */
function later(form, pause) {
  const state = stateOf(form);
  clearTimeout(state.timer);
  state.timer = setTimeout(() => save(form), pause);
}

/**
 * Whether the form is stored as it stands.
 * @param {HTMLFormElement} form
 * @returns {Promise<boolean>}
 */
async function save(form) {
  const state = stateOf(form);
  clearTimeout(state.timer);
  while (under) await under.stored;
  if (isHeld || form === unsure) {
    later(form, PAUSE);
    return false;
  }
  if (!state.dirty || !form.isConnected) {
    if (!form.isConnected) states.delete(form);
    return true;
  }
  if (form.querySelector("[data-conflict]")) {
    say("refused", words("conflict"));
    return false;
  }
  state.dirty = false;
  // Shown only for slow saves, so that a screen reader does not announce each one.
  const slow = setTimeout(() => say("saving"), SLOW);
  const stored = send(form, state).finally(() => {
    clearTimeout(slow);
    under = null;
    tell();
  });
  under = { form, stored };
  const isStored = await stored;
  return isStored && state.dirty ? save(form) : isStored;
}

/**
 * @param {HTMLFormElement} form
 * @param {State} state
 */
async function send(form, state) {
  const repeated = state.unanswered;
  const attempt = repeated ?? { body: new FormData(form), sent: lastEdit(), why: null };
  const answer = await post(form, attempt.body);
  state.unanswered = null;
  // What was typed since the first time is saved next, and decides what a refusal or a conflict is about.
  if (repeated) state.dirty = true;
  if (repeated && ["conflict", "refused"].includes(answer.kind)) {
    later(form, 0);
    return false;
  }
  if (answer.kind === "stored") forget(form, attempt.sent);
  if (answer.kind === "stored") return onStored(form, state, answer);
  if (answer.kind === "conflict") return showConflict(form, answer.html);
  state.dirty = true;
  if (answer.kind === "again") {
    state.unanswered = { ...attempt, why: /** @type {import("./posting.js").Why} */ (answer.why) };
    say("retrying", words(answer.why));
    later(form, Math.min(LAST_RETRY, FIRST_RETRY * 2 ** state.tries));
    state.tries += 1;
  } else {
    state.refused = answer.said ?? words(answer.why);
    say("refused", state.refused);
  }
  return false;
}

/**
 * @param {HTMLFormElement} form
 * @param {State} state
 * @param {{base: string, others: Record<string, import("./posting.js").Changed>, lacking: string, line: string}} answer
 */
function onStored(form, state, { base, others, lacking, line }) {
  baseOf(form).value = base;
  const said = form.querySelector("[data-report-line]");
  if (said) said.textContent = line;
  said?.parentElement?.toggleAttribute("hidden", !line);
  for (const [id, part] of Object.entries(others)) bringUpToDate(id, part);
  for (const place of document.querySelectorAll("[data-lacking]")) place.textContent = lacking;
  state.tries = 0;
  state.refused = "";
  const refused = [...states].find(([other, { refused }]) => other.isConnected && refused)?.[1].refused;
  // "Saved" must not cover a part that is not.
  if (refused) say("refused", refused);
  else if (document.querySelector("[data-conflict]")) say("refused", words("conflict"));
  else say("saved");
  return true;
}

/** @param {Element} form */
const baseOf = (form) => /** @type {HTMLInputElement} */ (form.querySelector("[data-base]"));

/**
 * The form of another part that was changed by this save, too: lines of a battery share their answers. What is being
 * typed there stays, and is a conflict.
 * @param {string} id
 * @param {import("./posting.js").Changed} part
 */
function bringUpToDate(id, { was, base, fields }) {
  /** @type {HTMLFormElement | null | undefined} */
  const form = document.getElementById(id)?.querySelector("form[data-keeps]");
  if (!form || states.get(form)?.dirty || baseOf(form).value !== was) return;
  baseOf(form).value = base;
  for (const [name, value] of Object.entries(fields)) {
    const field = form.elements.namedItem(name);
    const isText = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type === "text");
    if (isText) field.value = String(value ?? "");
  }
}

/**
 * The page shows both versions: what was written stays in the fields, and the person decides.
 * @param {HTMLFormElement} form
 * @param {string} html
 */
function showConflict(form, html) {
  const part = /** @type {Element} */ (form.closest("[data-part]"));
  const fresh = new DOMParser().parseFromString(html, "text/html").getElementById(part.id);
  states.delete(form);
  if (fresh) {
    part.replaceWith(fresh);
    window.htmx?.process(fresh);
    /** @type {HTMLElement | null} */ (fresh.querySelector("[data-conflict]"))?.focus();
  }
  say("refused", words("conflict"));
  return false;
}

/** @param {string} kind */
const words = (kind) => /** @type {string} */ (status.dataset[`words${kind[0].toUpperCase()}${kind.slice(1)}`]);

/**
 * @param {string} kind
 * @param {string} reason
 */
function say(kind, reason = "") {
  const time = new Date().toLocaleTimeString(document.documentElement.lang, CLOCK);
  status.dataset.state = kind;
  status.textContent = words(kind).replace("%(time)s", time).replace("%(reason)s", reason);
}
