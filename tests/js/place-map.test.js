import assert from "node:assert/strict";
import { test } from "node:test";

import { map } from "./answering.js";

/** @type {(name: string, at: [number, number], shape?: number[][]) => Intake.Cell} */
const cell = (name, at, shape) => ({ name, label: {}, at, ...(shape ? { shape } : {}) });
/** @type {(cells: Intake.Cell[], outline?: Intake.PlaceQuestion["outline"]) => Intake.PlaceQuestion} */
const asked = (cells, outline) => ({ name: "home", text: {}, help: {}, show_if: {}, near: 1, odds: "2.00", regions: [], cells, outline });

const square = [0, 0, 10, 0, 10, 10, 0, 10];
const ring = cell("ring", [1, 1], [square, [3, 3, 7, 3, 7, 7, 3, 7]]);
const core = cell("core", [5, 5], [[3, 3, 7, 3, 7, 7, 3, 7]]);
const dot = cell("dot", [20, 5]);

/** @type {(question: Intake.PlaceQuestion, x: number, y: number) => number} */
const hit = (question, x, y) => {
  const frame = map.frameOf(question);
  return map.cellAt(frame, question.cells, frame.to(x, y));
};

test("north is up and east is right", () => {
  const { to } = map.frameOf(asked([ring, dot]));
  assert.ok(to(0, 10).y < to(0, 0).y);
  assert.ok(to(10, 0).x > to(0, 0).x);
});

test("every corner lies on the drawing, with coordinates of any size", () => {
  for (const scale of [1, 1e6]) {
    const cells = [cell("a", [-10 * scale, -10 * scale]), cell("b", [10 * scale, 4 * scale])];
    const { to, whole } = map.frameOf(asked(cells));
    for (const { at } of cells) {
      const { x, y } = to(...at);
      assert.ok(x > 0 && x < whole.width && y > 0 && y < whole.height, `${scale} ${x} ${y}`);
    }
  }
});

test("cells in one line still make a drawing with two sides", () => {
  const { whole } = map.frameOf(asked([cell("a", [0, 0]), cell("b", [0, 9])]));
  assert.deepEqual([whole.height, whole.width], [1000, 500]);
});

test("on the outline of land a degree of longitude shrinks towards the poles", () => {
  const far = [cell("a", [0, 5900]), cell("b", [100, 6100])];
  const plain = map.frameOf(asked(far));
  const land = map.frameOf(asked(far, "land"));
  assert.ok(Math.abs(land.right / -land.down - 0.5) < 1e-9);
  assert.equal(plain.right, -plain.down);
});

test("a point means the shape around it, holes left out, or the nearest disc, and none far from all", () => {
  const shapes = asked([ring, core, dot]);
  assert.deepEqual([hit(shapes, 1, 1), hit(shapes, 5, 5), hit(shapes, 9, 9), hit(shapes, 12, 12)], [0, 1, 0, -1]);
  const discs = asked([cell("a", [0, 0]), cell("b", [10, 0]), cell("c", [10, 10])]);
  assert.deepEqual([hit(discs, 0.5, 0), hit(discs, 9.5, 0.2), hit(discs, 10, 9.5), hit(discs, 5, 5)], [0, 1, 2, -1]);
});

test("rings become closed paths, a cell without a shape a disc", () => {
  const question = asked([ring, dot]);
  const frame = map.frameOf(question);
  assert.match(map.ringPath(frame, [square]), /^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+){3}Z$/);
  assert.equal(map.cellPath(frame, [ring]).split("Z").length, 3);
  assert.match(map.cellPath(frame, [dot]), /^M.*a.*a.*Z$/);
});

const whole = { x: 0, y: 0, width: 1000, height: 500 };

test("zooming keeps the point around which it zooms, and what is seen never leaves the whole and is never larger", () => {
  const around = map.zoomed(whole, whole, 4, { x: 750, y: 250 });
  assert.deepEqual(around, { x: 562.5, y: 187.5, width: 250, height: 125 });
  assert.equal((750 - around.x) / around.width, 0.75);
  assert.deepEqual(map.zoomed(whole, whole, 0.1), whole);
  const near = map.zoomed(whole, whole, 4);
  assert.deepEqual(map.panned(whole, near, 1e6, -1e6), { ...near, x: 750, y: 0 });
  assert.equal(map.zoomed(whole, whole, 1e9).width, 1000 / 64);
});

test("names of regions stand where they cover no other, within what is seen", () => {
  /** @type {(x: number, y: number, text?: string) => {x: number, y: number, text: string}} */
  const name = (x, y, text = "Downtown") => ({ x, y, text });
  // Eight letters of 40 units are 185.6 wide and 48 high.
  const names = [name(500, 250), name(600, 260), name(500, 300), name(60, 100), name(990, 100, "北区")];
  assert.deepEqual(map.fitting(names, whole, 40), [500, null, 500, 92.8, 960]);
  // A short name goes before a long one.
  assert.deepEqual(map.fitting([name(400, 250, "The old town"), name(500, 250)], whole, 40), [null, 500]);
  // What is near has room for more, and nothing of what is not seen.
  assert.deepEqual(map.fitting(names, { x: 400, y: 200, width: 250, height: 125 }, 10), [500, 600, 500, null, null]);
  // None is cut off at the top.
  assert.deepEqual(map.fitting([name(500, 20)], whole, 40), [null]);
});
