// A list of people is split at random into as many parts as there are rounds. It stays in this page.

/**
 * A uniform integer below n; words past the last whole n are drawn again.
 * @param {number} n
 */
function below(n) {
  const word = new Uint32Array(1);
  const limit = 2 ** 32 - (2 ** 32 % n);
  do crypto.getRandomValues(word);
  while (word[0] >= limit);
  return word[0] % n;
}

/**
 * Each person once, in parts whose sizes differ by one at most.
 * @param {string} text
 * @param {number} rounds
 * @returns {string[][]}
 */
function split(text, rounds) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  const people = [...new Map(lines.map((line) => [line.toLowerCase(), line])).values()];
  for (let i = people.length - 1; i > 0; i -= 1) {
    const j = below(i + 1);
    [people[i], people[j]] = [people[j], people[i]];
  }
  return Array.from({ length: rounds }, (_, round) => people.filter((_person, place) => place % rounds === round));
}

/**
 * @param {string} sentence
 * @param {Record<string, number>} values
 */
const filled = (sentence, values) => sentence.replace(/%\((\w+)\)s/g, (whole, name) => String(values[name] ?? whole));

/**
 * A part with its button.
 * @param {string} label
 * @param {string[]} people
 * @param {number} round
 */
function partOf(label, people, round) {
  const link = document.createElement("a");
  link.className = "button";
  link.download = `round-${round}.txt`;
  link.href = URL.createObjectURL(new Blob([people.map((line) => `${line}\n`).join("")], { type: "text/plain" }));
  link.textContent = label;
  const line = document.createElement("p");
  line.append(link);
  return line;
}

const section = /** @type {HTMLElement} */ (document.querySelector("[data-rounds]"));
const { rounds, round, few } = /** @type {Record<string, string>} */ ({ ...section.dataset });
const parts = /** @type {HTMLElement} */ (section.querySelector("[data-parts]"));
/** @type {HTMLFormElement} */ (section.querySelector("form")).addEventListener("submit", (event) => {
  event.preventDefault();
  const made = split(/** @type {HTMLTextAreaElement} */ (section.querySelector("textarea")).value, Number(rounds));
  const lines = made.map((people, at) => partOf(filled(round, { round: at + 1, people: people.length }), people, at + 1));
  if (made.some((people) => !people.length)) parts.textContent = filled(few, { rounds: Number(rounds) });
  else parts.replaceChildren(...lines);
});
section.hidden = false;
