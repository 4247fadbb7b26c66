/**
 * What the modules that disguise are asked, as they were served: of all coins which records come out, and how often.
 * Runs in node and in a browser; the tests of the law ask the same of the source and of mutants.
 */

/** @typedef {typeof import("../../intake/static/intake/device.js")} Module */
/** @typedef {{group: number, answers: (number | null)[]}} Person */

const { subtle } = globalThis.crypto;
/** Codes that draw in two rounds. */
const AGAIN = 200;

class OutOfWords extends Error {}

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
 * The coins with the permanent draws that a person's code fixes; without a code as they are.
 * @param {Module} m
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 * @param {string} study
 * @param {Uint8Array | null} code
 * @param {Device.Answers} answers
 */
async function coded(m, design, coins, study, code, answers) {
  if (!code) return coins;
  const { rotated, settled } = m.permanent(m, subtle);
  return settled(design, await rotated(design, coins, study, code), study, code, answers);
}

/**
 * The permanent draws of a section as an answer text.
 * @param {Module} m
 * @param {Device.Design} design  of this section alone
 * @param {Device.Coins} coins  with permanent draws
 */
function permanentText(m, design, coins) {
  const [section] = design.sections;
  const answers = /** @type {number[]} */ (coins.permanent);
  const codes = m.drawn(design, coins).map((asked, j) => (asked ? answers[j] : m.notAsked(section, section.questions[j])));
  return m.encode(design, codes);
}

/**
 * For so many new codes, each with new coins: how often each person's record has each answer text, how often the
 * permanent draws behind it have, and whether these are the same with other coins, for the first codes.
 * @param {Module} m
 * @param {{design: Device.Design, study: string, n: number, people: Person[]}} request
 */
export async function lastingDraws(m, { design, study, n, people }) {
  const words = m.secureWords(globalThis.crypto);
  const counts = people.map(() => new Map());
  const permanents = people.map(() => new Map());
  let stays = true;
  for (let i = 0; i < n; i += 1) {
    const code = m.drawCode(m.below, words);
    for (const [j, { group, answers }] of people.entries()) {
      const coins = await coded(m, design, m.drawCoins(design, words), study, code, answers);
      const text = permanentText(m, design, coins);
      if (i < AGAIN) {
        const again = await coded(m, design, m.drawCoins(design, words), study, code, answers);
        stays &&= text === permanentText(m, design, again);
      }
      tally(permanents[j], text);
      tally(counts[j], m.disguise(design, "", coins, group, answers).answers);
    }
  }
  return { counts: counts.map((texts) => Object.fromEntries(texts)), permanents: permanents.map((texts) => Object.fromEntries(texts)), stays };
}

/**
 * For each person with these words the body of the request, and what the device says of its own record.
 * @param {Module} m
 * @param {{design: Device.Design, fingerprint: string, study: string, bits: number, epoch: number,
 *   people: (Person & {words: number[], code: number[] | null})[]}} request
 */
export async function requests(m, { design, fingerprint, study, bits, epoch, people }) {
  const replies = [];
  for (const { group, answers, words, code } of people) {
    const source = listed(words, bits);
    const coins = await coded(m, design, m.drawCoins(design, source), study, code && Uint8Array.from(code), answers);
    const sent = m.armOf(design, coins) ?? group;
    const record = m.disguise(design, fingerprint, coins, sent, answers);
    const key = m.drawKey(source);
    replies.push({ body: m.envelopeText(key, record, null, epoch), receipt: m.recordText(record), wrong: m.impossible(design, fingerprint, record) });
  }
  return replies;
}
