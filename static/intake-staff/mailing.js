// A list of any length, written to in parts. It stays in this page. Of a part only positions come back: of those to
// whom no letter went, and receipts for those for whom one was tried. A list of invitations goes whole with each
// part, so that the server counts it; the receipts say who has had their turn. Without this script the form takes a
// part at a time, and no invitations.

/**
 * @typedef {HTMLFormElement & {dataset: Record<string, string>,
 *            elements: {addresses: HTMLTextAreaElement, sitting: HTMLInputElement}}} Form
 * @typedef {{sent: number, receipts: [position: number, receipt: string][], sitting: string,
 *            failed: {position: number, reason: string}[], pause: string}} Taken
 * @typedef {Partial<Taken> & {refused?: string, lost?: boolean}} Answer
 * @typedef {{position: number, address: string, reason: string}} Failure
 * @typedef {{left: string[], failures: Failure[], perhaps: string[], sent: number, refused: string, pause: string}} Run
 * @typedef {{halted: boolean, parts: HTMLElement[], reach: (done: number) => void}} Bar
 */

// Without a form on the page nothing below is called.
const form = /** @type {Form} */ (document.querySelector("form[data-mailing]"));
const outcome = /** @type {HTMLElement} */ (form?.querySelector("[data-outcome]"));
const invites = form?.hasAttribute("data-whole");
// Address -> receipt, of everybody on a list of invitations who has had their turn; `failed` are those of them to
// whom no letter went. The list may be mended, but it stays as long as it began.
/** @type {Map<string, string>} */
const tried = new Map();
/** @type {Set<string>} */
const failed = new Set();
let size = 0;

/**
 * @param {string} sentence
 * @param {Record<string, string | number>} values
 */
function withValues(sentence, values) {
  return sentence.replace(/%\((\w+)\)s/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} text
 * @param {...Node} inside
 */
function element(name, text, ...inside) {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...inside);
  return made;
}

/**
 * Each address once, however it is written.
 * @param {string} text
 * @returns {string[]}
 */
function listed(text) {
  const found = new Map();
  for (const address of text.split(/[\n,;]+/).map(part => part.trim()).filter(Boolean)) {
    if (!found.has(address.toLowerCase())) found.set(address.toLowerCase(), address);
  }
  return [...found.values()];
}

/**
 * @param {string[]} addresses
 * @returns {Promise<Answer>}
 */
async function handOn(addresses) {
  const body = new FormData(form);
  body.set("addresses", addresses.join("\n"));
  body.set("receipts", [...tried.values()].join(" "));
  try {
    const answer = await fetch(form.action || location.href, {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
      redirect: "error",
    });
    if (answer.status === 422) return { refused: (await answer.json()).refused };
    if (!answer.ok) throw new Error(String(answer.status));
    return await answer.json();
  } catch {
    return { lost: true };
  }
}

/**
 * @param {Map<string, string>} receipts
 * @param {Map<string, string>} reasons
 * @param {string} sitting
 */
function remember(receipts, reasons, sitting) {
  form.elements.sitting.value = sitting;
  for (const [address, receipt] of receipts) {
    tried.set(address, receipt);
    if (reasons.has(address)) failed.add(address);
  }
}

/**
 * Whoever stands in the list again is to be written to again, and a new address stands for one that failed. More
 * people than that are a list of their own.
 * @param {string[]} all
 */
function begin(all) {
  for (const address of all) {
    tried.delete(address);
    failed.delete(address);
  }
  for (const address of failed) {
    if (tried.size + all.length <= size) break;
    tried.delete(address);
    failed.delete(address);
  }
  if (tried.size + all.length <= size) return;
  tried.clear();
  failed.clear();
  form.elements.sitting.value = "";
  size = all.length;
}

/**
 * Part after part, until it is halted, refused or lost.
 * @param {string[]} all
 * @param {Bar} bar
 * @returns {Promise<Run>}
 */
