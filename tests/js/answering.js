/** The respondents' modules as the browser gets them: both rooms' files under one /static/, as collected. */

import { constants, generateKeyPairSync, privateDecrypt, verify } from "node:crypto";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** @type {Record<string, string>} */
const ROOMS = { intake: "intake/static/intake/", privacy: "privacy/static/privacy/", vendor: "static/vendor/" };

registerHooks({
  resolve(specifier, context, next) {
    const [, room, file] = /^(?:\.\.\/){1,2}(intake|privacy|vendor)\/(.+)$/.exec(specifier) ?? [];
    return room && context.parentURL?.includes("/static/") ? { url: pathToFileURL(ROOT + ROOMS[room] + file).href, shortCircuit: true } : next(specifier, context);
  },
});

/** @param {string} path */
export const load = (path) => import(pathToFileURL(ROOT + path).href);

export const journey = await import("../../intake/static/intake/journey.js");
export const storage = await import("../../intake/static/intake/tab_storage.js");
export const crosswise = await import("../../intake/static/intake/crosswise.js");
export const numbers = await import("../../intake/static/intake/numbers.js");
export const typed = await import("../../intake/static/intake/typed_number.js");
export const bands = await import("../../intake/static/intake/bands.js");
export const kinds = await import("../../intake/static/intake/kinds.js");
export const places = await import("../../intake/static/intake/places.js");
export const map = await import("../../intake/static/intake/place_map.js");
export const keptModule = await import("../../intake/static/intake/kept.js");
await load("intake/static/intake/exchange.js");
export const sealing = await import("../../intake/static/intake/field/sealing.js");
export const slots = await import("../../intake/static/intake/field/slots.js");
export const blinding = await import("../../intake/static/intake/blinding.js");
export const tokens = await import("../../intake/static/intake/field/tokens.js");
export const uploading = await import("../../intake/static/intake/field/upload.js");
export const calls = await import("../../intake/static/intake/field/calls.js");
export const cache = await import("../../intake/static/intake/field/cache.js");
/** Of a field device that is simulated: how many answers its questions have. @type {Record<string, Device.Kind>} */
export const fieldKinds = {
  plain: (await load("privacy/static/privacy/kinds/plain.js")).plain,
  "unrelated-question": (await load("privacy/static/privacy/kinds/grouped.js")).grouped,
  number: (await load("privacy/static/privacy/kinds/number.js")).number,
  place: (await load("privacy/static/privacy/kinds/place.js")).place,
  crosswise: (await load("privacy/static/privacy/kinds/crosswise.js")).crosswise,
  subset: (await load("privacy/static/privacy/kinds/subset.js")).subset,
};
export const sets = await import("../../intake/static/intake/sets.js");
export const sending = await import("../../intake/static/intake/sending.js");
export const toy = await import("../../intake/static/intake/toy.js");
export const understanding = await import("../../intake/static/intake/understanding.js");
export const memory = await import("../../intake/static/intake/memory_history.js");
export const framed = await import("../../intake/static/intake/framed.js");
export const panel = await import("../../intake/static/intake/panel.js");
export const trail = await import("../../intake/static/intake/trail.js");
export const voice = await import("../../intake/static/intake/voice.js");
export const device = await import("../../intake/static/intake/device.js");
export const pairs = await import("../../privacy/static/privacy/kinds/crosswise.js");

/** The server's key: what it makes of a blinded message, without a look at it, and whether a token has its signature. */
export function signer() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    key: String(publicKey.export({ format: "jwk" }).n),
    /** @param {string} blinded */
    signed: (blinded) =>
      privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, Buffer.from(blinded, "base64url")).toString("base64url"),
    /** @param {string} token */
    isValid(token) {
      const content = Buffer.from(token, "base64url");
      const pss = { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 48 };
      return content.length === 288 && verify("sha384", content.subarray(0, 32), pss, content.subarray(32));
    },
  };
}

export const yesNo = [{ name: "no", label: {} }, { name: "yes", label: {} }];
const half = ["0.5000", "0.5000"];

/** A plain question of two choices. @param {string} name @param {Record<string, string[]>} show_if */
export const plain = (name, show_if = {}) => ({
  name, form: "one", text: {}, help: {}, choices: [{ name: "a", label: {} }, { name: "b", label: {} }], show_if, role: "other",
});

/** @param {string} name @param {Record<string, string[]>} show_if */
export const hidden = (name, show_if = {}) => ({ name, form: "yes-no", text: {}, help: {}, choices: yesNo, show_if, noise: half });

/** @param {string} name @param {string} of @param {Record<string, string[]>} show_if */
export const option = (name, of, show_if = {}) => ({ ...hidden(name, show_if), form: "many", of });

/** @param {Intake.Question} question */
export const asPlain = ({ noise: _noise, ...question }) => ({ ...question, role: "other" });

/** @param {Intake.Question[]} questions @param {{asked?: number, keep?: string}} more @returns {Intake.Section} */
export const sensitive = (questions, { asked = questions.length, keep = "0.5000" } = {}) => ({ kind: "unrelated-question", keep, asked, questions });

/** As much of a design as these modules look at. @param {Intake.Section[]} sections */
export const design = (sections, { open_answers = false } = {}) => /** @type {Intake.Design} */ (/** @type {unknown} */ ({
  format: "candor-design/1", languages: ["en"], open_answers, sections,
}));

/** Coins as they fall when every word is this one. @param {Intake.Design} design */
export const coins = (design, word = 0) => device.drawCoins(design, { bits: 32, draw: () => word });
