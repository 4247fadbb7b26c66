/**
 * The interview of one person, in the frame that the app of a field device makes for it and removes after it. Everything
 * of it is in memory; only sealed bytes leave it, by a port that it hands to the app.
 */

import { addField } from "../device.js";
import { button, el, toldAtLength } from "../elements.js";
import { memoryHistory } from "../memory_history.js";
import { seal } from "./sealing.js";

/** Milliseconds without a touch until the person is asked, and seconds until the answers are deleted then. */
const QUIET = 300_000;
const LAST = 30;

// Nobody is asked outside of the app.
if (!window.frameElement) document.body.replaceChildren();
const { language = "", practice, large } = /** @type {HTMLElement} */ (window.frameElement).dataset;
const isPractice = practice !== undefined;
const { port1: port, port2: theirs } = new MessageChannel();
/** @type {((answer: any) => void)[]} */
const awaiting = [];
port.onmessage = ({ data }) => awaiting.shift()?.(data);
parent.postMessage("interview", location.origin, [theirs]);

/**
 * @param {{ask: "token"} | {ask: "finish", slot: number, sealed: Uint8Array}} message
 * @returns {Promise<any>}
 */
const ask = (message) =>
  new Promise((resolve) => {
    awaiting.push(resolve);
    port.postMessage(message);
  });

const leave = () => port.postMessage({ ask: "leave" });

/** @type {Intake.Voice | null} */
let voice = null;
/** How to go a screen back. */
let back = () => {};

/** @param {(state: {at?: number} | null) => void} move */
function history(move) {
  const inMemory = memoryHistory(move);
  back = () => inMemory.go(-1);
  watchBack();
  return inMemory;
}

/** The device's own way back, where a browser lets a page have it. */
function watchBack() {
  const { CloseWatcher } = /** @type {any} */ (window);
  if (!CloseWatcher) return;
  new CloseWatcher().onclose = () => {
    back();
    watchBack();
  };
}

let isLocked = false;

/** @type {Intake.Field["finish"]} */
async function finish(bodyOf, fingerprint) {
  if (isPractice) return true;
  const given = await ask({ ask: "token" });
  if (!given) return false;
  try {
    const sealed = await seal(given.key, fingerprint, new TextEncoder().encode(bodyOf(given.token)));
    isLocked = await ask({ ask: "finish", slot: given.slot, sealed });
    return isLocked;
  } catch {
    return false;
  }
}

/** @param {Intake.Voice} voice */
const handBack = (voice) => el("p", { class: "buttons" }, button(voice.word("field_hand_back"), leave, { class: "button primary" }));

/** @type {Intake.Field["receipt"]} */
const receipt = (voice, thanks) => [
  el("h1", { tabindex: "-1" }, voice.word(isPractice ? "field_practised" : "field_done")),
  ...(thanks.text ? toldAtLength(voice, thanks) : [el("p", { class: "lede" }, voice.word("thanks"))]),
  ...(isPractice ? [] : [el("p", {}, voice.word("field_done_about"))]),
  handBack(voice),
];

// --- a person who is gone

let touched = performance.now();
/** @type {HTMLDialogElement | null} */
let question = null;
for (const event of ["pointerdown", "keydown", "input", "scroll"]) {
  addEventListener(event, () => !question && (touched = performance.now()), { capture: true, passive: true });
}

setInterval(() => {
  const left = Math.ceil((QUIET - (performance.now() - touched)) / 1000) + LAST;
  if (left > LAST || !voice) return;
  if (left <= 0) return leave();
  question ??= stillThere(voice);
  /** @type {HTMLElement} */ (question.querySelector("p")).textContent = voice.word(isLocked ? "field_closes" : "field_lapse", { seconds: left });
}, 1000);

/** @param {Intake.Voice} voice */
function stillThere(voice) {
  const dialog = el("dialog", { class: "dialog flow", "aria-labelledby": "still-there" },
    el("h2", { id: "still-there" }, voice.word("field_there")),
    el("p", {}),
    el("p", { class: "buttons" }, button(voice.word("field_still"), () => dialog.close(), { class: "button primary" })));
  dialog.addEventListener("close", () => {
    touched = performance.now();
    question = null;
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// --- a person who presses everything

for (const event of ["contextmenu", "dragstart"]) addEventListener(event, (each) => each.preventDefault());
document.documentElement.classList.add("field-device");
document.documentElement.classList.toggle("large", large !== undefined);
if (isPractice) document.querySelector(".masthead")?.prepend(el("p", { class: "practice", "data-word": "field_practice" }));

addField({
  language,
  history,
  arrange: () => {},
  link: () => el("span"),
  watch: (now) => void (voice = now),
  finish,
  leave,
  handBack,
  receipt,
});
