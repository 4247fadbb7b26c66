// @ts-check
/**
 * One question of K choices, of which a set of d goes out. Twin: privacy/kinds/subset/device.py.
 *
 * The coins, always all: a keep coin below the modulus; d shuffle coins, the l-th (from 0) below K-1-l. It swaps places
 * l and l + coin of the list of the other choices in increasing order. The set is the true choice and the first d-1
 * places if the keep coin keeps, else the first d places. A set's code is its rank in lexicographic order;
 * behind the sets come the choices themselves, of people who answer openly.
 */

/**
 * n over k; exact, since every step is a whole number.
 * @param {number} n
 * @param {number} k
 */
function over(n, k) {
  let ways = n < k ? 0 : 1;
  for (let i = 0; i < k && ways; i += 1) ways = (ways * (n - i)) / (i + 1);
  return ways;
}

/** @type {Device.Kind<Device.Subset>} */
export const subset = {
  asked: () => 1,
  drawn: () => [true],
  redrawn: () => [],
  probabilities: ({ keep }) => [keep],
  sides({ size, questions: [{ choices }] }, modulus) {
    return [modulus, ...Array.from({ length: size }, (_, l) => choices.length - 1 - l)];
  },
  answers: ({ choices }) => choices.length,
  codes: ({ choices }, { size }) => over(choices.length, size) + choices.length,
  foreign: ({ size, questions: [{ choices }] }, code, isOpen) => isOpen === code < over(choices.length, size),
  kept: ({ keep }, [coin], pick) => pick(coin, [keep]) === 0,
  sent(section, j, truth, isOpen, coins, pick) {
    const { length } = section.questions[0].choices;
    if (isOpen) return over(length, section.size) + truth;
    const others = Array.from({ length }, (_, choice) => choice).filter((choice) => choice !== truth);
    coins.slice(1).forEach((coin, l) => ([others[l], others[l + coin]] = [others[l + coin], others[l]]));
    const { size } = section;
    const members = subset.kept(section, coins, pick) ? [truth, ...others.slice(0, size - 1)] : others.slice(0, size);
    members.sort((a, b) => a - b);
    return members.reduce((rank, member, i) => rank - over(length - 1 - member, size - i), over(length, size) - 1);
  },
};
