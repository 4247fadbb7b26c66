/** Set-up of a field device: a ticket, a file made whole, all files, and a blind-signed token for each person. */

import { textOf } from "../base64url.js";
import { button, el } from "../elements.js";
import { send } from "../sending.js";
import { fill, isWhole } from "./cache.js";
import { drawPin, hashPin } from "./pin.js";
import { fetchTokens, hideIn } from "./tokens.js";

const TICKET = /^[\w-]{22}$/;
const SETTINGS = /<script type="application\/json" id="page">([^<]*)<\/script>/;

/** The ticket in the fragment, which leaves the address at once; "" without one. */
export function takeTicket() {
  const ticket = location.hash.slice(1);
  if (ticket) history.replaceState(null, "", location.pathname);
  return TICKET.test(ticket) ? ticket : "";
}

/** The names of what a browser lacks; "" stands for a page without a secure connection. */
export function lackingParts() {
  return [
    ["HTTPS", isSecureContext],
    ["ServiceWorker", "serviceWorker" in navigator],
    ["SubtleCrypto", Boolean(crypto.subtle)],
    ["FileSystemSyncAccessHandle", Boolean(navigator.storage?.getDirectory)],
    ["CacheStorage", "caches" in globalThis],
  ].filter(([, isThere]) => !isThere).map(([name]) => name);
}

/** On an iPad only the app of the home screen keeps what it stores. */
const isUninstalled = () => /** @type {{standalone?: boolean}} */ (navigator).standalone === false;

/**
 * Every file of the app as the server has them now, the page itself included, and the design that they ask.
 * @param {string} address
 * @returns {Promise<{files: {path: string, sha256: string}[], fingerprint: string, version: string}>}
 */
export async function currentFiles(address) {
  const response = await fetch(address, { cache: "reload", credentials: "omit", redirect: "error" });
  const text = await response.text();
  const { files, fingerprint } = JSON.parse(/** @type {RegExpExecArray} */ (SETTINGS.exec(text))[1]);
  const all = [...files, { path: address, sha256: await sha256(text) }];
  return { files: all, fingerprint, version: await sha256(JSON.stringify(all)) };
}

/** @param {string} text */
async function sha256(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The first screen: what field mode is, and the code where no link brought one.
 * @param {Field.App} app
 * @param {string} ticket
 */
export function welcome(app, ticket) {
  const { word, show } = app;
  if (isUninstalled()) return show([el("h1", { tabindex: "-1" }, word("install_title")), el("p", { class: "lede" }, word(ticket ? "install_about" : "install_code")), code(ticket)], () => welcome(app, ticket));
  const input = el("input", {
    type: "text", id: "code", dir: "ltr", autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false", maxlength: 22,
    "aria-describedby": "code-about",
  });
  const problem = el("p", { class: "error-text", role: "alert" });
  const start = async () => {
    const typed = ticket || input.value.trim();
    if (!TICKET.test(typed)) {
      problem.textContent = word("code_wrong");
      return input.focus();
    }
    const secret = textOf(crypto.getRandomValues(new Uint8Array(16)));
    const { slug, fingerprint, width, offered } = app.page;
    const languages = offered.map(({ code }) => code);
    const header = { slug, fingerprint, label: "", people: 0, secret, ticket: typed, pin: null, wrong: 0, languages, version: "", ready: false };
    try {
      await app.store.create(header, 0, width);
    } catch {
      return void (problem.textContent = word("no_room"));
    }
    await contact(app);
  };
  show([
    el("h1", { tabindex: "-1" }, word("welcome_title")),
    el("ul", { class: "points" }, ...["welcome_what", "welcome_locked", "welcome_once", "welcome_limit"].map((key) => el("li", {}, word(key)))),
    ticket ? null : el("div", { class: "field" },
      el("label", { for: "code" }, word("code")),
      el("p", { class: "hint", id: "code-about" }, word("code_about")), input),
    problem,
    el("p", { class: "buttons" }, button(word("set_up"), app.busy(start), { class: "button primary" })),
  ], () => welcome(app, ticket));
}

/** @param {string} ticket */
const code = (ticket) => (ticket ? el("p", { class: "figure", dir: "ltr" }, ticket) : null);

/**
 * Goes on with a set-up that was begun, from wherever it was interrupted.
 * @param {Field.App} app
 * @returns {Promise<void>}
 */
export async function contact(app) {
  const { word, show, store, page } = app;
  const header = await store.header();
  if (!header.people) {
    const { outcome, label, people } = await app.post("device", { ticket: header.ticket, secret: header.secret });
    if (outcome !== "set up") {
      const isOver = ["used", "unknown code"].includes(outcome);
      if (isOver) await store.remove();
      return stopped(app, REFUSALS.get(outcome) ?? "no_answer", async () => (isOver ? welcome(app, "") : contact(app)));
    }
    try {
      await store.create({ ...header, label, people, ticket: "" }, people, page.width);
    } catch {
      return stopped(app, "no_room", () => contact(app));
    }
  }
  await navigator.serviceWorker.register(app.trusted(page.workers.service), { scope: app.address, updateViaCache: "none" });
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) {
    const [{ type }] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
    if (type !== "reload") return location.reload();
    return show([el("h1", { tabindex: "-1" }, word("stopped_title")), el("p", { class: "lede" }, word("uncontrolled"))]);
  }
  const pin = drawPin((words) => crypto.getRandomValues(words));
  show([
    el("h1", { tabindex: "-1" }, word("pin_title")),
    el("p", { class: "figure", dir: "ltr" }, spaced(pin)),
    el("p", {}, word("pin_about")),
    el("p", { class: "buttons" }, button(word("pin_noted"), app.busy(() => fetchAll(app, pin)), { class: "button primary" })),
  ]);
}

