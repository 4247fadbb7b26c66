/** Sliders beside numbers, and what is said of a required text that is missing. */

/** @typedef {HTMLInputElement | HTMLTextAreaElement} TextField */

/** Says that a text is required, once the person has left its field without writing one. */
export function required() {
  document.addEventListener("focusout", (event) => {
    const field = /** @type {TextField} */ (event.target);
    // A field that went with its form was not left.
    if (field.isConnected && field.matches("#questionnaire [data-wanted]") && !field.value.trim()) say(field);
  });
  document.addEventListener("input", (event) => {
    const field = /** @type {TextField} */ (event.target);
    if (field.value.trim()) unsay(field);
  });
}

/** @param {TextField} field */
function say(field) {
  if (noteOf(field)) return;
  const outline = /** @type {HTMLElement} */ (document.getElementById("questionnaire"));
  const note = Object.assign(document.createElement("p"), {
    id: `${field.id}-required`,
    className: "errorlist",
    textContent: outline.dataset.wordsRequired ?? "",
  });
  field.after(note);
  field.setAttribute("aria-describedby", [field.getAttribute("aria-describedby"), note.id].filter(Boolean).join(" "));
}

/** @param {TextField} field */
function unsay(field) {
  const note = noteOf(field);
  if (!note) return;
  note.remove();
  const others = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id !== note.id);
  if (others.length) field.setAttribute("aria-describedby", others.join(" "));
  else field.removeAttribute("aria-describedby");
}

/** @param {TextField} field */
const noteOf = (field) => (field.id ? document.getElementById(`${field.id}-required`) : null);

/**
 * Adds a slider beside number fields with `data-dial` and synchronises the two.
 * @param {ParentNode} within
 */
export function dials(within) {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll("[data-dial]:not([data-has-slider])"))) {
    const number = /** @type {HTMLInputElement} */ (place.querySelector("input"));
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = /** @type {string} */ (place.dataset.low);
    slider.max = /** @type {string} */ (place.dataset.high);
    slider.step = /** @type {string} */ (place.dataset.step);
    slider.value = number.value;
    slider.setAttribute("aria-label", /** @type {HTMLElement} */ (place.querySelector("label")).textContent.trim());
    slider.addEventListener("input", () => {
      number.value = slider.value;
      number.dispatchEvent(new Event("input", { bubbles: true }));
    });
    number.addEventListener("input", () => {
      slider.value = number.value;
    });
    place.dataset.hasSlider = "";
    number.before(slider);
  }
}
