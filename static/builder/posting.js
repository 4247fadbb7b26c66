/** Posts one form and reads the server's answer. */

/**
 * @typedef {{was: string, base: string, fields: Record<string, unknown>}} Changed  another part that a save changed
 * @typedef {{kind: "stored", base: string, others: Record<string, Changed>, lacking: string, line: string} | {kind: "conflict", html: string}
 *   | {kind: "again" | "refused", why: string, said?: string}} Answer
 *   `again`: the connection, the server or the session is missing; `why` names a text of the status line.
 */

const TOKEN = "csrfmiddlewaretoken";

/** @typedef {"offline" | "out" | "barred" | "broken"} Why  names of texts of the status line */

/**
 * @param {HTMLFormElement} form
 * @param {FormData} body  the fields of the form; in a repeat those of the first time
 */
export const post = async (form, body) => readAnswer(await withFreshToken(() => sendForm(form, body)));

/** An idempotency key: the same in each repeat of a command, which is then done once. */
export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * The response, null without a connection. A refused token is renewed once: a new sign-in in another tab makes another one.
 * @param {() => Promise<Response>} send
 */
export async function withFreshToken(send) {
  const response = await send().catch(() => null);
  return response?.status === 403 && (await renewToken()) ? send().catch(() => null) : response;
}

/**
 * @param {HTMLFormElement} form
 * @param {FormData} body
 */
function sendForm(form, body) {
  body.delete("do");
  body.set(TOKEN, String(new FormData(form).get(TOKEN)));
  const headers = { Accept: "application/json", "HX-Request": "true" };
  return fetch(form.action, { method: "POST", body, headers, credentials: "same-origin" });
}

/**
 * Why the server did not answer what was asked, if so.
 * @param {Response | null} response
 * @returns {Why | null}
 */
export function whyNot(response) {
  if (!response) return "offline";
  const { status } = response;
  if (status === 401) return "out";
  if ([403, 404].includes(status)) return "barred";
  return status >= 500 || status === 429 ? "broken" : null;
}

/**
 * @param {Response | null} response
 * @returns {Promise<Answer>}
 */
async function readAnswer(response) {
  const why = whyNot(response);
  if (!response || why) return { kind: why === "barred" ? "refused" : "again", why: why ?? "broken" };
  if (response.status === 409) return { kind: "conflict", html: await response.text() };
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  const answer = isJson ? await response.json() : {};
  if (!response.ok) return { kind: "refused", why: "broken", said: answer.said };
  if (!answer.base) return { kind: "refused", why: "broken" };
  return { kind: "stored", base: answer.base, others: answer.others, lacking: answer.lacking, line: answer.line };
}

async function renewToken() {
  const page = await fetch(location.href, { credentials: "same-origin" }).catch(() => null);
  const html = page?.ok ? await page.text() : "";
  const selector = `[name=${TOKEN}]`;
  /** @type {HTMLInputElement | null} */
  const token = new DOMParser().parseFromString(html, "text/html").querySelector(selector);
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = document.querySelectorAll(selector);
  for (const field of fields) field.value = token?.value ?? "";
  return Boolean(token);
}
