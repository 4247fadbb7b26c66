import assert from "node:assert/strict";
import { test } from "node:test";
import { design, device, hidden, journey, sensitive } from "./answering.js";

// The loader of answering.js finds the modules that these import.
const { choiceScreen } = await import("../../intake/static/intake/questions.js");
const { outcomeScreen } = await import("../../intake/static/intake/outcome.js");

/** As much of an element as these screens make use of: its text. */
class FakeElement {
  textContent = "";
  setAttribute() {}
  addEventListener() {}
  /** @param {...(string | FakeElement)} children */
  append(...children) {
    for (const child of children) this.textContent += typeof child === "string" ? child : child.textContent;
  }
}
Object.assign(globalThis, { document: { createElement: () => new FakeElement() } });

/** Says each phrase by its key. */
const voice = /** @type {Intake.Voice} */ (/** @type {unknown} */ ({
  interface: "en", word: (/** @type {string} */ key) => `<${key}>`, text: () => ({ text: "", language: "en" }),
}));
/** @type {(screen: (HTMLElement | null)[]) => string} */
const textOf = (screen) => screen.map((element) => element?.textContent ?? "").join("");

test("whoever may choose reads of random answers only where the device draws some", () => {
  const { noise: _noise, ...pair } = hidden("tax");
  const crosswiseSection = /** @type {Intake.Section} */ (/** @type {unknown} */ ({ kind: "crosswise", questions: [{ ...pair, share: "0.2500", secret: {} }] }));
  /** @type {(...sections: Intake.Section[]) => string[]} */
  const means = (...sections) => {
    const asks = design(sections, { open_answers: true });
    const scene = { design: asks, voice, journey: journey.begin(asks, device.drawCoins(asks, { bits: 32, draw: () => 0 })), page: {}, back() {}, goOn() {} };
    return textOf(choiceScreen(/** @type {Intake.Scene} */ (/** @type {unknown} */ (scene)), [])).match(/<\w+_means>/g) ?? [];
  };
  assert.deepEqual(means(crosswiseSection), ["<crosswise_disguised_means>", "<choice_open_means>"]);
  for (const sections of [[sensitive([hidden("boss")])], [sensitive([hidden("boss")]), crosswiseSection]]) {
    assert.deepEqual(means(...sections), ["<choice_disguised_means>", "<choice_open_means>"]);
  }
});

test("a refused record of an exchanged invitation sends nobody to another browser, which has no token", () => {
  /** @type {(more: object) => string} */
  const refused = (more) => textOf(outcomeScreen(/** @type {Parameters<typeof outcomeScreen>[0]} */ (/** @type {unknown} */ ({
    voice, design: { ...design([]), ...more }, canonical: "", isPreview: false, outcome: "refused", parcel: {}, isFramed: false, goOn: null, keep: null, drop() {},
  }))));
  assert.match(refused({}), /<refused_about>/);
  assert.match(refused({ invitation_key: "n" }), /<exchange_unaccepted>/);
});
