// @ts-check
/**
 * The device's half of Candor: from coins and true answers to the one record that leaves the device.
 *
 * Pure functions only. Nothing here touches the page, the network, any storage or the clock, and the only
 * randomness is the source of words that a caller hands in. The server runs a twin of this file
 * (privacy/mechanisms/coins.py and disguise.py); from the same words both give the same record, byte for byte.
 *
 * The coins, for each sensitive section in the order of the design:
 *   1. only if s < N: s shuffle coins, the i-th (from 0) below N - i;
 *   2. one keep coin below the modulus;
 *   3. N noise coins below the modulus, one per question, asked or not.
 * Their number is fixed by the design, and all are thrown before the first question is shown. They stay in
 * memory. After a reload the same questions are drawn and all other coins are thrown anew: nothing that anybody
 * has seen depends on them.
 *
 * What they decide: the shuffle coins draw the questions that are asked (a Fisher-Yates shuffle that stops
 * after s places). The keep coin keeps the section's true answers if coin/modulus < keep. Otherwise question
 * j answers with the first choice whose cumulative noise probability is above its noise coin/modulus.
 *
 * Every number below is an integer under 2^53, where JavaScript's arithmetic is exact.
 */

/** @typedef {{name: string, choices: {name: string}[], show_if: Record<string, string[]>, noise?: string[]}} Question */
/** @typedef {{kind: string, keep?: string, asked?: number, questions: Question[]}} Section */
/** @typedef {{open_answers: boolean, sections: Section[]}} Design  a parsed canonical design */
/** @typedef {{bits: number, draw: () => number}} Words  independent uniform integers, 0 <= word < 2^bits */
/** @typedef {{modulus: number, values: number[]}} Coins */
/** @typedef {readonly (number | null)[]} Answers  per question the index of its choice, null if there is no answer */
/** @typedef {{design: string, group: number, answers: string}} Sent  a record */

export const OPEN = 0;
export const DISGUISED = 1;

/** Probabilities are counted in ten-thousandths. */
const PARTS = 10000;

/**
 * Words from the browser's secure source.
 * @param {{getRandomValues: (words: Uint32Array<ArrayBuffer>) => Uint32Array}} crypto
 * @returns {Words}
 */
export function secureWords(crypto) {
  const word = new Uint32Array(1);
  return { bits: 32, draw: () => crypto.getRandomValues(word)[0] };
}

/**
 * A uniform integer, 0 <= coin < n. Words past the last whole n are drawn again: taking them modulo n would
 * favour the small coins.
 * @param {number} n
 * @param {Words} words
 */
export function below(n, words) {
  const span = 2 ** words.bits;
  if (!(n > 0 && n <= span)) throw new RangeError(`no word of ${words.bits} bits gives a coin below ${n}`);
  const limit = span - (span % n);
  let word = words.draw();
  while (word >= limit) word = words.draw();
  return word % n;
}

/**
 * For each coin of a respondent, how many sides it has.
 * @param {Design} design
 * @param {number} modulus
 */
export function sides(design, modulus = PARTS) {
  return design.sections.flatMap((section) => sectionSides(section, modulus));
}

/**
 * @param {Section} section
 * @param {number} modulus
 * @returns {number[]}
 */
function sectionSides(section, modulus) {
  if (section.kind === "plain") return [];
  const { asked, questions } = sensitive(section);
  const shuffle = asked < questions.length ? questions.slice(0, asked).map((_, i) => questions.length - i) : [];
  return [...shuffle, modulus, ...questions.map(() => modulus)];
}

/**
 * Throw every coin that the design asks for. A modulus other than 10,000 is for tests.
 * @param {Design} design
 * @param {Words} words
 * @param {number} modulus
 * @returns {Coins}
 */
export function drawCoins(design, words, modulus = PARTS) {
  return { modulus, values: sides(design, modulus).map((n) => below(n, words)) };
}

/**
 * Coins that draw these questions, with all other coins thrown anew: for a page that was loaded again, and for
 * the demonstration before sending.
 * @param {Design} design
 * @param {boolean[]} asked  as `drawn` gives it
 * @param {Words} words
 * @param {number} modulus
 * @returns {Coins}
 */
export function redraw(design, asked, words, modulus = PARTS) {
  const coins = drawCoins(design, words, modulus);
  let first = 0;
  let thrown = 0;
  for (const section of design.sections) {
    const count = sectionSides(section, modulus).length;
    const { length } = section.questions;
    const places = asked.slice(first, first + length).flatMap((isAsked, j) => (isAsked ? [j] : []));
    // From the first drawn to the last, each still stands at its own place when the shuffle comes to it.
    for (let i = 0; i < count - 1 - length; i += 1) coins.values[thrown + i] = places[i] - i;
    first += length;
    thrown += count;
  }
  const again = drawn(design, coins);
  const fits = asked.length === again.length && again.every((isAsked, place) => isAsked === asked[place]);
  if (!fits) throw new RangeError("no coins of this design draw these questions");
  return coins;
}

