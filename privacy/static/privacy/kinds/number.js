// @ts-check
/**
 * Sections of one number, by one of two laws. Twins: window_device.py and thresholds_device.py in privacy/kinds/number.
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
 * Coins: one below N, which draws the threshold; then, as in a grouped section, a keep coin and N noise coins, for the
 * answer to "at least the threshold"; only with `mean` one below the least common multiple of the gaps.
 * @type {Device.NumberLaw<Device.ThresholdsSection>}
 */
const thresholdsLaw = {
  probabilities: ({ keep }) => [keep],
  sides({ questions: [question] }, modulus) {
    const gaps = gapsOf(question);
    return [gaps.length, modulus, ...gaps.map(() => modulus), ...(question.mean ? [multiple(gaps)] : [])];
  },
  answers: ({ thresholds, step }) => (thresholds[thresholds.length - 1] - thresholds[0]) / step + 1,
  codes: (question) => 2 * gapsOf(question).length,
  kept: ({ keep }, coins, pick) => pick(coins[1], [keep]) === 0,
  sent(section, j, truth, isOpen, coins, pick) {
    const [question] = section.questions;
    const drawn = coins[0];
    const number = question.thresholds[0] + question.step * truth;
    const near = question.mean ? moved(question, number, coins[coins.length - 1]) : number;
    const answer = Number(near >= question.thresholds[drawn + 1]);
    const noise = pick(coins[2 + drawn], ["0.5000", "0.5000"]);
    return 2 * drawn + (isOpen || thresholdsLaw.kept(section, coins, pick) ? answer : noise);
  },
};

/**
 * The threshold above or below the number, by chance in proportion. A number that is one stays.
 * @param {Device.ThresholdsQuestion} question
 * @param {number} number
 * @param {number} coin
 */
function moved(question, number, coin) {
  const above = question.thresholds.findIndex((threshold) => threshold >= number);
  if (above === 0) return number;
  const gaps = gapsOf(question);
  const low = question.thresholds[above - 1];
  // At most the multiple, so exact: the gap divides it.
  const up = coin < (number - low) * (multiple(gaps) / gaps[above - 1]);
  return up ? question.thresholds[above] : low;
}

/** @param {Device.ThresholdsQuestion} question */
const gapsOf = ({ thresholds }) => thresholds.slice(1).map((threshold, i) => threshold - thresholds[i]);

/**
 * The least common multiple.
 * @param {number[]} gaps
 */
const multiple = (gaps) => gaps.reduce((common, gap) => (common / divisor(common, gap)) * gap, 1);

/**
 * The greatest common divisor.
 * @param {number} a
 * @param {number} b
 * @returns {number}
 */
const divisor = (a, b) => (b ? divisor(b, a % b) : a);

/** @type {Readonly<Record<string, Device.NumberLaw>>} */
const LAWS = { window: windowLaw, thresholds: thresholdsLaw };

/** @type {Device.Kind<Device.NumberSection>} */
export const number = {
  asked: () => 1,
  drawn: () => [true],
  redrawn: () => [],
  probabilities: (section) => LAWS[section.questions[0].law].probabilities(section),
  sides: (section, modulus) => LAWS[section.questions[0].law].sides(section, modulus),
  answers: (question) => LAWS[question.law].answers(question),
  codes: (question, section) => LAWS[question.law].codes(question, section),
  kept: (section, coins, pick) => LAWS[section.questions[0].law].kept(section, coins, pick),
  sent: (section, j, ...more) => LAWS[section.questions[0].law].sent(section, j, ...more),
};
