/** A slider beside each number that has one; both always say the same. */
export function dials(within) {
  for (const place of within.querySelectorAll("[data-dial]:not([data-has-slider])")) {
    const number = place.querySelector("input");
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = place.dataset.low;
    slider.max = place.dataset.high;
    slider.step = place.dataset.step;
    slider.value = number.value;
    slider.setAttribute("aria-label", place.querySelector("label").textContent.trim());
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