async function handOnAll(all, bar) {
  /** @type {Run} */
  const run = { left: all, failures: [], perhaps: [], sent: 0, refused: "", pause: "" };
  while (run.left.length && !bar.halted) {
    bar.reach(all.length - run.left.length);
    const part = run.left.slice(0, Number(form.dataset.atOnce));
    const list = invites ? [...tried.keys(), ...run.left] : part;
    const answer = await handOn(list);
    if (answer.refused) return { ...run, refused: answer.refused };
    if (answer.lost) return { ...run, perhaps: part, left: run.left.slice(part.length) };
    const taken = /** @type {Taken} */ (answer);
    const receipts = new Map(taken.receipts.map(([position, receipt]) => [list[position - 1], receipt]));
    const reasons = new Map(taken.failed.map(one => [list[one.position - 1], one.reason]));
    const done = run.left.filter(address => receipts.has(address) || reasons.has(address));
    for (const address of done.filter(each => reasons.has(each))) {
      run.failures.push({ position: all.indexOf(address) + 1, address, reason: /** @type {string} */ (reasons.get(address)) });
    }
    if (invites) remember(receipts, reasons, taken.sitting);
    run.sent += taken.sent;
    run.left = run.left.filter(address => !done.includes(address));
    if (taken.pause) return { ...run, pause: taken.pause };
    if (!done.length) break;
  }
  return run;
}

/** @param {Failure[]} failures */
function table(failures) {
  const { position, address, reason } = form.dataset;
  const head = element("tr", "");
  for (const label of [position, address, reason]) {
    const cell = element("th", label);
    cell.scope = "col";
    head.append(cell);
  }
  const rows = failures.map(one => element("tr", "", element("td", String(one.position)), element("td", one.address), element("td", one.reason)));
  const frame = element("div", "", element("table", "", element("thead", "", head), element("tbody", "", ...rows)));
  frame.className = "table";
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", form.dataset.failed);
  return frame;
}

/**
 * How far it is, with a button that stops after the part that is on its way.
 * @param {string[]} all
 * @returns {Bar}
 */
function progressOf(all) {
  const { going, stop } = form.dataset;
  const words = element("p", "");
  const line = element("progress", "");
  const halt = element("button", stop);
  /** @type {Bar} */
  const bar = {
    halted: false,
    parts: [words, line, halt],
    reach(done) {
      words.textContent = withValues(going, { done, all: all.length });
      line.value = done;
    },
  };
  line.max = all.length;
  line.setAttribute("aria-label", withValues(going, { done: 0, all: all.length }));
  halt.type = "button";
  halt.className = "button";
  halt.addEventListener("click", () => { bar.halted = true; });
  return bar;
}

/**
 * Nobody knows whether these went out. Sent again, somebody might get two invitations and answer twice.
 * @param {string[]} addresses
 */
function doubtful(addresses) {
  const { perhaps, back } = form.dataset;
  const list = element("ul", "", ...addresses.map(address => element("li", address)));
  const button = element("button", back);
  const box = element("div", "", element("p", perhaps), list, button);
  button.type = "button";
  button.className = "button";
  button.addEventListener("click", () => {
    const field = form.elements.addresses;
    field.value = [field.value, ...addresses].filter(Boolean).join("\n");
    box.remove();
    field.focus();
  });
  box.className = "flow";
  return box;
}

/**
 * @param {string[]} all
 * @param {Run} run
 */
function tell(all, { left, failures, perhaps, sent: gone, refused, pause }) {
  const { sent, stopped, later } = form.dataset;
  outcome.replaceChildren(element("p", withValues(sent, { sent: gone, all: all.length })));
  if (refused) outcome.append(element("p", refused));
  else if (pause) outcome.append(element("p", `${pause} ${later}`));
  else if (left.length) outcome.append(element("p", stopped));
  if (failures.length) outcome.append(element("p", form.dataset.failed), table(failures));
  if (perhaps.length) outcome.append(doubtful(perhaps));
}

/** @param {Event} event */
async function send(event) {
  event.preventDefault();
  const field = form.elements.addresses;
  const all = listed(field.value);
  if (!all.length) {
    outcome.replaceChildren(element("p", form.dataset.none));
    field.focus();
    return;
  }
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]"));
  const bar = progressOf(all);
  outcome.replaceChildren(...bar.parts);
  button.disabled = true;
  begin(all);
  window.addEventListener("beforeunload", warns);
  const run = await handOnAll(all, bar);
  window.removeEventListener("beforeunload", warns);
  button.disabled = false;
  field.value = [...run.failures.map(one => one.address), ...run.left].join("\n");
  tell(all, run);
}

/** @param {Event} event */
function warns(event) {
  event.preventDefault();
}

if (form) {
  const hint = document.getElementById("id_addresses_helptext");
  if (hint) hint.textContent = form.dataset.hint;
  document.querySelector("[data-without-script]")?.remove();
  form.hidden = false;
  form.elements.addresses.removeAttribute("maxlength");
  form.addEventListener("submit", send);
}
