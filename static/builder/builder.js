/** The builder's page. Without this script every button still works, by a page of its own. */

import { dragging } from "./dragging.js";
import { autosave } from "./autosave.js";
import { allAnswered, commands, isWaiting } from "./commands.js";
import { dials, required } from "./fields.js";
import { languageList, phraseList } from "./languages.js";
import { regions } from "./regions.js";
import { idOf, rowOf } from "./rows.js";

const status = /** @type {HTMLElement} */ (document.querySelector("[data-saved]"));
const announcement = /** @type {HTMLElement} */ (document.querySelector("[data-said]"));
const { pending, flush, hold, idle, say, words, unanswered } = autosave(status);
commands({ flush, hold, idle, say, words, lead, afterReplacing, unanswered });

// A link is followed once all that was typed is saved; where it cannot be, the browser asks.
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a");
  if (!link || event.defaultPrevented || !(pending() || isWaiting()) || !leaves(event, link)) return;
  event.preventDefault();
  allAnswered().then(flush).finally(() => location.assign(link.href));
});

/**
 * Whether the click opens another page in the place of this one.
 * @param {MouseEvent} event
 * @param {HTMLAnchorElement} link
 */
function leaves(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target || link.hasAttribute("download")) return false;
  return link.href.split("#")[0] !== location.href.split("#")[0];
}

// A fragment must not replace a button that is being pressed; it is swapped in once the button is released.
/** @type {Element | null} */
let pressed = null;
/** @type {Element | null} */
let late = null;
addEventListener("pointerdown", (event) => {
  pressed = /** @type {Element} */ (event.target).closest("button");
});
for (const over of ["pointerup", "pointercancel"]) {
  addEventListener(over, () => setTimeout(() => {
    pressed = null;
    late?.dispatchEvent(new Event("input"));
    late = null;
  }));
}
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { elt } = event.detail;
  if (!elt.matches("[data-live]") || !elt.contains(pressed)) return;
  event.preventDefault();
  late = elt;
});

document.addEventListener("htmx:afterSettle", () => dials(document));

/**
 * After the questionnaire has been replaced.
 * @param {string} outcome
 */
function afterReplacing(outcome) {
  dials(document);
  announcement.textContent = outcome;
  const outline = /** @type {HTMLElement} */ (document.getElementById("questionnaire"));
  /** @type {HTMLElement} */ (document.querySelector("[data-lacking]")).textContent = outline.dataset.lackingWords ?? "";
  /** @type {HTMLElement | null} */ (outline.querySelector(".error-summary"))?.focus();
}

document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("[aria-disabled='true']")) event.preventDefault();
  const toast = target.closest("[data-put-away]")?.closest("[data-toast]");
  if (!toast) return;
  toast.remove();
  /** @type {HTMLElement} */ (document.getElementById("main")).focus({ preventScroll: true });
});

// Choosing another kind presses the button beside it, which can then be hidden; so does a range that limits follow.
document.addEventListener("change", (event) => {
  const { id } = /** @type {HTMLSelectElement} */ (event.target);
  /** @type {HTMLElement | null} */
  const button = id ? document.querySelector(`[data-pressed-by="${CSS.escape(id)}"], [data-settled-by~="${CSS.escape(id)}"]`) : null;
  button?.click();
});

document.addEventListener("keydown", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (event.key !== "Enter" || event.isComposing || !field.matches("form[data-keeps] input")) return;
  event.preventDefault();
  const row = field.closest("[data-answer]") && rowOf(field);
  /** @type {HTMLButtonElement | null | undefined} */
  const adds = row && field.form?.querySelector("[data-adds-answer]");
  if (!row || !adds) return;
  adds.dataset.below = idOf(row);
  adds.click();
  delete adds.dataset.below;
});

// On the translation page, a missing text is marked until something is written.
document.addEventListener("input", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const pair = field.closest("[data-pair]");
  if (!pair) return;
  const isMissing = !field.value.trim();
  pair.classList.toggle("missing", isMissing);
  /** @type {HTMLElement} */ (pair.querySelector("[data-lack]")).hidden = !isMissing;
});

languageList();
phraseList();
dragging((key, section, row) => {
  const outline = /** @type {HTMLElement} */ (document.getElementById("questionnaire"));
  const place = `[data-key="${CSS.escape(key)}"] > form.tools`;
  const form = /** @type {HTMLFormElement} */ (outline.querySelector(place));
  // Otherwise the button that was pressed last would send its value too.
  /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  const values = { do: "move", key, section, row };
  for (const [name, value] of Object.entries(values)) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  form.requestSubmit();
});

/** @param {string} id */
function lead(id) {
  const place = id && document.getElementById(id);
  if (!place) return;
  const within = place.matches("[data-focus-within]") ? place.querySelector("input, textarea, select") : place;
  const goal = /** @type {HTMLElement} */ (within);
  goal.focus();
  goal.closest("[data-part], .block, .sheet")?.scrollIntoView({ block: "nearest" });
}

/** Opens the form of the field that the address points to. */
function openPlaceOfAddress() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  /** @type {HTMLAnchorElement | null | undefined} */
  const elsewhere = place?.closest(".lacks li")?.querySelector("[data-translates]");
  if (elsewhere) return location.replace(`${elsewhere.href.split("#")[0]}${location.hash}`);
  const closed = place?.closest(".lacks") && place.closest(".block:not(.open), .part:not(.open)");
  /** @type {HTMLElement | null | undefined} */
  const opener = closed?.querySelector("[data-opens]");
  if (place?.matches("[data-focus-within], select")) return lead(place.id);
  if (!place || !opener) return;
  opener.dataset.focus = place.id;
  opener.click();
}

dials(document);
regions();
required();
// htmx has processed the links of the page by then.
addEventListener("load", openPlaceOfAddress);
