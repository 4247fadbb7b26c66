// @ts-check
/**
 * A person's code, and the permanent draws of lasting sections that it fixes for life. Twins:
 * privacy/mechanisms/permanent_draws.py and permanent.py.
 *
 * The code is eighty random bits. It is shown in Crockford's base 32 as three groups of six characters: sixteen of the
 * code and two that check it, the first ten bits of SHA-256("candor-code/1" code). Each study shows the bits of a code XOR
 * the first ten bytes of SHA-256("candor-code-of/1" study), so that in another study the last two characters do not fit.
 *
 *   words = HMAC-SHA-256(code, "candor-lasting/1" 0x00 study i purpose codes block): eight 32-bit words, big endian
 *
 * with study the fingerprint of the first design of the study (32 bytes), i the place among the lasting sections of the
 * design (one byte), the purpose "answers" or "rotation", the codes of the true answers (two bytes each, *not asked* as
 * its code) and the block's number from 0 (four bytes); nothing stands between the parts.
 *   rotation, without codes: the shuffle coins of the section, whose questions are drawn once for life;
 *   answers: a keep coin below 10,000 (kept if it is below 10,000 lasting), then a noise coin for each question.
 */

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;
const CHARACTERS = 18;
const CHECK = 1024n;
const PARTS = 10000;
const DISGUISED = 1;

/** @param {string} text */
const ascii = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** @param {string} fingerprint */
const bytesOf = (fingerprint) =>
  Uint8Array.from(/** @type {string[]} */ (fingerprint.match(/../g)), (pair) => Number.parseInt(pair, 16));

/**
 * @param {number} value
 * @param {number} bytes
 */
const bigEndian = (value, bytes) => Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) % 256);

/** @param {Uint8Array} code */
const numberOf = (code) => code.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);

/**
 * A new code.
 * @param {Device.Below} below
 * @param {Device.Words} words
 */
export const drawCode = (below, words) => Uint8Array.from({ length: LENGTH }, () => below(256, words));

/**
 * As the person writes it down.
 * @param {Uint8Array} code
 * @param {string} study
 * @param {Device.Subtle} subtle
 */
export async function writtenCode(code, study, subtle) {
  const number = numberOf(await ofStudy(code, study, subtle)) * CHECK + (await checkOf(code, subtle));
  const letters = Array.from({ length: CHARACTERS }, (_, i) => ALPHABET[Number((number >> BigInt(5 * (CHARACTERS - 1 - i))) & 31n)]);
  return /** @type {string[]} */ (letters.join("").match(/.{6}/g)).join("-");
}

/**
 * The code that was typed; null where the check characters do not fit. Small letters, spaces and hyphens do not matter,
 * O is read as 0, I and L as 1.
 * @param {string} text
 * @param {string} study
 * @param {Device.Subtle} subtle
 */
export async function typedCode(text, study, subtle) {
  const letters = text.replace(/[\s-]/g, "").toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
  const digits = Array.from(letters, (letter) => ALPHABET.indexOf(letter));
  if (digits.length !== CHARACTERS || digits.includes(-1)) return null;
  const number = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n);
  const bytes = Uint8Array.from({ length: LENGTH }, (_, i) => Number((number / CHECK >> BigInt(8 * (LENGTH - 1 - i))) & 255n));
  const code = await ofStudy(bytes, study, subtle);
  return number % CHECK === (await checkOf(code, subtle)) ? code : null;
}

/**
 * What is shown of the code; the other way round too. No study leaves it as it is.
 * @param {Uint8Array} code
 * @param {string} study
 * @param {Device.Subtle} subtle
 */
async function ofStudy(code, study, subtle) {
  if (!study) return code;
  const about = Uint8Array.from([...ascii("candor-code-of/1"), ...bytesOf(study)]);
  const mask = new Uint8Array(await subtle.digest("SHA-256", about));
  return code.map((byte, i) => byte ^ mask[i]);
}

/**
 * @param {Uint8Array} code
 * @param {Device.Subtle} subtle
 */
async function checkOf(code, subtle) {
  const hash = new Uint8Array(await subtle.digest("SHA-256", Uint8Array.from([...ascii("candor-code/1"), ...code])));
  return BigInt((hash[0] * 256 + hash[1]) >> 6);
}

