// @ts-check
/** Plain sections: no coin, and every answer goes out as it is. Twin: privacy/kinds/plain/device.py. */

/** @type {Device.Kind<Device.Plain>} */
export const plain = {
  asked: ({ questions }) => questions.length,
  probabilities: () => [],
  sides: () => [],
  drawn: ({ questions }) => questions.map(() => true),
  redrawn: () => [],
  answers: ({ choices }) => choices.length,
  codes: ({ choices }) => choices.length,
  kept: () => true,
  sent: (section, j, truth) => truth,
};
