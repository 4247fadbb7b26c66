// The small behaviours of every page. Everything here improves a page that works without it, and every
// word shown comes from the page's own attributes, translated on the server.

/** @param {HTMLElement} toasts */
function dismissible(toasts) {
  for (const toast of toasts.querySelectorAll(".toast")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = toasts.dataset.dismiss ?? "";
    button.addEventListener("click", () => {
      toast.remove();
      document.getElementById("main")?.focus({ preventScroll: true });
    });
    toast.append(button);
  }
}

/**
 * A link to a page of its own (data-dialog="id") opens the same thing as a dialog, where both exist.
 * @param {MouseEvent} event
 */
function opensDialogs(event) {
  const target = /** @type {Element} */ (event.target);
  /** @type {HTMLElement | null} */
  const opener = target.closest("[data-dialog]");
  const closer = target.closest("[data-close-dialog]");
  if (closer) {
    event.preventDefault();
    /** @type {HTMLDialogElement} */ (closer.closest("dialog")).close();
  } else if (opener && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    const id = /** @type {string} */ (opener.dataset.dialog);
    const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById(id));
    if (typeof dialog?.showModal === "function") {
      event.preventDefault();
      dialog.showModal();
    }
  } else if (target instanceof HTMLDialogElement) {
    const box = target.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right
      && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) target.close();
  }
}

/** @param {HTMLElement} place */
function copies(place) {
  const words = /** @type {Record<string, string>} */ (place.dataset);
  const source = /** @type {HTMLInputElement | HTMLTextAreaElement} */ (place.querySelector("input, textarea"));
  const button = document.createElement("button");
  const said = document.createElement("span");
  button.type = "button";
  button.className = "button";
  button.textContent = words.copy;
  said.setAttribute("role", "status");
  said.className = "unseen";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.value);
    } catch {
      // Without a secure context there is no clipboard: the text is selected, ready for the person's own keys.
      source.select();
      said.textContent = words.selected;
      return;
    }
    button.textContent = said.textContent = words.copied;
    setTimeout(() => {
      button.textContent = words.copy;
      said.textContent = "";
    }, 4000);
  });
  place.append(button, said);
}

/**
 * The link of an error summary leads to the field itself, its label in sight.
 * @param {MouseEvent} event
 */
function leadsToField(event) {
  /** @type {HTMLAnchorElement | null} */
  const link = /** @type {Element} */ (event.target).closest(".error-summary a[href^='#']");
  const target = link && document.getElementById(link.hash.slice(1));
  if (!target) return;
  event.preventDefault();
  const fields = "input, select, textarea";
  /** @type {HTMLElement | null} */
  const field = target.matches(fields) ? target : target.querySelector(fields);
  (target.closest(".field") ?? target).scrollIntoView();
  (field ?? target).focus({ preventScroll: true });
}

/**
 * On a phone the tabs scroll sideways. Keep the open one in sight, also after the phone is turned.
 * @param {Element} tab
 */
function inSight(tab) {
  const strip = /** @type {HTMLElement} */ (tab.closest("ul"));
  new ResizeObserver(() => {
    const [outer, inner] = [strip.getBoundingClientRect(), tab.getBoundingClientRect()];
    strip.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }).observe(strip);
}

/** Milliseconds in which a second press is taken for the first: a form whose answer is a file stays and can be sent again. */
const TWICE = 3000;
/** @type {{form: EventTarget | null, button: HTMLElement | null, time: number}} */
let last = { form: null, button: null, time: -TWICE };

/**
 * A form that makes something is sent once, though its button is pressed twice before the next page is there.
 * @param {SubmitEvent} event
 */
function sendsOnce(event) {
  const { target: form, submitter: button, timeStamp: time } = event;
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== "post") return;
  if (form === last.form && button === last.button && time - last.time < TWICE) event.preventDefault();
  else last = { form, button, time };
}

document.querySelectorAll(".tabs a[aria-current]").forEach(inSight);
/** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-toasts]")).forEach(dismissible);
/** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-copy]")).forEach(copies);
document.addEventListener("click", opensDialogs);
document.addEventListener("click", leadsToField);
document.addEventListener("submit", sendsOnce);
/** @type {HTMLElement | null} */ (document.querySelector(".error-summary"))?.focus();
