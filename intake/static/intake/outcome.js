/** The pages from Send on: on its way, and what became of it. */

import { button, el, told, toldAtLength } from "./elements.js";
import { filledLink, takesPanel } from "./panel.js";
import { receipt } from "./receipt.js";

/** In which nothing happens before the next try. */
const PAUSING = new Set(["waiting", "unstored", "busy", "paused"]);

/**
 * @param {{voice: Intake.Voice, parcel: Intake.Parcel, tryNow: () => void, sendNow: () => void,
 *          keep: (() => void) | null, drop: () => void}} scene  `keep`: null in a frame, whose storage the browser may clear
 */
export function sendingScreen({ voice, parcel, tryNow, sendNow, keep, drop }) {
  const { own, resumed, locked, kept, progress, due } = parcel;
  return [
    el("h1", { tabindex: "-1" }, voice.word("sending_title")),
    resumed && progress.state !== "apart" ? el("p", {}, voice.word(own ? "sending_resumed" : "kept_resumed")) : null,
    el("div", { class: "notice flow" },
      el("p", { id: "progress", role: "status" }, progressText(voice, parcel)),
      el("p", { id: "try-now", hidden: !PAUSING.has(progress.state) }, button(voice.word("try_now"), tryNow))),
    due
      ? el("div", { class: "flow", id: "send-now", hidden: progress.state !== "apart" },
        el("p", { id: "send-now-about" }, voice.word("send_now_about")),
        el("p", {}, button(voice.word("send_now"), sendNow, { "aria-describedby": "send-now-about" })))
      : null,
    kept === true
      ? el("div", { class: "notice next flow", id: "keep" },
        el("p", { role: "status" }, voice.word("kept_about")),
        el("p", {}, button(voice.word("kept_delete"), drop)))
      : el("div", { class: "flow", id: "keep", hidden: !mayKeep(progress) },
        el("p", { id: "keep-about" }, voice.word(keep ? "keep_about" : "framed_keep")),
        keep ? el("p", {}, button(voice.word("keep"), keep, { "aria-describedby": "keep-about" })) : null,
        kept === null ? el("p", { role: "alert" }, voice.word("keep_failed")) : null),
    locked ? el("p", { class: "locked" }, voice.word("sending_locked")) : null,
    kept ? null : el("p", {}, voice.word("sending_about")),
  ];
}

/**
 * Of a record that is too old: where it lies, and what can be done with it.
 * @param {Intake.Voice} voice
 * @param {Intake.Parcel} parcel
 * @param {(() => void) | null} keep
 * @param {() => void} drop
 */
const oldRecord = (voice, { kept }, keep, drop) =>
  el("div", { class: "flow", id: "keep" },
    el("p", { role: "status" }, voice.word(kept ? "old_kept" : "old_tab")),
    kept === null ? el("p", { role: "alert" }, voice.word("keep_failed")) : null,
    el("p", { class: "buttons" },
      keep && !kept ? button(voice.word("old_keep"), keep) : null,
      button(voice.word("kept_delete"), drop)));

/** @param {Intake.Progress} progress */
const mayKeep = ({ state }) => state !== "trying";

/**
 * Nobody is asked to keep a page open whose record the device keeps.
 * @param {Intake.Voice} voice
 * @param {Intake.Parcel} parcel
 */
function progressText(voice, { kept, progress }) {
  if (kept && progress.state === "apart") return voice.word("apart_kept");
  if (!kept || progress.state === "trying") return voice.word(`sending_${progress.state}`, progress);
  return voice.word(progress.seconds ? "kept_next" : "kept_offline", progress);
}

/**
 * Updates the sending screen in place, so that the focus stays.
 * @param {Intake.Voice} voice
 * @param {Intake.Parcel} parcel
 */
export function reportSending(voice, parcel) {
  /** @type {HTMLElement} */ (document.getElementById("progress")).textContent = progressText(voice, parcel);
  /** @type {HTMLElement} */ (document.getElementById("try-now")).hidden = !PAUSING.has(parcel.progress.state);
  document.getElementById("send-now")?.toggleAttribute("hidden", parcel.progress.state !== "apart");
  // What was offered once stays, so that nothing moves under a finger.
  if (mayKeep(parcel.progress)) /** @type {HTMLElement} */ (document.getElementById("keep")).hidden = false;
}

