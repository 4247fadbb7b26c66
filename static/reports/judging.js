/**
 * Judges rules in the list: one key or one tap stores a decision without loading the page again. Without this script the
 * same buttons send a form.
 */

import { send } from "./sending.js";

/** @typedef {import("./sending.js").Stored} Stored */
/** @typedef {{number: string, decision: string, address: string}} Made A decision that can be undone. */

/** @type {Record<string, string>} */
const KEYS = { a: "accept", r: "reject", n: "more-data" };
/** @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/** @type {HTMLElement} */
const place = one("[data-judging]");
/** @type {HTMLFormElement} */
const form = one("#judge");
/** @type {HTMLButtonElement} */
const undoButton = one("#undo");
/** @type {HTMLElement} */
const said = one("[data-said]");
/** @type {HTMLElement} */
const refused = one("[data-refused]");
/** @type {Made[]} */
const made = undoButton.disabled ? [] : [madeOf(undoButton)];

/** Decisions are sent one after the other, in the order in which they were made. */
let sending = Promise.resolve();

/**
 * @template {HTMLElement} E
 * @param {string} selector
 * @returns {E}
 */
function one(selector) {
  return /** @type {E} */ (document.querySelector(selector));
}

/**
 * @param {HTMLButtonElement} button
 * @returns {Made}
 */
function madeOf(button) {
  return { number: button.dataset.number ?? "", decision: button.value, address: button.formAction };
}

/** @returns {HTMLElement[]} */
function rows() {
  return [...document.querySelectorAll(/** @type {"li"} */ (".judged"))];
}

/** @param {HTMLElement} row */
function isOpen(row) {
  return !row.dataset.verdict;
}

/** @param {string} number */
function rowOf(number) {
  return rows().find((row) => row.dataset.rule === number);
}

/**
 * @param {HTMLElement} row
 * @param {boolean} [stays] The page stays where it is scrolled to.
 */
function focus(row, stays = false) {
  /** @type {HTMLElement | null} */
  const link = row.querySelector("a");
  link?.focus({ preventScroll: stays });
}

/** @param {HTMLElement} row */
function nextOpen(row) {
  const all = rows();
  const at = all.indexOf(row);
  return [...all.slice(at + 1), ...all.slice(0, at)].find(isOpen);
}

/**
 * @param {HTMLElement} row
 * @param {string} verdict
 */
function mark(row, verdict) {
  row.dataset.verdict = verdict;
  for (const button of row.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === verdict));
  }
}

/**
 * @param {HTMLElement} row
 * @param {string} verdict
 * @param {boolean} [stays]
 */
function judge(row, verdict, stays = false) {
  const before = row.dataset.verdict ?? "";
  const next = nextOpen(row);
  if (next) focus(next, stays);
  if (verdict === before) return;
  mark(row, verdict);
  sending = sending.then(async () => {
    const stored = await store(addressOf(row, verdict), { verdict });
    if (stored) remember(row, stored);
    else giveBack(row, before);
  });
  if (!next) sending = sending.then(goOn);
}

/**
 * @param {HTMLElement} row
 * @param {string} verdict
 */
function addressOf(row, verdict) {
  const button = [...row.querySelectorAll("button")].find((known) => known.value === verdict);
  return button?.formAction ?? "";
}

/**
 * @param {HTMLElement} row
 * @param {Stored} stored
 */
function remember(row, stored) {
  made.push({ number: row.dataset.rule ?? "", decision: String(stored.decision), address: stored.undo });
  undoButton.disabled = false;
}

/**
 * @param {HTMLElement} row
 * @param {string} before
 */
function giveBack(row, before) {
  mark(row, before);
  if (row.isConnected) focus(row);
}

function undo() {
  sending = sending.then(async () => {
    const last = made.pop();
    undoButton.disabled = !made.length;
    const stored = last && (await store(last.address, { decision: last.decision }));
    if (!last || !stored) return;
    const isOfMany = stored.count > 1;
    if (isOfMany) toast(stored.said);
    if (isOfMany || !rowOf(last.number)) await exchange(withFirst(last.number));
    const row = rowOf(last.number);
    if (row) mark(row, stored.verdict);
    focusFirst(row);
  });
}

/**
 * Send one decision and show what came of it.
 * @param {string} address
 * @param {Record<string, string>} values
 * @returns {Promise<Stored | null>}
 */
