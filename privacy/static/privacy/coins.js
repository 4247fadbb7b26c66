// @ts-check
/** Random words, and the coins that are made of them. Twin: privacy/mechanisms/random_draws.py. */

/**
 * Words from the browser's secure source.
 * @param {{getRandomValues: (words: Uint32Array<ArrayBuffer>) => Uint32Array}} crypto
 * @returns {Device.Words}
 */
export function secureWords(crypto) {
  const word = new Uint32Array(1);
  return { bits: 32, draw: () => crypto.getRandomValues(word)[0] };
}

/**
 * A uniform integer, 0 <= coin < n. Words past the last whole n are drawn again: taking them modulo n would
 * favour the small coins.
 * @param {number} n
 * @param {Device.Words} words
 */
export function below(n, words) {
  const span = 2 ** words.bits;
  if (!(n > 0 && n <= span)) throw new RangeError(`no word of ${words.bits} bits gives a coin below ${n}`);
  const limit = span - (span % n);
  let word = words.draw();
  while (word >= limit) word = words.draw();
  return word % n;
}

/**
 * A submission key: 32 hexadecimal digits.
 * @param {Device.Words} words
 */
export function drawKey(words) {
  return Array.from({ length: 16 }, () => below(256, words).toString(16).padStart(2, "0")).join("");
}
