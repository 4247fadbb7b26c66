/**
 * A list of languages that is searched: by a language's own name, its English name, its name in the reader's language or
 * its code. The select that it replaces stays in the form and holds the choice; without this script it is used as it is.
 */

const MOST = 12;

export function languageList() {
  const list = /** @type {HTMLSelectElement | null} */ (document.querySelector("select[data-searched]"));
  if (list) searched(list);
}

/**
 * Lower case and without accents, so that "francais" finds "Français".
 * @param {string} text
 */
function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** @param {HTMLSelectElement} select */
function searched(select) {
  const options = [...select.options].map((option) => ({ option, text: plain(option.text) }));
  const box = document.createElement("div");
  const input = document.createElement("input");
  const found = document.createElement("ul");
  const said = document.createElement("p");
  let at = -1;

  box.className = "searched";
  Object.assign(input, { id: select.id, type: "text", autocomplete: "off", spellcheck: false });
  Object.assign(found, { id: `${select.id}-found`, hidden: true });
  const attributes = { role: "combobox", "aria-expanded": "false", "aria-controls": found.id, "aria-autocomplete": "list" };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  found.setAttribute("role", "listbox");
  found.setAttribute("aria-label", select.labels[0]?.textContent ?? "");
  said.className = "unseen";
  said.setAttribute("role", "status");
  select.removeAttribute("id");
  select.hidden = true;
  select.selectedIndex = -1;
  select.before(box);
  box.append(input, found, said);

  const shown = () => [.../** @type {NodeListOf<HTMLElement>} */ (found.querySelectorAll("[role=option]"))];

  function close() {
    found.hidden = true;
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
    found.replaceChildren(...matching.slice(0, MOST).map(({ option }, number) => {
      const row = document.createElement("li");
      Object.assign(row, { id: `${found.id}-${number}`, lang: option.lang, textContent: option.text });
      row.setAttribute("role", "option");
      row.dataset.code = option.value;
      return row;
    }));
    const isNone = !matching.length;
    said.textContent = isNone ? select.dataset.wordsNone ?? "" : (select.dataset.wordsFound ?? "").replace("%(count)s", String(matching.length));
    said.classList.toggle("unseen", !isNone);
    select.selectedIndex = -1;
    found.hidden = isNone;
    input.setAttribute("aria-expanded", String(!isNone));
    mark(wanted ? 0 : -1);
  }

  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowDown: () => (found.hidden ? search() : mark(at + 1)),
    ArrowUp: () => (found.hidden ? search() : mark(at - 1)),
    Enter: () => choose(shown()[at]?.dataset.code ?? ""),
    Escape: close,
  };
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    const isChoosing = !found.hidden && at >= 0;
    if (!(event.key in keys) || (event.key === "Enter" && !isChoosing) || event.isComposing) return;
    event.preventDefault();
    keys[event.key]();
  });
  // Who types a name in full and goes on has chosen it.
  input.addEventListener("blur", () => {
    const wanted = plain(input.value.trim());
    const named = options.filter(({ text }) => text.split(/ · | \(|\)|, /u).includes(wanted));
    if (!found.hidden && named.length === 1) choose(named[0].option.value);
    close();
  });
  // Before the field loses the focus, which would close the list.
  found.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-code]"));
    if (row) choose(row.dataset.code ?? "");
  });
}
