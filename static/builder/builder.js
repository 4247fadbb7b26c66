/** The builder's page. Without this script every button still works, by a page of its own. */

import { dials } from "./dials.js";
import { dragging } from "./dragging.js";
import { keeping } from "./keeping.js";

const status = document.querySelector("[data-saved]");
const said = document.querySelector("[data-said]");
const { pending, flush } = keeping(status);

// Whatever changes the page waits until all that was typed is stored.
document.addEventListener("htmx:confirm", (event) => {
  if (event.detail.elt.matches("[data-live]") || !pending()) return;
  event.preventDefault();
  flush().then((isStored) => {
    if (isStored && event.detail.elt.isConnected) event.detail.issueRequest(true);
  });
});

// What moves with the values must not replace a button that is being pressed; it comes once the button is let go.
let pressed = null;
let late = null;
addEventListener("pointerdown", (event) => {
  pressed = event.target.closest("button");
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

// A form that was not accepted comes back with what was sent; htmx would leave errors out.
document.addEventListener("htmx:beforeSwap", (event) => {
  if ([409, 422].includes(event.detail.xhr.status)) {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  }
});

document.addEventListener("builder:done", (event) => {
  said.textContent = event.detail.said;
  lead(event.detail.focus);
});

document.addEventListener("htmx:afterSettle", (event) => {
  dials(document);
  const outline = document.getElementById("questionnaire");
  const words = outline?.dataset.lackingWords;
  if (words) document.querySelector("[data-lacking]").textContent = words;
  const goal = event.detail.requestConfig?.elt?.dataset?.focus;
  if (goal) lead(goal);
  outline?.querySelector(".error-summary")?.focus();
});

// What was refused before is over once something else is tried.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt.matches("[data-live]")) return;
  for (const toast of document.querySelectorAll("[data-toast].error")) toast.remove();
});

document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) event.detail.elt.closest("[data-toast]")?.remove();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[aria-disabled='true']")) event.preventDefault();
  const toast = event.target.closest("[data-put-away]")?.closest("[data-toast]");
  if (!toast) return;
  toast.remove();
  document.getElementById("main").focus({ preventScroll: true });
});

// Choosing another kind is pressing the button beside it, which then need not be seen.
document.addEventListener("change", (event) => {
  if (event.target.id) document.querySelector(`[data-pressed-by="${CSS.escape(event.target.id)}"]`)?.click();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || !event.target.matches("form[data-keeps] input")) return;
  event.preventDefault();
  const answer = event.target.closest("[data-answer]");
  const adds = answer && event.target.form.querySelector("[data-adds-answer]");
  if (!adds) return;
  adds.value = `answer-add ${answer.dataset.answer}`;
  adds.click();
});

// On the translation page, what is missing says so until something is written.
document.addEventListener("input", (event) => {
  const pair = event.target.closest("[data-pair]");
  if (!pair) return;
  const isMissing = !event.target.value.trim();
  pair.classList.toggle("missing", isMissing);
  pair.querySelector("[data-lack]").hidden = !isMissing;
});

dragging((key, section, row) => {
  const outline = document.getElementById("questionnaire");
  const form = outline.querySelector(`[data-key="${CSS.escape(key)}"] > form.tools`);
  // The button pressed last would say what to do, too.
  document.activeElement?.blur();
  const values = { do: "move", key, section, row };
  for (const [name, value] of Object.entries(values)) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  form.requestSubmit();
});

function lead(id) {
  const place = id && document.getElementById(id);
  if (!place) return;
  const goal = place.matches("[data-focus-within]") ? place.querySelector("input, textarea, select") : place;
  goal.focus();
  goal.closest("[data-part], .block, .sheet")?.scrollIntoView({ block: "nearest" });
}

/** Whoever comes to mend something finds its field open. */
function openPlaceOfAddress() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const elsewhere = place?.closest(".lacks li")?.querySelector("[data-translates]");
  if (elsewhere) return location.replace(`${elsewhere.href.split("#")[0]}${location.hash}`);
  const closed = place?.closest(".lacks") && place.closest(".block:not(.open), .part:not(.open)");
  const opener = closed?.querySelector("[data-opens]");
  if (!opener) return;
  opener.dataset.focus = place.id;
  opener.click();
}

dials(document);
// By then htmx knows the links of the page.
addEventListener("load", openPlaceOfAddress);
