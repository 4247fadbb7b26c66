/**
 * The one request: the same bytes again and again until the other side has said what became of them.
 *
 * The network, the clock and whether the device is online are handed in.
 */

const LONGEST_PAUSE = 30;
const PATIENCE = 20_000;
/** What our side says once and for all, in its own words: a wifi's sign-in page may answer with any status. */
const FINAL = new Map([
  ["stored", "stored"],
  ["already stored", "known"],
  ["unknown or spent token", "invitation"],
  ["no such survey", "gone"],
  ["closed", "closed"],
  ["malformed", "refused"],
  ["not a record of this design", "refused"],
  ["not sent by our page", "refused"],
  ["too long", "refused"],
]);

/**
 * @param {string} url
 * @param {string} body
 * @param {{fetch: typeof fetch, online: () => boolean, pause: (seconds: number) => Promise<void>,
 *          back: () => Promise<void>, report: (state: {state: string, seconds?: number}) => void,
 *          stopped: () => boolean}} world
 *   `pause` ends early when the person asks to try at once; `back` when the device is online again.
 * @returns {Promise<{outcome: string, tries: number}>}
 */
export async function send(url, body, { fetch, online, pause, back, report, stopped }) {
  for (let tries = 1; ; tries += 1) {
    if (stopped()) return { outcome: "stopped", tries };
    if (!online()) {
      report({ state: "offline" });
      await back();
    }
    report({ state: "trying" });
    const outcome = await once(url, body, fetch);
    if (outcome) return { outcome, tries };
    const seconds = Math.min(2 ** (tries - 1), LONGEST_PAUSE);
    report({ state: "waiting", seconds });
    await pause(seconds);
  }
}

async function once(url, body, fetch) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      mode: "same-origin",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
    });
    return FINAL.get((await response.json()).outcome) ?? null;
  } catch {
    return null;
  }
}
