/**
 * The commands of the questionnaire's buttons, sent one after another; each answer replaces the questionnaire.
 *
 * What is added or opened stands in the page at once (arrivals.js), and what is typed meanwhile is carried over (carrying.js).
 */

import { arrival, handOver, isWritten, refuse, word } from "./arrivals.js";
import {
  activeField, currentKey, findField, focusAt, formOf, isField, newerValues, openDetails, partOf, read, remember, rename, reopen, restore, selection,
  valuesSentBy, watchDetails, watchTyping,
} from "./carrying.js";
import { newKey, whyNot, withFreshToken } from "./posting.js";
import { identify, idOf, placeOf, rowOf, rowsAfter } from "./rows.js";

/** @typedef {import("./arrivals.js").Arrival} Arrival */
/**
 * `key` is the idempotency key; `part` the question whose form is saved first; `row` the id of the row that the button
 * belongs to, and `opens` the question that a link opens; `sent` are the fields beside the button; `waiting` stands in the
 * page for the outcome.
 * @typedef {{
 *   key: string, url: string, verb: string, values: Map<string, string>, part: string, row: string, opens: string,
 *   sent: import("./carrying.js").FieldValue[], focus: string, toast: Element | null, pressed: Element | null,
 *   waiting: Arrival | null, tries: number
 * }} Command
 * @typedef {{said: string, focus: string, key: string}} Done
 * @typedef {import("./posting.js").Why} Why
 * @typedef {{
 *   flush(): Promise<boolean>, hold(isHeld: boolean, unsure?: HTMLFormElement | null): void, idle(): Promise<void>, say(kind: string, why?: string): void, words(kind: string): string,
 *   lead(id: string): void, afterReplacing(said: string): void,
 *   unanswered(form: HTMLFormElement | null | undefined): Why | null
 * }} Page
 */

const FIRST_RETRY = 2000;
const LAST_RETRY = 30000;
const SHORT = 30;
/** After which a command that the server fails to do is given up, though its button can be pressed again. */
const TRIES = 5;
/** Said twice, these would do another thing the second time. */
const ONCE = ["delete", "section-delete", "answer-remove", "limit-remove", "region-remove", "undo", ""];
const QUESTIONNAIRE = '[hx-target="#questionnaire"]';

/** @type {Command[]} */
const queue = [];
/**
 * Refused, but with something written in them.
 * @type {Set<Arrival>}
 */
const refusedArrivals = new Set();
/** @type {Promise<void> | null} */
let running = null;
/** @type {Page} */
let page;

/** @param {Page} given */
export function commands(given) {
  page = given;
  watchTyping();
  watchDetails();
  watchHands();
  document.addEventListener("htmx:confirm", (event) => {
    const { elt, path, verb, triggeringEvent } = event.detail;
    if (!elt.matches(QUESTIONNAIRE)) return;
    event.preventDefault();
    enqueue(makeCommand(elt, path, verb, /** @type {SubmitEvent | undefined} */ (triggeringEvent)?.submitter ?? null));
  });
  addEventListener("beforeunload", (event) => {
    if (isWaiting()) event.preventDefault();
  });
}

export const isWaiting = () => queue.length > 0 || refusedArrivals.size > 0;

/** Until every command has been answered. */
export const allAnswered = async () => running ?? undefined;

/**
 * @param {HTMLElement} element
 * @param {string} url
 * @param {string} verb
 * @param {HTMLElement | null} button
 * @returns {Command}
 */
function makeCommand(element, url, verb, button) {
  const form = element instanceof HTMLFormElement ? element : null;
  const part = partOf(form);
  const data = form ? new FormData(form, button) : new FormData();
  const values = new Map([...data].map(([name, value]) => [name, String(value)]));
  // Of a question's form everything else is read when it is sent.
  for (const name of part ? [...values.keys()] : []) {
    const field = form?.elements.namedItem(name);
    const isOwn = name === "do" || (field instanceof Element && field.closest("[data-keeps-not]"));
    if (!isOwn) values.delete(name);
  }
  const row = button && rowOf(button);
  return {
    key: newKey(),
    url,
    verb,
    values,
    part,
    row: button?.dataset.below ?? (row ? idOf(row) : ""),
    opens: questionToOpen(element),
    sent: form ? valuesSentBy(form, button) : [],
    focus: element.dataset.focus ?? "",
    toast: element.closest("[data-toast]"),
    pressed: document.activeElement,
    waiting: null,
    tries: 0,
  };
}

