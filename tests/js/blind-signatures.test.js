import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { RSABSSA } from "../../static/vendor/blindrsa.min.js";

/** @typedef {Record<"name" | "n" | "msg" | "msg_prefix" | "salt" | "inv" | "blinded_msg" | "blind_sig" | "sig", string>} Vector */

/** @type {Vector[]} */
const VECTORS = JSON.parse(readFileSync(new URL("../vectors/rfc9474.json", import.meta.url), "utf8"));
const { PSS, PSSZero } = RSABSSA.SHA384;
const VARIANTS = {
  "RSABSSA-SHA384-PSS-Randomized": PSS.Randomized,
  "RSABSSA-SHA384-PSSZERO-Randomized": PSSZero.Randomized,
  "RSABSSA-SHA384-PSS-Deterministic": PSS.Deterministic,
  "RSABSSA-SHA384-PSSZERO-Deterministic": PSSZero.Deterministic,
};

/** @param {string} text */
const bytes = (text) => new Uint8Array(Buffer.from(text, "hex"));
/** @param {Uint8Array} content */
const hex = (content) => Buffer.from(content).toString("hex");

/** @param {Vector} vector */
const suiteOf = ({ name }) => VARIANTS[/** @type {keyof typeof VARIANTS} */ (name)]();

/** @param {Vector} vector */
const keyOf = ({ n }) =>
  crypto.subtle.importKey("jwk", { kty: "RSA", n: Buffer.from(n, "hex").toString("base64url"), e: "AQAB" },
    { name: "RSA-PSS", hash: "SHA-384" }, true, ["verify"]);

/** The r of a vector, which it states by its inverse. @param {Vector} vector */
function blindOf({ inv, n }) {
  let [a, b, x, y] = [BigInt(`0x${inv}`), BigInt(`0x${n}`), 1n, 0n];
  const modulus = b;
  while (b) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return (((x % modulus) + modulus) % modulus).toString(16).padStart(n.length, "0");
}

/**
 * With these draws in the place of random bytes.
 * @template T
 * @param {string[]} draws
 * @param {() => T | Promise<T>} work
 */
async function drawing(draws, work) {
  const real = crypto.getRandomValues;
  crypto.getRandomValues = (/** @type {any} */ array) => {
    array.set(bytes(draws.shift() ?? ""));
    return array;
  };
  try {
    return await work();
  } finally {
    crypto.getRandomValues = real;
  }
}

for (const vector of VECTORS) {
  test(`the bundle makes what RFC 9474 states of ${vector.name}`, async () => {
    const [suite, key] = [suiteOf(vector), await keyOf(vector)];
    const message = await drawing([vector.msg_prefix], () => suite.prepare(bytes(vector.msg)));
    assert.equal(hex(message), vector.msg_prefix + vector.msg);
    const { blindedMsg, inv } = await drawing([vector.salt, blindOf(vector)], () => suite.blind(key, message));
    assert.equal(hex(blindedMsg), vector.blinded_msg);
    assert.equal(hex(inv), vector.inv);
    assert.equal(hex(await suite.finalize(key, message, bytes(vector.blind_sig), inv)), vector.sig);
  });
}

test("a signature of something else is refused", async () => {
  const [vector, other] = VECTORS;
  const key = await keyOf(vector);
  const message = bytes(vector.msg_prefix + vector.msg);
  await assert.rejects(suiteOf(vector).finalize(key, message, bytes(other.blind_sig), bytes(vector.inv)), /invalid signature/);
});
