// @ts-check
/**
 * What a device draws for the whole design: the arm, the drawn questions and random orders. Twin:
 * privacy/mechanisms/random_draws.py.
 *
 * Its coins stand behind those of the sections:
 *   1. only with `direct`: one coin below the modulus; the device is in the direct arm if coin/modulus < direct;
 *   2. for each drawn question: one coin below the modulus; its answer is the first choice whose cumulative share is
 *      above coin/modulus;
 *   3. for each section with `order`, of B blocks: B - 1 coins, the i-th (from 0) below B - i; coin i swaps the blocks
 *      i and i + coin. A group is one block, and so is a table;
 *   4. for each question with B choices in random order (`shuffled`): B - 1 coins, the i-th below B - i; coin i swaps the
 *      choices i and i + coin. Of a group it is the options that move. What stands behind the first B stays there.
 * A respondent can see what these coins decide, so they survive a reload.
 */

/** Probabilities are counted in ten-thousandths. */
export const PARTS = 10000;

/**
 * A probability of a canonical design ("0.2500") in ten-thousandths.
 * @param {string} text
 */
export function parts(text) {
  if (!/^0\.[0-9]{4}$/.test(text)) throw new TypeError(`not a probability with four places: ${text}`);
  return Number(text.slice(2));
}

/**
 * Which of some probabilities a coin picks: the first whose cumulative sum is above coin/modulus; -1 if none is.
 * @param {Device.Coins} coins
 * @returns {Device.Pick}
 */
export const picking = ({ modulus }) => (coin, law) => {
  let cumulative = 0;
  return law.findIndex((probability) => {
    cumulative += parts(probability);
    return coin * PARTS < cumulative * modulus;
  });
};

/** @param {Device.Design} design */
const placed = ({ sections }) => sections.flatMap(({ questions }) => questions);

/**
 * @param {Device.Question} question
 * @returns {question is Device.Drawn}
 */
export const isDrawn = (question) => "shares" in question;

/**
 * All probabilities by which the device draws.
 * @param {Device.Design} design
 */
export const probabilities = (design) => [
  ...(design.direct === undefined ? [] : [design.direct]),
  ...placed(design).filter(isDrawn).flatMap(({ shares }) => shares),
];

/**
 * The number of sides of each coin.
 * @param {Device.Design} design
 * @param {number} modulus
 */
export const sides = (design, modulus) => [
  ...(design.direct === undefined ? [] : [modulus]),
  ...placed(design).filter(isDrawn).map(() => modulus),
  ...design.sections.filter(({ order }) => order).flatMap((section) => shuffles(blocks(section).length)),
  ...placed(design).flatMap((question) => shuffles(movable(question))),
];

/**
 * The group of the arm that is drawn, 0 direct and 1 disguised; null where a design has no arms.
 * @param {Device.Design} design
 * @param {number[]} coins
 * @param {Device.Pick} pick
 */
export const arm = ({ direct }, coins, pick) => (direct === undefined ? null : Math.abs(pick(coins[0], [direct])));

/**
 * The drawn choice of each drawn question, by its place among all questions.
 * @param {Device.Design} design
 * @param {number[]} coins
 * @param {Device.Pick} pick
 */
export function choices(design, coins, pick) {
  const found = /** @type {Map<number, number>} */ (new Map());
  let at = design.direct === undefined ? 0 : 1;
  placed(design).forEach((question, place) => {
    if (isDrawn(question)) found.set(place, pick(coins[at++], question.shares));
  });
  return found;
}

/**
 * The places of all questions in the order in which they are shown.
 * @param {Device.Design} design
 * @param {number[]} coins
 */
export function order(design, coins) {
  let at = (design.direct === undefined ? 0 : 1) + placed(design).filter(isDrawn).length;
  let first = 0;
  const orders = choiceOrders(design, coins);
  return design.sections.flatMap((section) => {
    const found = blocks(section).map((block) => block.map((j) => first + j));
    if (section.order) at = shuffle(found, coins, at);
    first += section.questions.length;
    return found.flatMap((block) => (block.length > 1 ? ordered(block, orders.get(block[0])) : block));
  });
}

/**
 * By its place each question whose choices are in random order: which stands first, second and so on among those that
 * move. Of a group it stands at the place of the first option, and counts the options from there.
 * @param {Device.Design} design
 * @param {number[]} coins
 */
export function choiceOrders(design, coins) {
  const found = /** @type {Map<number, number[]>} */ (new Map());
  const all = placed(design);
  let at = coins.length - all.reduce((sum, question) => sum + Math.max(movable(question) - 1, 0), 0);
  all.forEach((question, place) => {
    if (!movable(question)) return;
    const order = Array.from({ length: movable(question) }, (_, i) => i);
    at = shuffle(order, coins, at);
    found.set(place, order);
  });
  return found;
}

/**
 * Things in the order drawn; those behind them stay.
 * @template Thing
 * @param {Thing[]} things
 * @param {number[]} [order]
 */
export const ordered = (things, order = []) => [...order.map((i) => things[i]), ...things.slice(order.length)];

/** @param {Device.Question} question */
const movable = ({ shuffled }) => shuffled ?? 0;

/**
 * Fisher-Yates with the coins from a place on; the place behind them.
 * @template Thing
 * @param {Thing[]} things
 * @param {number[]} coins
 * @param {number} at
 */
function shuffle(things, coins, at) {
  for (let i = 0; i < things.length - 1; i += 1) {
    const j = i + coins[at + i];
    [things[i], things[j]] = [things[j], things[i]];
  }
  return at + Math.max(things.length - 1, 0);
}

/** @param {number} n */
const shuffles = (n) => Array.from({ length: Math.max(n - 1, 0) }, (_, i) => n - i);

/**
 * The places of a section's questions that stay together.
 * @param {Device.Section} section
 */
function blocks({ questions }) {
  const found = /** @type {number[][]} */ ([]);
  questions.forEach(({ of }, j) => {
    if (j && of && questions[j - 1].of === of) found[found.length - 1].push(j);
    else found.push([j]);
  });
  return found;
}
