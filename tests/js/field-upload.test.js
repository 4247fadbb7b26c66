import assert from "node:assert/strict";
import { test } from "node:test";
import { sealing, sending, slots, uploading } from "./answering.js";
import { Disk, seeded } from "./field-disk.js";

const URLS = { record: "/a/x/field/record", report: "/a/x/field/report" };
const PEOPLE = 20;
const WIDTH = 30;

/** @param {Uint8Array} bytes */
const text = (bytes) => sealing.textOf(bytes);

/**
 * A device with so many records, which the server answers with these words, by default as one that has them or not.
 * @param {number} records
 */
async function device(records, seed = 1) {
  const { below, draw } = seeded(seed);
  const disk = new Disk();
  const store = await slots.createStore(disk, draw, { secret: "s".repeat(22), people: PEOPLE }, PEOPLE, WIDTH);
  await store.putTokens(0, Array.from({ length: PEOPLE }, () => text(draw(288))));
  /** @type {string[]} */
  const finished = [];
  for (let i = 0; i < records; i += 1) {
    const sealed = draw(WIDTH + 629);
    finished.push(text(sealed));
    await store.finish((await store.takeToken()).slot, sealed);
  }
  const server = new Map();
  /** @type {({url: string} & Record<string, any>)[]} */
  const requests = [];
  /** @type {number[]} */
  const pauses = [];
  /** @type {(string | (() => string))[]} */
  const answers = [];
  const flags = { stopped: false };
  const world = {
    fetch: async (/** @type {any} */ url, /** @type {RequestInit | undefined} */ options) => {
      const body = JSON.parse(String(options?.body));
      requests.push({ url, ...body });
      let word = answers.shift() ?? "";
      if (typeof word === "function") word = word();
      if (!word && url === URLS.report) word = "noted";
      if (!word) {
        word = server.has(body.sealed) ? "already stored" : "stored";
        server.set(body.sealed, (server.get(body.sealed) ?? 0) + 1);
      }
      return /** @type {Response} */ (/** @type {unknown} */ ({ headers: new Headers(), json: async () => ({ outcome: word }) }));
    },
    online: () => true, stopped: () => flags.stopped, again: false, counted: () => {},
    pause: async (/** @type {number} */ seconds) => void pauses.push(seconds), back: async () => {}, report: () => {},
  };
  const words = { bits: 32, draw: () => below(2 ** 32) };
  return {
    store, disk, draw, finished, server, requests, pauses, answers, flags,
    sent: () => requests.filter(({ url }) => url === URLS.record).map(({ sealed }) => sealed),
    upload: (now = false, of = /** @type {any} */ (store), send = sending.send) => uploading.upload(of, URLS, send, world, { now, words }),
  };
}

test("a report goes first, then every record, and what arrived is gone", async () => {
  const here = await device(8);
  assert.deepEqual(await here.upload(), { arrived: 8, closed: 0, spent: 0, refused: 0 });
  const [report, ...records] = here.requests;
  assert.deepEqual(report, { url: URLS.report, secret: "s".repeat(22), asked: 5, waiting: true });
  assert.ok(records.every(({ url, ...body }) => url === URLS.record && Object.keys(body).join() === "sealed"));
  assert.deepEqual(here.sent().toSorted(), here.finished.toSorted());
  assert.equal(here.store.counts().record, 0);
  for (const sealed of here.finished) assert.equal(Buffer.from(here.disk.bytes).indexOf(Buffer.from(sealed, "base64url").subarray(0, 12)), -1);
});

test("fewer than five wait in silence, until the keeper says so", async () => {
  const here = await device(4);
  assert.equal((await here.upload()).arrived, 0);
  assert.equal(here.requests.length, 0);
  assert.equal((await here.upload(true)).arrived, 4);
  assert.equal(here.requests[0].asked, 0);
});

test("a device on which nothing waits says so", async () => {
  const here = await device(5);
  await here.upload();
  await here.upload();
  assert.deepEqual(here.requests.at(-1), { url: URLS.report, secret: "s".repeat(22), asked: 5, waiting: false });
});

