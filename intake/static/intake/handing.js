/**
 * The page inside a tool that one must stay in, which gets the record. The page keeps nothing, and there are two messages in
 * all, each to the origins that the design names: the record, at Send and again only when the person asks for it, or that
 * the person left. Nothing else is told to the page around, no height and no progress.
 *
 * The fragment of the frame's address is read once: #try marks answers that are not used, #lang=de names a language.
 */

import { addHanding } from "./device.js";
import { button, el, toldAtLength } from "./elements.js";
import { memoryHistory } from "./memory_history.js";
import { receipt } from "./receipt.js";
import { handedText } from "../privacy/handed.js";

/** Milliseconds after which a person can try again. */
const PATIENCE = 10_000;

/**
 * @param {string} hash
 * @returns {{isTrial: boolean, language: string}}
 */
export function fragmentOf(hash) {
  const parts = hash.slice(1).split("&");
  const language = parts.find((part) => part.startsWith("lang=")) ?? "lang=";
  return { isTrial: parts.includes("try"), language: language.slice("lang=".length) };
}

/**
 * @param {boolean} isAlone  whether no page is around this one
 * @param {string} hash
 * @returns {Intake.Handing}
 */
export function handing(isAlone, hash) {
  const { isTrial, language } = fragmentOf(hash);
  /** @type {"trying" | "late" | "taken" | "left" | null} */
  let state = null;
  /** @type {(Intake.Sealed & {text: string}) | null} */
  let given = null;
  /** @type {string[]} */
  let origins = [];
  let late = 0;
  let redraw = () => {};

  /** @param {Record<string, unknown>} message */
  function tell(message) {
    for (const origin of origins) parent.postMessage({ candor: 1, ...message }, origin);
  }

  function give() {
    const { text, record } = /** @type {Intake.Sealed & {text: string}} */ (given);
    state = "trying";
    tell({ fingerprint: record.design, record: text });
    clearTimeout(late);
    late = setTimeout(() => become("late"), PATIENCE);
    redraw();
  }

  /** @param {"late" | "taken"} next */
  function become(next) {
    if (state !== "trying" && state !== "late") return;
    clearTimeout(late);
    state = next;
    redraw();
  }

  return {
    history: memoryHistory,
    state: () => state,
    language: (known) => (known.includes(language) ? language : null),
    arrange() {
      for (const block of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-alone-notice]"))) block.hidden = !isAlone;
      for (const block of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-trial]"))) block.hidden = !isTrial;
      if (isAlone) for (const button of document.querySelectorAll("[data-agree]")) button.remove();
    },
    link: () => null,
    watch: () => {},
    listen(listed, draw) {
      origins = listed;
      redraw = draw;
      addEventListener("message", ({ origin, source, data }) => {
        if (source === parent && origins.includes(origin) && data?.candor === 1 && data.taken === true) become("taken");
      });
    },
    hand(sealed) {
      given = { ...sealed, text: handedText(sealed.body, isTrial) };
      give();
    },
    leave() {
      state = "left";
      tell({ left: true });
    },
    screen(voice, design, canonical) {
      const thanks = voice.text(design.thanks);
      const title = (/** @type {string} */ key) => el("h1", { tabindex: "-1" }, voice.word(key));
      if (state === "left" || !given) return [title("tool_left")];
      if (state !== "taken") {
        return [
          title("sending_title"),
          el("div", { class: "notice flow" },
            el("p", { id: "progress", role: "status" }, voice.word(state === "late" ? "tool_late" : "sending_trying")),
            state === "late" ? el("p", {}, button(voice.word("throw_again"), give)) : null),
        ];
      }
      return [
        title("tool_handed"),
        ...(thanks.text ? toldAtLength(voice, thanks) : [el("p", {}, voice.word("thanks"))]),
        el("p", {}, voice.word("tool_nothing_stays")),
        receipt(voice, design, canonical, given.record, given.text),
      ];
    },
  };
}

if (typeof document !== "undefined") addHanding(handing(!(typeof window !== "undefined" && window.top !== window), location.hash));
