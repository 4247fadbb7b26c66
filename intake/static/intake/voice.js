/** What the page says, in the language that the respondent has chosen. */

/**
 * What the server says to the scripts. There the words of a language are a list, in the order of the keys.
 * @returns {Intake.Page}
 */
export function embeddedPage() {
  const { keys, ...page } = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("page")).textContent);
  for (const [language, words] of Object.entries(page.words)) {
    page.words[language] = Object.fromEntries(words.map((/** @type {string | null} */ word, /** @type {number} */ i) => [keys[i], word]));
  }
  return page;
}

/**
 * @param {Pick<Intake.Words, "languages" | "words">} page
 * @param {Pick<Intake.Design, "languages" | "phrases">} design
 * @param {string} language
 */
export function voiceOf(page, design, language) {
  const { interface: ours, dir, numbers } = /** @type {Intake.Words["languages"][0]} */ (page.languages.find(({ code }) => code === language));
  const words = page.words[language];

  /**
   * A phrase, with its %(names)s filled in: of the page, which brings those that the design lacks, or of the design.
   * @param {string} key
   * @param {Record<string, unknown>} values
   */
  const word = (key, values = {}) =>
    (words[key] ?? design.phrases?.[key]?.[language] ?? key).replace(/%\((\w+)\)s/g, (_, name) => String(values[name]));

  /**
   * A text of the design, in this language or the first that has one.
   * @param {Intake.Texts} texts
   */
  const text = (texts) => {
    const found = texts[language] ? language : design.languages.find((code) => texts[code]);
    return { text: found ? /** @type {string} */ (texts[found]) : "", language: found ?? language };
  };

  return {
    language,
    interface: ours,
    dir,
    word,
    text,
    /**
     * The text of a choice; a yes or no without a label is translated here.
     * @param {Intake.Question} question
     * @param {number} code
     */
    choice: (question, code) => {
      const { name, label } = question.choices[code];
      const said = text(label);
      const ourOwn = { text: word(name === "yes" ? "yes" : "no"), language: ours };
      if (question.form === "many") return ourOwn;
      if (said.text) return said;
      return question.form === "yes-no" ? ourOwn : { text: name, language };
    },
    /**
     * The name of a question in a list; an option follows the question that it belongs to.
     * @param {Intake.Place["question"]} question
     */
    name: (question) => {
      const said = text(question.text);
      return said.text ? said : { text: question.name, language };
    },
    /** @param {Intake.Question} question */
    option: (question) => {
      const said = text(question.choices[1].label);
      return said.text ? said : { text: question.name, language };
    },
    /**
     * @param {number} number
     * @param {boolean} isGrouped  whether signs divide the digits of long ones into threes
     */
    number: (number, isGrouped = true) =>
      new Intl.NumberFormat(numbers, isGrouped ? {} : { useGrouping: false }).format(number).replace("-", "−"),
    /** @param {number} share */
    percent: (share) => word("percent", { number: new Intl.NumberFormat(numbers, { maximumFractionDigits: 1 }).format(share * 100) }),
  };
}

/**
 * The switch between languages. All texts are in the page already, so there is no request.
 *
 * @param {(language: string) => void} change
 */
export function offerLanguages(change) {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("button[data-language]"))) {
    button.addEventListener("click", () => change(/** @type {string} */ (button.dataset.language)));
  }
}

/**
 * Shows the elements of this language only, and sets the page's language for screen readers.
 * @param {Intake.Voice} voice
 */
export function turnTo(voice) {
  document.documentElement.lang = voice.interface;
  document.documentElement.dir = voice.dir;
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("button[data-language]"))) {
    button.setAttribute("aria-pressed", String(button.dataset.language === voice.language));
  }
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-word]"))) {
    element.textContent = voice.word(/** @type {string} */ (element.dataset.word));
  }
  for (const block of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-in]"))) {
    block.hidden = block.dataset.in !== voice.language;
  }
}

/** From here on the script is there: what needs it appears, what said that it is missing goes. */
export function revealScripted() {
  for (const element of document.querySelectorAll("[data-waiting]")) element.remove();
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-needs-script]"))) {
    element.hidden = false;
  }
}