/**
 * The closed question that a link opens, where the focus goes to its words.
 * @param {HTMLElement} link
 */
function questionToOpen(link) {
  const id = link.closest(".block")?.id;
  return id && link.matches("[data-opens]") && link.dataset.focus === `${id}-words` ? id : "";
}

/** @param {Command} command */
function enqueue(command) {
  const same = queue.find((other) => isSame(other, command));
  if (same && ONCE.includes(word(command.values))) return;
  // Of several choices of a kind the last one counts.
  const earlier = queue.findIndex((other, place) => place > 0 && isChoice(command) && isSameButton(other, command));
  if (earlier > 0) queue[earlier] = command;
  else queue.push(command);
  command.waiting = arrival(command);
  start();
}

/** @param {Command} command */
const isChoice = ({ values }) => ["kind", "wanted"].includes(word(values));

/**
 * @param {Command} one
 * @param {Command} other
 */
const isSameButton = (one, other) => one.url === other.url && one.part === other.part && word(one.values) === word(other.values);

/**
 * @param {Command} one
 * @param {Command} other
 */
const isSame = (one, other) => isSameButton(one, other) && one.row === other.row && JSON.stringify([...one.values]) === JSON.stringify([...other.values]);

function start() {
  running ??= run().finally(() => {
    running = null;
  });
}

async function run() {
  for (let command = queue[0]; command; command = queue[0]) {
    if (await perform(command)) queue.splice(queue.indexOf(command), 1);
    else await pause(Math.min(LAST_RETRY, FIRST_RETRY * 2 ** command.tries++));
  }
}

/**
 * Whether there is an end of it; otherwise it is tried again.
 * @param {Command} command
 */
async function perform(command) {
  await page.flush();
  page.hold(true);
  /** @type {HTMLFormElement | null} */
  let unsure = null;
  try {
    await page.idle();
    const unsaved = page.unanswered(formOf(command.part));
    if (unsaved) return retryOrGiveUp(command, unsaved);
    const unsolved = document.querySelector("#questionnaire [data-conflict]")?.closest("form");
    if (unsolved && partOf(unsolved) !== command.part) return giveUp(command, page.words("conflict"));
    if (command.part && !formOf(command.part)) return giveUp(command, page.words("gone"));
    if (!setRow(command)) return giveUp(command, page.words("gone"));
    for (const toast of document.querySelectorAll("[data-toast].error")) toast.remove();
    const answer = await withFreshToken(() => request(command));
    const why = whyNot(answer);
    if (!answer || why) {
      const isOver = retryOrGiveUp(command, why || "broken");
      unsure = isOver ? null : formOf(command.part) ?? null;
      return isOver;
    }
    const html = parse(await answer.text());
    await rest();
    if (opensAnother(command.verb, command.values)) await keepWrittenOpen(command, html);
    return applyAnswer(command, answer, html);
  } finally {
    page.hold(false, unsure);
  }
}

/**
 * Says to the server where the row of a button stands now. False where it is not there any more.
 * @param {Command} command
 */
function setRow({ values, part, row }) {
  const place = row ? placeOf(part, row) : -1;
  const isAdded = word(values).endsWith("-add");
  if (row) values.set("do", `${word(values)}${place < 0 ? "" : ` ${place}`}`);
  return !row || place >= 0 || isAdded;
}

/**
 * @param {Command} command
 * @param {Response} answer
 * @param {Document} html
 */
function applyAnswer(command, answer, html) {
  const said = html.querySelector("[data-toast] p")?.textContent ?? page.words("broken");
  const fresh = html.getElementById("questionnaire");
  const isRefused = !fresh || answer.headers.get("HX-Reswap") === "none";
  // Beside what was written for it the reason is said once.
  if (!isRefused || !command.waiting || !isWritten(command.waiting)) takeToasts(html);
  if (isRefused) return giveUp(command, said);
  command.toast?.remove();
  const { "builder:done": done } = JSON.parse(answer.headers.get("HX-Trigger-After-Settle") ?? "{}");
  replace(command, fresh, done, answer.ok);
  return answer.ok || giveUp(command, page.words("refusedForm"));
}

/**
 * Whether another form opens: that of a link, or of a question that is added.
 * @param {string} verb
 * @param {Map<string, string>} values
 */
