import assert from "node:assert/strict";
import { test } from "node:test";
import { sending } from "./answering.js";

/** @typedef {Pick<Response, "status" | "json"> & {headers?: Headers}} Answer  as much of one as is looked at */

/** @type {(outcome: string, status?: number, headers?: Record<string, string>) => Answer} */
const says = (outcome, status = 200, headers = {}) => ({
  status, headers: new Headers(headers), json: async () => ({ outcome }),
});
const lost = () => Promise.reject(new TypeError("network"));

/**
 * A world in which the network does these things one after the other.
 * @typedef {{requests: (RequestInit & {url: string})[], reports: string[], pauses: number[], counted: number}} Seen
 * @param {(() => Answer | Promise<Answer>)[]} answers
 * @param {{online?: () => boolean, stopped?: () => boolean, again?: boolean}} more
 * @returns {Parameters<typeof sending.send>[2] & {seen: Seen}}
 */
function world(answers, { online = () => true, stopped = () => false, again = false } = {}) {
  /** @type {Seen} */
  const seen = { requests: [], reports: [], pauses: [], counted: 0 };
  return {
    seen,
    online,
    stopped,
    again,
    counted: () => void (seen.counted += 1),
    fetch: async (url, options) => {
      seen.requests.push({ url: String(url), ...options });
      const next = /** @type {() => Answer} */ (answers.shift());
      return /** @type {Response} */ (await next());
    },
    pause: async (seconds) => void seen.pauses.push(seconds),
    back: async () => void seen.reports.push("back"),
    report: ({ state }) => void seen.reports.push(state),
  };
}

test("a stored record is sent once, by a request that carries no cookie, no referrer and is kept nowhere", async () => {
  const here = world([() => says("stored", 201)]);
  assert.equal((await sending.send("/a/x/record", "the body", here)).outcome, "stored");
  const [{ signal, ...request }, ...more] = here.seen.requests;
  assert.deepEqual(more, []);
  assert.deepEqual(request, {
    url: "/a/x/record",
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "the body",
    mode: "same-origin",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    redirect: "error",
  });
  assert.ok(signal instanceof AbortSignal);
});

test("a page of another host sends to the whole address of the records, by the same request but for its mode", async () => {
  const here = world([() => says("stored", 201)]);
  await sending.send("https://research.example.org/a/x/record", "the body", here);
  const [{ mode, credentials, redirect }] = here.seen.requests;
  assert.deepEqual([mode, credentials, redirect], ["cors", "omit", "error"]);
});

test("on a bad network the same bytes go again, each time after a longer pause, at most half a minute", async () => {
  const here = world([...Array(7).fill(lost), () => says("stored", 201)]);
  assert.equal((await sending.send("/u", "the body", here)).outcome, "stored");
  assert.deepEqual(here.seen.pauses, [1, 2, 4, 8, 16, 30, 30]);
  assert.equal(here.seen.requests.length, 8);
  assert.deepEqual(new Set(here.seen.requests.map(({ body }) => body)), new Set(["the body"]));
});

for (const [name, answer] of Object.entries({
  "a server that is down": () => ({ status: 502, json: () => Promise.reject(new SyntaxError()) }),
  "a site that is starting": () => ({ status: 503, json: () => Promise.reject(new SyntaxError()), headers: new Headers({ "Retry-After": "10" }) }),
  "a server that is busy": () => says("too often", 429),
  "a sign-in page of a wifi": () => ({ status: 200, json: () => Promise.reject(new SyntaxError()) }),
  "an answer of something else": () => ({ status: 200, json: async () => ({ ok: true }) }),
  "an answer named like a property": () => says("constructor"),
  "an answer that is nothing": () => ({ status: 200, json: async () => null }),
})) {
  test(`${name} is asked again`, async () => {
    const here = world([answer, () => says("stored", 201)]);
    assert.equal((await sending.send("/u", "b", here)).outcome, "stored");
    assert.equal(here.seen.requests.length, 2);
  });
}

test("while records cannot be stored the page says so, and asks again when it is told to", async () => {
  /** @param {string} after */
  const full = (after) => ({ ...says("cannot be stored now", 503), headers: new Headers({ "Retry-After": after }) });
  const here = world([() => full("10"), () => full("10"), () => full("600"), () => full("soon"), () => says("stored", 201)]);
  assert.deepEqual((await sending.send("/u", "b", here)).outcome, "stored");
  assert.deepEqual(here.seen.pauses, [10, 10, 120, 8]);
  assert.deepEqual(here.seen.reports.filter((state) => state !== "trying"), Array(4).fill("unstored"));
});

for (const [word, status, outcome] of /** @type {[string, number, string][]} */ ([
  ["already stored", 200, "known"],
  ["unknown or spent token", 403, "invitation"],
  ["not sent by our page", 403, "refused"],
  ["no such survey", 404, "gone"],
  ["closed", 410, "closed"],
  ["too old", 410, "old"],
  ["too long", 413, "refused"],
  ["malformed", 422, "refused"],
  ["not a record of this design", 422, "refused"],
])) {
  test(`"${word}" is final`, async () => {
    const here = world([() => says(word, status)]);
    assert.equal((await sending.send("/u", "b", here)).outcome, outcome);
    assert.equal(here.seen.requests.length, 1);
  });
}

