/** The page of languages: a list of languages that is searched, and the list of fixed sentences to translate. */

const MOST = 12;

/**
 * A language is found by its own name, its English name, its name in the reader's language or its code. The select that
 * the list replaces stays in the form and holds the choice; without this script it is used as it is.
 */
export function languageList() {
  const list = /** @type {HTMLSelectElement | null} */ (document.querySelector("select[data-searched]"));
  if (list) makeSearchable(list);
}

/**
 * Lower case and without accents, so that "francais" finds "Français".
 * @param {string} text
 */
function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** @param {HTMLSelectElement} select */
function makeSearchable(select) {
  const options = [...select.options].map((option) => ({ option, text: plain(option.text) }));
  const box = document.createElement("div");
  const input = document.createElement("input");
  const list = document.createElement("ul");
  const status = document.createElement("p");
  let at = -1;

  box.className = "searched";
  Object.assign(input, { id: select.id, type: "text", autocomplete: "off", spellcheck: false });
  Object.assign(list, { id: `${select.id}-found`, hidden: true });
  const attributes = { role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", select.labels[0]?.textContent ?? "");
  status.className = "unseen";
  status.setAttribute("role", "status");
  select.removeAttribute("id");
  select.hidden = true;
  select.selectedIndex = -1;
  select.before(box);
  box.append(input, list, status);

  const shown = () => [.../** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[role=option]"))];

  function close() {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  /** @param {number} place */
  function mark(place) {
    const all = shown();
    at = all.length ? (place + all.length) % all.length : -1;
    all.forEach((each, number) => each.setAttribute("aria-selected", String(number === at)));
    if (at < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", all[at].id);
    all[at].scrollIntoView({ block: "nearest" });
  }

  /** @param {string} code */
  function choose(code) {
    select.value = code;
    input.value = select.selectedOptions[0]?.text ?? "";
    close();
  }

  function search() {
    const wanted = plain(input.value.trim());
    // A code comes first, then names that begin with what was typed.
    const rank = (/** @type {string} */ text) => (text.endsWith(`(${wanted})`) ? 0 : text.startsWith(wanted) ? 1 : 2);
    const matching = options.filter(({ text }) => text.includes(wanted)).sort((one, other) => rank(one.text) - rank(other.text));
    list.replaceChildren(...matching.slice(0, MOST).map(({ option }, number) => {
      const row = document.createElement("li");
      Object.assign(row, { id: `${list.id}-${number}`, lang: option.lang, textContent: option.text });
      row.setAttribute("role", "option");
      row.dataset.code = option.value;
      return row;
    }));
    const isNone = !matching.length;
    status.textContent = isNone ? select.dataset.wordsNone ?? "" : (select.dataset.wordsFound ?? "").replace("%(count)s", String(matching.length));
    status.classList.toggle("unseen", !isNone);
    select.selectedIndex = -1;
    list.hidden = isNone;
    input.setAttribute("aria-expanded", String(!isNone));
    mark(wanted ? 0 : -1);
  }

  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowDown: () => (list.hidden ? search() : mark(at + 1)),
    ArrowUp: () => (list.hidden ? search() : mark(at - 1)),
    Enter: () => choose(shown()[at]?.dataset.code ?? ""),
    Escape: close,
  };
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    const isChoosing = !list.hidden && at >= 0;
    if (!(event.key in keys) || (event.key === "Enter" && !isChoosing) || event.isComposing) return;
    event.preventDefault();
    keys[event.key]();
  });
  // Who types a name in full and goes on has chosen it.
  input.addEventListener("blur", () => {
    const wanted = plain(input.value.trim());
    const named = options.filter(({ text }) => text.split(/ · | \(|\)|, /u).includes(wanted));
    if (!list.hidden && named.length === 1) choose(named[0].option.value);
    close();
  });
  // Before the field loses the focus, which would close the list.
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-code]"));
    if (row) choose(row.dataset.code ?? "");
  });
}

/** Buttons insert the marks of placeholders; once a field is left it is said how many sentences are translated. */
export function phraseList() {
  const room = /** @type {HTMLElement | null} */ (document.querySelector("[data-phrases]"));
  room?.addEventListener("click", (event) => {
    /** @type {HTMLElement | null} */
    const button = /** @type {Element} */ (event.target).closest("[data-insert]");
    if (button) insert(button);
  });
  room?.addEventListener("change", () => {
    tell(/** @type {HTMLElement} */ (room.querySelector("[data-progress]")), room);
    for (const group of room.querySelectorAll("[data-group]")) {
      const title = document.getElementById(/** @type {string} */ (group.getAttribute("aria-labelledby")));
      tell(/** @type {HTMLElement} */ (title?.querySelector("[data-group-progress]")), group);
    }
  });
}

/** @param {HTMLElement} button */
function insert(button) {
  const field = /** @type {HTMLTextAreaElement | HTMLInputElement} */ (button.closest("form")?.querySelector("[name=words]"));
  const { selectionStart, selectionEnd } = field;
  field.setRangeText(/** @type {string} */ (button.dataset.insert), selectionStart ?? 0, selectionEnd ?? 0, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
}

/**
 * How many sentences of the list or of a group have words.
 * @param {HTMLElement} progress
 * @param {Element} list
 */
function tell(progress, list) {
  const fields = [.../** @type {NodeListOf<HTMLInputElement>} */ (list.querySelectorAll("[name=words]"))];
  const done = fields.filter((field) => field.value.trim()).length;
  const words = /** @type {string} */ (progress.dataset.words);
  progress.textContent = words.replace("%(done)s", String(done)).replace("%(all)s", String(fields.length));
}
