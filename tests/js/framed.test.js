import assert from "node:assert/strict";
import { test } from "node:test";
import { framed, memory, panel, trail } from "./answering.js";

test("a button opens after 800 ms in sight, which being seen twice does not start anew, and being covered does", () => {
  const gate = framed.lookGate();
  assert.equal(gate.isOpen(0), false);
  gate.see(true, 100);
  gate.see(true, 700);
  assert.deepEqual([gate.isOpen(899), gate.isOpen(900)], [false, true]);
  gate.see(false, 1000);
  assert.equal(gate.isOpen(2000), false);
  gate.see(true, 2000);
  assert.deepEqual([gate.isOpen(2799), gate.isOpen(2800)], [false, true]);
});

test("a press counts from half a second on, once", () => {
  const gate = framed.holdGate();
  assert.equal(gate.up(1000), false);
  gate.down(0);
  assert.equal(gate.isDown(), true);
  assert.equal(gate.up(499), false);
  gate.down(1000);
  gate.down(1400);
  assert.equal(gate.up(1500), true);
  assert.equal(gate.isDown(), false);
  assert.equal(gate.up(9000), false);
});

test("the trail goes back in memory, and a new screen ends what was ahead", () => {
  /** @type {any[]} */
  const reached = [];
  const path = trail.trailOf(memory.memoryHistory((state) => reached.push(path.reached(state))));
  path.push({ name: "choice" });
  path.push({ name: "question", place: 3 });
  path.back();
  path.push({ name: "check" });
  path.back();
  path.back();
  path.back();
  assert.deepEqual(reached.map(({ name }) => name), ["choice", "choice", "start", "start"]);
  path.push({ name: "check" });
  path.rewind();
  assert.deepEqual([reached.at(-1), path.depth()], [null, 0]);
});

test("the page on its own gets what came in the fragment", () => {
  const invitation = "0123456789abcdef".repeat(2);
  assert.equal(framed.ownAddress("/a/x", null, ""), "/a/x");
  assert.equal(framed.ownAddress("/a/x", invitation, ""), `/a/x#${invitation}`);
  assert.equal(framed.ownAddress("/a/x", null, "a b&c"), "/a/x#panel=a%20b%26c");
  assert.equal(framed.ownAddress("/a/x", invitation, "7"), `/a/x#${invitation}&panel=7`);
});

test("a link gets the panel's value percent-encoded, whatever stands in it, and without one no parameter", () => {
  const link = "https://panel.example.org/done?cc=C1&id={panel}&v=2";
  assert.equal(panel.filledLink(link, "p 7/&=#$&%"), "https://panel.example.org/done?cc=C1&id=p%207%2F%26%3D%23%24%26%25&v=2");
  assert.equal(new URL(panel.filledLink(link, "@evil.example/")).origin, "https://panel.example.org");
  for (const [link, plain] of [
    ["https://p.example/done?id={panel}", "https://p.example/done"],
    ["https://p.example/done?cc=C1&id={panel}", "https://p.example/done?cc=C1"],
    ["https://p.example/done?id={panel}&cc=C1", "https://p.example/done?cc=C1"],
    ["https://p.example/done?a=1&id={panel}&cc=C1", "https://p.example/done?a=1&cc=C1"],
  ]) {
    assert.equal(panel.filledLink(link, ""), plain);
    assert.equal(panel.takesPanel(link), true);
  }
  assert.equal(panel.takesPanel("https://p.example/done"), false);
});
