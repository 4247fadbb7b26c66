/** Posts one form and reads the server's answer. */

/**
 * @typedef {{kind: "stored", base: string, lacking: string} | {kind: "conflict", html: string}
 *   | {kind: "again" | "refused", why: string, said?: string}} Answer
 *   `again`: the connection, the server or the session is missing; `why` names a text of the status line.
 */

/** @param {HTMLFormElement} form */
export async function post(form) {
  const response = await posted(form);
  // After a new sign-in in another tab the token is another one.
  return meaning(response?.status === 403 && (await renewed()) ? await posted(form) : response);
}

/** @param {HTMLFormElement} form */
async function posted(form) {
  const body = new FormData(form);
  body.delete("do");
  try {
    return await fetch(form.action, {
      method: "POST",
      body,
      headers: { Accept: "application/json", "HX-Request": "true" },
      credentials: "same-origin",
    });
  } catch {
    return null;
  }
}

/**
 * @param {Response | null} response
 * @returns {Promise<Answer>}
 */
async function meaning(response) {
  if (!response) return { kind: "again", why: "offline" };
  const { status } = response;
  if (status === 409) return { kind: "conflict", html: await response.text() };
  if (status === 401) return { kind: "again", why: "out" };
  if ([403, 404].includes(status)) return { kind: "refused", why: "barred" };
  if (status >= 500 || status === 429) return { kind: "again", why: "broken" };
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  const answer = isJson ? await response.json() : {};
  if (!response.ok) return { kind: "refused", why: "broken", said: answer.said };
  if (!answer.base) return { kind: "refused", why: "broken" };
  return { kind: "stored", base: answer.base, lacking: answer.lacking };
}

async function renewed() {
  const page = await fetch(location.href, { credentials: "same-origin" }).catch(() => null);
  const html = page?.ok ? await page.text() : "";
  const selector = "[name=csrfmiddlewaretoken]";
  /** @type {HTMLInputElement | null} */
  const found = new DOMParser().parseFromString(html, "text/html").querySelector(selector);
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = document.querySelectorAll(selector);
  for (const field of fields) field.value = found?.value ?? "";
  return Boolean(found);
}
