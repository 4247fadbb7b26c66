// @ts-check
/**
 * The text by which a page inside another tool hands its record over: `candor1.` and base64url of key and record.
 * Twin: privacy/records/handed_record.py. A trial begins with `candor1t.` instead.
 */

/**
 * @param {string} envelope  as `envelopeText` of envelope.js gives it, of key and record alone
 * @param {boolean} [isTrial]
 */
export function handedText(envelope, isTrial = false) {
  if (!/^{"key":"[0-9a-f]{32}","record":{[ -z]*}}$/.test(envelope)) throw new TypeError("not the text of a key and a record");
  const coded = btoa(envelope).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `candor1${isTrial ? "t" : ""}.${coded}`;
}
