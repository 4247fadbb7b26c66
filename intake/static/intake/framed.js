/**
 * The page inside another site. Only the page of a survey that names sites for this loads it, and without a frame it does
 * nothing. Nothing is ever told to the page around: no message, no height, which would follow the questions.
 *
 * Somebody could be made to press what they do not see (clickjacking). So Agree and Send act only once the browser says
 * that the button has been in sight for a while, with nothing over it (IntersectionObserver v2), or, where a browser does
 * not say that, once it has been held.
 */

import { addFramed } from "./device.js";
import { memoryHistory } from "./memory_history.js";

/** Milliseconds for which a button must have been in sight, and for which it is held. */
const LOOK = 800;
const HOLD = 500;
const GUARDED = "[data-agree], [data-send]";
const KEYS = ["Enter", " "];

/** Whether something has been in sight for long enough. */
export function lookGate() {
  /** @type {number | null} */
  let since = null;
  return {
    /** @type {(isVisible: boolean, now: number) => void} */
    see: (isVisible, now) => void (since = isVisible ? (since ?? now) : null),
    /** @param {number} now */
    isOpen: (now) => since !== null && now - since >= LOOK,
  };
}

/** Whether a press was long enough. */
export function holdGate() {
  /** @type {number | null} */
  let since = null;
  return {
    /** @param {number} now */
    down: (now) => void (since ??= now),
    /** @param {number} now */
    up(now) {
      const isHeld = since !== null && now - since >= HOLD;
      since = null;
      return isHeld;
    },
    isDown: () => since !== null,
  };
}

/**
 * The survey on a page of its own, with what came in the fragment of this one's address.
 * @param {string} path
 * @param {string | null} invitation
 * @param {string} panel
 */
export function ownAddress(path, invitation, panel) {
  const parts = [...(invitation ? [invitation] : []), ...(panel ? [`panel=${encodeURIComponent(panel)}`] : [])];
  return parts.length ? `${path}#${parts.join("&")}` : path;
}

/** @returns {Intake.Framed} */
function framed() {
  const isWatched = "isVisible" in IntersectionObserverEntry.prototype;
  /** @type {Map<Element, ReturnType<typeof lookGate>>} */
  let looks = new Map();
  const hold = holdGate();
  let isPassing = false;
  let hint = "";
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      looks.get(entry.target)?.see(/** @type {{isVisible?: boolean}} */ (entry).isVisible === true && entry.intersectionRatio > 0.9, performance.now());
    }
  }, /** @type {IntersectionObserverInit} */ ({ threshold: [0, 0.95], trackVisibility: true, delay: 100 }));

  /** @param {Event} event */
  const guardedOf = ({ target }) => (target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(GUARDED)) : null);

  /** @param {HTMLElement} button */
  const hintOf = (button) => /** @type {HTMLElement} */ (button.parentElement?.querySelector("[data-hint]"));

  /** @param {Event} event */
  function release(event) {
    const button = guardedOf(event);
    const isHeld = hold.up(event.timeStamp);
    if (!button) return;
    if (!isHeld) return tell(button);
    isPassing = true;
    button.click();
    isPassing = false;
  }

  /**
   * Says it anew, so that a screen reader reads it again.
   * @param {HTMLElement} button
   */
  function tell(button) {
    const place = hintOf(button);
    place.textContent = "";
    setTimeout(() => (place.textContent = hint), 50);
  }

  document.addEventListener("click", (event) => {
    const button = guardedOf(event);
    // A click without a pointer or key is a screen reader's: no other page can make one.
    if (!button || isPassing || (!isWatched && event.detail === 0 && !hold.isDown())) return;
    if (isWatched && looks.get(button)?.isOpen(performance.now())) return;
    event.preventDefault();
    event.stopPropagation();
    if (isWatched) tell(button);
  }, true);
  if (!isWatched) {
    const press = (/** @type {Event} */ event) => guardedOf(event) && hold.down(event.timeStamp);
    const isOurs = (/** @type {KeyboardEvent} */ event) => KEYS.includes(event.key) && guardedOf(event);
    addEventListener("pointerdown", press, true);
    addEventListener("pointerup", (event) => hold.isDown() && release(event), true);
    addEventListener("pointercancel", (event) => hold.up(event.timeStamp), true);
    addEventListener("contextmenu", (event) => guardedOf(event) && event.preventDefault(), true);
    addEventListener("keydown", (event) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      if (!event.repeat) press(event);
    }, true);
    addEventListener("keyup", (event) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      release(event);
    }, true);
  }

  return {
    history: memoryHistory,
    arrange(invitation, panel, isStopped) {
      const address = ownAddress(location.pathname, invitation, panel);
      for (const block of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-framed]"))) block.hidden = false;
      for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("[data-alone]"))) link.href = address;
      if (isStopped) for (const button of document.querySelectorAll("[data-agree]")) button.remove();
    },
    link(voice) {
      const link = Object.assign(document.createElement("a"), { className: "button primary", target: "_blank", rel: "noopener noreferrer" });
      link.href = location.pathname;
      link.textContent = voice.word("framed_open");
      return link;
    },
    watch(voice) {
      observer.disconnect();
      looks = new Map();
      hint = voice.word(isWatched ? "framed_look" : "framed_hold");
      for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(GUARDED))) {
        if (!hintOf(button)) {
          const place = document.createElement("span");
          place.setAttribute("role", "status");
          place.dataset.hint = "";
          place.id = `hint-${looks.size}`;
          button.setAttribute("aria-describedby", place.id);
          button.after(place);
        }
        hintOf(button).textContent = isWatched ? "" : hint;
        looks.set(button, lookGate());
        observer.observe(button);
      }
    },
  };
}

if (typeof window !== "undefined" && window.top !== window) addFramed(framed());
