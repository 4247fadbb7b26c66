/**
 * What the modules that disguise are asked, as they were served: of all coins which records come out, and how often.
 * Runs in node and in a browser; the tests of the law ask the same of the source and of mutants.
 */

/** @typedef {typeof import("../../intake/static/intake/device.js")} Module */
/** @typedef {{group: number, answers: (number | null)[]}} Person */

export class OutOfWords extends Error {}

/**
 * Words from a list, which must suffice.
 * @param {number[]} list
 * @param {number} bits
 */
export function listed(list, bits) {
  let at = 0;
  return {
    bits,
    draw: () => {
      if (at === list.length) throw new OutOfWords();
      return list[at++];
    },
    left: () => list.length - at,
  };
}

/**
 * Every tuple of coins with these numbers of sides.
 * @param {number[]} sides
 */
export function* tuples(sides) {
  const coins = sides.map(() => 0);
  for (;;) {
    yield coins;
    let i = coins.length - 1;
    while (i >= 0 && coins[i] === sides[i] - 1) coins[i--] = 0;
    if (i < 0) return;
    coins[i] += 1;
  }
}

/**
 * @param {Map<string, number>} counts
 * @param {string} text
 */
export function tally(counts, text) {
  counts.set(text, (counts.get(text) ?? 0) + 1);
}

/**
 * How often each word of so many bits gives each coin below n, and how many words are drawn again.
 * @param {Module} m
 * @param {{n: number, bits: number}} request
 */
export function below(m, { n, bits }) {
  const counts = Array(n).fill(0);
  let again = 0;
  for (let word = 0; word < 2 ** bits; word += 1) {
    try {
      counts[m.below(n, listed([word], bits))] += 1;
    } catch (error) {
      if (!(error instanceof OutOfWords)) throw error;
      again += 1;
    }
  }
  return { counts, again };
}

/**
 * For each of these people, how many of all coin tuples give each answer text.
 * @param {Module} m
 * @param {{design: Device.Design, sides: number[], bits: number, modulus: number, people: Person[]}} request
 */
export function laws(m, { design, sides, bits, modulus, people }) {
  const counts = people.map(() => new Map());
  for (const tuple of tuples(sides)) {
    const source = listed(tuple, bits);
    const coins = m.drawCoins(design, source, modulus);
    if (source.left()) return { left: source.left() };
    people.forEach(({ group, answers }, i) => tally(counts[i], m.disguise(design, "", coins, group, answers).answers));
  }
  return { counts: counts.map((texts) => Object.fromEntries(texts)) };
}

/**
 * Draws with the production source; all people get the same coins.
 * @param {Module} m
 * @param {{design: Device.Design, n: number, people: Person[]}} request
 */
export function draws(m, { design, n, people }) {
  const words = m.secureWords(globalThis.crypto);
  const counts = people.map(() => new Map());
  for (let i = 0; i < n; i += 1) {
    const coins = m.drawCoins(design, words);
    people.forEach(({ group, answers }, j) => tally(counts[j], m.disguise(design, "", coins, group, answers).answers));
  }
  return { counts: counts.map((texts) => Object.fromEntries(texts)) };
}

/**
 * For each person with these words the body of the request, and what the device says of its own record.
 * @param {Module} m
 * @param {{design: Device.Design, fingerprint: string, bits: number, people: (Person & {words: number[]})[]}} request
 */
export function requests(m, { design, fingerprint, bits, people }) {
  return people.map(({ group, answers, words }) => {
    const source = listed(words, bits);
    const coins = m.drawCoins(design, source);
    const sent = m.armOf(design, coins) ?? group;
    const record = m.disguise(design, fingerprint, coins, sent, answers);
    const key = m.drawKey(source);
    return { body: m.envelopeText(key, record), receipt: m.recordText(record), wrong: m.impossible(design, fingerprint, record) };
  });
}
