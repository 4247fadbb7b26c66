// @ts-check
/**
 * Grouped sections (unrelated-question). Twin: privacy/kinds/grouped/section.py.
 *
 * The coins of a section of N questions, of which s are asked:
 *   1. only if s < N: s shuffle coins, the i-th (from 0) below N - i;
 *   2. one keep coin below the modulus;
 *   3. N noise coins below the modulus, one per question, asked or not.
 * The shuffle coins draw the questions that are asked: coin i swaps places i and i + coin, and the first s are drawn.
 * The keep coin keeps all true answers of the section, or none. If none, question j answers with the first choice
 * whose cumulative noise probability is above its noise coin/modulus.
 *
 * Where the disguise lasts, these are the coins of one round. They go on from the permanent answers (permanent.js), and
 * the keep coin is below lasting times the modulus: kept with probability keep/lasting.
 */

/** @param {Device.Grouped} section */
const shuffles = ({ asked, questions }) => (asked < questions.length ? asked : 0);

/** @type {Device.Kind<Device.Grouped>} */
export const grouped = {
  asked: ({ asked }) => asked,
  probabilities: ({ keep, lasting, questions }) => [keep, ...(lasting === undefined ? [] : [lasting]), ...questions.flatMap(({ noise }) => noise)],

  sides(section, modulus) {
    const n = section.questions.length;
    const shuffle = Array.from({ length: shuffles(section) }, (_, i) => n - i);
    const keep = section.lasting === undefined ? modulus : Math.round(Number(section.lasting) * modulus);
    return [...shuffle, keep, ...section.questions.map(() => modulus)];
  },

  drawn(section, coins) {
    const order = section.questions.map((_, j) => j);
    for (let i = 0; i < shuffles(section); i += 1) {
      const j = i + coins[i];
      [order[i], order[j]] = [order[j], order[i]];
    }
    const first = new Set(order.slice(0, section.asked));
    return section.questions.map((_, j) => first.has(j));
  },

  // From the first drawn to the last, each still stands at its own place when the shuffle comes to it.
  redrawn: (section, places) => (shuffles(section) ? places.map((place, i) => place - i) : []),

  answers: ({ choices }) => choices.length,
  codes: ({ choices }) => choices.length,

  kept: (section, coins, pick) => pick(coins[shuffles(section)], [section.keep]) === 0,

  sent(section, j, truth, isOpen, coins, pick) {
    const noise = pick(coins[shuffles(section) + 1 + j], section.questions[j].noise);
    return isOpen || grouped.kept(section, coins, pick) ? truth : noise;
  },
};