const opensAnother = (verb, values) => verb === "get" || ["add", "battery-add", "duplicate", "section-add"].includes(word(values));

/** @param {string} text */
const parse = (text) => new DOMParser().parseFromString(text, "text/html");

/**
 * @param {ParentNode} root
 * @returns {HTMLInputElement[]}
 */
const openFields = (root) => [...root.querySelectorAll("[data-open]")].filter((field) => field instanceof HTMLInputElement);

/**
 * An answer closes the other forms: if somebody has begun to write in one meanwhile, the answer is read again with it open.
 * @param {Command} command
 * @param {Document} html
 */
async function keepWrittenOpen(command, html) {
  /** @type {Set<string>} */
  const asked = new Set();
  for (;;) {
    const fresh = html.getElementById("questionnaire");
    const there = new Set(openFields(html).map((field) => field.value));
    const field = activeField();
    const written = new Set(newerValues(command.sent).map((value) => value.part));
    if (field && field !== command.pressed) written.add(read(field).part);
    const closed = openFields(document).filter((open) => written.has(partOf(open.form)) && !there.has(open.value) && !asked.has(open.value));
    if (!fresh || !closed.length) return;
    const address = new URL(location.href);
    address.searchParams.delete("open");
    const language = document.querySelector("#questionnaire [name=in]");
    if (isField(language)) address.searchParams.set("in", language.value);
    for (const key of [...there, ...asked, ...closed.map((open) => open.value)]) address.searchParams.append("open", key);
    const again = await withFreshToken(() => fetch(address, { headers: { "HX-Request": "true" }, credentials: "same-origin" }));
    const why = whyNot(again);
    if (why && why !== "barred") {
      page.say("retrying", page.words(why));
      await pause(FIRST_RETRY);
      continue;
    }
    for (const open of closed) asked.add(open.value);
    const reread = again?.ok && parse(await again.text()).getElementById("questionnaire");
    if (reread) fresh.replaceWith(html.adoptNode(reread));
    await rest();
  }
}

/** @param {Command} command */
function request({ key, url, verb, values, part }) {
  const form = formOf(part);
  const body = form ? new FormData(form) : new FormData();
  for (const [name, value] of values) body.set(name, value);
  body.set("idempotency_key", key);
  const token = document.querySelector("#questionnaire [name=csrfmiddlewaretoken]");
  if (isField(token)) body.set(token.name, token.value);
  body.delete("open");
  // A form closes when the next one opens, unless something in it is not stored.
  const unstored = new Set(newerValues([]).map((value) => value.part));
  const open = openFields(document).filter((field) => !opensAnother(verb, values) || unstored.has(partOf(field.form)));
  for (const field of open) body.append("open", field.value);
  const headers = { "HX-Request": "true" };
  if (verb !== "get") return fetch(url, { method: "POST", body, headers, credentials: "same-origin" });
  const address = new URL(url, location.href);
  for (const field of open) address.searchParams.append("open", field.value);
  return fetch(address, { headers, credentials: "same-origin" });
}

/**
 * @param {Command} command
 * @param {Why} why
 */
function retryOrGiveUp(command, why) {
  // Nothing is done twice, by its key. What nobody writes in is given up where the server fails again and again.
  const isWorthIt = Boolean(command.waiting) || (command.verb !== "get" && (why !== "broken" || command.tries < TRIES));
  const isTriedAgain = isWorthIt && why !== "barred";
  page.say(isTriedAgain ? "retrying" : "refused", page.words(why));
  return !isTriedAgain && giveUp(command, page.words(why));
}

/**
 * The command comes to nothing. What was written for it stays, with the reason.
 * @param {Command} command
 * @param {string} reason
 */
function giveUp(command, reason) {
  const { waiting, pressed } = command;
  if (!waiting) return true;
  const discard = () => {
    const wasThere = waiting.element.contains(document.activeElement);
    waiting.withdraw();
    refusedArrivals.delete(waiting);
    if (wasThere && pressed?.isConnected) /** @type {HTMLElement} */ (pressed).focus();
    else if (wasThere) page.lead("questionnaire");
  };
  const again = () => {
    refusedArrivals.delete(waiting);
    renew(command);
    queue.push({ ...command, tries: 0 });
    start();
  };
  if (!isWritten(waiting)) discard();
  else {
    refusedArrivals.add(waiting);
    refuse(waiting, reason, { again, discard });
  }
  return true;
}