async function store(address, values) {
  const answer = await send(form, address, values);
  refused.textContent = answer.stored ? "" : answer.said || words(answer.why);
  if (answer.stored) show(answer.stored);
  return answer.stored;
}

/** @param {string} text */
function toast(text) {
  /** @type {HTMLTemplateElement} */
  const template = one("template[data-undone]");
  const shown = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
  /** @type {HTMLElement} */ (shown.querySelector("p")).textContent = text;
  shown.querySelector("button")?.addEventListener("click", () => shown.remove());
  one("[data-toasts] [role=status]").replaceChildren(shown);
}

/** @param {string} name */
function words(name) {
  return place.dataset[name] ?? "";
}

/** @param {Stored} stored */
function show(stored) {
  said.textContent = stored.said;
  one("[data-left]").textContent = stored.left;
  /** @type {HTMLInputElement | null} */
  const fitting = document.querySelector("input[name=fitting]");
  if (!fitting) return;
  fitting.value = String(stored.fitting);
  one("[data-fitting]").textContent = stored.fitting_words;
}

/** All rules of the page are decided: show the rules that are left, or the next page of a list that keeps them. */
async function goOn() {
  if (rows().some(isOpen)) return;
  const list = one("#rules");
  /** @type {HTMLAnchorElement | null} */
  const next = list.querySelector("a[rel=next]");
  const address = "queue" in list.dataset ? location.href : next?.href;
  if (!address || !(await exchange(address))) return;
  history.replaceState(null, "", address);
  focusFirst();
}

/** @param {HTMLElement} [row] Else the first that is open, else the list. */
function focusFirst(row = rows().find(isOpen) ?? rows()[0]) {
  if (row) focus(row);
  else one("[data-list]").focus();
}

/**
 * The first page of this list, with one rule before all others.
 * @param {string} number
 */
function withFirst(number) {
  const address = new URL(location.href);
  address.searchParams.delete("page");
  address.searchParams.set("first", number);
  return address.href;
}

/** @param {string} address */
async function exchange(address) {
  const response = await fetch(address, { headers: { "HX-Request": "true" }, credentials: "same-origin" }).catch(() => null);
  const html = response?.ok ? await response.text() : "";
  const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("#rules");
  if (fresh) one("#rules").replaceWith(fresh);
  else refused.textContent = words("offline");
  return Boolean(fresh);
}

/**
 * The letter of the key, also on a keyboard whose letters are not Latin.
 * @param {KeyboardEvent} event
 */
function letter(event) {
  const key = event.key.toLowerCase();
  return key.length === 1 && key.charCodeAt(0) > 127 ? event.code.slice(-1).toLowerCase() : key;
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  const target = /** @type {Element} */ (event.target);
  if (!target.closest("[data-list]") || event.isComposing || event.altKey || event.shiftKey) return;
  const key = letter(event);
  const command = event.ctrlKey || event.metaKey;
  /** @type {HTMLElement | null} */
  const row = target.closest(".judged");
  if (command ? key === "z" : key === "u") undo();
  else if (command || !row) return;
  else if (Object.hasOwn(KEYS, key)) judge(row, KEYS[key]);
  else if (Object.hasOwn(STEPS, event.key)) step(row, STEPS[event.key]);
  else return;
  event.preventDefault();
}

/**
 * @param {HTMLElement} row
 * @param {number} by
 */
function step(row, by) {
  const all = rows();
  const to = all[all.indexOf(row) + by];
  if (to) focus(to);
}

/** @param {MouseEvent} event */
function tapped(event) {
  const button = /** @type {Element} */ (event.target).closest("button");
  /** @type {HTMLElement | null | undefined} */
  const row = button?.closest(".judged");
  if (!button || (button !== undoButton && !row)) return;
  event.preventDefault();
  // A tap leaves the page where it is, so that nothing moves under the finger; keys follow the focus.
  if (row) judge(row, button.value, event.detail > 0);
  else undo();
}

place.addEventListener("keydown", pressed);
place.addEventListener("click", tapped);
const first = rows().find(isOpen);
const isFree = document.activeElement === document.body && !location.hash;
if (first && isFree) focus(first, true);
else if (isFree && made.length) one("[data-list]").focus({ preventScroll: true });
