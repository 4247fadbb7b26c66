/** The keeper's page, behind the PIN: what waits, what is sent, and how the device is forgotten. */

import { button, el } from "../elements.js";
import { fill, forget, isWhole } from "./cache.js";
import { isPin, pinPause } from "./pin.js";
import { currentFiles } from "./setup.js";

/** States of slots whose records the server did not take, with the words for each. */
const KEPT = [
  { count: "closed", state: 4, words: "kept_closed" },
  { count: "spent", state: 5, words: "kept_spent" },
  { count: "refused", state: 6, words: "kept_refused" },
];
/** What is said of an upload under way; of all else that nobody answers. */
const REPORTS = new Map([["trying", "sending"], ["busy", "asked_to_wait"], ["paused", "asked_to_wait"], ["unstored", "asked_to_wait"]]);
let lastTry = 0;
/** @type {{release: () => Promise<void>} | null} */
let lock = null;
let isAwake = false;

/** @param {Field.App} app */
export async function askPin(app) {
  const { word, show, store } = app;
  const header = await store.header();
  const input = el("input", {
    type: "text", id: "pin", class: "pin", dir: "ltr", inputmode: "numeric", autocomplete: "off", autocorrect: "off", spellcheck: "false", maxlength: 6,
  });
  const problem = el("p", { class: "error-text", role: "alert" });
  const enter = async () => {
    const pause = pinPause(header.wrong, lastTry, performance.now());
    if (pause) return void (problem.textContent = word("pin_pause", { seconds: app.number(pause) }));
    const typed = input.value.replace(/\D/g, "");
    input.value = "";
    const wrong = header.wrong + 1;
    // Counted before it is compared, so that a reload forgives none.
    await store.saveHeader({ ...header, wrong });
    lastTry = performance.now();
    if (await isPin(typed, header.pin)) {
      await store.saveHeader({ ...header, wrong: 0 });
      return keeperPage(app, "", problem);
    }
    header.wrong = wrong;
    problem.textContent = word("pin_wrong");
    input.focus();
  };
  const press = app.busy(enter);
  const go = button(word("continue"), press, { class: "button primary" });
  input.addEventListener("keydown", ({ key }) => key === "Enter" && go.click());
  show([
    el("h1", { tabindex: "-1" }, word("keeper")),
    el("div", { class: "field" }, el("label", { for: "pin" }, word("pin")), input),
    problem,
    el("p", { class: "buttons" }, go, button(word("to_hand_over"), () => app.handOver())),
    el("p", {}, button(word("pin_forgotten"), () => confirmForget(app, header.label, word("pin_forgotten_about")), { class: "plain-link" })),
  ], () => askPin(app));
  input.focus();
}

/**
 * @param {Field.App} app
 * @param {string} [message]
 * @param {HTMLElement} [before]  of the screen that leads here: handed over meanwhile, the page never comes back by itself
 */
async function keeperPage(app, message = "", before) {
  const { word, number, show, store } = app;
  const [header, counts] = await Promise.all([store.header(), store.counts()]);
  if (before && !before.isConnected) return;
  const asked = header.people - counts.token;
  const waiting = counts.record;
  const canSend = waiting + counts.closed > 0;
  const said = el("p", { class: "state", role: "status" }, message);
  const again = (/** @type {string} */ words) => keeperPage(app, words, said);
  const kept = KEPT.filter(({ count }) => counts[count]);
  show([
    el("h1", { tabindex: "-1" }, header.label),
    said,
    el("dl", { class: "facts counts" },
      fact(word("waiting"), number(waiting)),
      fact(word("asked"), inFives(app, asked)),
      fact(word("more"), inFives(app, counts.token)),
      fact(word("version"), el("code", { dir: "ltr" }, header.version.slice(0, 8)))),
    ...kept.map(({ count, state, words }) =>
      el("div", { class: "notice error flow" },
        el("p", {}, word(words, { count: number(counts[count]) })),
        el("p", { class: "buttons" }, button(word("delete"), () => confirmDelete(app, state, word(words, { count: number(counts[count]) })))))),
    el("section", { class: "flow" },
      el("h2", {}, word("send")),
      el("p", {}, word(canSend ? "send_about" : "send_nothing")),
      canSend ? el("p", { class: "buttons" }, button(word("send_now"), app.busy(async () => {
        const outcomes = await app.upload(true, ({ state }) => void (said.textContent = word(REPORTS.get(state) ?? "no_answer")));
        await again(word("sent", { count: number(outcomes.arrived ?? 0) }));
      }), { class: "button primary" })) : null),
    el("section", { class: "flow" },
      el("h2", {}, word("settings")),
      ...[
        { words: "practice", ...app.switches.practice },
        { words: "awake", get: () => isAwake, set: stayAwake },
        { words: "large", ...app.switches.large },
      ].map(({ words, get, set }) => toggle(app, words, get, set))),
    el("section", { class: "flow" },
      el("h2", {}, word("renew")),
      el("p", {}, word(waiting ? "renew_waits" : "renew_about")),
      waiting ? null : el("p", { class: "buttons" }, button(word("renew"), app.busy(async () => again(await renew(app)))))),
    el("p", { class: "buttons" },
      button(word("to_hand_over"), () => app.handOver(), {}),
      button(word("forget"), () => confirmForget(app, header.label, ""), { class: "button quiet" })),
  ], () => keeperPage(app));
}

