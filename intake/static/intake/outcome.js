/** The pages from Send on: on its way, and what became of it. */

import { button, el, told, toldAtLength } from "./elements.js";
import { receipt } from "./receipt.js";

/** In which nothing happens before the next try. */
const PAUSING = new Set(["waiting", "unstored", "busy", "paused"]);

/**
 * @param {{voice: Intake.Voice, resumed: boolean, locked: boolean, progress: Intake.Progress, tryNow: () => void}} scene
 */
export function sendingScreen({ voice, resumed, locked, progress, tryNow }) {
  return [
    el("h1", { tabindex: "-1" }, voice.word("sending_title")),
    el("div", { class: "notice flow" },
      el("p", { id: "progress", role: "status" }, voice.word(`sending_${progress.state}`, progress)),
      el("p", { id: "try-now", hidden: !PAUSING.has(progress.state) }, button(voice.word("try_now"), tryNow))),
    resumed ? el("p", {}, voice.word("sending_resumed")) : null,
    locked ? el("p", { class: "locked" }, voice.word("sending_locked")) : null,
    el("p", {}, voice.word("sending_about")),
  ];
}

/**
 * Updates the sending screen in place, so that the focus stays.
 * @param {Intake.Voice} voice
 * @param {Intake.Progress} progress
 */
export function reportSending(voice, progress) {
  /** @type {HTMLElement} */ (document.getElementById("progress")).textContent = voice.word(`sending_${progress.state}`, progress);
  /** @type {HTMLElement} */ (document.getElementById("try-now")).hidden = !PAUSING.has(progress.state);
}

const ARRIVED = new Set(["stored", "known", "preview"]);

/** Shown where a rehearsal or a preview has no completion of its own. */
const EXAMPLE = "EXAMPLE-CODE";

/**
 * @param {{voice: Intake.Voice, design: Intake.Design, canonical: string, isPreview: boolean, outcome: string,
 *          sealed: Intake.Sealed & {completion: string}}} scene
 */
export function outcomeScreen({ voice, design, canonical, isPreview, outcome, sealed }) {
  const thanks = voice.text(design.thanks);
  if (ARRIVED.has(outcome)) {
    return [
      el("h1", { tabindex: "-1" }, voice.word(`${outcome}_title`)),
      ...(thanks.text ? toldAtLength(voice, thanks) : [el("p", {}, voice.word("thanks"))]),
      el("p", {}, el("strong", {}, voice.word(design.panel ? "done_panel" : "done"))),
      completion(voice, design, sealed.completion, isPreview || design.rehearsal),
      el("p", {}, voice.word(`${outcome}_about`)),
      receipt(voice, design, canonical, sealed.record, sealed.body),
    ];
  }
  return [
    el("h1", { tabindex: "-1" }, voice.word(`${outcome}_title`)),
    el("p", { class: "lede" }, voice.word(`${outcome}_about`)),
    design.contact ? el("p", {}, voice.word("ask"), " ", told(voice, { text: design.contact, language: voice.interface })) : null,
    el("p", { class: "soft" }, voice.word("nothing_kept")),
  ];
}

/**
 * The code to copy, or the link that the person may follow; the same for everybody.
 * @param {Intake.Voice} voice
 * @param {Intake.Design} design
 * @param {string} given
 * @param {boolean} isDemonstration
 */
function completion(voice, design, given, isDemonstration) {
  const shown = given || (isDemonstration ? EXAMPLE : "");
  if (!design.panel || !shown) return null;
  return el("section", { class: "notice next flow", id: "completion" },
    isDemonstration ? el("p", {}, el("strong", {}, voice.word("completion_demo"))) : null,
    ...(shown.startsWith("https://") ? link(voice, shown) : code(voice, shown)));
}

/**
 * @param {Intake.Voice} voice
 * @param {string} address
 */
const link = (voice, address) => [
  el("h2", {}, voice.word("completion_link_title")),
  el("p", {}, voice.word("completion_link_about")),
  el("p", { class: "buttons" },
    el("a", { class: "button primary", href: address, rel: "noreferrer", referrerpolicy: "no-referrer" },
      voice.word("completion_go", { host: new URL(address).host }))),
];

/**
 * @param {Intake.Voice} voice
 * @param {string} text
 */
function code(voice, text) {
  const said = el("span", { role: "status" });
  const press = async () => void (said.textContent = voice.word((await isCopied(text)) ? "completion_copied" : "completion_by_hand"));
  return [
    el("h2", {}, voice.word("completion_title")),
    el("p", {}, voice.word("completion_about")),
    el("p", {}, el("code", { dir: "ltr" }, text)),
    el("p", { class: "buttons" }, button(voice.word("completion_copy"), press), said),
  ];
}

/**
 * Without https there is no clipboard, and a browser may refuse it.
 * @param {string} text
 */
async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Shown where the browser stores nothing: a reload would draw other questions and lose what is being sent.
 * @param {{voice: Intake.Voice}} scene
 */
export function noStorageScreen({ voice }) {
  return [
    el("h1", { tabindex: "-1" }, voice.word("cannot_keep_title")),
    el("p", { class: "lede" }, voice.word("cannot_keep_about")),
  ];
}
