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
