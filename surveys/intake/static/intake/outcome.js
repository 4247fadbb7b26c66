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

/** @param {{voice: Intake.Voice, design: Intake.Design, canonical: string, outcome: string, sealed: Intake.Sealed}} scene */
export function outcomeScreen({ voice, design, canonical, outcome, sealed }) {
  const thanks = voice.text(design.thanks);
  if (ARRIVED.has(outcome)) {
    return [
      el("h1", { tabindex: "-1" }, voice.word(`${outcome}_title`)),
      el("p", {}, voice.word(`${outcome}_about`)),
      ...(thanks.text ? toldAtLength(voice, thanks) : [el("p", {}, voice.word("thanks"))]),
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
 * Shown where the browser stores nothing: a reload would draw other questions and lose what is being sent.
 * @param {{voice: Intake.Voice}} scene
 */
export function noStorageScreen({ voice }) {
  return [
    el("h1", { tabindex: "-1" }, voice.word("cannot_keep_title")),
    el("p", { class: "lede" }, voice.word("cannot_keep_about")),
  ];
}
