// @ts-check
/**
 * Sections of one number, by one of two laws. Twins: window_device.py and classes_device.py in privacy/kinds/number.
 * A true answer is the number of steps above the lowest number. After a reload all coins of a number are new, since
 * nothing shows what they decide.
 */

/**
 * Coins: one below the modulus, by which any number goes out; one below 2h + 1, which shifts the number by at most h,
 * modulo V; one below V, any number.
 * @type {Device.NumberLaw<Device.WindowSection>}
 */
const windowLaw = {
  probabilities: ({ questions: [{ uniform }] }) => [uniform],
  sides: ({ questions: [question] }, modulus) => [modulus, 2 * question.window + 1, question.values],
  answers: ({ values }) => values,
  codes: ({ values }) => values,
  kept: ({ questions: [{ uniform }] }, coins, pick) => pick(coins[0], [uniform]) !== 0,
  sent(section, j, truth, isOpen, coins, pick) {
    const [question] = section.questions;
    const near = (truth + coins[1] - question.window + question.values) % question.values;
    const disguised = windowLaw.kept(section, coins, pick) ? near : coins[2];
    return isOpen ? truth : disguised;
  },
};

/**
 * Coins: only if m < N, m that shuffle the limits, the l-th (from 0) below N - l; then a keep coin, and one below m + 1,
 * any class; only if R > 0 one below 20, by which the place inside the class goes out, one below D, which makes a bit of
 * it, a keep coin and a noise coin for this bit.
 * @type {Device.NumberLaw<Device.ClassesSection>}
 */
const classesLaw = {
  probabilities: ({ keep, keep_rest, questions: [{ rest }] }) => (rest ? [keep, String(keep_rest)] : [keep]),
  sides({ questions: [question] }, modulus) {
    check(question);
    const rest = question.rest ? [20, span(question), modulus, 2] : [];
    return [...shuffle(question), modulus, question.cuts + 1, ...rest];
  },
  answers: (question) => (ends(question)[1] - ends(question)[0]) / question.step + 1,
  codes: (question) => intervals(question) + (question.rest ? 2 : 0),
  foreign({ questions: [question] }, code, isOpen) {
    if (code >= intervals(question)) return false;
    let a = 0;
    while (intervalCode(question, a + 1, a + 2) <= code) a += 1;
    const z = code - intervalCode(question, a, a + 1) + a + 1;
    const { cuts, limits } = question;
    const ends = Number(a > 0) + Number(z <= limits.length);
    const others = limits.length - (z - a - 1) - ends;
    return isOpen ? z - a > 1 : cuts < ends || others < cuts - ends;
  },
  kept(section, coins, pick) {
    const [question] = section.questions;
    const [keep, , kind, , rest] = coins.slice(shuffle(question).length);
    return sendsBit(question, kind) ? pick(rest, [String(section.keep_rest)]) === 0 : pick(keep, [section.keep]) === 0;
  },
  sent(section, j, truth, isOpen, coins, pick) {
    const [question] = section.questions;
    const number = ends(question)[0] + question.step * truth;
    const own = question.limits.filter((limit) => limit <= number).length;
    const [, other, kind, move, , noise] = coins.slice(shuffle(question).length);
    const isTrue = isOpen || classesLaw.kept(section, coins, pick);
    if (sendsBit(question, kind)) {
      return intervals(question) + (isTrue ? Number(move < number - starts(question)[own]) : noise);
    }
    if (isOpen) return intervalCode(question, own, own + 1);
    const limits = drawn(question, coins);
    const bounds = [0, ...limits, question.limits.length + 1];
    const sent = isTrue ? limits.filter((limit) => limit <= own).length : other;
    return intervalCode(question, bounds[sent], bounds[sent + 1]);
  },
};

/**
 * Refuses limits, cuts or a rest that no law fits.
 * @param {Device.ClassesQuestion} question
 */
