/**
 * What a page of one's own calls: the functions of Candor's modules, and one that makes of a design and true answers the
 * text to store. Nothing here keeps, sends or logs anything.
 */

import { below, drawKey, secureWords } from "../../privacy/static/privacy/coins.js";
import { DISGUISED, compose, disguise, drawCoins, impossible } from "../../privacy/static/privacy/disguise.js";
import * as draws from "../../privacy/static/privacy/draws.js";
import { envelopeText } from "../../privacy/static/privacy/envelope.js";
import { handedText } from "../../privacy/static/privacy/handed.js";
import { crosswise } from "../../privacy/static/privacy/kinds/crosswise.js";
import { grouped } from "../../privacy/static/privacy/kinds/grouped.js";
import { number } from "../../privacy/static/privacy/kinds/number.js";
import { place } from "../../privacy/static/privacy/kinds/place.js";
import { plain } from "../../privacy/static/privacy/kinds/plain.js";
import { subset } from "../../privacy/static/privacy/kinds/subset.js";

compose({ plain, "unrelated-question": grouped, number, place, crosswise, subset }, draws, below);

/** @param {ArrayBuffer} bytes */
const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * SHA-256 of the design's text, as Candor wrote it: its name in each record.
 * @param {string} text
 */
export async function fingerprintOf(text, crypto = globalThis.crypto) {
  return hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/**
 * The text to store of one person: `candor1.` and base64url of key and record. `answers`: by question the true code,
 * counted from 0, or null where the question is not shown to this person. Call it once a person: each call draws anew.
 * @param {string} text
 * @param {Device.Answers} answers
 */
export async function disguisedText(text, answers, { trial = false, crypto = globalThis.crypto } = {}) {
  const design = JSON.parse(text);
  if (design.open_answers || design.direct !== undefined) throw new TypeError("a design that lets people answer openly cannot be asked elsewhere");
  const fingerprint = await fingerprintOf(text, crypto);
  const words = secureWords(crypto);
  const record = disguise(design, fingerprint, drawCoins(design, words), DISGUISED, answers);
  const wrong = impossible(design, fingerprint, record);
  if (wrong) throw new RangeError(`no possible record: ${wrong.reason}`);
  return handedText(envelopeText(drawKey(words), record), trial);
}
