/**
 * The respondent's page. After it has loaded, its only request sends the record; where invitations are exchanged, one
 * before the first question exchanges that.
 *
 * True answers and a person's code exist in the variable `journey` and in the inputs of the page only; the keep and
 * noise coins in `journey` only.
 */

import { drawCoins, drawKey, exchangeModule, fieldModule, framedModule, handingModule, lastingModule, redraw, secureWords, seen, understandingModule } from "./device.js";
import { checkScreen } from "./checking.js";
import { answerLabel, button, el, mark, save } from "./elements.js";
import { CHECK, CODE, OVER, START, answer, begin, choose, lacking, needsCode, next, pageOf, permitted, reach, review, seal, type } from "./journey.js";
import { NO_STORE, keptInvitations, keptRecords } from "./kept.js";
import { memoryStore, tabStorage } from "./tab_storage.js";
import { noStorageScreen, outcomeScreen, overScreen, reportSending, sendingScreen } from "./outcome.js";
import { armScreen, choiceScreen, complaint, described, frame, heading, questionScreen } from "./questions.js";
import { send } from "./sending.js";
import { flip, quiz, toy } from "./toy.js";
import { leave, leaveByKeyboard, trailOf } from "./trail.js";
import { visitorLanguage } from "./visitor_language.js";
import { embeddedPage, offerLanguages, revealScripted, turnTo, voiceOf } from "./voice.js";

/** @type {Intake.Page} */
const page = embeddedPage();
// The server escaped <, so that no text of the design could end its element.
const canonical = /** @type {HTMLElement} */ (document.getElementById("design")).textContent
  .replace(/\\(u003c|[^])/g, (escape, what) => (what === "u003c" ? "<" : escape));
/** @type {Intake.Design} */
const design = JSON.parse(canonical);
/** What a page from another host says of itself, and what its address said (elsewhere.js). */
const { memory = location.pathname, host, lang, try: trial } = document.documentElement.dataset;
const isPreview = page.mode === "preview" || trial !== undefined;
const room = /** @type {HTMLElement} */ (document.getElementById("screen"));
const said = /** @type {HTMLElement} */ (document.getElementById("said"));
/** Null but on a field device, whose app has this page in a frame. */
const field = fieldModule();
/** Null where this site gets the record. */
const handing = handingModule();
/** Null where the page stands on its own. */
const framed = field ?? handing ?? framedModule();
const trail = trailOf(framed ? framed.history(move) : history);
/** @type {Pick<Intake.Parcel, "locked" | "progress" | "outcome" | "completion" | "panel">} */
const UNDERWAY = { locked: false, progress: { state: "trying" }, outcome: null, completion: "", panel: "" };
const storage = tabStorage(isPreview || field || handing ? memoryStore() : sessionStore(), memory);
// What a browser keeps for a page in a frame it keeps apart from all else, and may clear.
const device = keptRecords(isPreview || framed ? NO_STORE : deviceStore(), memory);
const invitations = keptInvitations(isPreview || framed ? NO_STORE : deviceStore(), memory);

/** Milliseconds after which a page on which nothing is answered yet is loaded again for its month. */
const MONTH = 30 * 86_400_000;

const chosen = host !== undefined ? visitorLanguage(lang ? [lang] : navigator.languages, page.languages.map(({ code }) => code)) : page.language;
let voice = voiceOf(page, design, field?.language ?? handing?.language(design.languages) ?? chosen);
/** @type {Intake.Journey | null} */
let journey = null;
/** @type {{key: string, token: string | null} | null} */
let secret = null;
let screen = START;
/** @type {Intake.Wrong} */
let wrong = [];
/** @type {Intake.Parcel | null} */
let parcel = null;
/** Of the exchange of the invitation: how far it is, or how it ended. @type {Intake.Progress | null} */
let exchanging = null;
let cannotStore = false;
/** Of a field device: the record is sealed and stored. */
let isLocked = false;
/** A code is made once: after a reload it is typed. */
let reloaded = false;
let delivery = 0;
/** @type {(value?: unknown) => void} */
let hurry = () => {};
/** When the page was loaded, and with it the month that its record says. */
const loaded = Date.now();
/** The bodies of records that were shown as too old since then, and that stay where they are. @type {Set<string>} */
const tooOld = new Set();

