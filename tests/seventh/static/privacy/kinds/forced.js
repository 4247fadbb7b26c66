// @ts-check
/**
 * Forced response: one yes/no question. Twin: tests/seventh/forced.py.
 *
 * The coins: a keep coin below the modulus, and an answer coin of two sides. If the keep coin does not keep the true
 * answer, the side of the answer coin is sent.
 */

/** @typedef {{kind: "forced", keep: string, questions: [Device.Chosen]}} Forced */

/** @type {Device.Kind<Forced>} */
export const forced = {
  asked: () => 1,
  probabilities: ({ keep }) => [keep],
  sides: (section, modulus) => [modulus, 2],
  drawn: () => [true],
  redrawn: () => [],
  answers: ({ choices }) => choices.length,
  codes: ({ choices }) => choices.length,
  kept: ({ keep }, [coin], pick) => pick(coin, [keep]) === 0,
  sent: (section, j, truth, isOpen, coins, pick) => (isOpen || forced.kept(section, coins, pick) ? truth : coins[1]),
};
