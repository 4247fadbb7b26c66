/**
 * Saves the forms of a draft as one types, and says so.
 *
 * Each form has at most one request under way. A save that fails for want of a connection or of the server is
 * tried again until it succeeds; one that is refused waits for the person. Nothing is thrown away.
 */

const PAUSE = 700;
const SLOW = 1000;
const FIRST_RETRY = 2000;
const LAST_RETRY = 30000;
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/** @type {Map<HTMLFormElement, {dirty: boolean, timer: number, tries: number, under: Promise<boolean> | null}>} */
const states = new Map();

const stateOf = (form) => {
  if (!states.has(form)) states.set(form, { dirty: false, timer: 0, tries: 0, under: null });
  return states.get(form);
};

export function keeping(status) {
  document.addEventListener("input", touched);
  document.addEventListener("change", touched);
  addEventListener("online", () => flush());
  document.addEventListener("visibilitychange", () => document.hidden && flush());
  addEventListener("beforeunload", (event) => {
    if (pending()) event.preventDefault();
  });

  function touched(event) {
    const form = event.target.closest("form[data-keeps]");
    if (!form || event.target.closest("[data-keeps-not]") || !event.target.name) return;
    const state = stateOf(form);
    state.dirty = true;
    state.tries = 0;
    later(form, PAUSE);
  }

  function later(form, pause) {
    const state = stateOf(form);
    clearTimeout(state.timer);
    state.timer = setTimeout(() => save(form), pause);
  }

  /** Whether the form is stored as it stands. */
  async function save(form) {
    const state = stateOf(form);
    clearTimeout(state.timer);
    if (state.under) await state.under;
    if (!state.dirty || !form.isConnected) {
      if (!form.isConnected) states.delete(form);
      return true;
    }
    if (form.querySelector("[data-conflict]")) {
      say("refused", status.dataset.wordsConflict);
      return false;
    }
    state.dirty = false;
    // Said only of what takes long, so that nobody has every pause read out.
    const slow = setTimeout(() => say("saving"), SLOW);
    state.under = send(form, state).finally(() => clearTimeout(slow));
    const isStored = await state.under;
    state.under = null;
    return isStored && state.dirty ? save(form) : isStored;
  }

  async function send(form, state, isSecond = false) {
    const body = new FormData(form);
    body.delete("do");
    let response;
    try {
      response = await fetch(form.action, {
        method: "POST",
        body,
        headers: { Accept: "application/json", "HX-Request": "true" },
        credentials: "same-origin",
      });
    } catch {
      return again(form, state, status.dataset.wordsOffline);
    }
    if (response.status === 409) return conflict(form, await response.text());
    if (response.status === 401) return again(form, state, status.dataset.wordsOut);
    // Whoever has signed in anew, in another tab, has another token.
    if (response.status === 403 && !isSecond && await renewed()) return send(form, state, true);
    if ([403, 404].includes(response.status)) return refuse(state, status.dataset.wordsBarred);
    if (response.status >= 500 || response.status === 429) return again(form, state, status.dataset.wordsBroken);
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    const answer = isJson ? await response.json() : {};
    if (!response.ok) return refuse(state, answer.said ?? status.dataset.wordsBroken);
    if (!answer.base) return refuse(state, status.dataset.wordsBroken);
    form.querySelector("[data-base]").value = answer.base;
    for (const place of document.querySelectorAll("[data-lacking]")) place.textContent = answer.lacking;
    state.tries = 0;
    say("saved");
    return true;
  }

  async function renewed() {
    const page = await fetch(location.href, { credentials: "same-origin" }).catch(() => null);
    const html = page?.ok ? await page.text() : "";
    const found = new DOMParser().parseFromString(html, "text/html").querySelector("[name=csrfmiddlewaretoken]");
    for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = found?.value ?? "";
    return Boolean(found);
  }

  function again(form, state, reason) {
    state.dirty = true;
    say("retrying", reason);
    later(form, Math.min(LAST_RETRY, FIRST_RETRY * 2 ** state.tries));
    state.tries += 1;
    return false;
  }

  function refuse(state, reason) {
    state.dirty = true;
    say("refused", reason);
    return false;
  }

  /** The page shows both versions: what was written stays in the fields, and the person decides. */
  function conflict(form, html) {
    const part = form.closest("[data-part]");
    const fresh = new DOMParser().parseFromString(html, "text/html").getElementById(part.id);
    states.delete(form);
    if (fresh) {
      part.replaceWith(fresh);
      window.htmx?.process(fresh);
      fresh.querySelector("[data-conflict]")?.focus();
    }
    say("refused", status.dataset.wordsConflict);
    return false;
  }

  function say(kind, reason = "") {
    const words = status.dataset[`words${kind[0].toUpperCase()}${kind.slice(1)}`];
    const time = new Date().toLocaleTimeString(document.documentElement.lang, CLOCK);
    status.dataset.state = kind;
    status.textContent = words.replace("%(time)s", time).replace("%(reason)s", reason);
  }

  function pending() {
    return [...states].some(([form, state]) => form.isConnected && (state.dirty || state.under));
  }

  async function flush() {
    const forms = [...states.keys()].filter((form) => form.isConnected);
    const stored = await Promise.all(forms.map((form) => save(form)));
    return stored.every(Boolean);
  }

  return { pending, flush };
}
