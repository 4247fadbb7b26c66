import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sealing } from "./answering.js";

const { bytesOf, encrypt, seal, textOf } = sealing;
const VECTOR = JSON.parse(readFileSync(new URL("../vectors/field.json", import.meta.url), "utf8"));
const CURVE = { name: "ECDH", namedCurve: "P-256" };
const KEY = textOf(bytes(VECTOR.recipient_public));
const TEXT = new TextEncoder().encode(VECTOR.envelope);

/** @param {string} text */
function bytes(text) {
  return new Uint8Array(Buffer.from(text, "hex"));
}
/** @param {Uint8Array} content */
const hex = (content) => Buffer.from(content).toString("hex");

/** The one-time keys that a vector states. @param {string} secret @param {string} point @returns {Promise<CryptoKeyPair>} */
async function pair(secret, point) {
  const [x, y] = [point.slice(2, 66), point.slice(66)].map((half) => textOf(bytes(half)));
  const publicPart = { kty: "EC", crv: "P-256", x, y };
  return {
    privateKey: await crypto.subtle.importKey("jwk", { ...publicPart, d: textOf(bytes(secret)) }, CURVE, true, ["deriveBits"]),
    publicKey: await crypto.subtle.importKey("jwk", publicPart, CURVE, true, []),
  };
}

test("a record is sealed as the project's vector states, and as the published one of RFC 9180", async () => {
  const ephemeral = await pair(VECTOR.ephemeral_private, VECTOR.hpke.enc);
  const sealed = await seal(KEY, VECTOR.fingerprint, TEXT, ephemeral);
  assert.equal(hex(sealed), `01${VECTOR.hpke.enc}${VECTOR.hpke.ct}`);
  const { pkRm, pkEm, skEm, info, aad, pt, enc, ct } = VECTOR.published;
  const published = await encrypt(bytes(pkRm), bytes(info), bytes(pt), await pair(skEm, pkEm), bytes(aad));
  assert.equal(hex(published), enc + ct);
});

test("the one-time keys are others each time, and so is every byte range", async () => {
  const sealed = await Promise.all(Array.from({ length: 20 }, () => seal(KEY, VECTOR.fingerprint, TEXT)));
  for (const [from, to] of [[1, 66], [66, 98], [-16, undefined]]) {
    assert.equal(new Set(sealed.map((each) => hex(each.slice(from, to)))).size, 20);
  }
});

test("a sealed record is 82 bytes longer than its text, whatever is in it", async () => {
  const other = TEXT.map((byte) => byte ^ 1);
  for (const text of [TEXT, other]) assert.equal((await seal(KEY, VECTOR.fingerprint, text)).length, text.length + 82);
});

for (const [name, key] of /** @type {[string, Uint8Array][]} */ ([
  ["a compressed point", bytes(VECTOR.recipient_public).slice(0, 33)],
  ["a point without its first byte", bytes(VECTOR.recipient_public).slice(1)],
  ["a longer one", new Uint8Array([...bytes(VECTOR.recipient_public), 0])],
  ["nothing", new Uint8Array()],
  ["a point beside the curve", bytes(VECTOR.recipient_public).fill(7, 60)],
])) {
  test(`as a sealing key ${name} is refused`, async () => {
    await assert.rejects(seal(textOf(key), VECTOR.fingerprint, TEXT));
  });
}

test("bytes and base64url are each other's inverse at every length", () => {
  for (let length = 0; length < 300; length += 1) {
    const content = crypto.getRandomValues(new Uint8Array(length));
    assert.equal(textOf(content), Buffer.from(content).toString("base64url"));
    assert.deepEqual(bytesOf(textOf(content)), content);
  }
});