/**
 * Which questions are put to this respondent: those that are drawn, as far as the plain answers given so far
 * show them.
 * @param {Design} design
 * @param {Coins} coins
 * @param {Answers} answers
 */
export function shown(design, coins, answers) {
  const rules = rulesOf(design);
  const asked = drawn(design, coins);
  /** @type {(number | null)[]} */
  const counted = [];
  return questionsOf(design).map((_, place) => {
    const applies = shows(rules[place], counted);
    // What was answered before a rule hid the question no longer counts.
    counted.push(applies ? answers[place] : null);
    return asked[place] && applies;
  });
}

/**
 * The record that leaves the device. Every question that is drawn and applies must be answered.
 * @param {Design} design
 * @param {string} fingerprint
 * @param {Coins} coins
 * @param {number} group OPEN or DISGUISED
 * @param {Answers} answers
 * @returns {Sent}
 */
export function disguise(design, fingerprint, coins, group, answers) {
  return { design: fingerprint, group, answers: encode(design, disguisedCodes(design, coins, group, answers)) };
}

/**
 * The codes of that record, one per question.
 * @param {Design} design
 * @param {Coins} coins
 * @param {number} group
 * @param {Answers} answers
 * @returns {number[]}
 */
export function disguisedCodes(design, coins, group, answers) {
  if (group !== OPEN && group !== DISGUISED) throw new RangeError("the group is 0 or 1");
  if (answers.length !== questionsOf(design).length) throw new RangeError("one answer per question");
  const rules = rulesOf(design);
  const asked = drawn(design, coins);
  const { modulus, values } = coins;
  /** @type {number[]} */
  const codes = [];
  let thrown = 0;
  for (const section of design.sections) {
    const first = codes.length;
    if (section.kind === "plain") {
      for (const question of section.questions) {
        const place = codes.length;
        codes.push(shows(rules[place], codes) ? trueCode(question, answers[place]) : notApplicable(question));
      }
      continue;
    }
    const { keep, questions } = sensitive(section);
    const noiseFrom = thrown + sectionSides(section, modulus).length - questions.length;
    const kept = group === OPEN || values[noiseFrom - 1] * PARTS < keep * modulus;
    questions.forEach((question, j) => {
      const place = first + j;
      if (!asked[place]) codes.push(notAsked(question));
      else if (!shows(rules[place], codes)) codes.push(notApplicable(question));
      else {
        const truth = trueCode(question, answers[place]);
        const noise = noiseCode(question, values[noiseFrom + j], modulus);
        codes.push(kept ? truth : noise);
      }
    });
    thrown = noiseFrom + questions.length;
  }
  return codes;
}

/**
 * For each question of the design whether the shuffle coins draw it; a plain one is always drawn.
 * @param {Design} design
 * @param {Coins} coins
 * @returns {boolean[]}
 */
export function drawn(design, coins) {
  const numbers = sides(design, coins.modulus);
  const fit = coins.values.length === numbers.length && coins.values.every((coin, i) => isBelow(coin, numbers[i]));
  if (!fit) throw new RangeError("these are not the coins of this design");
  let thrown = 0;
  return design.sections.flatMap((section) => {
    if (section.kind === "plain") return section.questions.map(() => true);
    const { asked, questions } = sensitive(section);
    const order = questions.map((_, j) => j);
    if (asked < questions.length) {
      for (let i = 0; i < asked; i += 1) {
        const j = i + coins.values[thrown + i];
        [order[i], order[j]] = [order[j], order[i]];
      }
    }
    thrown += sectionSides(section, coins.modulus).length;
    const first = new Set(order.slice(0, asked));
    return questions.map((_, j) => first.has(j));
  });
}

/**
 * The answer text: every code in its place, zero-padded to the width that its question's codes need.
 * @param {Design} design
 * @param {number[]} codes
 */
export function encode(design, codes) {
  return questionsOf(design).map((question, i) => String(codes[i]).padStart(width(question), "0")).join("");
}

/**
 * The codes of an answer text, or null if it is none of this design.
 * @param {Design} design
 * @param {string} text
 * @returns {number[] | null}
 */
export function decode(design, text) {
  const questions = questionsOf(design);
  const length = questions.reduce((sum, question) => sum + width(question), 0);
  if (typeof text !== "string" || text.length !== length || !/^[0-9]*$/.test(text)) return null;
  let at = 0;
  const codes = questions.map((question) => Number(text.slice(at, (at += width(question)))));
  return codes.every((code, i) => code <= notApplicable(questions[i])) ? codes : null;
}

