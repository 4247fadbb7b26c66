// A list of any length, handed on in parts. It stays in this page; after a part only the positions of those
// addresses come back to which the letter did not go. Without this script the form takes a part at a time, and no
// invitations, of which enough must go out together.

const form = document.querySelector("form[data-mailing]");
const outcome = form?.querySelector("[data-outcome]");
// What was left of the last list. Mended or not, it is a part of that list and need not be large itself.
let rest = { length: 0, whole: 0 };

function withValues(sentence, values) {
  return sentence.replace(/%\((\w+)\)s/g, (whole, name) => values[name] ?? whole);
}

function element(name, text, ...inside) {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...inside);
  return made;
}

// Each address once, however it is written.
function listed(text) {
  const found = new Map();
  for (const address of text.split(/[\n,;]+/).map(part => part.trim()).filter(Boolean)) {
    if (!found.has(address.toLowerCase())) found.set(address.toLowerCase(), address);
  }
  return [...found.values()];
}

async function handOn(part, whole) {
  const body = new FormData(form);
  body.set("addresses", part.join("\n"));
  body.set("whole", whole);
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
    return { failed: [], lost: true };
  }
}

// Part after part, until it is halted, refused or lost.
async function handOnAll(all, whole, bar) {
  const run = { done: 0, failures: [], perhaps: [], refused: "" };
  while (run.done < all.length && !bar.halted) {
    bar.reach(run.done);
    const part = all.slice(run.done, run.done + Number(form.dataset.atOnce));
    const answer = await handOn(part, whole);
    if (answer.refused) return { ...run, refused: answer.refused };
    for (const { position, reason } of answer.failed) {
      run.failures.push({ position: run.done + position, address: part[position - 1], reason });
    }
    run.done += part.length;
    if (answer.lost) {
      run.perhaps = part;
      break;
    }
  }
  return run;
}

function table(failures) {
  const { position, address, reason } = form.dataset;
  const head = element("tr", "");
  for (const label of [position, address, reason]) {
    const cell = element("th", label);
    cell.scope = "col";
    head.append(cell);
  }
  const rows = failures.map(one => element("tr", "", element("td", one.position), element("td", one.address), element("td", one.reason)));
  const frame = element("div", "", element("table", "", element("thead", "", head), element("tbody", "", ...rows)));
  frame.className = "table";
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", form.dataset.failed);
  return frame;
}

// How far it is, with a button that stops after the part that is on its way.
function progressOf(all) {
  const { going, stop } = form.dataset;
  const words = element("p", "");
  const line = element("progress", "");
  const halt = element("button", stop);
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

// Nobody knows whether these went out. Sent again, somebody might get two invitations and answer twice.
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
    rest.length += addresses.length;
    box.remove();
    field.focus();
  });
  box.className = "flow";
  return box;
}

function tell(all, { done, failures, perhaps, refused }) {
  const { sent, stopped, failed } = form.dataset;
  const gone = done - failures.length - perhaps.length;
  outcome.replaceChildren(element("p", withValues(sent, { sent: gone, all: all.length })));
  if (refused) outcome.append(element("p", refused));
  else if (done < all.length) outcome.append(element("p", stopped));
  if (failures.length) outcome.append(element("p", failed), table(failures));
  if (perhaps.length) outcome.append(doubtful(perhaps));
}

async function send(event) {
  event.preventDefault();
  const { least, tooFew, none } = form.dataset;
  const field = form.elements.addresses;
  const all = listed(field.value);
  const whole = all.length <= rest.length ? rest.whole : all.length;
  if (!all.length || whole < Number(least)) {
    outcome.replaceChildren(element("p", all.length ? tooFew : none));
    field.focus();
    return;
  }
  const button = form.querySelector("button[type=submit]");
  const bar = progressOf(all);
  outcome.replaceChildren(...bar.parts);
  button.disabled = true;
  window.addEventListener("beforeunload", warns);
  const run = await handOnAll(all, whole, bar);
  window.removeEventListener("beforeunload", warns);
  button.disabled = false;
  const left = [...run.failures.map(one => one.address), ...all.slice(run.done)];
  rest = { length: left.length, whole };
  field.value = left.join("\n");
  tell(all, run);
}

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
