/**
 * What this tab stores in sessionStorage to survive a reload. Nothing else is stored, unless the person asks the device
 * to keep the record (kept.js):
 *
 *   arrived    the invitation, if one was used; while it is exchanged, what its blinding needs to be undone
 *   answering  which questions are drawn, the coins of arm, drawn questions and order, and the invitation
 *   sending    the request's body: the record with its key and the invitation; whether it was asked to wait, and whether
 *              it was refused as too old
 *
 * and beside it the panel's own parameter (panel.js), where one came.
 *
 * Where invitations are exchanged (exchange.js), the token stands in the place of the invitation from then on. Beside it
 * is the invitation, so that opening it again goes on here, and beside the record when it may be sent at the earliest. So
 * on this device, and nowhere else, both lie together.
 *
 * The browser writes it to a file to which it only appends, so what was replaced or removed may still be on the
 * disk. True answers, keep coins and noise coins are therefore never stored. Which questions were drawn can be
 * read in the record, and so can the arm and the drawn questions; the order is the same whatever is answered. Once the record has arrived, or never can, the entry is removed.
 */

/** @typedef {{getItem: (name: string) => string | null, setItem: (name: string, text: string) => void,
 *             removeItem: (name: string) => void}} Store */

const NOTHING = Object.freeze({ state: "nothing", token: null });

/**
 * @param {Store} store  the tab's sessionStorage, or `memoryStore()` in a preview
 * @param {string} name
 */
export function tabStorage(store, name) {
  /** @param {Record<string, unknown>} entry */
  const write = (entry) => store.setItem(name, JSON.stringify(entry));
  return {
    read() {
      try {
        const entry = JSON.parse(store.getItem(name) ?? "null");
        const known = entry && ["arrived", "answering", "sending"].includes(entry.state);
        return known ? { token: null, ...entry } : NOTHING;
      } catch {
        return NOTHING;
      }
    },
    /**
     * Throws where the browser stores nothing, as `answering` does.
     * @param {Intake.Arrived} entry
     */
    arrived(entry) {
      write({ state: "arrived", ...entry });
      if (store.getItem(name) === null) throw new Error("the browser stores nothing");
    },
    /**
     * @param {Device.Seen} drawn
     * @param {string | null} token
     */
    answering(drawn, token) {
      const { link } = this.read();
      write({ state: "answering", drawn, token, link });
      if (store.getItem(name) === null) throw new Error("the browser stores nothing");
    },
    /**
     * @param {string} body
     * @param {boolean} [again]
     * @param {number} [due]
     * @param {boolean} [old]
     */
    sending(body, again, due, old) {
      write({ state: "sending", body, again, due, old });
    },
    panel() {
      try {
        return store.getItem(`${name} panel`) ?? "";
      } catch {
        return "";
      }
    },
    /** Forgets the panel's parameter, which this survey hands to nobody. */
    dropPanel() {
      try {
        store.removeItem(`${name} panel`);
      } catch {
        // As below.
      }
    },
    clear() {
      this.dropPanel();
      try {
        store.removeItem(name);
      } catch {
        // A store that cannot be reached has no entry of ours either.
      }
    },
  };
}

/**
 * A store that lasts as long as the page.
 * @returns {Store}
 */
export function memoryStore() {
  const entries = new Map();
  return {
    getItem: (name) => entries.get(name) ?? null,
    setItem: (name, text) => void entries.set(name, text),
    removeItem: (name) => void entries.delete(name),
  };
}