for (const [word, name, state] of /** @type {[string, string, number][]} */ ([
  ["closed", "closed", 4],
  ["unknown or spent token", "spent", 5],
  ["not a record of this design", "refused", 6],
  ["malformed", "refused", 6],
])) {
  test(`"${word}" keeps the record, and says why`, async () => {
    const here = await device(5);
    here.answers.push("noted", word, word);
    const outcomes = await here.upload();
    assert.deepEqual([outcomes.arrived, outcomes[name]], [3, 2]);
    const kept = here.store.waiting(state).map((slot) => text(here.store.sealed(slot)));
    assert.deepEqual(kept.toSorted(), here.sent().slice(0, 2).toSorted());
    await here.upload();
    assert.equal(here.sent().length, 5, "not sent again by itself");
  });
}

test("what came too late goes again with the keeper's word, since a survey is reopened", async () => {
  const here = await device(5);
  here.answers.push("noted", "closed", "closed", "unknown or spent token");
  await here.upload();
  assert.equal((await here.upload(true)).arrived, 2);
  assert.deepEqual([here.store.counts().closed, here.store.counts().spent], [0, 1]);
});

test("an unknown answer, a lost network and a busy server leave the record, which goes again", async () => {
  const here = await device(5);
  const lost = () => {
    throw new TypeError("network");
  };
  here.answers.push(lost, "noted", lost, "paused", "too often", "something else");
  assert.equal((await here.upload()).arrived, 5);
  assert.equal(new Set(here.sent()).size, 5);
});

test("a survey that is gone ends the upload, and the records stay", async () => {
  const here = await device(5);
  here.answers.push("noted", "no such survey");
  assert.equal((await here.upload()).arrived, 0);
  assert.equal(here.store.counts().record, 5);
  assert.equal(here.sent().length, 1);
});

test("a withdrawn device still sends its records", async () => {
  const here = await device(5);
  here.answers.push("unknown code");
  assert.equal((await here.upload()).arrived, 5);
});

test("an interview that begins stops it between two records", async () => {
  const here = await device(6);
  here.answers.push("noted", () => {
    here.flags.stopped = true;
    return "stored";
  });
  assert.equal((await here.upload()).arrived, 1);
  assert.deepEqual([here.sent().length, here.store.counts().record], [1, 5]);
});

test("each record waits up to three seconds, and the order is another one each time", async () => {
  const orders = new Set();
  const pauses = [];
  for (let seed = 0; seed < 12; seed += 1) {
    const here = await device(6, 7);
    const { draw } = seeded(seed);
    const again = await slots.openStore(here.disk, draw);
    await here.upload(false, again);
    orders.add(here.sent().map((sealed) => here.finished.indexOf(sealed)).join());
    pauses.push(...here.pauses);
  }
  assert.ok(orders.size > 8);
  assert.ok(pauses.every((seconds) => seconds >= 0 && seconds < 3));
  assert.ok(Math.max(...pauses) > 2.5);
});

test("stopped at any step, before or after what it does, it loses nothing and doubles nothing", async () => {
  for (let steps = 0; ; steps += 1) {
    const here = await device(6, steps);
    let left = steps;
    const step = () => {
      if ((left -= 1) < 0) throw new Error("killed");
    };
    /** @type {(work: (...given: any[]) => any) => (...given: any[]) => Promise<any>} */
    const stepping = (work) => async (...given) => {
      step();
      const result = await work(...given);
      step();
      return result;
    };
    const store = new Proxy(here.store, {
      get: (target, name) => stepping((...given) => /** @type {any} */ (target)[name](...given)),
    });
    const isOver = await here.upload(false, store, stepping(sending.send)).then(() => true, () => false);
    const again = await slots.openStore(here.disk, here.draw);
    await here.upload(true, again);
    assert.deepEqual([...here.server.keys()].toSorted(), here.finished.toSorted());
    assert.equal(again?.counts().record, 0);
    if (isOver) return assert.ok(steps > 20);
  }
});
