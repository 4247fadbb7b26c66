/**
 * Sends the record: repeats the same request until the server has answered it.
 *
 * The network, the clock and the online state are parameters.
 */

const LONGEST_PAUSE = 30;
/** Seconds: no answer, whoever gave it, makes a page wait longer. */
const LONGEST_WAIT = 120;
/** Seconds: the longest wait that a device draws, whatever a clock that was set says. */
const LONGEST_APART = 86_400;
const PATIENCE = 20_000;
/** What our side says once and for all, in its own words: a wifi's sign-in page may answer with any status. */
const FINAL = new Map([
  ["signed", "signed"],
  ["stored", "stored"],
  ["already stored", "known"],
  ["unknown or spent token", "invitation"],
  ["no such survey", "gone"],
  ["closed", "closed"],
  ["too old", "old"],
  ["malformed", "refused"],
  ["not a record of this design", "refused"],
  ["not sent by our page", "refused"],
  ["too long", "refused"],
  // A field device's.
  ["noted", "noted"],
  ["unknown code", "unknown code"],
  ["another lot", "refused"],
]);
/** What our side says for now: the same bytes go again later. */
const LATER = new Map([
  ["too often", "busy"],
  ["too many at once", "busy"],
  ["paused", "paused"],
  ["cannot be stored now", "unstored"],
]);

/** A flood is refused before its survey is known: nobody is counted. */
const UNCOUNTED = "too often";

/** @typedef {{signature?: string, signatures?: string[]}} Signed */

/**
 * @param {string} url
 * @param {string} body
 * @param {{fetch: typeof globalThis.fetch, online: () => boolean, pause: (seconds: number) => Promise<unknown>,
 *          back: () => Promise<unknown>, report: (state: {state: string, seconds?: number}) => void,
 *          stopped: () => boolean, again: boolean, counted: () => void, apart?: number,
 *          rest?: (seconds: number) => Promise<unknown>}} world
 *   `again`: whether the server has counted this person among those who were asked to wait; `counted` is called when it does.
 *   `pause` and `rest` end early when the person asks to send at once; `back` when the device is online again.
 *   `apart`: seconds for which the record still stays away from the exchange of its invitation.
 * @returns {Promise<{outcome: string, completion: string} & Signed>}  what became of it, and what it earned
 */
export async function send(url, body, { fetch, online, pause, back, report, stopped, again, counted, apart = 0, rest = pause }) {
  const seconds = Math.ceil(Math.min(apart, LONGEST_APART));
  if (seconds > 0) {
    report({ state: "apart", seconds });
    await rest(seconds);
  }
  for (let tries = 1; ; tries += 1) {
    if (stopped()) return { outcome: "stopped", completion: "" };
    if (!online()) {
      report({ state: "offline" });
      await back();
    }
    report({ state: "trying" });
    const { outcome, completion, signed, why, after, isCounted } = await once(url, body, again, fetch);
    if (outcome) return { outcome, completion, ...signed };
    if (isCounted && !again) {
      again = true;
      counted();
    }
    const seconds = Math.max(Math.min(2 ** (tries - 1), LONGEST_PAUSE), Math.min(after, LONGEST_WAIT));
    report({ state: why, seconds });
    await pause(seconds);
  }
}

const NO_ANSWER = Object.freeze({ outcome: null, completion: "", why: "waiting", after: 0, isCounted: false });

/**
 * @param {string} url
 * @param {string} body
 * @param {boolean} again
 * @param {typeof globalThis.fetch} fetch
 * @returns {Promise<{outcome?: string | null, completion: string, signed?: Signed, why: string, after: number, isCounted: boolean}>}
 *   `isCounted`: whether the server has asked to wait, and counted a person more if this was not said `again`
 */
async function once(url, body, again, fetch) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(again && { "Candor-Again": "1" }) },
      body,
      // The page of another host names the whole address.
      mode: url.startsWith("/") ? "same-origin" : "cors",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
    });
    const { outcome, completion = "", signature, signatures } = await response.json();
    const signed = { ...(signature && { signature }), ...(signatures && { signatures }) };
    if (FINAL.has(outcome)) return { ...NO_ANSWER, outcome: FINAL.get(outcome), completion, signed };
    if (!LATER.has(outcome)) return NO_ANSWER;
    return {
      ...NO_ANSWER,
      why: /** @type {string} */ (LATER.get(outcome)),
      isCounted: outcome !== UNCOUNTED,
      after: Number.parseInt(/** @type {string} */ (response.headers.get("Retry-After")), 10) || 0,
    };
  } catch {
    return NO_ANSWER;
  }
}
