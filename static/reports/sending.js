/** Sends one decision and reads the server's answer. */

/** @typedef {{verdict: string, decision: number, count: number, undo: string, said: string, left: string, fitting: number,
 *   fitting_words: string}} Stored `count`: how many rules it was about; `left`: how many rules need a decision, in words; `fitting`: how many match the filter. */
/** @typedef {{stored: Stored | null, said: string, why: "offline" | "broken"}} Answer `why` names a text of the page. */

/**
 * @param {HTMLFormElement} form Holds the token of the session.
 * @param {string} address
 * @param {Record<string, string>} values
 * @returns {Promise<Answer>}
 */
export async function send(form, address, values) {
  const body = new FormData(form);
  for (const [name, value] of Object.entries(values)) body.set(name, value);
  const headers = { Accept: "application/json", "HX-Request": "true" };
  try {
    const response = await fetch(address, { method: "POST", body, headers, credentials: "same-origin" });
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    const answer = isJson ? await response.json() : {};
    return { stored: response.ok && isJson ? answer : null, said: answer.said ?? "", why: "broken" };
  } catch {
    return { stored: null, said: "", why: "offline" };
  }
}
