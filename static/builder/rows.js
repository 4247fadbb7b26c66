/**
 * Rows of a question's form: answers, limits and regions. Each keeps its id while the server's answers replace the
 * page and its place changes.
 */

import { currentKey, formOf, partOf } from "./carrying.js";

/** @typedef {Map<string, {names: Map<string, string>, ids: string[]}>} Rows  by part: the ids by the server's names, and in order */

let last = 0;

/**
 * @param {ParentNode | null | undefined} within
 * @returns {HTMLElement[]}
 */
export const rowsIn = (within) => [...(within?.querySelectorAll("[data-row]") ?? [])].map((row) => /** @type {HTMLElement} */ (row));

/** @param {Element} element */
export const rowOf = (element) => /** @type {HTMLElement | null} */ (element.closest("[data-row]"));

/** @param {HTMLElement} row */
export function idOf(row) {
  row.dataset.row ||= String(++last);
  return row.dataset.row;
}

/** @param {HTMLElement} row */
const isWaiting = (row) => row.matches("[data-waiting]");

/**
 * Where a row stands now on the server, -1 where it is not there any more.
 * @param {string} part
 * @param {string} id
 */
export const placeOf = (part, id) => rowsIn(formOf(part)).filter((row) => !isWaiting(row)).findIndex((row) => idOf(row) === id);

/**
 * What a command does to the ids of the rows of its part.
 * @type {{[word: string]: ((ids: string[], at: number) => string[]) | undefined}}
 */
const EFFECTS = {
  remove: (ids, at) => ids.filter((_id, place) => place !== at),
  up: (ids, at) => swap(ids, at, at - 1),
  down: (ids, at) => swap(ids, at, at + 1),
};

/**
 * @param {string[]} ids
 * @param {number} from
 * @param {number} to
 */
function swap(ids, from, to) {
  const after = [...ids];
  [after[from], after[to]] = [ids[to], ids[from]];
  return after;
}

/**
 * The rows of all forms in the page, as a command leaves them. What waits for it stands at its place already.
 * @param {{part: string, word: string, row: string, waiting: Element | null}} command
 * @returns {Rows}
 */
export function rowsAfter({ part, word, row, waiting }) {
  const rowsByPart = /** @type {Rows} */ (new Map());
  /** @type {NodeListOf<HTMLFormElement>} */
  const forms = document.querySelectorAll("#questionnaire form[data-keeps]");
  for (const form of forms) {
    const rows = rowsIn(form).filter((each) => !isWaiting(each) || each === waiting);
    const names = new Map(rows.map((each) => [each.dataset.answerName ?? "", idOf(each)]));
    names.delete("");
    const ids = rows.map(idOf);
    const effect = EFFECTS[word.split("-").at(-1) ?? ""];
    const isChanged = effect && row && [part, currentKey(part)].includes(partOf(form));
    rowsByPart.set(partOf(form), { names, ids: isChanged ? effect(ids, ids.indexOf(row)) : ids });
  }
  return rowsByPart;
}

/**
 * The fresh rows go by the ids of those that they stand for: by the server's name of an answer, else by place.
 * @param {Rows} rows
 */
export function identify(rows) {
  for (const [part, { names, ids }] of rows) {
    const fresh = rowsIn(formOf(part)).filter((row) => !isWaiting(row));
    const idsByName = fresh.map((row) => names.get(row.dataset.answerName ?? "") ?? "");
    fresh.forEach((row, place) => {
      const id = idsByName[place] || (idsByName.includes(ids[place]) ? "" : ids[place]);
      if (id) row.dataset.row = id;
    });
  }
}
