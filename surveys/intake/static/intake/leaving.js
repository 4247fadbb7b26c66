/** Exit this page: a button, or Shift three times. What was on it is gone before anything else happens. */

/** Contacts nobody, and works without a network. */
const NEUTRAL = "about:blank";
const PRESSES = 3;
const WITHIN = 5000;

/**
 * @param {() => void} forget  clears memory and storage
 * @param {() => number} depth  how many entries of the history are ours
 */
export function leave(forget, depth) {
  forget();
  document.body.replaceChildren();
  const go = () => location.replace(NEUTRAL);
  if (depth() === 0) return go();
  // First back to our first entry, so that Back does not lead from the blank page into the survey again.
  addEventListener("popstate", go, { once: true });
  setTimeout(go, 200);
  history.go(-depth());
}

/**
 * @param {() => void} exit
 * @param {(left: number) => void} tell  how many presses are still needed; 0: the count has lapsed
 */
export function leaveByKeyboard(exit, tell) {
  let pressed = 0;
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
