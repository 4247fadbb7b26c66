/**
 * The language in which a page begins that no server chose one for: by what the browser prefers, as a server would
 * choose (language_negotiation.py and its twin here are held together by vectors).
 */

/** @param {string} code */
const base = (code) => code.split("-", 1)[0];

/**
 * @param {readonly string[]} wishes  navigator.languages, or #lang alone
 * @param {readonly string[]} offered  the survey's languages; the first is the last resort
 */
export function visitorLanguage(wishes, offered) {
  for (const wish of wishes.map((code) => code.toLowerCase())) {
    const near = offered.find((code) => code === wish) ?? fallback(wish, offered) ?? offered.find((code) => base(code) === base(wish));
    if (near) return near;
  }
  return offered[0];
}

/** @type {Record<string, string>} Django's fallbacks of Chinese, which no other language has. */
const FALLBACKS = { "zh-cn": "zh-hans", "zh-sg": "zh-hans", "zh-my": "zh-hans", "zh-hk": "zh-hant", "zh-mo": "zh-hant", "zh-tw": "zh-hant" };

/**
 * @param {string} wish
 * @param {readonly string[]} offered
 */
const fallback = (wish, offered) => offered.find((code) => code === FALLBACKS[wish]);
