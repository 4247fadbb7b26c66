// @ts-check
/**
 * The device's half of Candor: from coins and true answers to the one record that leaves the device.
 *
 * Pure functions only. Nothing here touches the page, the network, any storage or the clock, and the only
 * randomness is the source of words that a caller hands in. The server runs a twin (privacy/mechanisms/random_draws.py and
 * disguise.py); from the same words both give the same record, byte for byte.
 *
 * What a section's coins are and decide is said by its kind, one module each in kinds/; the coins of the whole design
 * by draws.js. The modules load nothing: `compose` tells this one which there are.
 *
 * The design fixes the number of coins. All are thrown before the first question is shown and stay in memory. After
 * a reload everything that a respondent can see is drawn again as it was (`seen`); all other coins are thrown anew.
 *
 * Every number below is an integer under 2^53, where JavaScript's arithmetic is exact.
 */

export const OPEN = 0;
export const DISGUISED = 1;

/** @type {Device.Kinds} */
let kinds = {};
/** @type {Device.Draws} */
let draws;
/** @type {Device.Below} */
let below;

/**
 * Makes the kinds of sections known, by the name that a design gives them, and what it needs of the modules draws and
 * coins; once only.
 * @param {Device.Kinds} table
 * @param {Device.Draws} ofDesign
 * @param {Device.Below} coinBelow
 */
export function compose(table, ofDesign, coinBelow) {
  if (Object.isFrozen(kinds)) throw new TypeError("the kinds are known already");
  kinds = Object.freeze({ ...table });
  draws = ofDesign;
  below = coinBelow;
}

/**
 * @param {{kind: string}} section
 * @returns {Device.Kind}
 */
function kindOf({ kind }) {
  if (!Object.hasOwn(kinds, kind)) throw new TypeError(`this module does not know sections of the kind ${kind}`);
  return kinds[kind];
}

/**
 * For each coin of a respondent, how many sides it has. A design that is not understood is refused.
 * @param {Device.Design} design
 * @param {number} modulus
 */
export function sides(design, modulus = draws.PARTS) {
  draws.probabilities(design).forEach(draws.parts);
  const ofSections = design.sections.flatMap((section) => {
    const kind = kindOf(section);
    kind.probabilities(section).forEach(draws.parts);
    return kind.sides(section, modulus);
  });
  return [...ofSections, ...draws.sides(design, modulus)];
}

/**
 * Throw every coin that the design asks for.
 * @param {Device.Design} design
 * @param {Device.Words} words
 * @param {number} modulus
 * @returns {Device.Coins}
 */
export function drawCoins(design, words, modulus = draws.PARTS) {
  return { modulus, values: sides(design, modulus).map((n) => below(n, words)) };
}

/**
 * What the coins decide that a respondent can see: which questions are drawn, and the coins of the whole design (arm,
 * drawn questions, order). JSON keeps it.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 * @returns {Device.Seen}
 */
export const seen = (design, coins) => ({ asked: drawn(design, coins), draws: behind(design, coins) });

/**
 * Coins that decide this again, with all other coins thrown anew: for a page that was loaded again, and for the
 * demonstration before sending.
 * @param {Device.Design} design
 * @param {Device.Seen} before  as `seen` gives it
 * @param {Device.Words} words
 * @param {number} modulus
 * @returns {Device.Coins}
 */
export function redraw(design, before, words, modulus = draws.PARTS) {
  const { asked } = before;
  const coins = drawCoins(design, words, modulus);
  let first = 0;
  let thrown = 0;
  for (const section of design.sections) {
    const { length } = section.questions;
    const places = asked.slice(first, first + length).flatMap((isAsked, j) => (isAsked ? [j] : []));
    kindOf(section).redrawn(section, places).forEach((coin, i) => (coins.values[thrown + i] = coin));
    first += length;
    thrown += kindOf(section).sides(section, modulus).length;
  }
  coins.values.splice(thrown, coins.values.length, ...before.draws);
  const again = drawn(design, coins);
  const fits = asked.length === again.length && again.every((isAsked, place) => isAsked === asked[place]);
  if (!fits) throw new RangeError("no coins of this design draw these questions");
  return coins;
}

/**
 * The group of the arm that the coins draw, OPEN for the direct one; null where a design has no arms. Where it has,
 * nothing else says the group.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 */
export const armOf = (design, coins) => draws.arm(design, behind(design, coins), draws.picking(coins));

/**
 * By its place among all questions the code of each question that the device draws.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 */
export const choicesOf = (design, coins) => draws.choices(design, behind(design, coins), draws.picking(coins));

/**
 * The places of all questions in the order in which they are shown.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 */
export const orderOf = (design, coins) => draws.order(design, behind(design, coins));

/**
 * The codes of the choices of the question at a place, in the order in which they are shown.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 * @param {number} place  of a question with choices
 */
