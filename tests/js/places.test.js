import assert from "node:assert/strict";
import { test } from "node:test";

import { kinds, places, voice as voices } from "./answering.js";

/** @type {(name: string, label: string, x: number) => Intake.Cell} */
const cell = (name, label, x) => ({ name, label: label ? { en: label } : {}, at: [x, 0] });
/** @type {Intake.PlaceQuestion} */
const home = {
  name: "home", text: {}, help: {}, show_if: {}, near: 1, odds: "7.38",
  cells: [cell("a", "Ångström Square", 0), cell("b", "Old Town", 1), cell("c", "", 2), cell("d", "Łódź Road", 3), cell("e", "老城", 4)],
  regions: [{ name: "south", label: { en: "Southern quays" }, cells: ["d", "b"] }, { name: "north", label: {}, cells: ["a"] }],
};
const section = { kind: "place", questions: [home] };
const kind = /** @type {Required<Intake.Kind>} */ (kinds.kindOf(section));

const words = new Proxy({}, {
  get: (_, key) => `${String(key)} ${{ place_inside: "%(odds)s", place_level: "%(regions)s %(odds)s", place_outside: "%(times)s", percent: "%(number)s %" }[String(key)] ?? "%(m)s/%(n)s"}`,
});
const english = voices.voiceOf({ languages: [{ code: "en", interface: "en", dir: "ltr", numbers: "en" }], words: { en: words } }, { languages: ["en"] }, "en");

/** @type {(search: string, rows?: number) => unknown} */
function found(search, rows = 100) {
  const { groups, shown, total } = places.matching(places.groupsOf(home), places.searched(english, home), search, rows);
  return [groups.map(({ region, codes }) => [region?.name ?? null, ...codes]), shown, total];
}

test("the regions come in their order with their cells by number, then the cells outside, if any", () => {
  assert.deepEqual(found(""), [[["south", 1, 3], ["north", 0], [null, 2, 4]], 5, 5]);
  const inside = { ...home, cells: home.cells.slice(0, 2), regions: [{ name: "all", label: {}, cells: ["a", "b"] }] };
  assert.deepEqual(places.groupsOf(inside).map(({ codes }) => codes), [[0, 1]]);
});

test("a search looks at label, name and region, without accents and capitals", () => {
  assert.deepEqual(found("angstrom"), [[["north", 0]], 1, 1]);
  assert.deepEqual(found("ÅNGSTRÖM"), [[["north", 0]], 1, 1]);
  for (const search of ["lodz", "łodz", "LÓDŹ"]) assert.deepEqual(found(search), [[["south", 3]], 1, 1]);
  assert.deepEqual(found("QUAYS"), [[["south", 1, 3]], 2, 2]);
  assert.deepEqual(found(" town  old "), [[["south", 1]], 1, 1]);
  assert.deepEqual(found("老"), [[[null, 4]], 1, 1]);
  assert.deepEqual(found("nowhere"), [[], 0, 0]);
  // Letters with a stroke and ligatures are searched by the letters next to them.
  assert.equal(places.plainly("Tromsø, Ærø, Đà Nẵng, Gießen"), "tromso, aero, da nang, giessen");
});

test("no more rows are shown than asked for, and all that match are counted", () => {
  assert.deepEqual(found("", 3), [[["south", 1, 3], ["north", 0]], 3, 5]);
});

test("odds are rounded up to one place, and a region's own are told", () => {
  const [south, north] = home.regions;
  assert.equal(places.oddsOf(home, south), 7.4);
  assert.equal(places.oddsOf({ ...home, odds: "7.40" }, south), 7.4);
  assert.equal(places.oddsOf(home, { ...north, near: 1, odds: "1000.00" }), 1000);
});

/** @type {(question: Intake.PlaceQuestion, group?: number) => string[]} */
const law = (question, group = 1) =>
  places.lawWords(/** @type {Intake.Scene} */ (/** @type {unknown} */ ({
    voice: english, journey: { group }, page: { chances: { home: [[[13, 20, 0.65], [7, 20, 0.35]]] } },
  })), question);

test("before the answer the page says what inside and outside give away, by each region's own odds if these differ", () => {
  assert.deepEqual(law(home), ["place_inside 7.4", "place_outside about_times 13/20 (percent 65 %)"]);
  const [south, north] = home.regions;
  const two = { ...home, regions: [south, { ...north, near: 2, odds: "4.19" }] };
  assert.match(law(two)[0], /^place_inside 7\.4 place_level Southern quays 7\.4 place_level north 4\.2$/);
});

test("nothing is said of an outside that no cell has, and nothing of a disguise to who answers openly", () => {
  const inside = { ...home, regions: [{ ...home.regions[0], cells: ["a", "b", "c", "d", "e"] }] };
  assert.equal(law(inside).length, 1);
  assert.deepEqual(law(home, 0), []);
  assert.equal(kind.caution(home), "place_caution");
  assert.equal(kind.caution(inside), null);
});

test("a code outside the regions proves the answer, one inside does not", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map((code) => kind.isBare(home, code)), [false, false, true, false, true]);
});

test("an answer that is looked over says what goes out for it", () => {
  const disguised = /** @type {Intake.Journey} */ ({ group: 1 });
  assert.equal(kind.sends(disguised, home, 3), "place_sends_inside");
  assert.equal(kind.sends(disguised, home, 2), "place_sends_outside");
  assert.equal(kind.sends(/** @type {Intake.Journey} */ ({ group: 0 }), home, 3), null);
});

test("a cell without a label is called by its name", () => {
  assert.equal(places.nameWords(english, home.cells[2]).text, "c");
  assert.equal(places.nameWords(english, home.cells[1]).text, "Old Town");
});

test("the illustration speaks of places near it only for a place inside", () => {
  assert.deepEqual(kind.thrown(home, true, 3), ["throw_place", "throws_place"]);
  assert.deepEqual(kind.thrown(home, true, 2), ["throw_exact", "throws_exact"]);
  assert.deepEqual(kind.thrown(home, false, 3), ["throw_anywhere", "throws_place"]);
  assert.deepEqual(kind.thrown(home, false, 2), ["throw_anywhere", "throws_exact"]);
});
