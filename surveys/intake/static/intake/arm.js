/** The page after Agree where a coin decides how people are asked: it says what the coin decided. */

import { OPEN } from "./device.js";
import { button, el, mark } from "./elements.js";

/** @param {Intake.Scene} scene */
export function armScreen({ voice, journey, back, goOn, leave }) {
  const isDirect = journey.group === OPEN;
  return [
    el("p", { class: "back" }, button(voice.word("back"), back, { class: "button quiet" })),
    el("h1", { tabindex: "-1" }, voice.word("arm_title")),
    el("div", { class: "notice arm" }, mark(isDirect ? "plain" : "disguised"),
      el("p", { class: "lede" }, voice.word(isDirect ? "arm_direct" : "arm_disguised"))),
    el("p", { class: "buttons onward" },
      button(voice.word("arm_go_on"), goOn, { class: "button primary" }), button(voice.word("leave"), leave)),
  ];
}