export function codesOf(design, coins, place) {
  const { of, choices } = /** @type {Device.Chosen} */ (design.sections.flatMap(({ questions }) => questions)[place]);
  const order = of ? [] : draws.choiceOrders(design, behind(design, coins)).get(place);
  return draws.ordered(choices.map((_, code) => code), order);
}

/**
 * Which questions are put to this respondent: those that are drawn for them, as far as the plain answers given so far
 * show them. A question whose answer the device draws is put to nobody.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 * @param {Device.Answers} answers
 */
export function shown(design, coins, answers) {
  const rules = rulesOf(design);
  const asked = drawn(design, coins);
  const chosen = choicesOf(design, coins);
  /** @type {(number | null)[]} */
  const counted = [];
  return placesOf(design).map((_, place) => {
    const applies = shows(rules[place], counted);
    // What was answered before a rule hid the question no longer counts.
    counted.push(applies ? (chosen.get(place) ?? answers[place]) : null);
    return asked[place] && applies && !chosen.has(place);
  });
}

/**
 * The record that leaves the device. Every question that is drawn and applies must be answered.
 * @param {Device.Design} design
 * @param {string} fingerprint
 * @param {Device.Coins} coins
 * @param {number} group OPEN or DISGUISED
 * @param {Device.Answers} answers
 * @returns {Device.Sent}
 */
export function disguise(design, fingerprint, coins, group, answers) {
  return { design: fingerprint, group, answers: encode(design, disguisedCodes(design, coins, group, answers)) };
}

/**
 * The codes of that record, one per question.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 * @param {number} group
 * @param {Device.Answers} answers
 * @returns {number[]}
 */
export function disguisedCodes(design, coins, group, answers) {
  if (group !== OPEN && group !== DISGUISED) throw new RangeError("the group is 0 or 1");
  const pick = draws.picking(coins);
  const ofDesign = behind(design, coins);
  if (group !== (draws.arm(design, ofDesign, pick) ?? group)) throw new RangeError("the random draws chose the other arm");
  const places = placesOf(design);
  if (answers.length !== places.length) throw new RangeError("one answer per question");
  const rules = rulesOf(design);
  const chosen = draws.choices(design, ofDesign, pick);
  const sections = bySection(design, coins);
  const asked = drawnOf(sections);
  /** @type {number[]} */
  const codes = [];
  /** @type {Device.CodeOf} */
  const codeOf = (name) => codes[places.findIndex(([, question]) => question.name === name)];
  for (const [section, own] of sections) {
    section.questions.forEach((question, j) => {
      const place = codes.length;
      if (!asked[place]) codes.push(notAsked(section, question));
      else if (!shows(rules[place], codes)) codes.push(notApplicable(section, question));
      else {
        const truth = trueAnswer(section, question, chosen.get(place) ?? answers[place]);
        const lasts = /** @type {Device.Grouped} */ (section).lasting !== undefined;
        const from = lasts && group === DISGUISED ? permanentAnswer(coins, place) : truth;
        codes.push(kindOf(section).sent(section, j, from, group === OPEN, own, pick, codeOf));
      }
    });
  }
  return codes;
}

/**
 * For each section whether its coins keep disguised answers, or replace them by chance alone.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 */
export const kept = (design, coins) =>
  bySection(design, coins).map(([section, own]) => kindOf(section).kept(section, own, draws.picking(coins)));

/**
 * For each question of the design whether the coins draw it.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 * @returns {boolean[]}
 */
export function drawn(design, coins) {
  behind(design, coins); // refuses others
  return drawnOf(bySection(design, coins));
}

/**
 * The answer text: every code in its place, zero-padded to the width that its question's codes need.
 * @param {Device.Design} design
 * @param {number[]} codes
 */
export const encode = (design, codes) => placesOf(design).map((place, i) => digits(...place, codes[i])).join("");

/**
 * @param {Device.Section} section
 * @param {Device.Question} question
 * @param {number} code
 */
export const digits = (section, question, code) => String(code).padStart(width(section, question), "0");

/**
 * The codes of an answer text, or null if it is none of this design.
 * @param {Device.Design} design
 * @param {string} text
 * @returns {number[] | null}
 */
export function decode(design, text) {
  const places = placesOf(design);
  const length = places.reduce((sum, place) => sum + width(...place), 0);
  if (typeof text !== "string" || text.length !== length || !/^[0-9]*$/.test(text)) return null;
  let at = 0;
  const codes = places.map((place) => Number(text.slice(at, (at += width(...place)))));
  return codes.every((code, i) => code <= notApplicable(...places[i])) ? codes : null;
}

/**
 * Why this is not a possible record of the design, or null if it is one.
 * @param {Device.Design} design
 * @param {string} fingerprint
 * @param {Device.Sent} record
 * @returns {Device.Wrong | null}
 */
