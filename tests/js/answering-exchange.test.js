import assert from "node:assert/strict";
import { test } from "node:test";
import { device, sending, signer, storage as s } from "./answering.js";

const { key, signed, isValid } = signer();
const LINK = "0123456789abcdef0123456789abcdef";
const page = /** @type {Intake.Page} */ (/** @type {unknown} */ ({
  fingerprint: "f".repeat(64),
  exchange: { url: "/a/x/exchange", key, waits: { mean: 3600, longest: 86_400, short: [30, 120] } },
}));
const { exchanged, wait } = device.exchangeModule();

/**
 * A tab in which somebody opened an invitation, and what its exchanges send; `answer` says what comes back.
 * @param {(body: {blinded: string}) => Record<string, string>} answer
 */
function tab(answer) {
  const storage = s.tabStorage(s.memoryStore(), "/a/x");
  storage.arrived({ token: LINK });
  /** @type {Record<string, string>[]} */
  const sent = [];
  const world = {
    fetch: async (/** @type {unknown} */ _url, /** @type {RequestInit | undefined} */ options) => {
      sent.push(JSON.parse(String(options?.body)));
      const json = answer(/** @type {{blinded: string}} */ (sent.at(-1)));
      return /** @type {Response} */ (/** @type {unknown} */ ({ headers: new Headers(), json: async () => json }));
    },
    online: () => true, stopped: () => false, again: false, counted: () => {},
    pause: async () => {}, back: async () => {}, report: () => {},
  };
  const exchange = () => exchanged(page, storage, sending.send, world);
  return { storage, sent, exchange };
}

test("the page makes a token of an invitation, which a standard library verifies", async () => {
  const here = tab(({ blinded }) => ({ outcome: "signed", signature: signed(blinded) }));
  assert.equal(await here.exchange(), "signed");
  const { token, link, state } = here.storage.read();
  assert.deepEqual([isValid(token), link, state], [true, LINK, "arrived"]);
  assert.deepEqual(Object.keys(here.sent[0]), ["design", "invitation", "blinded"]);
  assert.ok(!JSON.stringify(here.sent).includes(token.slice(0, 43)));
});

/** The middle is ln 2 hours. @type {[number, boolean, number][]} */
const WAITED = [[2 ** 32 - 1, true, 0], [2 ** 31 - 1, true, 2495], [0, true, 79_851], [2 ** 31 - 1, false, 75], [2 ** 32 - 1, false, 120]];
for (const [word, isKept, seconds] of WAITED) {
  test(`the word ${word} draws a wait of ${seconds} seconds of a record that the device ${isKept ? "keeps" : "cannot keep"}`, () => {
    const { waits } = /** @type {NonNullable<Intake.Page["exchange"]>} */ (page.exchange);
    assert.equal(Math.round(wait(waits, isKept, (words) => words.fill(word))) + 0, seconds);
  });
}

test("nobody waits for longer than the longest wait", () => {
  assert.equal(wait({ mean: 1e9, longest: 60, short: [1, 2] }, true, (words) => words.fill(7)), 60);
});

test("two devices with the same invitation send different blinded messages and get different tokens", async () => {
  const tabs = [1, 2].map(() => tab(({ blinded }) => ({ outcome: "signed", signature: signed(blinded) })));
  for (const here of tabs) await here.exchange();
  const [one, other] = tabs;
  assert.notEqual(one.sent[0].blinded, other.sent[0].blinded);
  assert.notEqual(one.storage.read().token, other.storage.read().token);
});

test("what was refused, and what is no signature, is tried again with the same blinded message", async () => {
  /** @type {Record<string, string>[]} */
  const answers = [{ outcome: "closed" }, { outcome: "signed", signature: "A".repeat(342) }, { outcome: "signed" }];
  const here = tab(({ blinded }) => answers.shift() ?? { outcome: "signed", signature: signed(blinded) });
  const came = [await here.exchange(), await here.exchange(), await here.exchange(), await here.exchange()];
  assert.deepEqual(came, ["closed", "refused", "refused", "signed"]);
  assert.equal(new Set(here.sent.map(({ blinded }) => blinded)).size, 1);
  assert.ok(isValid(here.storage.read().token));
});

test("where the browser stores nothing, nothing is exchanged", async () => {
  const here = tab(() => ({ outcome: "signed" }));
  const refusing = s.tabStorage({ getItem: () => null, setItem: () => {}, removeItem: () => {} }, "/a/x");
  await assert.rejects(exchanged(page, refusing, sending.send, /** @type {any} */ ({})));
  assert.deepEqual(here.sent, []);
});
