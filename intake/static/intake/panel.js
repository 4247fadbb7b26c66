/**
 * The parameter by which a panel knows a person. It comes in the fragment of the survey's address (invitation.js), stays in
 * this tab, and goes into the completion link that the server returns, which so never gets it.
 */

const PLACE = "{panel}";

/** @param {string} completion */
export const takesPanel = (completion) => completion.includes(PLACE);

/**
 * The link with the value; without a value the link without its parameter.
 * @param {string} link
 * @param {string} value
 */
export const filledLink = (link, value) =>
  value
    ? link.replace(PLACE, () => encodeURIComponent(value))
    : link.replace(/([?&])[^?&=]+=\{panel\}(&?)/, (_, sign, more) => more && sign);
