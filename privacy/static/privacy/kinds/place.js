// @ts-check
/**
 * Sections of one place, a cell of a finite set, some of which lie in sensitive regions. Twin: privacy/kinds/place/device.py.
 * A true answer is the number of a cell. One coin decides the cell that is sent; after a reload it is new, since nothing
 * shows what it decides.
 */

/** V: the weight of a cell that is not near. Odds are counted in the same hundredths. */
const FAR = 100;

/** @type {Device.Kind<Device.PlaceSection>} */
export const place = {
  asked: () => 1,
  drawn: () => [true],
  redrawn: () => [],
  probabilities: () => [],
  sides: ({ questions: [question] }) => [excess(question) + FAR * sizeInside(question)],
  answers: ({ cells }) => cells.length,
  codes: ({ cells }) => cells.length,
  kept: ({ questions: [question] }, [coin]) => coin < excess(question),
  sent: ({ questions: [question] }, j, truth, isOpen, [coin]) => (isOpen ? truth : disguised(question, truth, coin)),
};

/**
 * Inside a region W sides of the coin send each near cell, in their order, then V sides each other cell of the regions,
 * by number. Outside the first m (W - V) sides send the cell itself, then V sides each cell of the regions, by number.
 * @param {Device.PlaceQuestion} question
 * @param {number} truth
 * @param {number} coin
 */
function disguised(question, truth, coin) {
  const regions = regionsOf(question);
  const inside = regions.flatMap(({ cells }) => cells).sort((a, b) => a - b);
  const home = regions.find(({ cells }) => cells.includes(truth));
  if (!home) return coin < excess(question) ? truth : inside[Math.floor((coin - excess(question)) / FAR)];
  const near = nearest(question, home.cells, truth).slice(0, home.near);
  const weight = hundredths(home.odds);
  const sides = near.length * weight;
  if (coin < sides) return near[Math.floor(coin / weight)];
  const isNear = new Set(near);
  return inside.filter((cell) => !isNear.has(cell))[Math.floor((coin - sides) / FAR)];
}

/**
 * These cells by squared distance, then by number. Distances stay below 2^50, so they are exact.
 * @param {Device.PlaceQuestion} question
 * @param {number[]} cells
 * @param {number} from
 */
function nearest({ cells: all }, cells, from) {
  const [x, y] = all[from].at;
  const distances = new Map(cells.map((cell) => [cell, (all[cell].at[0] - x) ** 2 + (all[cell].at[1] - y) ** 2]));
  /** @param {number} cell */
  const distance = (cell) => /** @type {number} */ (distances.get(cell));
  return [...cells].sort((a, b) => distance(a) - distance(b) || a - b);
}

/**
 * Each region with the numbers of its cells and its level, which is the question's where it has none of its own.
 * @param {Device.PlaceQuestion} question
 */
function regionsOf({ cells, regions, near, odds }) {
  const numbers = new Map(cells.map(({ name }, number) => [name, number]));
  return regions.map((region) => ({
    near: region.near ?? near,
    odds: region.odds ?? odds,
    cells: region.cells.map((name) => /** @type {number} */ (numbers.get(name))),
  }));
}

/**
 * m (W - V): so many sides keep a cell outside. It is the same for all levels of a question.
 * @param {Device.PlaceQuestion} question
 */
const excess = ({ near, odds }) => near * (hundredths(odds) - FAR);

/**
 * The number of cells in all regions together.
 * @param {Device.PlaceQuestion} question
 */
const sizeInside = ({ regions }) => regions.reduce((size, { cells }) => size + cells.length, 0);

/**
 * The odds of a canonical design ("7.38") in hundredths.
 * @param {string} text
 */
function hundredths(text) {
  if (!/^[1-9][0-9]{0,3}\.[0-9]{2}$/.test(text)) throw new TypeError(`not odds with two places: ${text}`);
  return Number(text.replace(".", ""));
}
