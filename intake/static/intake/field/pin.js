/** The PIN of the keeper's page: six digits that the device draws, so that nobody brings the one of a bank card. */

import { bytesOf, textOf } from "../base64url.js";

const DIGITS = 6;
const ROUNDS = 600_000;
/** Wrong ones in a row, after which each try waits. */
const FREE = 5;
const PAUSE = 60_000;

/** @param {(words: Uint32Array<ArrayBuffer>) => Uint32Array} fill */
export function drawPin(fill) {
  const most = 10 ** DIGITS;
  // Words of the last, shorter round would favour small numbers.
  const end = 2 ** 32 - (2 ** 32 % most);
  for (;;) {
    const [word] = fill(new Uint32Array(1));
    if (word < end) return String(word % most).padStart(DIGITS, "0");
  }
}

/**
 * @param {string} pin
 * @param {Uint8Array<ArrayBuffer>} salt
 */
export async function hashPin(pin, salt) {
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(pin), "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations: ROUNDS }, key, 256);
  return { salt: textOf(salt), hash: textOf(new Uint8Array(bits)) };
}

/**
 * @param {string} pin
 * @param {{salt: string, hash: string}} stored
 */
export const isPin = async (pin, { salt, hash }) => (await hashPin(pin, bytesOf(salt))).hash === hash;

/**
 * Seconds until the next try. No clock is trusted: they run from when the page was loaded, and from each try.
 * @param {number} wrong  how many were wrong in a row
 * @param {number} lastTry  milliseconds since the page was loaded
 * @param {number} now
 */
export const pinPause = (wrong, lastTry, now) => (wrong < FREE ? 0 : Math.max(0, Math.ceil((lastTry + PAUSE - now) / 1000)));
