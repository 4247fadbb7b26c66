// Ticking a rule unfolds the form for many rules and says that the decision is about the ticked ones; the form works as well without this.

document.addEventListener("change", (event) => {
  if (/** @type {HTMLInputElement} */ (event.target).name !== "rule") return;
  /** @type {HTMLInputElement | null} */
  const ticked = document.querySelector('input[name="which"][value="ticked"]');
  if (!ticked) return;
  ticked.checked = true;
  const fold = ticked.closest("details");
  if (fold) fold.open = true;
});
