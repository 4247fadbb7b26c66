// The small behaviours of every page. Everything here improves a page that works without it, and every
// word shown comes from the page's own attributes, translated on the server.

function dismissible(toasts) {
  for (const toast of toasts.querySelectorAll(".toast")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = toasts.dataset.dismiss;
    button.addEventListener("click", () => {
      toast.remove();
      document.getElementById("main")?.focus({ preventScroll: true });
    });
    toast.append(button);
  }
}

// A link to a page of its own (data-dialog="id") opens the same thing as a dialog, where both exist.
function opensDialogs(event) {
  const opener = event.target.closest("[data-dialog]");
  const closer = event.target.closest("[data-close-dialog]");
  if (closer) {
    event.preventDefault();
    closer.closest("dialog").close();
  } else if (opener && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    const dialog = document.getElementById(opener.dataset.dialog);
    if (typeof dialog?.showModal === "function") {
      event.preventDefault();
      dialog.showModal();
    }
  } else if (event.target instanceof HTMLDialogElement) {
    const box = event.target.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right
      && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) event.target.close();
  }
}

function copies(place) {
  const source = place.querySelector("input");
  const button = document.createElement("button");
  const said = document.createElement("span");
  button.type = "button";
  button.className = "button";
  button.textContent = place.dataset.copy;
  said.setAttribute("role", "status");
  said.className = "unseen";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.value);
    } catch {
      // Without a secure context there is no clipboard: the text is selected, ready for the person's own keys.
      source.select();
      said.textContent = place.dataset.selected;
      return;
    }
    button.textContent = said.textContent = place.dataset.copied;
    setTimeout(() => {
      button.textContent = place.dataset.copy;
      said.textContent = "";
    }, 4000);
  });
  place.append(button, said);
}

// The link of an error summary leads to the field itself, its label in sight.
function leadsToField(event) {
  const link = event.target.closest(".error-summary a[href^='#']");
  const target = link && document.getElementById(link.hash.slice(1));
  if (!target) return;
  event.preventDefault();
  const field = target.matches("input, select, textarea") ? target : target.querySelector("input, select, textarea");
  (target.closest(".field") ?? target).scrollIntoView();
  (field ?? target).focus({ preventScroll: true });
}

// On a phone the tabs scroll sideways; the one that is open is brought into sight.
function inSight(tab) {
  const strip = tab.closest("ul");
  const [outer, inner] = [strip.getBoundingClientRect(), tab.getBoundingClientRect()];
  strip.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
}

document.querySelectorAll(".tabs a[aria-current]").forEach(inSight);
document.querySelectorAll("[data-toasts]").forEach(dismissible);
document.querySelectorAll("[data-copy]").forEach(copies);
document.addEventListener("click", opensDialogs);
document.addEventListener("click", leadsToField);
document.querySelector(".error-summary")?.focus();
