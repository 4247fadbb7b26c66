/**
 * The page on which a person's code is made, written down, typed back or typed: of surveys whose disguise lasts over
 * rounds. The code is in the journey and in the page's input only. It is in no request, no storage and no history, and
 * nothing puts it on the clipboard.
 */

import { addLasting, below, disguisedCodes, drawCode, drawn, notAsked, permanent, secureWords, sides, typedCode, writtenCode } from "./device.js";

/** Missing where the page's address is not secure. */
const { subtle } = crypto;
const { rotated, settled } = permanent({ disguisedCodes, drawn, notAsked, sides }, subtle);

/** @type {NonNullable<Intake.Journey["coding"]>} */
const NOTHING = Object.freeze({ typed: "" });

/** @param {Intake.Scene} scene */
async function make(scene) {
  const made = drawCode(below, secureWords(crypto));
  const { study } = /** @type {NonNullable<Intake.Page["lasting"]>} */ (scene.page.lasting);
  const shown = await writtenCode(made, study, subtle);
  scene.become({ ...scene.now(), coding: { made, shown, typed: "" } });
  scene.redraw();
}

/**
 * @param {Intake.Scene} scene
 * @param {Intake.Wrong} wrong
 * @param {Intake.Tools} tools
 */
function screen(scene, wrong, { button, complaint, described, el, frame, heading }) {
  const { voice, page, journey, back, goOn } = scene;
  if (!subtle) {
    return [
      el("p", { class: "back" }, button(voice.word("back"), back, { class: "button quiet" })),
      el("h1", { tabindex: "-1" }, voice.word("code_title")),
      el("p", { class: "notice error" }, voice.word("code_insecure")),
    ];
  }
  if (journey.code) {
    return [
      el("p", { class: "back" }, button(voice.word("back"), back, { class: "button quiet" })),
      el("h1", { tabindex: "-1" }, voice.word("code_title")),
      el("p", { class: "lede" }, voice.word("code_set")),
      el("p", { class: "buttons onward" }, button(voice.word("continue"), goOn, { class: "button primary" })),
    ];
  }
  const { again, second } = /** @type {NonNullable<Intake.Page["lasting"]>} */ (page.lasting);
  const { made, shown, typed } = journey.coding ?? NOTHING;
  const isWrong = wrong.length > 0;
  const problem = voice.word(made ? "code_other" : "code_wrong");
  const input = el("input", {
    id: "code", type: "text", dir: "ltr", autocomplete: "off", autocapitalize: "characters", autocorrect: "off", spellcheck: "false",
    "aria-invalid": isWrong ? "true" : null,
    "aria-describedby": described(["code-hint", isWrong && "wrong"]),
    on: { input: () => void scene.become({ ...scene.now(), coding: { ...(scene.now().coding ?? NOTHING), typed: input.value } }) },
  });
  input.value = typed;
  const maker = el("section", { class: "flow", "aria-labelledby": "no-code" },
    el("h2", { id: "no-code" }, voice.word("code_none")),
    again ? el("p", {}, voice.word("code_lost", { times: voice.number(second) })) : null,
    el("p", {}, button(voice.word("code_make"), () => void make(scene), { class: again ? "button" : "button primary" })));
  return frame(scene, wrong, true, [{ id: "code", words: problem }],
    heading(voice.word("code_title")),
    el("p", { class: "lede" }, voice.word("code_why")),
    made ? el("p", { class: "person-code", dir: "ltr" }, el("code", {}, shown)) : null,
    made ? el("p", {}, voice.word("code_made")) : null,
    made || again ? null : maker,
    el("label", { for: "code" }, voice.word(made ? "code_back" : "code_have")),
    el("p", { id: "code-hint", class: "hint" }, voice.word("code_hint")),
    complaint(scene, isWrong, problem),
    el("div", { class: "typed" }, input),
    !made && again ? maker : null);
}

/** @type {Intake.Lasting["coded"]} */
async function coded(design, journey, study) {
  const { made, typed } = journey.coding ?? NOTHING;
  const code = await typedCode(typed, study, subtle);
  if (!code || (made && made.some((byte, i) => byte !== code[i]))) return null;
  const { coding: _forgotten, ...rest } = journey;
  return Object.freeze({ ...rest, code, coins: await rotated(design, journey.coins, study, code) });
}

addLasting({
  screen,
  coded,
  settled: (design, { coins, code, answers }, study) => settled(design, coins, study, /** @type {Uint8Array} */ (code), answers),
});
