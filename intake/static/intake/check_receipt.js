/** Checks, on the device and nowhere else, whether a receipt is a possible record of a design. */

import { impossible } from "./device.js";
import { el, told } from "./elements.js";
import { placesOf } from "./journey.js";
import { doubts, recordTable, whyDiffers } from "./receipt.js";
import { embeddedPage, offerLanguages, revealScripted, turnTo, voiceOf } from "./voice.js";

/** @type {Intake.Words} */
const page = embeddedPage();
const room = /** @type {HTMLElement} */ (document.getElementById("screen"));
const result = el("div", { class: "flow", role: "status" });
/** @typedef {"receipt" | "design"} Kind */
/** @type {Record<Kind, {name: string, bytes: Uint8Array<ArrayBuffer>} | null>} */
const files = { receipt: null, design: null };
let voice = voiceOf(page, { languages: [] }, page.language);

function draw() {
  room.replaceChildren(
    el("h1", {}, voice.word("verify_title")),
    el("p", { class: "lede" }, voice.word("verify_about")),
    chooser("receipt"),
    chooser("design"),
    result,
  );
  check();
}

/** @param {Kind} kind */
function chooser(kind) {
  const input = el("input", { type: "file", id: kind, accept: ".json,application/json", autocomplete: "off",
    "aria-describedby": `${kind}-hint`, on: { change: () => read(kind, /** @type {FileList} */ (input.files)[0]) } });
  return el("div", { class: "field" },
    el("label", { for: kind }, voice.word(`verify_${kind}`)),
    el("div", { class: "hint", id: `${kind}-hint` }, voice.word(`verify_${kind}_hint`)),
    input,
    files[kind] ? el("p", { class: "soft small" }, files[kind].name) : null);
}

/**
 * @param {Kind} kind
 * @param {File | undefined} file
 */
async function read(kind, file) {
  files[kind] = file ? { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) } : null;
  check();
}

async function check() {
  if (!files.receipt || !files.design) return result.replaceChildren();
  result.replaceChildren(...(await verdict(files.receipt.bytes, files.design.bytes)));
}

/**
 * @param {Uint8Array<ArrayBuffer>} receiptBytes
 * @param {Uint8Array<ArrayBuffer>} designBytes
 */
async function verdict(receiptBytes, designBytes) {
  if (!crypto.subtle) return problem("verify_insecure");
  const record = parsed(receiptBytes);
  if (!record || typeof record !== "object") return problem("verify_no_receipt");
  const design = parsed(designBytes);
  const fingerprint = await digest(trimmed(designBytes));
  try {
    const own = voiceOf(page, design, /** @type {{code: string}} */ (page.languages.find(({ code }) => code === voice.language)).code);
    const why = impossible(design, fingerprint, record);
    return why ? problem(`verify_wrong_${why.reason}`, { question: nameOf(own, design, why.question) }) : possible(own, design, record);
  } catch {
    return problem("verify_no_design");
  }
}

/**
 * @param {Intake.Voice} own
 * @param {Intake.Design} design
 * @param {string | null} name
 */
function nameOf(own, design, name) {
  const found = placesOf(design).find(({ question }) => question.name === name);
  return found ? own.name(found.question).text : "";
}

/**
 * @param {string} key
 * @param {Record<string, unknown>} [values]
 */
const problem = (key, values) => [
  el("div", { class: "notice error flow" },
    el("p", {}, el("strong", {}, voice.word("verify_no"))), el("p", {}, voice.word(key, values))),
];

/**
 * @param {Intake.Voice} own
 * @param {Intake.Design} design
 * @param {Intake.Sent} record
 */
const possible = (own, design, record) => [
  el("div", { class: "notice flow" },
    el("p", {}, el("strong", {}, voice.word("verify_yes"))),
    el("p", {}, told(own, own.text(design.title))),
    el("p", { class: "small" }, voice.word("verify_fingerprint"), " ", el("code", { class: "hash" }, record.design))),
  recordTable(own, design, record),
  whyDiffers(own, design, record) ?? "",
  el("h2", {}, voice.word("proves_title")),
  doubts(own, design, record),
];

/** @param {Uint8Array} bytes */
function parsed(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

/**
 * Removes a line break that an editor added at the end; the design has none.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
const trimmed = (bytes) => (bytes.at(-1) === 10 ? bytes.subarray(0, -1) : bytes);

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

offerLanguages((language) => {
  voice = voiceOf(page, { languages: [] }, language);
  turnTo(voice);
  draw();
});
revealScripted();
turnTo(voice);
draw();
