import assert from "node:assert/strict";
import { test } from "node:test";
import { storage as s, trail as t } from "./answering.js";

const DRAWN = { asked: [true, false, true], draws: [9999] };

function fresh() {
  const store = s.memoryStore();
  return { store, storage: s.tabStorage(store, "/a/x") };
}

test("what was stored is there after a reload, and not for another survey", () => {
  const { store, storage } = fresh();
  storage.answering(DRAWN, null);
  assert.deepEqual(s.tabStorage(store, "/a/x").read(), { state: "answering", drawn: DRAWN, token: null });
  assert.equal(s.tabStorage(store, "/a/y").read().state, "nothing");
});

test("the record replaces what was drawn in one write", () => {
  /** @type {string[]} */
  const writes = [];
  /** @type {import("../../intake/static/intake/tab_storage.js").Store} */
  const store = { getItem: () => writes.at(-1) ?? null, setItem: (_, text) => writes.push(text), removeItem: () => {} };
  const storage = s.tabStorage(store, "/a/x");
  storage.answering(DRAWN, "t");
  storage.sending("the body");
  assert.deepEqual(writes.map((text) => Object.keys(JSON.parse(text)).sort()), [["drawn", "state", "token"], ["body", "state"]]);
});

test("that the page was asked to wait, and that the record is too old, is known after a reload", () => {
  const { store, storage } = fresh();
  const read = () => s.tabStorage(store, "/a/x").read();
  storage.sending("the body", true);
  assert.deepEqual(read(), { state: "sending", body: "the body", again: true, token: null });
  storage.sending("the body", false, undefined, true);
  assert.deepEqual(read(), { state: "sending", body: "the body", again: false, old: true, token: null });
});

test("in the end nothing is stored", () => {
  const { store, storage } = fresh();
  storage.sending("the body");
  storage.clear();
  assert.equal(store.getItem("/a/x"), null);
  assert.equal(storage.read().state, "nothing");
});

test("what somebody else wrote there is not believed", () => {
  for (const text of ["", "no json", "3", "null", "[]", '{"state": "root"}', '{"coins": []}']) {
    const { store, storage } = fresh();
    store.setItem("/a/x", text);
    assert.deepEqual(storage.read(), { state: "nothing", token: null });
  }
});

test("a browser that stores nothing is noticed before the first question", () => {
  const deaf = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  assert.throws(() => s.tabStorage(deaf, "/a/x").answering(DRAWN, null));
  const full = { ...deaf, setItem: () => { throw new Error("quota"); } };
  assert.throws(() => s.tabStorage(full, "/a/x").answering(DRAWN, null));
});

/** @typedef {{at: number} | null} State */

/** @param {State} state */
function browserHistory(state = null) {
  const entries = [state];
  let at = 0;
  /** @type {number[]} */
  const gone = [];
  return {
    entries,
    gone,
    get state() { return entries[at]; },
    /** @type {(state: State, title: string, url?: string | URL | null) => void} */
    pushState(state, title, url) { entries.splice(at += 1, Infinity, state); assert.equal(url, undefined); },
    /** @type {(n?: number) => void} */
    go(n = 0) { gone.push(n); at += n; },
  };
}

test("the history says how deep a screen lies and nothing of what is on it, and Back and Forward find it", () => {
  const history = browserHistory();
  const trail = t.trailOf(history);
  trail.push({ name: "question", place: 7 });
  trail.push({ name: "check" });
  assert.deepEqual(history.entries, [null, { at: 1 }, { at: 2 }]);
  assert.deepEqual(trail.reached({ at: 1 }), { name: "question", place: 7 });
  assert.deepEqual(trail.reached({ at: 2 }), { name: "check" });
  assert.deepEqual(trail.reached(null), { name: "start" });
});

test("a step after Back takes the place of what lay ahead", () => {
  const trail = t.trailOf(browserHistory());
  trail.push({ name: "question", place: 7 });
  trail.reached(null);
  trail.push({ name: "choice" });
  assert.deepEqual(trail.reached({ at: 1 }), { name: "choice" });
});

test("after a reload deep inside, and only then, the first entry is reached again and nobody is told", () => {
  const history = browserHistory({ at: 3 });
  const trail = t.trailOf(history);
  trail.rewind();
  assert.deepEqual(history.gone, [-3]);
  assert.equal(trail.reached(null), null);
  assert.equal(trail.depth(), 0);
  const first = browserHistory();
  t.trailOf(first).rewind();
  assert.deepEqual(first.gone, []);
});

test("an exchanged invitation keeps its link through answering, and the record its wait", () => {
  const { store, storage } = fresh();
  storage.arrived({ token: "t", link: "l" });
  storage.answering(DRAWN, "t");
  assert.deepEqual(s.tabStorage(store, "/a/x").read(), { state: "answering", drawn: DRAWN, token: "t", link: "l" });
  storage.sending("the body", false, 7);
  assert.deepEqual(s.tabStorage(store, "/a/x").read(), { state: "sending", body: "the body", again: false, due: 7, token: null });
});
