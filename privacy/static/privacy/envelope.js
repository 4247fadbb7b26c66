// @ts-check
/** The texts that are sent: a record, and the envelope around it. Twin: privacy/records/record.py. */

/**
 * The exact text of a record, as it is sent and as a receipt shows it.
 * @param {Device.Sent} record
 */
export function recordText({ design, group, answers }) {
  return JSON.stringify({ design, group, answers });
}

/**
 * The body of the one request: the record, a key that makes sending twice harmless, the month of the page, where it has
 * one, and the invitation.
 * @param {string} key
 * @param {Device.Sent} record
 * @param {string | null} token
 * @param {number} [epoch]
 */
export function envelopeText(key, record, token = null, epoch = undefined) {
  const month = epoch === undefined ? "" : `"epoch":${epoch},`;
  const invitation = token === null ? "" : `,"token":${JSON.stringify(token)}`;
  return `{"key":${JSON.stringify(key)},${month}"record":${recordText(record)}${invitation}}`;
}