/**
 * Says why the set-up does not go on, and offers to go on.
 * @param {Field.App} app
 * @param {string} reason
 * @param {() => Promise<void>} again
 */
function stopped({ word, show, busy }, reason, again) {
  show([
    el("h1", { tabindex: "-1" }, word("stopped_title")),
    el("p", { class: "lede", role: "alert" }, word(reason)),
    el("p", { class: "buttons" }, button(word("try_again"), busy(again), { class: "button primary" })),
  ]);
}

const REFUSALS = new Map([["used", "ticket_used"], ["unknown code", "ticket_unknown"], ["closed", "survey_closed"]]);

/** @param {string} pin */
const spaced = (pin) => `${pin.slice(0, 3)} ${pin.slice(3)}`;

/**
 * Fetches every file and token, and is ready once all were read back.
 * @param {Field.App} app
 * @param {string} pin
 * @returns {Promise<void>}
 */
async function fetchAll(app, pin) {
  const { word, show, store, page } = app;
  const header = await store.header();
  const bar = el("progress", { class: "meter", max: header.people, value: 0, "aria-labelledby": "fetching" });
  const line = el("p", { id: "fetching", role: "status" }, word("fetching_files"));
  show([el("h1", { tabindex: "-1" }, word("fetching_title")), line, bar, el("p", { class: "soft" }, word("fetching_about"))]);
  // Firefox asks the person, who may answer at any time or never.
  const notPersistent = el("p", { class: "notice" }, word("not_persistent"));
  void navigator.storage.persist?.().then((isPersistent) => { notPersistent.hidden = isPersistent; });
  try {
    const { files, fingerprint, version } = await currentFiles(app.address);
    if (fingerprint !== header.fingerprint) throw new Error("another survey");
    await fill(page.slug, files);
    const device = { url: `${app.address}/lot`, key: page.token_key, secret: header.secret, people: header.people };
    const worker = new Worker(app.trusted(page.workers.blind), { type: "module" });
    const outcome = await fetchTokens(store, device, hideIn(worker), send, app.world(({ state }) => state !== "trying" && (line.textContent = word("no_answer"))), (done) => {
      bar.value = done;
      line.textContent = word("fetching_tokens", { done: app.number(done), people: app.number(header.people) });
    });
    worker.terminate();
    if (outcome !== "signed") throw new Error(outcome);
    const { token } = await store.counts();
    if (!(await isWhole(page.slug, files)) || token !== header.people) throw new Error("not whole");
    await store.saveHeader({ ...header, version, ready: true, pin: await hashPin(pin, crypto.getRandomValues(new Uint8Array(16))) });
  } catch (error) {
    const known = REFUSALS.get(/** @type {Error} */ (error).message);
    return stopped(app, known ?? "interrupted", () => fetchAll(app, pin));
  }
  show([
    el("h1", { tabindex: "-1" }, word("ready_title")),
    el("p", { class: "lede" }, word("ready_about", { people: app.number(header.people) })),
    el("p", {}, word("pin_again")),
    el("p", { class: "figure", dir: "ltr" }, spaced(pin)),
    notPersistent,
    el("p", { class: "buttons" }, button(word("to_hand_over"), () => app.handOver(), { class: "button primary" })),
  ]);
}
