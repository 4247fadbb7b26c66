/** The switch between languages: everything is in the page already, so it asks nobody. */

/**
 * @param {{languages: {code: string, interface: string}[]}} page
 * @param {(language: string) => void} change
 */
export function offerLanguages(page, change) {
  for (const button of document.querySelectorAll("button[data-language]")) {
    button.addEventListener("click", () => change(button.dataset.language));
  }
}

/** Shows what stands in the page in every language in this one only, and names it to screen readers. */
export function turnTo(voice) {
  document.documentElement.lang = voice.interface;
  for (const button of document.querySelectorAll("button[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === voice.language));
  }
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = voice.word(element.dataset.word);
  }
  for (const block of document.querySelectorAll("[data-in]")) {
    block.hidden = block.dataset.in !== voice.language;
  }
}

/** From here on the script is there: what needs it appears, what said that it is missing goes. */
export function revealScripted() {
  for (const element of document.querySelectorAll("[data-waiting]")) element.remove();
  for (const element of document.querySelectorAll("[data-needs-script]")) element.hidden = false;
}
