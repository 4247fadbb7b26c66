import assert from "node:assert/strict";
import { test } from "node:test";
import { blinding, sending, signer, slots, tokens as t } from "./answering.js";
import { Disk, Killed, seeded } from "./field-disk.js";

const { key: KEY, signed, isValid } = signer();
const SECRET = "s".repeat(22);
const key = await blinding.keyOf(KEY);
/** Blinded before, since that takes most of the time. @type {Intake.Hidden[]} */
const POOL = [];
for (let i = 0; i < 60; i += 1) POOL.push(await blinding.hide(key));

/** A server that signs one lot under each number, and a device that fetches `people` tokens from it. @param {number} people */
function device(people) {
  const { below, draw } = seeded(people);
  const disk = new Disk();
  const lots = new Map();
  /** @type {(string | null)[]} */
  const answers = [];
  let drawn = 0;
  /** @type {number[]} */
  const progress = [];
  let stopped = false;
  const world = {
    fetch: async (/** @type {unknown} */ _url, /** @type {RequestInit | undefined} */ options) => {
      const { secret, lot, blinded } = JSON.parse(String(options?.body));
      assert.equal(secret, SECRET);
      assert.equal(lots.get(lot) ?? blinded.join(), blinded.join(), "another lot");
      lots.set(lot, blinded.join());
      const word = answers.length ? answers.shift() : "signed";
      if (word === null) throw new TypeError("network");
      return /** @type {Response} */ (/** @type {unknown} */ ({
        headers: new Headers(), json: async () => ({ outcome: word, ...(word === "signed" && { signatures: blinded.map(signed) }) }),
      }));
    },
    online: () => true, stopped: () => stopped, again: false, counted: () => {},
    pause: async () => {}, back: async () => {}, report: () => {},
  };
  /** How many steps of the device until it is stopped. */
  let left = Infinity;
  const step = () => {
    if ((left -= 1) < 0) throw new Killed();
  };
  const hide = async () => {
    step();
    return POOL[(drawn += 1) % POOL.length];
  };
  return {
    disk, lots, answers, progress,
    stop: () => (stopped = true),
    /** @param {number} steps */
    async fetch(steps = Infinity) {
      left = Infinity;
      const store = (await slots.openStore(disk, draw)) ?? (await slots.createStore(disk, draw, {}, people, 9));
      left = steps;
      const stepping = /** @type {any} */ (new Proxy(store, {
        get: (_target, name) => async (/** @type {any[]} */ ...given) => {
          step();
          const result = await /** @type {any} */ (store)[name](...given);
          step();
          return result;
        },
      }));
      const outcome = await t.fetchTokens(stepping, { url: "/lot", secret: SECRET, key: KEY, people }, hide, sending.send, world, (done) => progress.push(done));
      return { outcome, store };
    },
    cut: () => disk.cut(below),
    async tokens() {
      const store = /** @type {import("../../intake/static/intake/field/slots.js").Store} */ (await slots.openStore(disk, draw));
      assert.equal(store.counts().blinded, 0);
      const found = [];
      for (let i = 0; i < people; i += 1) {
        const { slot, token } = await store.takeToken();
        found.push(token);
        await store.arrived(slot);
      }
      assert.equal(store.counts().token, 0);
      return found;
    },
  };
}

/** @param {string[]} tokens @param {number} people */
function assertTokens(tokens, people) {
  assert.equal(new Set(tokens.map((token) => token.slice(0, 43))).size, people);
  assert.ok(tokens.every(isValid));
}

test("a device gets as many different tokens as people, in lots, which a standard library verifies", async () => {
  const here = device(52);
  assert.equal((await here.fetch()).outcome, "signed");
  assert.deepEqual([...here.lots.values()].map((lot) => lot.split(",").length), [50, 2]);
  assert.deepEqual(here.progress, [...Array(53).keys()]);
  assertTokens(await here.tokens(), 52);
});

/** False where the device was stopped on purpose. @param {unknown} error */
const wasStopped = (error) => {
  if (error instanceof Killed) return false;
  throw error;
};

test("stopped between any two steps it goes on, and ends with the same lot and all tokens", async () => {
  for (let steps = 0; ; steps += 1) {
    const here = device(3);
    const isOver = await here.fetch(steps).then(() => true, wasStopped);
    assert.equal((await here.fetch()).outcome, "signed");
    assertTokens(await here.tokens(), 3);
    if (isOver) return assert.ok(steps > 10);
  }
});

test("killed at any write or flush, with its power cut, it goes on too", async () => {
  for (let writes = 0; ; writes += 1) {
    const here = device(3);
    await here.fetch(0).catch(() => {});
    here.disk.left = writes;
    const isOver = await here.fetch().then(() => true, wasStopped);
    here.cut();
    assert.equal((await here.fetch()).outcome, "signed");
    assertTokens(await here.tokens(), 3);
    if (isOver) return assert.ok(writes > 15);
  }
});

test("a lost answer and a server that is busy are asked again for the same lot", async () => {
  const here = device(2);
  here.answers.push(null, "too often", "cannot be stored now");
  assert.equal((await here.fetch()).outcome, "signed");
  assertTokens(await here.tokens(), 2);
});

for (const [word, outcome] of [["closed", "closed"], ["unknown code", "unknown code"], ["another lot", "refused"]]) {
  test(`"${word}" ends the set-up`, async () => {
    const here = device(2);
    here.answers.push(word);
    const { outcome: came, store } = await here.fetch();
    assert.deepEqual([came, store.counts().blinded, store.lots().done], [outcome, 2, 0]);
  });
}

test("signatures of something else are refused", async () => {
  const here = device(2);
  const store = (await here.fetch(0).catch(() => null), await slots.openStore(here.disk, seeded(1).draw));
  const send = async () => ({ outcome: "signed", completion: "", signatures: [POOL[5].blinded, POOL[6].blinded] });
  const world = /** @type {any} */ ({ stopped: () => false });
  const came = await t.fetchTokens(/** @type {any} */ (store), { url: "/lot", secret: SECRET, key: KEY, people: 2 }, async () => POOL[7], send, world);
  assert.deepEqual([came, store?.counts().token], ["refused", 0]);
});

test("a page that is left stops before the next message", async () => {
  const here = device(2);
  here.stop();
  assert.equal((await here.fetch()).outcome, "stopped");
  assert.equal(here.lots.size, 0);
});
