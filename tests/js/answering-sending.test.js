import assert from "node:assert/strict";
import { test } from "node:test";
import { sending } from "./answering.js";

const says = (outcome, status = 200) => ({ status, json: async () => ({ outcome }) });
const lost = () => Promise.reject(new TypeError("network"));

/** A world in which the network does these things one after the other. */
function world(answers, { online = () => true, stopped = () => false } = {}) {
  const seen = { requests: [], reports: [], pauses: [] };
  return {
    seen,
    online,
    stopped,
    fetch: async (url, options) => {
      seen.requests.push({ url, ...options });
      return answers.shift()();
    },
    pause: async (seconds) => void seen.pauses.push(seconds),
    back: async () => void seen.reports.push("back"),
    report: ({ state }) => void seen.reports.push(state),
  };
}

test("a stored record is sent once", async () => {
  const here = world([() => says("stored", 201)]);
  assert.deepEqual(await sending.send("/u", "b", here), { outcome: "stored", tries: 1 });
  assert.equal(here.seen.requests.length, 1);
});

test("the request carries no cookie, no referrer and is kept nowhere", async () => {
  const here = world([() => says("stored", 201)]);
  await sending.send("/a/x/record", "the body", here);
  const [{ signal, ...request }] = here.seen.requests;
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

test("on a bad network the same bytes go again, each time after a longer pause, at most half a minute", async () => {
  const here = world([...Array(7).fill(lost), () => says("stored", 201)]);
  assert.deepEqual(await sending.send("/u", "the body", here), { outcome: "stored", tries: 8 });
  assert.deepEqual(here.seen.pauses, [1, 2, 4, 8, 16, 30, 30]);
  assert.deepEqual(new Set(here.seen.requests.map(({ body }) => body)), new Set(["the body"]));
});

for (const [name, answer] of Object.entries({
  "a server that is down": () => ({ status: 502, json: () => Promise.reject(new SyntaxError()) }),
  "a server that is busy": () => says("too often", 429),
  "a sign-in page of a wifi": () => ({ status: 200, json: () => Promise.reject(new SyntaxError()) }),
  "an answer of something else": () => ({ status: 200, json: async () => ({ ok: true }) }),
  "an answer named like a property": () => says("constructor"),
  "an answer that is nothing": () => ({ status: 200, json: async () => null }),
})) {
  test(`${name} is asked again`, async () => {
    const here = world([answer, () => says("stored", 201)]);
    assert.deepEqual(await sending.send("/u", "b", here), { outcome: "stored", tries: 2 });
  });
}

for (const [word, status, outcome] of [
  ["already stored", 200, "known"],
  ["unknown or spent token", 403, "invitation"],
  ["not sent by our page", 403, "refused"],
  ["no such survey", 404, "gone"],
  ["closed", 410, "closed"],
  ["too long", 413, "refused"],
  ["malformed", 422, "refused"],
  ["not a record of this design", 422, "refused"],
]) {
  test(`"${word}" is final`, async () => {
    const here = world([() => says(word, status)]);
    assert.equal((await sending.send("/u", "b", here)).outcome, outcome);
  });
}

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