/**
 * The words that a code fixes for a purpose, one after the other.
 * @param {Uint8Array} code
 * @param {string} study
 * @param {number} section
 * @param {"answers" | "rotation"} purpose
 * @param {number[]} codes
 * @param {Device.Subtle} subtle
 */
async function* permanentWords(code, study, section, purpose, codes, subtle) {
  const key = await subtle.importKey("raw", Uint8Array.from(code), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const about = [...ascii("candor-lasting/1\0"), ...bytesOf(study), section, ...ascii(purpose), ...codes.flatMap((one) => bigEndian(one, 2))];
  for (let block = 0; ; block += 1) {
    const view = new DataView(await subtle.sign("HMAC", key, Uint8Array.from([...about, ...bigEndian(block, 4)])));
    for (let i = 0; i < 8; i += 1) yield view.getUint32(4 * i);
  }
}

/**
 * A coin for each number of sides; words are used and drawn again as in coins.js.
 * @param {number[]} sides
 * @param {AsyncGenerator<number, void>} words
 */
async function thrown(sides, words) {
  const coins = [];
  for (const n of sides) {
    const limit = 2 ** 32 - (2 ** 32 % n);
    let word;
    do word = /** @type {number} */ ((await words.next()).value);
    while (word >= limit);
    coins.push(word % n);
  }
  return coins;
}

/**
 * What a code decides, for a page that has composed the modules.
 * @param {Device.Functions} device
 * @param {Device.Subtle} subtle
 */
export function permanent({ disguisedCodes, drawn, notAsked, sides }, subtle) {
  /**
   * The lasting sections, each as the permanent draw that it begins with, its number among them, and the places of its
   * first question and its first coin.
   * @param {Device.Design} design
   */
  function lastingOf(design) {
    let number = 0;
    let place = 0;
    let coin = 0;
    return design.sections.flatMap((section) => {
      const { lasting, ...once } = /** @type {Device.Grouped} */ (section);
      const at = { number, place, coin };
      place += section.questions.length;
      coin += sides({ open_answers: false, sections: [section] }).length;
      if (lasting === undefined) return [];
      number += 1;
      const permanent = { ...once, keep: lasting };
      /** @type {Device.Design} */
      const alone = { open_answers: false, sections: [permanent] };
      return [{ ...at, alone, shuffles: sides(alone).length - section.questions.length - 1 }];
    });
  }

  /**
   * The same coins, but lasting sections draw the questions that they draw for this code in every round.
   * @param {Device.Design} design
   * @param {Device.Coins} coins
   * @param {string} study
   * @param {Uint8Array} code
   * @returns {Promise<Device.Coins>}
   */
  async function rotated(design, coins, study, code) {
    const values = [...coins.values];
    for (const { number, coin, alone, shuffles } of lastingOf(design)) {
      const own = await thrown(sides(alone).slice(0, shuffles), permanentWords(code, study, number, "rotation", [], subtle));
      values.splice(coin, shuffles, ...own);
    }
    return { ...coins, values };
  }

  /**
   * The coins, which are `rotated`, with the permanent answers for these true answers. Without them `disguise` disguises
   * no lasting section.
   * @param {Device.Design} design
   * @param {Device.Coins} coins
   * @param {string} study
   * @param {Uint8Array} code
   * @param {Device.Answers} answers
   * @returns {Promise<Device.Coins>}
   */
  async function settled(design, coins, study, code, answers) {
    const replaced = [...answers];
    const asked = drawn(design, coins);
    for (const { number, place, coin, alone, shuffles } of lastingOf(design)) {
      const [section] = alone.sections;
      const own = section.questions.map((_, j) => answers[place + j]);
      const codes = own.map((answer, j) => (asked[place + j] && answer !== null ? answer : notAsked(section, section.questions[j])));
      const words = permanentWords(code, study, number, "answers", codes, subtle);
      const values = [...coins.values.slice(coin, coin + shuffles), ...(await thrown(sides(alone).slice(shuffles), words))];
      disguisedCodes(alone, { modulus: PARTS, values }, DISGUISED, own).forEach((answer, j) => {
        if (asked[place + j]) replaced[place + j] = answer;
      });
    }
    return { ...coins, permanent: replaced };
  }

  return { rotated, settled };
}
