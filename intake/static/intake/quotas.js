/**
 * Quotas: whether the plain answers of a person are in a cell that is full. The page names the full cells, the same for
 * everybody; the device alone compares, and asks nobody. Pure functions.
 */

/**
 * The cell of each quota, as pairs of a question's place and a code.
 * @param {Intake.Design} design
 */
function cells({ quotas = [], sections }) {
  const questions = sections.flatMap((section) => /** @type {Intake.Question[]} */ (section.questions));
  return quotas.map(({ answers }) =>
    Object.entries(answers).map(([name, choice]) => {
      const place = questions.findIndex((question) => question.name === name);
      return [place, questions[place].choices.findIndex((one) => one.name === choice)];
    }));
}

/**
 * The places of the questions that quotas look at.
 * @param {Intake.Design} design
 */
export const quotaPlaces = (design) => cells(design).flatMap((cell) => cell.map(([place]) => place));

/**
 * Whether this person is over quota, which no device decides before all of these questions are answered.
 * @param {Intake.Design} design
 * @param {Intake.Journey} journey
 */
export function isOver(design, { answers, full }) {
  const all = cells(design);
  const isAnswered = all.flat().every(([place]) => answers[place] !== null);
  return isAnswered && full.some((index) => all[index]?.every(([place, code]) => answers[place] === code));
}
