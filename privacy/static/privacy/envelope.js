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
 * The body of the one request: the record, a key that makes sending twice harmless, and the invitation.
 * @param {string} key
 * @param {Device.Sent} record
 * @param {string | null} token
 */
export function envelopeText(key, record, token = null) {
  const inside = `"key":${JSON.stringify(key)},"record":${recordText(record)}`;
  return token === null ? `{${inside}}` : `{${inside},"token":${JSON.stringify(token)}}`;
}
