/** What the pages show and say of each kind of section. A kind's own module adds it; a page loads those of its survey. */

import { told } from "./elements.js";

/** @type {Record<string, Intake.Kind>} */
const kinds = {};

/**
 * @param {string} name as designs give it
 * @param {Intake.Kind} kind
 */
export const add = (name, kind) => void (kinds[name] = kind);

/**
 * Of a kind that was not added: its questions have choices.
 * @type {Intake.Kind}
 */
const chosen = {
  answer: (voice, question, answer) => told(voice, voice.choice(question, answer)),
  code: (voice, question, code) => told(voice, voice.choice(question, code)),
  sends: () => null,
  isBare: () => false,
  caution: () => null,
  differs: "differs_about",
  proves: "proves_truth",
  thrown: (question, isKept) => [isKept ? "throw_kept" : "throw_chance", "throws_so_far"],
};

/** @param {{kind: string}} section */
export const kindOf = ({ kind }) => kinds[kind] ?? chosen;
