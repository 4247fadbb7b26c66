/**
 * What this device keeps in localStorage. Records, each as it will be sent, until it was sent or is deleted: those that
 * a person asked it to keep, and those of exchanged invitations, which wait. And invitations from their exchange on, until
 * their record has arrived or their person is over quota, so that a closed tab loses none. No true answer and no coin is in them; that there is one
 * tells that somebody took part, or began to.
 */

/**
 * @typedef {{body: string, again: boolean, due?: number, old?: boolean}} Kept  `again`: the server has asked to wait, and counted that;
 *   `due`: when it may be sent at the earliest, where an invitation was exchanged; `old`: the server has refused it as too
 *   old, and it is not sent again
 */

/**
 * @param {Pick<Storage, "length" | "key" | "getItem" | "setItem" | "removeItem">} store
 * @param {string} address  of the survey
 */
export function keptRecords(store, address) {
  /** @param {string} body */
  const nameOf = (body) => `${address} ${JSON.parse(body).key}`;

  /** @param {string} name */
  function read(name) {
    try {
      const { body, again, due, old } = JSON.parse(store.getItem(name) ?? "");
      return nameOf(body) === name ? { body, again, ...(due && { due }), ...(old && { old }) } : null;
    } catch {
      return null;
    }
  }

  return {
    /** @returns {Kept[]} */
    all() {
      const names = Array.from({ length: store.length }, (_, i) => store.key(i) ?? "").filter((name) => name.startsWith(`${address} `));
      return names.map(read).filter((found) => found !== null);
    },
    /**
     * Whether the browser keeps it now.
     * @param {string} body
     * @param {boolean} again
     * @param {number} [due]
     * @param {boolean} [old]
     */
    keep(body, again, due, old) {
      try {
        store.setItem(nameOf(body), JSON.stringify({ body, again, due, old }));
      } catch {
        // Full, or refused by the browser.
      }
      return this.has(body);
    },
    /** @param {string} body */
    has: (body) => read(nameOf(body)) !== null,
    /** @param {string} body */
    drop: (body) => store.removeItem(nameOf(body)),
  };
}

/**
 * @param {Pick<Storage, "length" | "key" | "getItem" | "setItem" | "removeItem">} store
 * @param {string} address  of the survey
 */
export function keptInvitations(store, address) {
  const prefix = `${address} invitation `;
  /** @returns {Intake.Arrived[]} */
  function all() {
    const names = Array.from({ length: store.length }, (_, i) => store.key(i) ?? "").filter((name) => name.startsWith(prefix));
    try {
      return names.map((name) => JSON.parse(/** @type {string} */ (store.getItem(name))));
    } catch {
      return [];
    }
  }

  return {
    /**
     * The one of this link or token; without, any.
     * @param {string | null} token
     */
    find: (token) => all().find((entry) => !token || token === entry.token || token === entry.link),
    /** @param {Intake.Arrived} entry */
    keep(entry) {
      try {
        store.setItem(prefix + (entry.link ?? entry.token), JSON.stringify(entry));
      } catch {
        // Full, or refused by the browser: the tab has it.
      }
    },
    /** @param {string | null} token */
    drop(token) {
      for (const entry of all()) if (entry.token === token) store.removeItem(prefix + (entry.link ?? entry.token));
    },
  };
}

/** Where the browser refuses its own: nothing is kept. */
export const NO_STORE = Object.freeze({ length: 0, key: () => null, getItem: () => null, setItem: () => {}, removeItem: () => {} });
