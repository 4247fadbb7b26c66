/** The list of fixed sentences: marks that a button inserts, and how many sentences are translated. */

export function phraseList() {
  const room = /** @type {HTMLElement | null} */ (document.querySelector("[data-phrases]"));
  room?.addEventListener("click", (event) => {
    /** @type {HTMLElement | null} */
    const button = /** @type {Element} */ (event.target).closest("[data-insert]");
    if (button) insert(button);
  });
  room?.addEventListener("change", () => tellAll(room));
}

/** @param {HTMLElement} button */
function insert(button) {
  const field = /** @type {HTMLTextAreaElement | HTMLInputElement} */ (button.closest("form")?.querySelector("[name=words]"));
  const { selectionStart, selectionEnd } = field;
  field.setRangeText(/** @type {string} */ (button.dataset.insert), selectionStart ?? 0, selectionEnd ?? 0, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
}

/** @param {Element} within */
function counted(within) {
  const fields = [.../** @type {NodeListOf<HTMLInputElement>} */ (within.querySelectorAll("[name=words]"))];
  return { done: fields.filter((field) => field.value.trim()).length, all: fields.length };
}

/**
 * @param {HTMLElement} place
 * @param {{done: number, all: number}} numbers
 */
function tell(place, { done, all }) {
  const words = /** @type {string} */ (place.dataset.words);
  place.textContent = words.replace("%(done)s", String(done)).replace("%(all)s", String(all));
}

/**
 * Once a field is left.
 * @param {HTMLElement} room
 */
function tellAll(room) {
  tell(/** @type {HTMLElement} */ (room.querySelector("[data-progress]")), counted(room));
  for (const group of room.querySelectorAll("[data-group]")) {
    const title = document.getElementById(/** @type {string} */ (group.getAttribute("aria-labelledby")));
    tell(/** @type {HTMLElement} */ (title?.querySelector("[data-group-progress]")), counted(group));
  }
}
