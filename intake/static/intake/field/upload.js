/** Sends the records that wait, in random order, each on its own. */

import { below, secureWords } from "../../privacy/coins.js";
import { textOf } from "../base64url.js";
import { CLOSED, RECORD, REFUSED, SPENT } from "./slots.js";

/** So many records go together, unless the keeper says otherwise; the device says in steps of so many how many it asked. */
const TOGETHER = 5;
/** Seconds, at most, between two records. */
const PAUSE = 3;
/** What becomes of a record, and the state of its slot where it stays. */
const STATES = /** @type {Map<string, [name: string, state?: number]>} */ (new Map([
  ["stored", ["arrived"]],
  ["known", ["arrived"]],
  ["closed", ["closed", CLOSED]],
  ["invitation", ["spent", SPENT]],
  ["refused", ["refused", REFUSED]],
]));

/**
 * How many records arrived, and how many stay for each reason. Ends early where `world` is stopped: between records.
 * @param {import("./store.js").StoreMethods} store
 * @param {{record: string, report: string}} urls
 * @param {Intake.Send} send
 * @param {Parameters<Intake.Send>[2]} world
 * @param {{now?: boolean, words?: Intake.Random}} [options]  `now`: also fewer than five, and those that came after the closing
 */
export async function upload(store, urls, send, world, { now = false, words = secureWords(crypto) } = {}) {
  /** @type {Record<string, number>} */
  const outcomes = { arrived: 0, closed: 0, spent: 0, refused: 0 };
  const waiting = await store.waiting(RECORD, ...(now ? [CLOSED] : []));
  if (world.stopped() || (waiting.length > 0 && waiting.length < TOGETHER && !now)) return outcomes;
  const { secret, people } = await store.header();
  const { token } = await store.counts();
  const asked = people - token;
  const report = { secret, asked: asked - (asked % TOGETHER), waiting: waiting.length > 0 };
  await send(urls.report, JSON.stringify(report), world);
  for (const slot of waiting) {
    await world.pause((PAUSE * below(1000, words)) / 1000);
    if (world.stopped()) break;
    const { outcome } = await send(urls.record, JSON.stringify({ sealed: textOf(await store.sealed(slot)) }), world);
    const [name, state] = STATES.get(outcome) ?? [];
    // Whatever else was answered, a later upload sends it again.
    if (!name) break;
    if (state === undefined) await store.arrived(slot);
    else await store.mark(slot, state);
    outcomes[name] += 1;
  }
  return outcomes;
}
