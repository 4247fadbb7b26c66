/**
 * The browser's Back and Forward inside the page, and the exit. An entry of the history has only its depth; which
 * screen that is stays in memory.
 */

import { START } from "./journey.js";

/** Where the design names no page; contacts nobody, and works without a network. */
const NEUTRAL = "about:blank";
const PRESSES = 3;
const WITHIN = 5000;

/** @param {{state: {at?: number} | null, pushState: (state: {at: number}, unused: string) => void, go: (delta: number) => void}} history */
export function trailOf(history) {
  /** @type {Map<number, Intake.Screen>} */
  const screens = new Map();
  let rewinding = false;
  let depth = history.state?.at ?? 0;
  return {
    depth: () => depth,
    back: () => history.go(-1),
    /** @param {Intake.Screen} screen */
    push(screen) {
      depth += 1;
      screens.set(depth, screen);
      history.pushState({ at: depth }, "");
    },
    /**
     * The screen of the entry that was reached; null where our own code moved there.
     * @param {{at?: number} | null} state
     */
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

/**
 * Exit this page: clear it before anything else happens.
 *
 * @param {() => void} forget  clears memory and storage
 * @param {() => number} depth  how many entries of the history are ours
 * @param {string | undefined} to  the page that the design names
 */
export function leave(forget, depth, to) {
  forget();
  document.body.replaceChildren();
  const go = () => location.replace(to && navigator.onLine ? to : NEUTRAL);
  if (depth() === 0) return go();
  // First back to our first entry, so that Back does not lead from the blank page into the survey again.
  const late = setTimeout(go, 200);
  addEventListener("popstate", () => (clearTimeout(late), go()), { once: true });
  history.go(-depth());
}

/**
 * Shift three times exits too.
 *
 * @param {() => void} exit
 * @param {(left: number) => void} tell  how many presses are still needed; 0: the count has lapsed
 */
export function leaveByKeyboard(exit, tell) {
  let pressed = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let lapse;
  const reset = () => {
    if (pressed) tell(0);
    pressed = 0;
  };
  addEventListener("keydown", (event) => {
    clearTimeout(lapse);
    if (event.key !== "Shift" || event.repeat) return reset();
    pressed += 1;
    if (pressed === PRESSES) return exit();
    tell(PRESSES - pressed);
    lapse = setTimeout(reset, WITHIN);
  });
}