export function impossible(design, fingerprint, record) {
  if (record?.design !== fingerprint) return { reason: "design", question: null };
  const open = record.group === OPEN && (design.open_answers || design.direct !== undefined);
  if (record.group !== DISGUISED && !open) return { reason: "group", question: null };
  sides(design);
  const codes = decode(design, record.answers);
  if (codes === null) return { reason: "answers", question: null };
  const places = placesOf(design);
  const foreign = places.findIndex(([section, question], i) => {
    const isAnswer = codes[i] < notAsked(section, question);
    return isAnswer && kindOf(section).foreign?.(section, codes[i], record.group === OPEN);
  });
  if (foreign >= 0) return { reason: "group", question: places[foreign][1].name };
  const rules = rulesOf(design);
  let first = 0;
  for (const section of design.sections) {
    const asked = section.questions.filter((question, j) => codes[first + j] !== notAsked(section, question)).length;
    if (asked !== kindOf(section).asked(section)) return { reason: "asked", question: places[first][1].name };
    first += section.questions.length;
  }
  const wrong = places.findIndex((place, i) => {
    const hidden = codes[i] === notApplicable(...place);
    return codes[i] !== notAsked(...place) && hidden === shows(rules[i], codes);
  });
  return wrong < 0 ? null : { reason: "applicable", question: places[wrong][1].name };
}

/**
 * @param {Device.Section} section
 * @param {Device.Question} question
 * @returns {number}
 */
export const notAsked = (section, question) => kindOf(section).codes(question, section);

/**
 * @param {Device.Section} section
 * @param {Device.Question} question
 */
export const notApplicable = (section, question) => notAsked(section, question) + 1;

/**
 * @param {Device.Section} section
 * @param {Device.Question} question
 */
const width = (section, question) => String(notApplicable(section, question)).length;

/**
 * Every question with the section it stands in.
 * @param {Device.Design} design
 * @returns {(readonly [Device.Section, Device.Question])[]}
 */
const placesOf = (design) =>
  design.sections.flatMap((section) => section.questions.map((question) => /** @type {const} */ ([section, question])));

/**
 * @param {number} value
 * @param {number} n
 */
const isBelow = (value, n) => Number.isInteger(value) && value >= 0 && value < n;

/**
 * @param {Device.Section} section
 * @param {Device.Question} question
 * @param {number | null} answer
 */
function trueAnswer(section, question, answer) {
  if (answer === null || !isBelow(answer, kindOf(section).answers(question))) {
    throw new RangeError(`the question ${question.name} is not answered`);
  }
  return answer;
}

/**
 * The answer that a code fixed for life.
 * @param {Device.Coins} coins
 * @param {number} place
 */
function permanentAnswer({ permanent }, place) {
  const answer = permanent?.[place];
  if (answer === undefined || answer === null) throw new RangeError("the disguise lasts: these random draws are of no code");
  return answer;
}

/**
 * The coins behind those of the sections; refuses coins that are not of this design.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 */
function behind(design, { modulus, values }) {
  const numbers = sides(design, modulus);
  const fit = values.length === numbers.length && values.every((coin, i) => isBelow(coin, numbers[i]));
  if (!fit) throw new RangeError("these are not the random draws of this design");
  return values.slice(values.length - draws.sides(design, modulus).length);
}

/**
 * Every section with its own coins.
 * @param {Device.Design} design
 * @param {Device.Coins} coins
 */
function bySection({ sections }, { modulus, values }) {
  let thrown = 0;
  return sections.map((section) => {
    const own = values.slice(thrown, (thrown += kindOf(section).sides(section, modulus).length));
    return /** @type {const} */ ([section, own]);
  });
}

/** @param {(readonly [Device.Section, number[]])[]} sections  each with its own coins */
const drawnOf = (sections) => sections.flatMap(([section, own]) => kindOf(section).drawn(section, own));

/**
 * For each question its rules: an earlier plain question's place and the codes of which it must have one.
 * @param {Device.Design} design
 * @returns {[number, number[]][][]}
 */
function rulesOf(design) {
  const questions = placesOf(design).map(([, question]) => question);
  const places = new Map(questions.map((question, place) => [question.name, place]));
  return questions.map(({ show_if }) =>
    Object.entries(show_if).map(([name, allowed]) => {
      const place = /** @type {number} */ (places.get(name));
      const names = /** @type {Device.Chosen} */ (questions[place]).choices.map((choice) => choice.name);
      return [place, allowed.map((choice) => names.indexOf(choice))];
    }),
  );
}

/**
 * @param {[number, number[]][]} rules
 * @param {Device.Answers} codes of at least all earlier plain questions
 */
function shows(rules, codes) {
  return rules.every(([place, allowed]) => allowed.includes(/** @type {number} */ (codes[place])));
}
