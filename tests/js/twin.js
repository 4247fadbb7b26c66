/**
 * The device under test behind a pipe: one JSON request per line in, one JSON answer per line out.
 * A request names the file that composes the device, so that a mutant is asked the same questions as the original.
 */

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { webcrypto } from "node:crypto";
import { DIFFERENT, SAME } from "../../privacy/static/privacy/kinds/crosswise.js";
import { below, draws, laws, listed, tally, tuples } from "../../proof/device/operations.js";

/** @typedef {typeof import("../../intake/static/intake/device.js")} Module */
/** @typedef {{group: number, answers: (number | null)[]}} Person */
/**
 * @typedef {Person & {design: Device.Design, fingerprint: string, words: number[], bits: number, modulus: number, n: number,
 *   sides: number[], shuffles: number[], people: Person[], record: Device.Sent, coins: Device.Coins, study: string, code: number[],
 *   codes: number[][], typed: string[]}} Request  of which an
 *   operation reads its own
 */

/** The kinds whose modules come with their own scripts. */
const subtle = /** @type {Device.Subtle} */ (/** @type {unknown} */ (webcrypto.subtle));

/**
 * By place the codes of each question's choices, in the order in which they are shown.
 * @param {Module} m
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 */
function codesOf(m, design, coins) {
  const questions = design.sections.flatMap(({ questions }) => questions);
  return questions.map((question, place) => ("choices" in question ? m.codesOf(design, coins, place) : []));
}

/**
 * What a disguised respondent with these secrets answers: to a crosswise question a word.
 * @param {Module} m
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 * @param {number[]} secrets
 * @param {(number | null)[]} truth
 */
function said(m, design, coins, secrets, truth) {
  const questions = design.sections.flatMap((section) => section.questions);
  const choices = m.choicesOf(design, coins);
  let at = 0;
  return questions.map((question, place) => {
    if (!("share" in question)) return truth[place];
    const { share, turned_by } = /** @type {Device.CrosswiseQuestion} */ (question);
    const turned = choices.get(questions.findIndex(({ name }) => name === turned_by)) === 1;
    const parts = Math.round(Number(share) * 10000);
    const secret = secrets[at++] * 10000 < (turned ? 10000 - parts : parts) * coins.modulus;
    return truth[place] === null ? null : Number(truth[place] === Number(secret) ? SAME : DIFFERENT);
  });
}

/** @type {Record<string, (m: Module, request: Request) => object | null | Promise<object>>} */
const operations = {
  /** Of many respondents of one design. */
  records: (m, request) => request.people.map((person) => operations.record(m, { ...request, ...person })),
  record(m, { design, fingerprint, words, bits, group, answers, modulus }) {
    const source = listed(words, bits);
    const coins = m.drawCoins(design, source, modulus);
    const record = m.disguise(design, fingerprint, coins, group, answers);
    return {
      coins: coins.values,
      left: source.left(),
      text: m.recordText(record),
      shown: m.shown(design, coins, answers),
      impossible: m.impossible(design, fingerprint, record),
    };
  },
  drawing(m, { design, words, bits, modulus }) {
    const coins = m.drawCoins(design, listed(words, bits), modulus);
    return { arm: m.armOf(design, coins), order: m.orderOf(design, coins), codes: codesOf(m, design, coins) };
  },
  /** The codes that given coins decide. */
  disguised: (m, { design, coins, group, answers }) => m.disguisedCodes(design, coins, group, answers),
  impossible: (m, { design, fingerprint, record }) => m.impossible(design, fingerprint, record),
  below,
  laws,
  /** The same after a reload: all tuples of coins, for every way in which the first throw can have drawn. */
  reloaded(m, { design, sides, bits, modulus, people, shuffles }) {
    const counts = people.map(() => new Map());
    for (const before of tuples(sides.map((n, i) => (shuffles.includes(i) ? n : 1)))) {
      const seen = m.seen(design, { modulus, values: before });
      for (const tuple of tuples(sides)) {
        const source = listed(tuple, bits);
        const coins = m.redraw(design, seen, source, modulus);
        if (source.left()) return { left: source.left() };
        people.forEach(({ group, answers }, i) => tally(counts[i], m.disguise(design, "", coins, group, answers).answers));
      }
    }
    return { counts: counts.map((texts) => Object.fromEntries(texts)) };
  },
  /**
   * For each of these people, whose secrets are coins behind all others, how many of all tuples give each group and
   * answer text; and how many give each order, of questions and of choices.
   */
  studies(m, { design, sides, bits, modulus, people }) {
    const counts = people.map(() => new Map());
    const orders = new Map();
    const codes = new Map();
    for (const tuple of tuples(sides)) {
      const source = listed(tuple, bits);
      const coins = m.drawCoins(design, source, modulus);
      const secrets = tuple.slice(tuple.length - source.left());
      tally(orders, m.orderOf(design, coins).join(" "));
      tally(codes, codesOf(m, design, coins).map((each) => each.join("")).join(" "));
      people.forEach((person, i) => {
        const group = m.armOf(design, coins) ?? person.group;
        const answers = group === m.OPEN ? person.answers : said(m, design, coins, secrets, person.answers);
        tally(counts[i], `${group} ${m.disguise(design, "", coins, group, answers).answers}`);
      });
    }
    return { counts: counts.map((texts) => Object.fromEntries(texts)), orders: Object.fromEntries(orders), codes: Object.fromEntries(codes) };
  },
  /** How codes are written, and which ones were typed. */
  async codes(m, { codes, typed, study }) {
    return {
      written: await Promise.all(codes.map((code) => m.writtenCode(Uint8Array.from(code), study, subtle))),
      typed: await Promise.all(typed.map(async (text) => (await m.typedCode(text, study, subtle))?.reduce((hex, byte) => hex + byte.toString(16).padStart(2, "0"), "") ?? null)),
    };
  },
  settled: (m, { design, study, code, coins, answers }) =>
    m.permanent(m, subtle).settled(design, coins, study, Uint8Array.from(code), answers),
  async lasting(m, request) {
    const { design, study, code, answers } = request;
    const coins = await m.permanent(m, subtle).rotated(design, request.coins, study, Uint8Array.from(code));
    const whole = /** @type {Device.Coins} */ (await operations.settled(m, { ...request, coins }));
    return { values: whole.values, permanent: whole.permanent, codes: m.disguisedCodes(design, whole, m.DISGUISED, answers) };
  },
  draws,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { module, operation, ...request } = JSON.parse(line);
  let answer;
  try {
    /** @type {Module} */
    const modules = await import(pathToFileURL(module).href);
    answer = { answer: await operations[operation](modules, request) };
  } catch (caught) {
    const error = /** @type {Error} */ (caught);
    answer = { error: `${error.name}: ${error.message}` };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