/**
 * Why this is not a possible record of the design, or null if it is one.
 * @param {Design} design
 * @param {string} fingerprint
 * @param {Sent} record
 * @returns {{reason: "design" | "group" | "answers" | "asked" | "applicable", question: string | null} | null}
 */
export function impossible(design, fingerprint, record) {
  if (record?.design !== fingerprint) return { reason: "design", question: null };
  if (record.group !== DISGUISED && !(record.group === OPEN && design.open_answers)) {
    return { reason: "group", question: null };
  }
  const codes = decode(design, record.answers);
  if (codes === null) return { reason: "answers", question: null };
  const questions = questionsOf(design);
  const rules = rulesOf(design);
  let first = 0;
  for (const section of design.sections) {
    const asked = section.questions.filter((question, j) => codes[first + j] !== notAsked(question)).length;
    const due = section.kind === "plain" ? section.questions.length : sensitive(section).asked;
    if (asked !== due) return { reason: "asked", question: questions[first].name };
    first += section.questions.length;
  }
  const wrong = questions.findIndex((question, place) => {
    const hidden = codes[place] === notApplicable(question);
    return codes[place] !== notAsked(question) && hidden === shows(rules[place], codes);
  });
  return wrong < 0 ? null : { reason: "applicable", question: questions[wrong].name };
}

/**
 * The exact text of a record, as it is sent and as a receipt shows it.
 * @param {Sent} record
 */
export function recordText({ design, group, answers }) {
  return JSON.stringify({ design, group, answers });
}

/**
 * The body of the one request: the record, a key that makes sending twice harmless, and the invitation.
 * @param {string} key
 * @param {Sent} record
 * @param {string | null} token
 */
export function envelopeText(key, record, token = null) {
  const inside = `"key":${JSON.stringify(key)},"record":${recordText(record)}`;
  return token === null ? `{${inside}}` : `{${inside},"token":${JSON.stringify(token)}}`;
}

/**
 * A submission key: 32 hexadecimal digits.
 * @param {Words} words
 */
export function drawKey(words) {
  return Array.from({ length: 16 }, () => below(256, words).toString(16).padStart(2, "0")).join("");
}

/** @param {Question} question */
export const notAsked = (question) => question.choices.length;

/** @param {Question} question */
export const notApplicable = (question) => question.choices.length + 1;

/** @param {Question} question */
const width = (question) => String(notApplicable(question)).length;

/** @param {Design} design */
const questionsOf = (design) => design.sections.flatMap((section) => section.questions);

/**
 * @param {number} value
 * @param {number} n
 */
const isBelow = (value, n) => Number.isInteger(value) && value >= 0 && value < n;

/**
 * A probability of a canonical design ("0.2500") in ten-thousandths.
 * @param {string} text
 */
function parts(text) {
  if (!/^0\.[0-9]{4}$/.test(text)) throw new TypeError(`not a probability with four places: ${text}`);
  return Number(text.slice(2));
}

/**
 * @param {Section} section
 * @returns {{keep: number, asked: number, questions: Question[]}}
 */
function sensitive({ kind, keep, asked, questions }) {
  if (kind !== "unrelated-question" || keep === undefined || asked === undefined) {
    throw new TypeError(`this module does not know sections of the kind ${kind}`);
  }
  return { keep: parts(keep), asked, questions };
}

/**
 * @param {Question} question
 * @param {number | null} code
 */
function trueCode(question, code) {
  if (code === null || !isBelow(code, question.choices.length)) {
    throw new RangeError(`the question ${question.name} is not answered`);
  }
  return code;
}

/**
 * The first choice whose cumulative probability is above coin/modulus.
 * @param {Question} question
 * @param {number} coin
 * @param {number} modulus
 */
function noiseCode({ noise = [] }, coin, modulus) {
  let cumulative = 0;
  return noise.findIndex((probability) => {
    cumulative += parts(probability);
    return coin * PARTS < cumulative * modulus;
  });
}

/**
 * For each question its rules: an earlier question's place and the codes of which it must have one.
 * @param {Design} design
 * @returns {[number, number[]][][]}
 */
function rulesOf(design) {
  const questions = questionsOf(design);
  const places = new Map(questions.map((question, place) => [question.name, place]));
  return questions.map(({ show_if }) =>
    Object.entries(show_if).map(([name, allowed]) => {
      const place = /** @type {number} */ (places.get(name));
      const names = questions[place].choices.map((choice) => choice.name);
      return [place, allowed.map((choice) => names.indexOf(choice))];
    }),
  );
}

/**
 * @param {[number, number[]][]} rules
 * @param {Answers} codes of at least all earlier plain questions
 */
function shows(rules, codes) {
  return rules.every(([place, allowed]) => allowed.includes(/** @type {number} */ (codes[place])));
}
