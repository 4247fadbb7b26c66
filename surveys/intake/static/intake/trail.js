/**
 * The browser's Back and Forward inside the page. An entry of the history says how deep it lies and nothing
 * else; which screen that is stands in memory only and is gone with it.
 */

import { START } from "./journey.js";

/** @param {History} history */
export function trailOf(history) {
  const screens = new Map();
  let rewinding = false;
  let depth = history.state?.at ?? 0;
  return {
    depth: () => depth,
    push(screen) {
      depth += 1;
      screens.set(depth, screen);
      history.pushState({ at: depth }, "");
    },
    /** The screen of the entry that has been reached; null where nobody went but we ourselves. */
    reached(state) {
      depth = state?.at ?? 0;
      const own = rewinding && depth === 0;
      rewinding = false;
      return own ? null : (screens.get(depth) ?? START);
    },
    /** Entries left over from before a reload lead nowhere: back to the first, so that Back leaves at once. */
    rewind() {
      screens.clear();
      rewinding = depth > 0;
      if (rewinding) history.go(-depth);
    },
  };
}
