import assert from "node:assert/strict";
import { test } from "node:test";
import { keptModule } from "./answering.js";

const { NO_STORE, keptRecords } = keptModule;

/** A store as browsers have it. */
function store() {
  /** @type {Map<string, string>} */
  const entries = new Map();
  return {
    entries,
    get length() {
      return entries.size;
    },
    /** @param {number} i */
    key: (i) => [...entries.keys()][i] ?? null,
    /** @param {string} name */
    getItem: (name) => entries.get(name) ?? null,
    /** @type {(name: string, text: string) => void} */
    setItem: (name, text) => void entries.set(name, text),
    /** @param {string} name */
    removeItem: (name) => void entries.delete(name),
  };
}

/** @param {string} key */
const body = (key) => JSON.stringify({ key, record: { answers: "0" } });

/** How a record is kept, one time after another, and what is known of it then. @type {[string, [boolean, number?, boolean?][], object][]} */
const KEPT = [
  ["that was asked to wait", [[true]], { again: true }],
  ["that is kept again", [[false], [true]], { again: true }],
  ["that was refused as too old", [[false], [false, undefined, true]], { again: false, old: true }],
  ["of an exchanged invitation", [[false, 7]], { again: false, due: 7 }],
];
for (const [name, times, known] of KEPT) {
  test(`a record ${name} is one record, as it was kept last, until it is dropped`, () => {
    const device = keptRecords(store(), "/a/x");
    for (const time of times) assert.equal(device.keep(body("k"), ...time), true);
    assert.deepEqual(device.all(), [{ body: body("k"), ...known }]);
    device.drop(body("k"));
    assert.deepEqual(device.all(), []);
  });
}

test("records of several people stand side by side, and those of another survey are not seen", () => {
  const shared = store();
  const [one, other] = [keptRecords(shared, "/a/x"), keptRecords(shared, "/a/xy")];
  one.keep(body("k"), false);
  one.keep(body("l"), false);
  other.keep(body("m"), false);
  one.drop(body("k"));
  assert.deepEqual(one.all().map((kept) => kept.body), [body("l")]);
  assert.deepEqual(other.all().map((kept) => kept.body), [body("m")]);
});

test("what somebody else wrote under such a name is passed over", () => {
  const shared = store();
  for (const text of ["", "no JSON", "null", "{}", JSON.stringify({ body: body("other"), again: false })]) {
    shared.entries.set("/a/x k", text);
    assert.deepEqual(keptRecords(shared, "/a/x").all(), [], text);
  }
});

test("a browser that stores nothing or is full says that it keeps nothing", () => {
  assert.equal(keptRecords(NO_STORE, "/a/x").keep(body("k"), false), false);
  const full = { ...store(), setItem: () => { throw new Error("full"); } };
  assert.equal(keptRecords(full, "/a/x").keep(body("k"), false), false);
});

test("an exchanged invitation is known by its link and by its token until it is dropped, and is no record", () => {
  const shared = store();
  const invitations = keptModule.keptInvitations(shared, "/a/x");
  invitations.keep({ token: "l", hidden: { message: "m", blinded: "b", inverse: "i" } });
  invitations.keep({ token: "t", link: "l" });
  invitations.keep({ token: "other", link: "else" });
  assert.deepEqual(["l", "t", null].map((token) => invitations.find(token)?.token), ["t", "t", "t"]);
  assert.deepEqual(keptRecords(shared, "/a/x").all(), []);
  assert.equal(keptModule.keptInvitations(shared, "/a/xy").find(null), undefined);
  invitations.drop("t");
  assert.deepEqual([invitations.find("l"), invitations.find(null)?.token], [undefined, "other"]);
});

test("a browser that stores nothing keeps no invitation", () => {
  const invitations = keptModule.keptInvitations(NO_STORE, "/a/x");
  invitations.keep({ token: "t", link: "l" });
  assert.equal(invitations.find("t"), undefined);
});
