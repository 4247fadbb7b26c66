/** The respondents' modules as the browser gets them: both rooms' files under one /static/, as collected. */

import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ROOMS = { intake: "surveys/intake/static/intake/", privacy: "privacy/static/privacy/" };

registerHooks({
  resolve(specifier, context, next) {
    const [, room, file] = /^\.\.\/(intake|privacy)\/(.+)$/.exec(specifier) ?? [];
    return room ? { url: pathToFileURL(ROOT + ROOMS[room] + file).href, shortCircuit: true } : next(specifier, context);
  },
});

const load = (path) => import(pathToFileURL(ROOT + path).href);

export const journey = await load("surveys/intake/static/intake/journey.js");
export const keeping = await load("surveys/intake/static/intake/keeping.js");
export const sending = await load("surveys/intake/static/intake/sending.js");
export const trail = await load("surveys/intake/static/intake/trail.js");
export const voice = await load("surveys/intake/static/intake/voice.js");
export const disguise = await load("privacy/static/privacy/disguise.js");

const yesNo = [{ name: "no", label: {} }, { name: "yes", label: {} }];
const half = ["0.5000", "0.5000"];

/** A plain question of two choices. */
export const plain = (name, show_if = {}) => ({
  name, form: "one", text: {}, help: {}, choices: [{ name: "a", label: {} }, { name: "b", label: {} }], show_if, role: "other",
});

export const hidden = (name, show_if = {}) => ({
  name, form: "yes-no", text: {}, help: {}, choices: yesNo, show_if, noise: half,
});

export const option = (name, of, show_if = {}) => ({ ...hidden(name, show_if), form: "many", of });

export const asPlain = ({ noise, ...question }) => ({ ...question, role: "other" });

export const sensitive = (questions, { asked = questions.length, keep = "0.5000" } = {}) => ({
  kind: "unrelated-question", keep, asked, questions,
});

export const design = (sections, { open_answers = false } = {}) => ({
  format: "candor-design/1", languages: ["en"], open_answers, sections,
});

/** Coins as they fall when every word is this one. */
export const coins = (design, word = 0) => disguise.drawCoins(design, { bits: 32, draw: () => word });
