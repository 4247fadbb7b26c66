/**
 * A history in the memory of the page, for a frame: the page around can read the length of the browser's, which would tell
 * it how many questions were shown, and a browser writes the moment of each of its entries into its files.
 * @param {(state: {at?: number} | null) => void} move
 */
export function memoryHistory(move) {
  /** @type {({at?: number} | null)[]} */
  const states = [null];
  let at = 0;
  return {
    get state() {
      return states[at];
    },
    /** @param {{at?: number}} state */
    pushState(state) {
      states.length = at + 1;
      at = states.push(state) - 1;
    },
    /** @param {number} [delta] */
    go(delta = 0) {
      at = Math.min(Math.max(at + delta, 0), states.length - 1);
      move(states[at]);
    },
  };
}
