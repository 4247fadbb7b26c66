/**
 * One respondent's device: reads a design and true answers, writes the body of the one request, and the functions that
 * made it as they were called. Each function of the modules that disguise says at its beginning that it was called.
 */

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { webcrypto } from "node:crypto";

const ROOT = new URL("../../", import.meta.url).href;
const FUNCTION = /^(?:export )?function (\w+)\(.*\{$|^  (\w+)\(.*\) \{$/;

/** @type {{file: string, line: number, name: string}[]} */
const calls = [];
Object.assign(globalThis, {
  /** @param {string} file @param {number} line @param {string} name */
  called: (file, line, name) => calls.push({ file, line, name }),
});

/**
 * The source of a module whose functions tell that they are called.
 * @param {string} url
 */
function traced(url) {
  const file = url.slice(ROOT.length);
  const lines = readFileSync(new URL(url), "utf8").split("\n");
  const calling = lines.map((line, at) => {
    const [, plain, method] = FUNCTION.exec(line) ?? [];
    const name = plain ?? method;
    return name && !["for", "if", "while"].includes(name) ? `${line} called("${file}", ${at + 1}, "${name}");` : line;
  });
  return calling.join("\n");
}

registerHooks({
  // Addresses of the site, where static files of all rooms are beside each other.
  resolve: (specifier, context, next) =>
    next(specifier.replace(/^\.\.\/privacy\//, `${ROOT}privacy/static/privacy/`), context),
  load: (url, context, next) =>
    url.startsWith(ROOT) ? { format: "module", source: traced(url), shortCircuit: true } : next(url, context),
});

/** @type {typeof import("../../intake/static/intake/device.js")} */
const device = await import(`${ROOT}intake/static/intake/device.js`);
const { design, fingerprint, answers, epoch } = JSON.parse(readFileSync(0, "utf8"));
calls.length = 0;
const words = device.secureWords(webcrypto);
const coins = device.drawCoins(design, words);
const record = device.disguise(design, fingerprint, coins, device.DISGUISED, answers);
const body = device.envelopeText(device.drawKey(words), record, null, epoch);
process.stdout.write(JSON.stringify({ calls, body }));