for (const [word, status, state] of /** @type {[string, number, string][]} */ ([
  ["too many at once", 503, "busy"],
  ["too often", 429, "busy"],
  ["paused", 503, "paused"],
])) {
  test(`"${word}" is waited for as long as the answer asks, and the same bytes go again`, async () => {
    const here = world([() => says(word, status, { "Retry-After": "47" }), () => says("stored", 201)]);
    assert.deepEqual((await sending.send("/u", "the body", here)).outcome, "stored");
    assert.deepEqual(here.seen.pauses, [47]);
    assert.deepEqual(here.seen.reports, ["trying", state, "trying"]);
    assert.deepEqual(here.seen.requests.map(({ body }) => body), ["the body", "the body"]);
  });
}

test("an answer that names no time, or nonsense, is waited for as on a bad network, and none for longer than two minutes", async () => {
  /** @type {Record<string, string>[]} */
  const answers = [{}, ...["soon", "-5", "0", "999999"].map((after) => ({ "Retry-After": after }))];
  const here = world([...answers.map((headers) => () => says("paused", 503, headers)), () => says("stored", 201)]);
  await sending.send("/u", "b", here);
  assert.deepEqual(here.seen.pauses, [1, 2, 4, 8, 120]);
});

test("however long it is paused, what waits is sent in the end", async () => {
  const here = world([...Array(50).fill(() => says("paused", 503, { "Retry-After": "60" })), () => says("stored", 201)]);
  assert.deepEqual((await sending.send("/u", "b", here)).outcome, "stored");
});

test("a device that is offline waits, says so, and asks for nothing meanwhile", async () => {
  let connected = false;
  const here = world([() => says("stored", 201)], { online: () => connected });
  here.back = async () => {
    assert.equal(here.seen.requests.length, 0);
    connected = true;
  };
  await sending.send("/u", "b", here);
  assert.deepEqual(here.seen.reports, ["offline", "trying"]);
});

test("a page that was left sends no more", async () => {
  let left = false;
  const here = world([lost], { stopped: () => left });
  here.pause = async () => void (left = true);
  assert.equal((await sending.send("/u", "b", here)).outcome, "stopped");
  assert.equal(here.seen.requests.length, 1);
});

test("the completion comes with an answer that our side gave, and none without", async () => {
  const earned = world([() => ({ status: 201, json: async () => ({ outcome: "already stored", completion: "THANKS-42" }) })]);
  assert.deepEqual(await sending.send("/u", "b", earned), { outcome: "known", completion: "THANKS-42" });
  const refused = world([() => says("closed", 410)]);
  assert.deepEqual(await sending.send("/u", "b", refused), { outcome: "closed", completion: "" });
});

/** @type {(request: RequestInit) => string | undefined} */
const againOf = ({ headers }) => /** @type {Record<string, string>} */ (headers)["Candor-Again"];

test("a page that was asked to wait says so in every later try, and is counted once", async () => {
  const here = world([() => says("too many at once", 503), () => says("paused", 503), lost, () => says("stored", 201)]);
  await sending.send("/u", "b", here);
  assert.deepEqual(here.seen.requests.map(againOf), [undefined, "1", "1", "1"]);
  assert.equal(here.seen.counted, 1);
});

test("a page that was asked to wait before a reload says so at once", async () => {
  const here = world([() => says("too many at once", 503), () => says("stored", 201)], { again: true });
  await sending.send("/u", "b", here);
  assert.deepEqual(here.seen.requests.map(againOf), ["1", "1"]);
  assert.equal(here.seen.counted, 0);
});

test("a lost network and a flood count nobody", async () => {
  const here = world([lost, () => says("too often", 429), () => says("stored", 201)]);
  await sending.send("/u", "b", here);
  assert.deepEqual(here.seen.requests.map(againOf), [undefined, undefined, undefined]);
});

test("a record waits for what is left of the drawn wait, and nobody can hurry it", async () => {
  /** @type {number[]} */
  const rests = [];
  const here = world([() => says("stored", 201)]);
  const rest = async (/** @type {number} */ seconds) => void rests.push(seconds);
  assert.equal((await sending.send("/u", "b", { ...here, apart: 41.2, rest })).outcome, "stored");
  assert.deepEqual([rests, here.seen.pauses, here.seen.reports], [[42], [], ["apart", "trying"]]);
});

for (const [name, apart, waited] of /** @type {[string, number, number[]][]} */ ([
  ["that is over", -5, []],
  ["of a clock that was set back by ten days", 864_000, [86_400]],
  ["of a clock that was set forward by ten days", -864_000, []],
])) {
  test(`a wait ${name} is at most a day`, async () => {
    /** @type {number[]} */
    const rests = [];
    const here = world([() => says("stored", 201)]);
    await sending.send("/u", "b", { ...here, apart, rest: async (seconds) => void rests.push(seconds) });
    assert.deepEqual(rests, waited);
  });
}

test("who leaves during the wait sends nothing", async () => {
  let left = false;
  const here = world([], { stopped: () => left });
  const came = await sending.send("/u", "b", { ...here, apart: 10, rest: async () => void (left = true) });
  assert.deepEqual([came.outcome, here.seen.requests], ["stopped", []]);
});