function check(question) {
  const { limits, cuts, rest, step, low, high } = question;
  const points = low === undefined ? limits : [low, ...limits];
  const inOrder = points.every((point, i) => i === 0 || (point > points[i - 1] && (point - points[i - 1]) % step === 0));
  const last = limits[limits.length - 1];
  const ended = high === undefined ? low === undefined : low !== undefined && high >= last && (high - last) % step === 0;
  const drawable = limits.length <= 20 && cuts >= 1 && cuts <= limits.length;
  const rested = rest >= 0 && rest <= 10 && (rest === 0 || (low !== undefined && span(question) > 0));
  if (!(inOrder && ended && drawable && rested)) throw new RangeError("no law fits these limits, cuts and rest");
}

/**
 * @param {Device.ClassesQuestion} question
 * @param {number | undefined} kind  a coin; none where R is 0
 */
const sendsBit = ({ rest }, kind) => kind !== undefined && kind < rest;

/**
 * The code of the classes from a on, below z.
 * @param {Device.ClassesQuestion} question
 * @param {number} a
 * @param {number} z
 */
const intervalCode = ({ limits: { length } }, a, z) => (a * (2 * length + 3 - a)) / 2 + z - a - 1;

/**
 * How many intervals of classes there are.
 * @param {Device.ClassesQuestion} question
 */
const intervals = ({ limits: { length } }) => ((length + 1) * (length + 2)) / 2;

/**
 * The lowest and the highest number; without ends those that can be given at all.
 * @param {Device.ClassesQuestion} question
 */
function ends({ low, high, limits: [first], step }) {
  if (low !== undefined && high !== undefined) return [low, high];
  return [first - Math.floor((first + 1e9) / step) * step, first + Math.floor((1e9 - first) / step) * step];
}

/**
 * Where the classes begin.
 * @param {Device.ClassesQuestion} question
 */
const starts = (question) => [ends(question)[0], ...question.limits];

/**
 * D, the largest distance of a number from where its class begins.
 * @param {Device.ClassesQuestion} question
 */
function span(question) {
  const tops = [...question.limits.map((limit) => limit - question.step), ends(question)[1]];
  return Math.max(...starts(question).map((start, b) => tops[b] - start));
}

/**
 * The sides of the coins that shuffle the limits.
 * @param {Device.ClassesQuestion} question
 */
function shuffle({ cuts, limits: { length } }) {
  return cuts < length ? Array.from({ length: cuts }, (_, place) => length - place) : [];
}

/**
 * The limits drawn, as numbers from 1 on, ascending.
 * @param {Device.ClassesQuestion} question
 * @param {number[]} coins
 */
function drawn(question, coins) {
  const limits = question.limits.map((_, place) => place + 1);
  shuffle(question).forEach((_, place) => {
    const other = place + coins[place];
    [limits[place], limits[other]] = [limits[other], limits[place]];
  });
  return limits.slice(0, question.cuts).sort((a, b) => a - b);
}

/** @type {Readonly<Record<string, Device.NumberLaw>>} */
const LAWS = { window: windowLaw, classes: classesLaw };

/** @type {Device.Kind<Device.NumberSection>} */
export const number = {
  asked: () => 1,
  drawn: () => [true],
  redrawn: () => [],
  probabilities: (section) => LAWS[section.questions[0].law].probabilities(section),
  sides: (section, modulus) => LAWS[section.questions[0].law].sides(section, modulus),
  answers: (question) => LAWS[question.law].answers(question),
  codes: (question, section) => LAWS[question.law].codes(question, section),
  foreign: (section, code, isOpen) => Boolean(LAWS[section.questions[0].law].foreign?.(section, code, isOpen)),
  kept: (section, coins, pick) => LAWS[section.questions[0].law].kept(section, coins, pick),
  sent: (section, j, ...more) => LAWS[section.questions[0].law].sent(section, j, ...more),
};
