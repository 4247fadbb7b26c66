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

/**
 * The word that is recorded as yes.
 * @param {{share: string}} question
 * @param {boolean} isTurned
 */
export const wordOfYes = ({ share }, isTurned) => (share < "0.5000" !== isTurned ? DIFFERENT : SAME);

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
  sent({ questions: [question] }, j, given, isOpen, coins, pick, codeOf) {
    const isTurned = question.turned_by !== undefined && codeOf(question.turned_by) === 1;
    return isOpen ? given : Number(given === wordOfYes(question, isTurned));
  },
};
