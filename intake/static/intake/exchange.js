/**
 * Exchanges the invitation for a token (blinding.js) before the first question. Only the page of a survey whose
 * invitations are exchanged loads this.
 *
 * What undoes the blinding is stored in this tab before anything is sent. So if the answer is lost, or the page reloads,
 * the same blinded message goes again and gets the same signature; another one would be refused.
 */

import { hide, keyOf, tokenOf } from "./blinding.js";
import { addExchange } from "./device.js";

/** In which nothing happens before the next try. */
const PAUSING = new Set(["waiting", "unstored", "busy", "paused"]);
/** What is said of a state; of all others that the page or the connection is wrong. */
const WORDS = new Map([
  ["trying", "exchange_trying"],
  ["offline", "exchange_offline"],
  ["waiting", "exchange_waiting"],
  ["unstored", "exchange_later"],
  ["busy", "exchange_later"],
  ["paused", "exchange_later"],
  ["invitation", "exchange_refused"],
  ["closed", "exchange_closed"],
  ["gone", "exchange_closed"],
  ["insecure", "exchange_insecure"],
]);

/** @type {Intake.Exchange["exchanged"]} */
async function exchanged(page, storage, send, world) {
  // Missing where the page's address is not secure.
  if (!crypto.subtle) return "insecure";
  const { url, key: n } = /** @type {NonNullable<Intake.Page["exchange"]>} */ (page.exchange);
  const key = await keyOf(n);
  const { token: link, hidden: before } = storage.read();
  const hidden = before ?? (await hide(key));
  storage.arrived({ token: link, hidden });
  const body = JSON.stringify({ design: page.fingerprint, invitation: link, blinded: hidden.blinded });
  const { outcome, signature = "" } = await send(url, body, world);
  if (outcome !== "signed") return outcome;
  const token = await tokenOf(key, hidden, signature).catch(() => null);
  if (!token || world.stopped()) return "refused";
  storage.arrived({ token, link });
  return outcome;
}

/** @type {Intake.Exchange["wait"]} */
function wait({ mean, longest, short: [least, most] }, isKept, fill) {
  const [word] = fill(new Uint32Array(1));
  const share = (word + 1) / 2 ** 32;
  // Exponential: however long a record has waited already, it tells nothing of when the invitation was exchanged.
  return isKept ? Math.min(-mean * Math.log(share), longest) : least + (most - least) * share;
}

/** @type {Intake.Exchange["screen"]} */
const screen = (voice, progress, tryNow, contact, { button, el }) => [
  el("h1", { tabindex: "-1" }, voice.word(progress.state === "invitation" ? "invitation_title" : "exchange_title")),
  el("div", { class: "notice flow" },
    el("p", { id: "progress", role: "status" }, wordsOf(voice, progress)),
    el("p", { id: "try-now", hidden: !PAUSING.has(progress.state) }, button(voice.word("try_now"), tryNow))),
  contact && progress.state === "invitation" ? el("p", {}, voice.word("ask"), " ", el("bdi", {}, contact)) : null,
];

/** @type {Intake.Exchange["report"]} */
function report(voice, progress) {
  /** @type {HTMLElement} */ (document.getElementById("progress")).textContent = wordsOf(voice, progress);
  /** @type {HTMLElement} */ (document.getElementById("try-now")).hidden = !PAUSING.has(progress.state);
}

/**
 * @param {Intake.Voice} voice
 * @param {Intake.Progress} progress
 */
const wordsOf = (voice, progress) => voice.word(WORDS.get(progress.state) ?? "exchange_failed", progress);

addExchange({ exchanged, wait, screen, report });