const ARRIVED = new Set(["stored", "known", "preview"]);

/** Shown where a rehearsal or a preview has no completion of its own. */
const EXAMPLE = "EXAMPLE-CODE";

/**
 * Of a record that was kept since an earlier visit no receipt is shown: the visitor may be another person.
 * @param {{voice: Intake.Voice, design: Intake.Design, canonical: string, isPreview: boolean, outcome: string,
 *          parcel: Intake.Parcel, isFramed: boolean, goOn: (() => void) | null, keep: (() => void) | null, drop: () => void}} scene
 *   `goOn`: sends the next one that is kept, or begins; `keep` and `drop`: of one that is too old
 */
export function outcomeScreen({ voice, design, canonical, isPreview, outcome, parcel, isFramed, goOn, keep, drop }) {
  const onward = goOn ? el("p", { class: "buttons" }, button(voice.word("continue"), goOn)) : null;
  const thanks = voice.text(design.thanks);
  if (ARRIVED.has(outcome)) {
    return [
      el("h1", { tabindex: "-1" }, voice.word(`${outcome}_title`)),
      ...(thanks.text ? toldAtLength(voice, thanks) : [el("p", {}, voice.word("thanks"))]),
      el("p", {}, el("strong", {}, voice.word(design.panel ? "done_panel" : "done"))),
      completion(voice, design, parcel, isPreview || design.rehearsal, isFramed),
      el("p", {}, voice.word(`${outcome}_about`)),
      onward,
      parcel.own ? receipt(voice, design, canonical, parcel.record, parcel.body) : null,
    ];
  }
  return [
    el("h1", { tabindex: "-1" }, voice.word(`${outcome}_title`)),
    // An exchanged invitation went with the record: no other browser has it.
    el("p", { class: "lede" }, voice.word(outcome === "refused" && design.invitation_key ? "exchange_unaccepted" : `${outcome}_about`)),
    design.contact ? el("p", {}, voice.word("ask"), " ", told(voice, { text: design.contact, language: voice.interface })) : null,
    outcome === "old" ? oldRecord(voice, parcel, keep, drop) : el("p", { class: "soft" }, voice.word("nothing_kept")),
    onward,
  ];
}

/**
 * The code to copy, or the link that the person may follow; the same for everybody but for the panel's own parameter.
 * @param {Intake.Voice} voice
 * @param {Intake.Design} design
 * @param {Intake.Parcel} parcel
 * @param {boolean} isDemonstration
 * @param {boolean} isFramed
 */
function completion(voice, design, parcel, isDemonstration, isFramed) {
  const shown = parcel.completion || (isDemonstration ? EXAMPLE : "");
  if (!design.panel || !shown) return null;
  return el("section", { class: "notice next flow", id: "completion" },
    isDemonstration ? el("p", {}, el("strong", {}, voice.word("completion_demo"))) : null,
    ...(shown.startsWith("https://") ? link(voice, shown, parcel.panel, isFramed) : code(voice, shown)));
}

/**
 * Out of a frame it opens in a tab of its own: another site may refuse to be shown there.
 * @param {Intake.Voice} voice
 * @param {string} given
 * @param {string} panel
 * @param {boolean} isFramed
 */
function link(voice, given, panel, isFramed) {
  const about = takesPanel(given) ? (panel ? "completion_panel" : "completion_no_panel") : "completion_link_about";
  const address = filledLink(given, panel);
  return [
    el("h2", {}, voice.word("completion_link_title")),
    el("p", {}, voice.word(about)),
    el("p", { class: "buttons" },
      el("a", { class: "button primary", href: address, rel: "noreferrer", referrerpolicy: "no-referrer", target: isFramed && "_blank" },
        voice.word("completion_go", { host: new URL(address).host }))),
  ];
}

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
 * The end for a person over quota, who has answered nothing sensitive.
 * @param {{voice: Intake.Voice, design: Intake.Design}} scene
 */
export function overScreen({ voice, design }) {
  return [
    el("h1", { tabindex: "-1" }, voice.word("quota_title")),
    el("p", { class: "lede" }, voice.word("quota_about")),
    el("p", {}, el("strong", {}, voice.word("quota_unsent"))),
    design.contact ? el("p", {}, voice.word("ask"), " ", told(voice, { text: design.contact, language: voice.interface })) : null,
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
