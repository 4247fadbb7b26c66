/** The tokens of a field device: as many as it may ask people, signed blindly in lots. */

import { keyOf, tokenOf } from "../blinding.js";
import { functionsOf } from "./calls.js";

/** People of a lot. */
const LOT = 50;

/** @typedef {(key: string) => Promise<Intake.Hidden>} Hide  blinds one message for the token key */

/**
 * Blinding in a worker, so that the page can show how far it is.
 * @param {Worker} worker
 * @returns {Hide}
 */
export const hideIn = (worker) => functionsOf(worker, ["hide"]).hide;

/**
 * Fetches the tokens that are not there yet, lot by lot, and returns the last outcome: "signed" once all are. What undoes
 * the blinding of a lot is stored before the lot is sent, so an interruption repeats the same lot.
 * @param {Pick<import("./store.js").StoreMethods, "lots" | "lot" | "putBlinded" | "putTokens">} store
 * @param {{url: string, secret: string, key: string, people: number}} device  `key`: the token key of the design
 * @param {Hide} hide
 * @param {Intake.Send} send
 * @param {Parameters<Intake.Send>[2]} world
 * @param {(tokens: number) => void} [progress]  so many were made or stored
 */
export async function fetchTokens(store, { url, secret, key: n, people }, hide, send, world, progress = () => {}) {
  const key = await keyOf(n);
  const { count, done } = await store.lots();
  for (let k = done; k < count; k += 1) {
    let lot = await store.lot(k);
    if (!lot) {
      lot = [];
      while (lot.length < Math.min(LOT, people - LOT * k)) {
        if (world.stopped()) return "stopped";
        progress(LOT * k + lot.length);
        lot.push(await hide(n));
      }
      await store.putBlinded(k, lot);
    }
    const body = JSON.stringify({ secret, lot: k, blinded: lot.map(({ blinded }) => blinded) });
    const { outcome, signatures = [] } = await send(url, body, world);
    if (outcome !== "signed") return outcome;
    if (signatures.length !== lot.length) return "refused";
    /** @type {string[]} */
    const tokens = [];
    try {
      for (const [i, hidden] of lot.entries()) tokens.push(await tokenOf(key, hidden, signatures[i]));
    } catch {
      return "refused";
    }
    await store.putTokens(k, tokens);
  }
  progress(people);
  return "signed";
}