/**
 * What is deleted cannot be fetched back.
 * @param {Field.App} app
 * @param {number} state  of the slots
 * @param {string} about
 */
function confirmDelete(app, state, about) {
  const { word, show, store } = app;
  const drop = app.busy(async () => {
    await store.drop(state);
    await keeperPage(app, word("deleted"), lede);
  });
  const lede = el("p", { class: "lede" }, about);
  show([
    el("h1", { tabindex: "-1" }, word("delete")),
    lede,
    el("p", { class: "buttons" },
      button(word("delete"), drop, { class: "button danger" }),
      button(word("keep"), () => keeperPage(app))),
  ]);
}

/**
 * @param {string} term
 * @param {Intake.Child} what
 */
const fact = (term, what) => el("div", {}, el("dt", {}, term), el("dd", {}, what));

/**
 * Nobody learns from it whether the last person answered.
 * @param {Field.App} app
 * @param {number} count
 */
const inFives = ({ word, number }, count) => (count < 5 ? word("few") : word("about", { count: number(count - (count % 5)) }));

/**
 * @param {Field.App} app
 * @param {string} words
 * @param {() => boolean} get
 * @param {(is: boolean) => void} set
 */
function toggle({ word }, words, get, set) {
  const pressed = button(word(words), () => {
    set(!get());
    pressed.setAttribute("aria-pressed", String(get()));
  }, { class: "button switch", "aria-pressed": String(get()), "aria-describedby": `${words}-about` });
  return el("div", { class: "switch-row" }, pressed, el("span", { class: "hint", id: `${words}-about` }, word(`${words}_about`)));
}

/**
 * A browser lets go of it whenever the page is out of sight.
 * @param {boolean} is
 */
async function stayAwake(is) {
  isAwake = is;
  await lock?.release();
  const { wakeLock } = /** @type {any} */ (navigator);
  lock = is && wakeLock ? await wakeLock.request("screen").catch(() => null) : null;
}
addEventListener("visibilitychange", () => document.visibilityState === "visible" && isAwake && stayAwake(true));

/**
 * Fetches the app whole, of the same survey only.
 * @param {Field.App} app
 */
async function renew({ address, page, store, word }) {
  try {
    const header = await store.header();
    const { files, fingerprint, version } = await currentFiles(address);
    if (fingerprint !== header.fingerprint) return word("other_survey");
    if (version === header.version && (await isWhole(page.slug, files))) return word("renew_same");
    await fill(page.slug, files);
    await store.saveHeader({ ...header, version });
    return word("renewed");
  } catch {
    return word("no_answer");
  }
}

/**
 * The label is typed, so that nobody forgets the device by chance.
 * @param {Field.App} app
 * @param {string} label
 * @param {string} reason
 */
async function confirmForget(app, label, reason) {
  const { word, number, show, store } = app;
  // A record that came after the closing can still arrive, if the survey is opened again.
  const { record, closed } = await store.counts();
  const lost = record + closed;
  const input = el("input", { type: "text", id: "label", autocomplete: "off", autocorrect: "off", spellcheck: "false" });
  const problem = el("p", { class: "error-text", role: "alert" });
  const go = async () => {
    if (input.value.trim() !== label) {
      problem.textContent = word("forget_label_wrong");
      return input.focus();
    }
    await store.overwrite();
    await store.remove();
    await forget(app.page.slug);
    for (const registration of await navigator.serviceWorker.getRegistrations()) {
      if (new URL(registration.scope).pathname === app.address) await registration.unregister();
    }
    show([el("h1", { tabindex: "-1" }, word("forgotten")), el("p", { class: "lede" }, word("forgotten_about"))]);
  };
  show([
    el("h1", { tabindex: "-1" }, word("forget")),
    reason ? el("p", {}, reason) : null,
    el("p", { class: "lede" }, word(lost ? "forget_lost" : "forget_none", { count: number(lost) })),
    el("div", { class: "field" }, el("label", { for: "label" }, word("forget_label", { label })), input),
    problem,
    el("p", { class: "buttons" },
      button(word("forget"), app.busy(go), { class: "button danger" }),
      button(word("to_hand_over"), () => app.handOver())),
  ]);
}
