// A button that prints, where there is a script to do it.

for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-print]"))) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button primary";
  button.textContent = place.dataset.print ?? "";
  button.addEventListener("click", () => window.print());
  const row = document.createElement("p");
  row.className = "buttons";
  row.append(button);
  place.after(row);
}
