import assert from "node:assert/strict";
import { test } from "node:test";

import { sets } from "./answering.js";

/** @type {(size: number, choices: number) => Intake.Subset} */
const section = (size, choices) => ({
  kind: "subset", keep: "0.5000", size,
  questions: [{ name: "drug", form: "one", text: {}, help: {}, show_if: {}, choices: Array.from({ length: choices }, (_, i) => ({ name: `c${i}`, label: {} })) }],
});

test("codes name the sets in lexicographic order, and behind them the choices of open records", () => {
  const expected = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3], [0], [1], [2], [3]];
  assert.deepEqual(expected.map((_, code) => sets.membersOf(section(2, 4), code)), expected);
  // The last of 20,349 sets holds the last five choices.
  assert.deepEqual(sets.membersOf(section(5, 21), 20_348), [16, 17, 18, 19, 20]);
  assert.deepEqual(sets.membersOf(section(5, 21), 20_349 + 20), [20]);
});
