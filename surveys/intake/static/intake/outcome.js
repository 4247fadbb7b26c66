/** The pages from Send on: on its way, and what became of it. */

import { button, el, told, toldAtLength } from "./elements.js";
import { receipt } from "./receipt.js";

/**
 * @param {{voice: object, resumed: boolean, locked: boolean, progress: {state: string, seconds?: number},
 *          tryNow: () => void}} scene
 */
export function sendingScreen({ voice, resumed, locked, progress, tryNow }) {
  return [
    el("h1", { tabindex: "-1" }, voice.word("sending_title")),
    el("div", { class: "notice flow" },
      el("p", { id: "progress", role: "status" }, voice.word(`sending_${progress.state}`, progress)),
      el("p", { id: "try-now", hidden: progress.state !== "waiting" }, button(voice.word("try_now"), tryNow))),
    resumed ? el("p", {}, voice.word("sending_resumed")) : null,
    locked ? el("p", { class: "locked" }, voice.word("sending_locked")) : null,
    el("p", {}, voice.word("sending_about")),
  ];
}

/** What the sending is at, on the screen that is there: what has the focus keeps it. */
export function reportSending(voice, progress) {
  document.getElementById("progress").textContent = voice.word(`sending_${progress.state}`, progress);
  document.getElementById("try-now").hidden = progress.state !== "waiting";
}

const ARRIVED = new Set(["stored", "known", "preview"]);

/** @param {{voice: object, design: object, canonical: string, outcome: string, sealed: object}} scene */
export function outcomeScreen({ voice, design, canonical, outcome, sealed }) {
  const thanks = voice.text(design.thanks);
  if (ARRIVED.has(outcome)) {
    return [
      el("h1", { tabindex: "-1" }, voice.word(`${outcome}_title`)),
      ...(thanks.text ? toldAtLength(voice, thanks) : [el("p", {}, voice.word("thanks"))]),
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

/** Where the browser lets the page keep nothing over a reload, chance could be thrown twice. */
export function cannotKeepScreen({ voice }) {
  return [
    el("h1", { tabindex: "-1" }, voice.word("cannot_keep_title")),
    el("p", { class: "lede" }, voice.word("cannot_keep_about")),
  ];
}
