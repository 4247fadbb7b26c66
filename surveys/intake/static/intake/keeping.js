/**
 * What this tab keeps over a reload, and nothing else keeps anything:
 *
 *   arrived    the invitation, if one was used
 *   answering  which questions are drawn, and the invitation
 *   sending    the request's body: the record with its key and the invitation
 *
 * The browser writes all of it to a file to which it only appends, so what was replaced or removed may still be
 * on the disk. True answers, keep coins and noise coins are therefore never among it. Which questions were drawn
 * can be read in the record. Once the record has arrived, or never can, nothing is kept.
 */

/** @typedef {{getItem: (name: string) => string | null, setItem: (name: string, text: string) => void,
 *             removeItem: (name: string) => void}} Store */

const NOTHING = Object.freeze({ state: "nothing", token: null });

/**
 * @param {Store} store  the tab's sessionStorage, or `forgetful()` in a preview
 * @param {string} name
 */
export function keeping(store, name) {
  /** @param {Record<string, unknown>} kept */
  const write = (kept) => store.setItem(name, JSON.stringify(kept));
  return {
    read() {
      try {
        const kept = JSON.parse(store.getItem(name) ?? "null");
        const known = kept && ["arrived", "answering", "sending"].includes(kept.state);
        return known ? { token: null, ...kept } : NOTHING;
      } catch {
        return NOTHING;
      }
    },
    /**
     * Throws where the browser keeps nothing.
     * @param {boolean[]} drawn
     * @param {string | null} token
     */
    answering(drawn, token) {
      write({ state: "answering", drawn, token });
      if (store.getItem(name) === null) throw new Error("the browser keeps nothing");
    },
    /** @param {string} body */
    sending(body) {
      write({ state: "sending", body });
    },
    nothing() {
      try {
        store.removeItem(name);
      } catch {
        // A store that cannot be reached holds nothing of ours either.
      }
    },
  };
}

/**
 * A store that lasts as long as the page.
 * @returns {Store}
 */
export function forgetful() {
  const kept = new Map();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
    removeItem: (name) => void kept.delete(name),
  };
}
