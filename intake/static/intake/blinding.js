/**
 * Makes the tokens that the server signs blindly (RFC 9474, RSABSSA-SHA384-PSS-Randomized): the device draws a message and
 * blinds it, the server signs what it cannot read, and the device makes the token of it. Twin of the device:
 * privacy/blind_signatures/tokens.py.
 */

import { RSABSSA } from "../vendor/blindrsa.min.js";
import { bytesOf, textOf } from "./base64url.js";

const suite = RSABSSA.SHA384.PSS.Randomized();

/** @param {string} n */
export const keyOf = (n) =>
  crypto.subtle.importKey("jwk", { kty: "RSA", n, e: "AQAB" }, { name: "RSA-PSS", hash: "SHA-384" }, true, ["verify"]);

/**
 * @param {CryptoKey} key
 * @returns {Promise<Intake.Hidden>}
 */
export async function hide(key) {
  const message = suite.prepare(new Uint8Array());
  const { blindedMsg, inv } = await suite.blind(key, message);
  return { message: textOf(message), blinded: textOf(blindedMsg), inverse: textOf(inv) };
}

/**
 * The token; throws where the signature is of something else.
 * @param {CryptoKey} key
 * @param {Intake.Hidden} hidden
 * @param {string} signature
 */
export async function tokenOf(key, { message, inverse }, signature) {
  const signed = await suite.finalize(key, bytesOf(message), bytesOf(signature), bytesOf(inverse));
  return textOf(Uint8Array.of(...bytesOf(message), ...signed));
}