function sessionStore() {
  try {
    return sessionStorage;
  } catch {
    // Refused by the browser: nothing can be stored, and agreeing will say so.
    return { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  }
}

function deviceStore() {
  try {
    return localStorage;
  } catch {
    return NO_STORE;
  }
}

// --- from one screen to the next

function arrive() {
  forget();
  offerToy();
  const before = storage.read();
  const own = before.state === "sending" && !tooOld.has(before.body) ? before : undefined;
  const isSending = own !== undefined && !own.old;
  const held = page.exchange && !isSending ? resume() : undefined;
  const stored = storage.read();
  const waiting = isSending ? own : nextKept(stored.token, held, own);
  for (const block of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-held]"))) block.hidden = !held;
  for (const block of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-again]"))) block.hidden = stored.state !== "answering";
  const uninvited = page.invited && !stored.token && !isSending;
  for (const block of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-uninvited]"))) block.hidden = !uninvited;
  for (const block of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-invited]"))) block.hidden = uninvited;
  trail.rewind();
  if (!page.passes_panel) storage.dropPanel();
  framed?.arrange(stored.link ?? stored.token, storage.panel(), Boolean(page.exchange || page.lasting));
  if (!waiting) {
    // The survey closed while the person answered.
    if (page.mode === "closed" && stored.state !== "sending") storage.clear();
    return draw();
  }
  const { body, again, due } = waiting;
  const { record } = JSON.parse(body);
  parcel = { body, record, own: waiting === own, resumed: true, again: again === true, kept: device.has(body), due, ...UNDERWAY };
  if (isLater(due)) parcel.progress = { state: "apart" };
  if (waiting.old) return settle({ outcome: "old", completion: "" });
  if (record.design !== page.fingerprint) return settle({ outcome: "changed", completion: "" });
  draw();
  deliver();
}

/** The invitation that this browser exchanged in a tab that is gone: it works in this one. */
function resume() {
  const { token, link } = storage.read();
  const held = link ? undefined : invitations.find(token);
  try {
    if (held) storage.arrived(held);
  } catch {
    // Agreeing says that the browser stores nothing.
  }
  return held;
}

/** @param {number} [due] */
const isLater = (due) => (due ?? 0) > Date.now();

/**
 * The record that this device keeps and that is this visitor's, or may be sent; then one that is too old, this tab's first.
 * What still waits holds up nobody who came with an invitation of their own.
 * @param {string | null} token
 * @param {Intake.Arrived} [held]
 * @param {import("./kept.js").Kept} [oldHere]
 */
function nextKept(token, held, oldHere) {
  const records = device.all();
  const own = held && records.find(({ body }) => JSON.parse(body).token === held.token);
  const open = records.filter(({ body, due }) => !tooOld.has(body) && (!token || !isLater(due)));
  return own ?? open.find(({ old }) => !old) ?? oldHere ?? open[0];
}

function agree() {
  // Offline it could not be loaded again, and its month is still accepted.
  if (!journey && page.epoch !== undefined && Date.now() - loaded > MONTH && navigator.onLine) return location.reload();
  if (!journey && page.exchange && !storage.read().link) return void exchange();
  if (!journey && !embark()) return;
  offerToy();
  go(next(design, /** @type {Intake.Journey} */ (journey), START));
}

/** Exchanges the invitation, then goes on as agreed. A reload repeats the same exchange. */
async function exchange() {
  const run = (delivery += 1);
  const module = exchangeModule();
  exchanging = { state: "trying" };
  draw({ move: true });
  const world = worldOf(run, (progress) => module.report(voice, (exchanging = progress)));
  /** @param {Intake.Arrived} entry */
  const arrived = (entry) => {
    storage.arrived(entry);
    invitations.keep(entry);
  };
  try {
    const state = await module.exchanged(page, { ...storage, arrived }, send, world);
    if (run !== delivery) return;
    exchanging = state === "signed" ? null : { state };
  } catch {
    exchanging = null;
    cannotStore = true;
  }
  if (!exchanging && !cannotStore) return agree();
  draw({ move: true });
}

/** Throws the coins. After a reload what a respondent can see is drawn again; nothing else of the throw is left. */
function embark() {
  const stored = storage.read();
  const words = secureWords(crypto);
  const coins = (stored.state === "answering" && again(stored.drawn, words)) || drawCoins(design, words);
  secret = { key: drawKey(words), token: page.invited ? stored.token : null };
  try {
    storage.answering(seen(design, coins), secret.token);
  } catch {
    cannotStore = true;
    draw({ move: true });
    return false;
  }
  journey = begin(design, coins, page.full);
  reloaded = stored.state === "answering";
  return true;
}

/**
 * Coins that draw what was drawn before the reload; null where what was stored is not of this design.
 * @param {Device.Seen} before
 * @param {Intake.Random} words
 */
function again(before, words) {
  try {
    return redraw(design, before, words);
  } catch {
    return null;
  }
}

/** @param {Intake.Screen} wanted */
function go(wanted) {
  trail.push(wanted);
  show(wanted);
}

/** @param {Intake.Screen} wanted */
function show(wanted) {
  const wasOver = screen === OVER;
  if (parcel) parcel.locked = true;
  else screen = permitted(design, journey, wanted);
  // The end has cleared this tab: without the invitation nothing begins again.
  if (wasOver && screen !== OVER) arrive();
  if (journey) journey = reach(design, journey, screen);
  wrong = [];
  if (screen === OVER) end();
  draw({ move: true });
}

function goOn() {
  const now = /** @type {Intake.Journey} */ (journey);
  if (screen.name === "code" && !now.code) return takeCode(now);
  if (screen.name === "understanding") return takeCheck(now);
  wrong = lacking(design, now, screen);
  if (wrong.length) return draw({ move: true });
  go(next(design, now, screen));
}

/**
 * A wrong answer of the check is explained once, and what is stored is settled after the second try.
 * @param {Intake.Journey} now
 */
function takeCheck(now) {
  const taken = understandingModule().taken(design, now);
  ({ journey, wrong } = taken);
  if (!taken.isDone) return draw({ move: true });
  go(next(design, taken.journey, screen));
}

/**
 * The code that was typed decides for life which questions are drawn, which a reload may know; the code it may not.
 * @param {Intake.Journey} now
 */
async function takeCode(now) {
  const coded = await lastingModule().coded(design, now, studyOf());
  if (journey !== now || !secret) return;
  if (!coded) {
    wrong = ["code"];
    return draw({ move: true });
  }
  storage.answering(seen(design, coded.coins), secret.token);
  journey = coded;
  go(next(design, journey, CODE));
}

/** A person over quota: nothing is sent, and nothing stays on this device, an exchanged invitation included. */
function end() {
  if (page.exchange && secret) invitations.drop(secret.token);
  journey = null;
  secret = null;
  storage.clear();
}

const studyOf = () => /** @type {NonNullable<Intake.Page["lasting"]>} */ (page.lasting).study;

// --- what is on the screen

function draw({ move = false } = {}) {
  const isStart = !parcel && !cannotStore && !exchanging && !isLocked && !handing?.state() && screen === START;
  /** @type {HTMLElement} */ (document.getElementById("start")).hidden = !isStart;
  room.replaceChildren(.../** @type {HTMLElement[]} */ ((isStart ? [] : content()).filter(Boolean)));
  document.title = (wrong.length ? `${voice.word("error")} ` : "") + voice.word("title");
  framed?.watch(voice);
  if (!move) return;
  scrollTo(0, 0);
  const summary = room.querySelector(".error-summary");
  // The text of a section comes before its question, and is read first.
  const visible = /** @type {Element} */ (isStart ? document.querySelector("#start [data-in]:not([hidden])") : room);
  /** @type {HTMLElement | null} */ (summary ?? visible.querySelector(".section-intro, h1"))?.focus({ preventScroll: framed !== null });
}

/** @returns {(HTMLElement | null)[]} */
function content() {
  if (cannotStore) return [...noStorageScreen({ voice }), framed && framed.link(voice)];
  if (handing?.state()) return handing.screen(voice, design, canonical);
  if (field && isLocked) return field.receipt(voice, voice.text(design.thanks));
  if (screen === OVER) return [...overScreen({ voice, design }), field && field.handBack(voice)];
  if (exchanging) return exchangeModule().screen(voice, exchanging, () => hurry(), design.contact, { button, el });
  if (parcel?.outcome) return outcomeScreen({ voice, design, canonical, isPreview, outcome: parcel.outcome, parcel, isFramed: framed !== null, goOn: more(), keep: framed || isPreview ? null : keep, drop });
  if (parcel) return sendingScreen({ voice, parcel, tryNow: () => hurry(), sendNow, keep: framed ? null : keep, drop });
  /** @type {Intake.Scene} */
  const scene = {
    design,
    page: reloaded && page.lasting ? { ...page, lasting: { ...page.lasting, again: true } } : page,
    voice,
    journey: /** @type {Intake.Journey} */ (journey),
    back: trail.back,
    goOn,
    leave: exit,
    change: go,
    redraw: () => draw({ move: true }),
    send: dispatch,
    now: () => /** @type {Intake.Journey} */ (journey),
    become: (changed) => (journey = changed),
    answer: (place, code) => void (journey = answer(/** @type {Intake.Journey} */ (journey), place, code)),
    type: (place, text, code) => void (journey = type(/** @type {Intake.Journey} */ (journey), place, text, code)),
    choose: (group) => void (journey = choose(/** @type {Intake.Journey} */ (journey), group)),
  };
  if (screen.name === "understanding") {
    return understandingModule().screen(scene, wrong, { answerLabel, button, complaint, described, el, frame, heading });
  }
  if (screen.name === "arm") return armScreen(scene);
  if (screen.name === "choice") return choiceScreen(scene, wrong);
  if (screen.name === "code") return lastingModule().screen(scene, wrong, { button, complaint, described, el, frame, heading });
  if (screen.name === "question") {
    return questionScreen(scene, /** @type {number[]} */ (pageOf(design, scene.journey, screen.place)), wrong);
  }
  journey = review(scene.journey);
  return checkScreen({ ...scene, journey });
}

/** @param {string} language */
function speak(language) {
  voice = voiceOf(page, design, language);
  turnTo(voice);
  offerToy();
  draw();
}

/** What can be tried on the start page, as new: what was pressed before is gone. */
function offerToy() {
  for (const place of document.querySelectorAll("[data-toy]")) {
    const isShown = /** @type {HTMLElement} */ (place.closest("[data-in]")).dataset.in === voice.language;
    place.replaceChildren(...(isShown ? [...toy(voice), ...quiz(voice)] : []));
  }
  for (const place of document.querySelectorAll("[data-outsider]")) {
    place.replaceChildren(...understandingModule().outsider(voice, /** @type {string} */ (page.outsider), { button, el, flip, mark }));
  }
}

// --- sending

/** From here on only the record is needed, and only the record is there. */
async function dispatch() {
  if (!journey || !secret) return;
  const { key, token } = secret;
  const run = delivery;
  let now = journey;
  secret = null;
  if (field) return lock(field, now, key);
  if (handing) {
    journey = null;
    return handing.hand(seal(design, page.fingerprint, now, key, null));
  }
  if (needsCode(design, now)) now = { ...now, coins: await lastingModule().settled(design, now, studyOf()) };
  // Left meanwhile.
  if (run !== delivery) return;
  const sealed = seal(design, page.fingerprint, now, key, token, page.epoch);
  const { kept, due } = page.exchange ? keepApart(sealed.body) : { kept: false, due: undefined };
  storage.sending(sealed.body, undefined, due);
  journey = null;
  parcel = { ...sealed, own: true, resumed: false, again: false, kept, due, ...UNDERWAY };
  trail.push(CHECK);
  draw({ move: true });
  deliver();
}

/**
 * Seals and stores the record on a field device; where that fails, it can be tried again.
 * @param {Intake.Field} device
 * @param {Intake.Journey} now
 * @param {string} key
 */
async function lock(device, now, key) {
  const run = delivery;
  const isStored = await device.finish((token) => seal(design, page.fingerprint, now, key, token).body, page.fingerprint);
  if (run !== delivery) return;
  if (!isStored) {
    secret = { key, token: null };
    return room.prepend(el("p", { class: "notice error", role: "alert" }, voice.word("field_failed")));
  }
  forget();
  isLocked = true;
  draw({ move: true });
}

/**
 * The record of an exchanged invitation waits, so that the times do not tie both: for long where the device keeps it.
 * @param {string} body
 */
function keepApart(body) {
  const { waits } = /** @type {NonNullable<Intake.Page["exchange"]>} */ (page.exchange);
  /** @param {boolean} isKept */
  const draw = (isKept) => Date.now() + 1000 * exchangeModule().wait(waits, isKept, (words) => crypto.getRandomValues(words));
  const due = draw(true);
  const kept = device.keep(body, false, due);
  return { kept, due: kept ? due : draw(false) };
}

/** The person would rather not wait. */
function sendNow() {
  const now = /** @type {Intake.Parcel} */ (parcel);
  now.due = undefined;
  if (device.has(now.body)) device.keep(now.body, now.again);
  if (now.own) storage.sending(now.body, now.again);
  hurry();
}

/**
 * @param {number} run
 * @param {(progress: Intake.Progress) => void} report
 * @returns {Parameters<typeof send>[2]}
 */
const worldOf = (run, report) => ({
  fetch: (url, options) => fetch(url, options),
  online: () => navigator.onLine,
  back: () => new Promise((resolve) => addEventListener("online", resolve, { once: true })),
  pause: (seconds) =>
    new Promise((resolve) => {
      hurry = resolve;
      setTimeout(resolve, seconds * 1000);
      addEventListener("online", resolve, { once: true });
    }),
  rest: (seconds) =>
    new Promise((resolve) => {
      hurry = resolve;
      setTimeout(resolve, seconds * 1000);
    }),
  report: (progress) => run === delivery && report(progress),
  stopped: () => run !== delivery,
  again: false,
  counted: () => {},
});

async function deliver() {
  const run = (delivery += 1);
  const sent = /** @type {Intake.Parcel} */ (parcel);
  /** @type {Parameters<typeof send>[2]} */
  const world = {
    ...worldOf(run, tell),
    apart: ((sent.due ?? 0) - Date.now()) / 1000,
    again: sent.again,
    counted: () => {
      sent.again = true;
      if (device.has(sent.body)) device.keep(sent.body, true, sent.due);
      try {
        if (sent.own) storage.sending(sent.body, true, sent.due);
      } catch {
        // The record is stored already; after a reload it would be counted twice.
      }
    },
  };
  const came = isPreview
    ? { outcome: "preview", completion: "" }
    : await send(page.record, sent.body, world);
  if (run === delivery) settle(came);
}

/**
 * What became of the record; from here on it is stored nowhere on the device, unless it is too old to be sent.
 * @param {{outcome: string, completion: string}} came
 */
function settle(came) {
  const settled = /** @type {Intake.Parcel} */ (parcel);
  delivery += 1;
  if (came.outcome === "old") retire(settled);
  else discard(settled);
  Object.assign(settled, came);
  draw({ move: true });
}

/**
 * Marks a record that is too old where it lies. It is never sent again: its key would tell this device by every visit.
 * @param {Intake.Parcel} settled
 */
function retire(settled) {
  const { body, again, due, own } = settled;
  tooOld.add(body);
  settled.kept = device.has(body) && device.keep(body, again, due, true);
  try {
    if (own) storage.sending(body, again, due, true);
  } catch {
    // A reload sends it once more.
  }
}

/** @param {Intake.Parcel} settled */
function discard(settled) {
  // What another person's tab kept is completed without the parameter of this one.
  if (settled.own) {
    settled.panel = storage.panel();
    storage.clear();
  }
  device.drop(settled.body);
  if (page.exchange) invitations.drop(JSON.parse(settled.body).token);
}

/** The device keeps the record, across tabs and days, until it was sent or the person deletes it. */
function keep() {
  const kept = /** @type {Intake.Parcel} */ (parcel);
  kept.kept = device.keep(kept.body, kept.again, kept.due, kept.outcome === "old") || null;
  draw();
  /** @type {HTMLElement} */ (document.querySelector("#keep button")).focus();
}

const drop = () => settle({ outcome: "deleted", completion: "" });

/** After a kept record: the next one, or the survey for somebody else who holds an invitation of their own. */
function more() {
  const { token } = storage.read();
  const isForOthers = !parcel?.own && (parcel?.outcome === "old" || (page.invited && token));
  return isForOthers || device.all().some(({ body }) => !tooOld.has(body)) ? arrive : null;
}

/** @param {Intake.Progress} progress */
function tell(progress) {
  const now = /** @type {Intake.Parcel} */ (parcel);
  now.progress = progress;
  reportSending(voice, now);
}

// --- leaving

/** Everything of this respondent that is in memory or on the screen. */
function forget() {
  journey = null;
  secret = null;
  parcel = null;
  exchanging = null;
  cannotStore = false;
  screen = START;
  wrong = [];
  delivery += 1;
  room.replaceChildren();
}

function exit() {
  if (isPreview) return arrive();
  if (field) {
    forget();
    return field.leave();
  }
  if (handing && !handing.state()) {
    forget();
    handing.leave();
    return draw({ move: true });
  }
  leave(() => {
    forget();
    storage.clear();
  }, framed ? () => 0 : trail.depth, framed ? undefined : design.leave_to);
}

/** @param {{at?: number} | null} state */
function move(state) {
  const reached = trail.reached(state);
  if (reached && document.body.contains(room)) show(reached);
}

/** @param {number} left */
function tellPresses(left) {
  said.textContent = left ? voice.word("exit_presses", { left }) : "";
}

for (const button of document.querySelectorAll("[data-agree]")) button.addEventListener("click", agree);
for (const button of document.querySelectorAll("[data-exit]")) button.addEventListener("click", exit);
for (const button of document.querySelectorAll("[data-save-design]")) {
  button.addEventListener("click", () => save("design.json", canonical));
}
offerLanguages(speak);
leaveByKeyboard(exit, tellPresses);
addEventListener("popstate", (event) => move(event.state));
addEventListener("pagehide", forget);
addEventListener("pageshow", (event) => event.persisted && arrive());
// Another invitation was opened in this tab: its script takes it out of the address again.
addEventListener("hashchange", () => location.hash && !field && !handing && location.reload());
// In another tab the kept record was deleted, or has arrived.
addEventListener("storage", () => parcel?.kept && !parcel.outcome && !device.has(parcel.body) && drop());
if (!field) history.scrollRestoration = "manual";
handing?.listen(/** @type {string[]} */ (page.inside), () => draw({ move: true }));
if (trial) {
  // A reload is a trial, too.
  history.replaceState(history.state, "", `${location.pathname}#try`);
  for (const notice of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-trial]"))) notice.hidden = false;
}
revealScripted();
turnTo(voice);
arrive();
