// A list of any length, handed on in parts. It stays in this page; after a part only the positions of those
// addresses come back to which the letter did not go. Without this script the form takes a part at a time.

const form = document.querySelector("form[data-mailing]");

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

async function handOn(part) {
  const body = new FormData(form);
  body.set("addresses", part.join("\n"));
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
    return { failed: part.map((_address, place) => ({ position: place + 1, reason: form.dataset.lost })), lost: true };
  }
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

async function send(event) {
  event.preventDefault();
  const { atOnce, least, tooFew, none, going, stop, stopped, sent: said } = form.dataset;
  const field = form.elements.addresses;
  const outcome = form.querySelector("[data-outcome]");
  const all = listed(field.value);
  if (!all.length || all.length < Number(least)) {
    outcome.replaceChildren(element("p", all.length ? tooFew : none));
    field.focus();
    return;
  }
  const button = form.querySelector("button[type=submit]");
  const bar = element("progress", "");
  const words = element("p", "");
  const halt = element("button", stop);
  let halted = false;
  halt.type = "button";
  halt.className = "button";
  halt.addEventListener("click", () => { halted = true; });
  bar.max = all.length;
  bar.value = 0;
  bar.setAttribute("aria-label", withValues(going, { done: 0, all: all.length }));
  outcome.replaceChildren(words, bar, halt);
  button.disabled = true;
  window.addEventListener("beforeunload", warns);

  const failures = [];
  let done = 0;
  let refused = "";
  while (done < all.length && !halted && !refused) {
    words.textContent = withValues(going, { done, all: all.length });
    const part = all.slice(done, done + Number(atOnce));
    const answer = await handOn(part);
    refused = answer.refused ?? "";
    if (refused) break;
    for (const { position, reason } of answer.failed) {
      failures.push({ position: done + position, address: part[position - 1], reason });
    }
    done += part.length;
    bar.value = done;
    if (answer.lost) halted = true;
  }
  window.removeEventListener("beforeunload", warns);
  button.disabled = false;
  const left = [...failures.map(one => one.address), ...all.slice(done)];
  field.value = left.join("\n");
  outcome.replaceChildren(element("p", withValues(said, { sent: done - failures.length, all: all.length })));
  if (refused) outcome.append(element("p", refused));
  if (halted && done < all.length) outcome.append(element("p", stopped));
  if (failures.length) outcome.append(element("p", form.dataset.failed), table(failures));
}

function warns(event) {
  event.preventDefault();
}

if (form) {
  const hint = document.getElementById("id_addresses_helptext");
  if (hint) hint.textContent = form.dataset.hint;
  form.elements.addresses.removeAttribute("maxlength");
  form.addEventListener("submit", send);
}
