/** What a person has opened in the questionnaire stays open when the server's answer replaces it. */

/**
 * Of an element with an id, the details with this summary.
 * @typedef {{id: string, words: string}} Place
 */

const OPEN = "#questionnaire details[open] > summary";

/**
 * @param {Element} summary
 * @returns {Place}
 */
const placeOf = (summary) => ({
  id: summary.closest("[id]")?.id ?? "",
  words: summary.textContent?.trim() ?? "",
});

/** The same for what is replaced while somebody types: estimates of a question. */
export function watchDetails() {
  /** @type {ReturnType<typeof openDetails>} */
  let before = { open: [], focused: null };
  document.addEventListener("htmx:beforeSwap", () => {
    before = openDetails();
  });
  document.addEventListener("htmx:afterSwap", () => {
    reopen(before)?.focus();
  });
}

/** Which details are open now, and which summary has the focus. */
export function openDetails() {
  const focused = document.activeElement?.closest("#questionnaire summary");
  return { open: [...document.querySelectorAll(OPEN)].map(placeOf), focused: focused ? placeOf(focused) : null };
}

/**
 * Opens the same details in the page as it is now; the summary that had the focus, if it is still there.
 * @param {ReturnType<typeof openDetails>} before
 */
export function reopen({ open, focused }) {
  for (const place of open) summaryAt(place)?.parentElement?.setAttribute("open", "");
  return focused && summaryAt(focused);
}

/**
 * @param {Place} place
 * @returns {HTMLElement | undefined}
 */
function summaryAt({ id, words }) {
  /** @type {NodeListOf<HTMLElement>} */
  const summaries = document.querySelectorAll("#questionnaire summary");
  return [...summaries].find((each) => each.closest("[id]")?.id === id && each.textContent?.trim() === words);
}
