/**
 * Seals a record for the server alone: HPKE (RFC 9180) in base mode with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and
 * AES-256-GCM, one message, no additional data. Twin: surveys/field_record_encryption.py.
 */

import { bytesOf, textOf } from "../base64url.js";

export { bytesOf, textOf };

const { subtle } = crypto;
const CURVE = { name: "ECDH", namedCurve: "P-256" };
const VERSION = 1;
const PUBLIC_BYTES = 65;
const KEM = "KEM\x00\x10";
const SUITE = "HPKE\x00\x10\x00\x01\x00\x02";
const EMPTY = new Uint8Array();

/** @param {(Uint8Array | string | number)[]} parts */
function joined(...parts) {
  const bytes = parts.flatMap((part) =>
    typeof part === "number" ? part : [...(typeof part === "string" ? new TextEncoder().encode(part) : part)]);
  return Uint8Array.from(bytes);
}

/**
 * HMAC-SHA-256, which is also HKDF-Extract, and HKDF-Expand of at most 32 bytes.
 * @param {Uint8Array<ArrayBuffer>} key
 * @param {Uint8Array<ArrayBuffer>} text
 */
async function hmac(key, text) {
  // WebCrypto takes no empty key; HMAC fills every key with zeros.
  const raw = key.length ? key : new Uint8Array(32);
  const imported = await subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", imported, text));
}

/** @type {(suite: string, salt: Uint8Array<ArrayBuffer>, label: string, secret: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>} */
const extract = (suite, salt, label, secret) => hmac(salt, joined("HPKE-v1", suite, label, secret));

/** @type {(suite: string, secret: Uint8Array<ArrayBuffer>, label: string, info: Uint8Array, length: number) => Promise<Uint8Array<ArrayBuffer>>} */
const expand = async (suite, secret, label, info, length) =>
  (await hmac(secret, joined(0, length, "HPKE-v1", suite, label, info, 1))).slice(0, length);

/**
 * The sender's one-time public key and the ciphertext.
 * @param {Uint8Array<ArrayBuffer>} key  an uncompressed point
 * @param {Uint8Array<ArrayBuffer>} info
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {CryptoKeyPair} [ephemeral]  only in tests
 * @param {Uint8Array<ArrayBuffer>} [additional]  only in tests
 */
export async function encrypt(key, info, bytes, ephemeral, additional = EMPTY) {
  if (key.length !== PUBLIC_BYTES) throw new RangeError(`a sealing key of ${key.length} bytes`);
  const { privateKey, publicKey } = ephemeral ?? (await subtle.generateKey(CURVE, false, ["deriveBits"]));
  const enc = new Uint8Array(await subtle.exportKey("raw", publicKey));
  const receiver = await subtle.importKey("raw", key, CURVE, false, []);
  const dh = new Uint8Array(await subtle.deriveBits({ name: "ECDH", public: receiver }, privateKey, 256));
  const shared = await expand(KEM, await extract(KEM, EMPTY, "eae_prk", dh), "shared_secret", joined(enc, key), 32);
  const context = joined(0, await extract(SUITE, EMPTY, "psk_id_hash", EMPTY), await extract(SUITE, EMPTY, "info_hash", info));
  const secret = await extract(SUITE, shared, "secret", EMPTY);
  const aes = await subtle.importKey("raw", await expand(SUITE, secret, "key", context, 32), "AES-GCM", false, ["encrypt"]);
  const iv = await expand(SUITE, secret, "base_nonce", context, 12);
  return joined(enc, new Uint8Array(await subtle.encrypt({ name: "AES-GCM", iv, additionalData: additional }, aes, bytes)));
}

/**
 * A record as it is stored and sent: version, one-time public key, ciphertext.
 * @param {string} key  the survey's sealing key, as its design has it
 * @param {string} fingerprint  of the design
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {CryptoKeyPair} [ephemeral]  only in tests
 */
export async function seal(key, fingerprint, bytes, ephemeral) {
  const design = Uint8Array.from(fingerprint.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return joined(VERSION, await encrypt(bytesOf(key), joined("candor-field/1", design), bytes, ephemeral));
}
