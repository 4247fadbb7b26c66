// @ts-check
/**
 * Crosswise sections: no coin of the device. Twin: privacy/kinds/crosswise/device.py.
 *
 * The answer of a disguised respondent is a word, SAME or DIFFERENT. *Different* is recorded as yes where the secret
 * that is asked is true of less than half of all people, *same* where of more. Whoever drew the second choice of the
 * question `turned_by` is asked the opposite secret. Open and direct respondents answer the plain question.
 */

export const SAME = 0;
export const DIFFERENT = 1;

/** @type {Device.Kind<Device.Crosswise>} */
export const crosswise = {
  asked: () => 1,
  probabilities: ({ questions: [{ share }] }) => [share],
  sides: () => [],
  drawn: () => [true],
  redrawn: () => [],
  answers: () => 2,
  codes: () => 2,
  kept: () => true,
  sent({ questions: [{ share, turned_by }] }, j, given, isOpen, coins, pick, codeOf) {
    const turned = turned_by !== undefined && codeOf(turned_by) === 1;
    const wordOfYes = share < "0.5000" !== turned ? DIFFERENT : SAME;
    return isOpen ? given : Number(given === wordOfYes);
  },
};