/**
 * @param {Command} command
 * @param {HTMLElement} fresh
 * @param {Done | undefined} done
 * @param {boolean} isDone
 */
function replace(command, fresh, done, isDone) {
  const { part, row, waiting } = command;
  const rows = rowsAfter({ part, row, word: isDone ? word(command.values) : "", waiting: (isDone && waiting?.element) || null });
  const values = newerValues(isDone ? command.sent : []);
  const held = document.activeElement?.id ?? "";
  const field = activeField();
  const which = field && read(field);
  const place = field && selection(field);
  const details = openDetails();
  rename(part, done?.key ?? "");
  /** @type {HTMLElement} */ (document.getElementById("questionnaire")).replaceWith(fresh);
  window.htmx?.process(fresh);
  identify(rows);
  for (const next of queue.slice(1)) renew(next);
  for (const arrived of [isDone ? null : waiting, ...queue.slice(1).map((next) => next.waiting), ...refusedArrivals]) arrived?.put();
  restore(values);
  const handed = waiting && isDone ? handOver(waiting, done?.focus ?? command.focus, field) : null;
  for (const form of fresh.querySelectorAll("form:has(.error-summary:not([data-conflict]))")) remember(form);
  page.afterReplacing(done?.said ?? "");
  const isElsewhere = field && field !== command.pressed && !field.closest("[data-waiting]");
  const summary = reopen(details);
  const goal = handed ?? (field?.isConnected ? field : isElsewhere && which ? findField(which) : null);
  if (goal && place) focusAt(goal, place);
  else if (summary) summary.focus();
  // The command that came last leads the focus.
  else if (queue.length > 1) document.getElementById(held)?.focus();
  else page.lead(done?.focus || command.focus);
}

/**
 * Follows what an earlier command has changed: numbers of sections, keys of questions, the list of kinds.
 * @param {Command} command
 */
function renew(command) {
  const { values } = command;
  const seen = values.get("seen");
  const number = values.get("section");
  const isAdded = word(values) === "add";
  /** @type {HTMLInputElement[]} */
  const all = [...document.querySelectorAll("#questionnaire input[name=seen]")].filter((each) => each instanceof HTMLInputElement);
  const now = all.find((each) => each.value === seen) ?? (isAdded ? all.find((each) => sectionOf(each) === number) : undefined);
  if (seen && now) {
    values.set("seen", now.value);
    values.set("section", sectionOf(now));
  }
  if (values.has("order")) values.set("order", /** @type {HTMLInputElement} */ (document.querySelector("#questionnaire input[name=order]")).value);
  if (values.has("key")) values.set("key", currentKey(values.get("key") ?? ""));
  if (!isChoice(command)) return;
  const list = formOf(command.part)?.elements.namedItem(word(values));
  if (list instanceof HTMLSelectElement) list.value = values.get(list.name) ?? list.value;
}

/** @param {HTMLInputElement} field */
const sectionOf = (field) => String(new FormData(/** @type {HTMLFormElement} */ (field.form)).get("section"));

/** @param {Document} html */
function takeToasts(html) {
  for (const swapped of html.querySelectorAll("[hx-swap-oob]")) {
    const place = document.querySelector((swapped.getAttribute("hx-swap-oob") ?? "").replace("beforeend:", ""));
    for (const toast of place ? [...swapped.children] : []) {
      place?.append(toast);
      window.htmx?.process(toast);
    }
    swapped.remove();
  }
}

let isComposing = false;
/** @type {Element | null} */
let pressedNow = null;

/** The page stays as it is while a word is being composed or a button is held down. */
function watchHands() {
  document.addEventListener("compositionstart", () => {
    isComposing = true;
  });
  document.addEventListener("compositionend", () => {
    isComposing = false;
  });
  addEventListener("pointerdown", (event) => {
    pressedNow = /** @type {Element} */ (event.target).closest("#questionnaire button, #questionnaire a");
  });
  for (const over of ["pointerup", "pointercancel"]) addEventListener(over, () => setTimeout(() => {
    pressedNow = null;
  }));
}

async function rest() {
  while (isComposing || pressedNow) await new Promise((resolve) => setTimeout(resolve, SHORT));
}

/** @param {number} most */
const pause = (most) => new Promise((resolve) => {
  setTimeout(resolve, most);
  addEventListener("online", resolve, { once: true });
});
