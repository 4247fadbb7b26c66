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

test("a kept record is there until it is dropped", () => {
  const device = keptRecords(store(), "/a/x");
  assert.equal(device.keep(body("k"), true), true);
  assert.deepEqual(device.all(), [{ body: body("k"), again: true }]);
  device.drop(body("k"));
  assert.deepEqual(device.all(), []);
});

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

test("a record that was refused as too old is marked until it is dropped", () => {
  const device = keptRecords(store(), "/a/x");
  device.keep(body("k"), false);
  device.keep(body("k"), false, undefined, true);
  assert.deepEqual(device.all(), [{ body: body("k"), again: false, old: true }]);
  device.drop(body("k"));
  assert.deepEqual(device.all(), []);
});

test("the same record kept again is one record", () => {
  const device = keptRecords(store(), "/a/x");
  device.keep(body("k"), false);
  device.keep(body("k"), true);
  assert.deepEqual(device.all(), [{ body: body("k"), again: true }]);
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

test("a kept record of an exchanged invitation still waits", () => {
  const device = keptRecords(store(), "/a/x");
  device.keep(body("k"), false, 7);
  assert.deepEqual(device.all(), [{ body: body("k"), again: false, due: 7 }]);
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
