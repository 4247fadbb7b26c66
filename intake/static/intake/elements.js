/** Elements made from data. Whatever a design says becomes text, never markup: nothing here parses HTML. */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Intake.Attributes} attributes  `on` holds listeners; null and false leave an attribute out
 * @param {...Intake.Child} children
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, listener] of Object.entries(/** @type {Record<string, EventListener>} */ (value))) element.addEventListener(event, listener);
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * A text of the design in an element, marked with its language where that is not the page's.
 * @param {Intake.Voice} voice
 * @param {Intake.Said} said
 * @param {"span" | "p"} name
 * @param {Intake.Attributes} attributes
 */
export function told(voice, said, name = "span", attributes = {}) {
  const foreign = said.language !== voice.interface;
  return el(name, { ...attributes, lang: foreign ? said.language : null, dir: foreign ? "auto" : null }, said.text);
}

/**
 * A longer text of the design: an empty line begins a new paragraph.
 * @param {Intake.Voice} voice
 * @param {Intake.Said} said
 */
export const toldAtLength = (voice, said) =>
  said.text.split(/\n\s*\n/).map((text) => told(voice, { ...said, text }, "p", { class: "lines" }));

/**
 * The sign of the visual grammar: stippled is disguised, solid is sent as answered.
 * @param {string} kind
 */
export const mark = (kind) => el("span", { class: `mark ${kind}`, "aria-hidden": "true" });

/**
 * @param {string} words
 * @param {(event: Event) => void} press
 */
export const button = (words, press, attributes = {}) =>
  el("button", { type: "button", class: "button", ...attributes, on: { click: press } }, words);

/**
 * Lets a person save a text as a file; its bytes never leave the device.
 * @param {string} name
 * @param {string} text
 */
export function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * An answer to choose. The browser must not remember what was chosen: autocomplete="off" excludes it from session
 * restore, but not in Firefox, which stores each choice that differs from the default of its input.
 * @param {{type: "radio" | "checkbox", name?: string, id: string}} input
 * @param {boolean} checked
 * @param {() => void} choose
 * @param {...Intake.Child} words
 */
export function answerLabel(input, checked, choose, ...words) {
  const change = () => {
    choose();
    for (const each of document.querySelectorAll("input")) each.defaultChecked = each.checked;
  };
  const button = el("input", { ...input, autocomplete: "off", checked, on: { change } });
  return el("label", { class: "answer", for: input.id }, button, el("span", { class: "answer-body" }, ...words));
}
