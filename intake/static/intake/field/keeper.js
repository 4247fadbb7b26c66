/**
 * The app of a field device: the screen that is handed over, and the frame of each interview. Set-up and the keeper's page
 * have modules of their own. The device stores nothing but the one file that the store's worker holds, and the cache.
 */

import { button, el } from "../elements.js";
import { send } from "../sending.js";
import { embeddedPage, voiceOf } from "../voice.js";
import { askPin } from "./keeper_page.js";
import { contact, lackingParts, takeTicket, welcome } from "./setup.js";
import { connect } from "./store.js";
import { upload } from "./upload.js";

const ticket = takeTicket();
/** @type {Field.Page} */
const page = /** @type {any} */ (embeddedPage());
const room = /** @type {HTMLElement} */ (document.getElementById("screen"));
const address = location.pathname;
const workers = new Set(Object.values(page.workers));
/** @type {(url: string) => string} */
const allowed = (url) => {
  if (!workers.has(url)) throw new TypeError(url);
  return url;
};
const { trustedTypes } = /** @type {any} */ (globalThis);
/** Browsers without Trusted Types take the address itself. */
const policy = trustedTypes?.createPolicy("field", { createScriptURL: allowed }) ?? { createScriptURL: allowed };
/** @type {(url: string) => string} */
const trusted = (url) => policy.createScriptURL(url);
/** How long a frame may take to begin, in milliseconds. */
const PATIENCE = 20_000;
/** How long after an upload the next is tried, in milliseconds. */
const BETWEEN = 300_000;

/** The keeper's words are all in the page. */
const NO_PHRASES = { languages: [], phrases: {} };
let voice = voiceOf(page, NO_PHRASES, preferredLanguage());
/** Each upload and each screen that ends one has a number. */
let uploads = 0;
/** Whether the server was told since the page was loaded that nothing waits: to tell it after each interview would count them. */
let hasReported = false;
let isPractice = false;
let isLarge = false;
/** @type {{close: () => void, wake: () => void} | null} */
let interview = null;

function preferredLanguage() {
  const ours = page.languages.map(({ code }) => code);
  const matches = navigator.languages.flatMap((wanted) => {
    const [base] = wanted.toLowerCase().split("-");
    return ours.filter((code) => code.split("-")[0] === base);
  });
  return matches[0] ?? page.language;
}

/** @type {Field.App} */
const app = {
  page,
  address,
  trusted,
  store: connect(new Worker(trusted(page.workers.store), { type: "module" })),
  word: (key, values) => voice.word(key, values),
  number: (number) => voice.number(number),
  show(nodes, again) {
    room.replaceChildren(...nodes.filter((node) => node !== null), ...(again ? [languageRow(again)] : []));
    document.documentElement.lang = voice.interface;
    document.documentElement.dir = voice.dir;
    document.title = voice.word("app_title");
    scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (room.querySelector("h1"))?.focus({ preventScroll: true });
  },
  busy: (work) => async (event) => {
    const pressed = /** @type {HTMLButtonElement} */ (event.currentTarget);
    pressed.disabled = true;
    try {
      await work();
    } finally {
      pressed.disabled = false;
    }
  },
  post,
  world,
  upload: uploadNow,
  handOver,
  switches: {
    practice: { get: () => isPractice, set: (is) => void (isPractice = is) },
    large: {
      get: () => isLarge,
      set(is) {
        isLarge = is;
        document.documentElement.classList.toggle("large", is);
      },
    },
  },
};

/**
 * @param {"device"} what
 * @param {object} body
 */
async function post(what, body) {
  try {
    const response = await fetch(`${address}/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      mode: "same-origin",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      redirect: "error",
    });
    return await response.json();
  } catch {
    return { outcome: "no answer" };
  }
}

/**
 * The keeper's languages.
 * @param {() => void} again  draws the screen anew
 */
const languageRow = (again) =>
  el("div", { class: "languages" }, ...page.languages.map(({ code, dir, name }) =>
    el("button", { type: "button", lang: code, dir, "aria-pressed": String(code === voice.language), on: { click: () => {
      voice = voiceOf(page, NO_PHRASES, code);
      again();
    } } }, name)));

// --- the screen that is handed over

/** @param {string} [chosen]  a language of the survey */
async function handOver(chosen = page.offered[0].code) {
  interview?.close();
  const { token } = await app.store.counts();
  const language = /** @type {Field.Offered} */ (page.offered.find(({ code }) => code === chosen));
  const title = page.title[chosen] ?? Object.values(page.title)[0] ?? "";
  room.replaceChildren(
    el("h1", { tabindex: "-1", lang: chosen, dir: language.dir }, title),
    ...(page.offered.length > 1
      ? [el("div", { class: "choose-language" }, ...page.offered.map(({ code, dir, name }) =>
          button(name, () => handOver(code), { lang: code, dir, "aria-pressed": String(code === chosen) })))]
      : []),
    token || isPractice
      ? el("p", { class: "buttons" }, button(language.begin, () => begin(chosen), { class: "button primary begin", lang: chosen, dir: language.dir }))
      : el("p", { class: "notice", lang: voice.interface, dir: voice.dir }, voice.word("exhausted")),
    isPractice ? el("p", { class: "notice", lang: voice.interface, dir: voice.dir }, voice.word("practice_on")) : "",
    el("p", { class: "to-keeper" }, button(voice.word("keeper"), () => askPin(app), { class: "plain-link", lang: voice.interface })),
  );
  document.documentElement.lang = language.interface;
  document.documentElement.dir = language.dir;
  document.title = title || voice.word("app_title");
  scrollTo(0, 0);
  if (!interview) void uploadNow(false);
}

// --- an interview

/**
 * Nothing of the app can be reached behind an interview.
 * @param {boolean} is
 */
function hideApp(is) {
  document.body.classList.toggle("asking", is);
  for (const part of document.body.children) if (part.tagName !== "IFRAME") part.toggleAttribute("inert", is);
}

/** @param {string} language */
function begin(language) {
  if (interview) return;
  uploads += 1;
  const frame = el("iframe", {
    src: page.interview, class: "interview", title: page.title[language] ?? document.title,
    "data-language": language, "data-practice": isPractice || null, "data-large": isLarge || null,
  });
  const late = setTimeout(() => interview?.close() ?? handOver(language), PATIENCE);
  /** @param {MessageEvent} event */
  const greet = ({ data, origin, ports: [port], source }) => {
    if (origin !== location.origin || source !== frame.contentWindow || data !== "interview") return;
    clearTimeout(late);
    port.onmessage = async ({ data: asked }) => {
      if (asked.ask === "leave") return handOver(language);
      port.postMessage(await answer(asked));
    };
  };
  addEventListener("message", greet);
  interview = {
    close() {
      interview = null;
      clearTimeout(late);
      removeEventListener("message", greet);
      frame.remove();
      hideApp(false);
    },
    wake: () => frame.focus(),
  };
  hideApp(true);
  document.body.append(frame);
  frame.focus();
}

/**
 * What the interview asks of the store: a token, or that its sealed record is stored in the token's place.
 * @param {{ask: "token"} | {ask: "finish", slot: number, sealed: Uint8Array}} asked
 */
async function answer(asked) {
  try {
    if (asked.ask === "token") return { ...(await app.store.takeToken()), key: page.sealing_key };
    await app.store.finish(asked.slot, asked.sealed);
    return true;
  } catch {
    return null;
  }
}

// --- sending

/**
 * The network as the sending loop meets it.
 * @param {(progress: Intake.Progress) => void} [report]
 * @param {() => boolean} [stopped]
 * @returns {Parameters<Intake.Send>[2]}
 */
function world(report = () => {}, stopped = () => false) {
  return {
    fetch: (url, options) => fetch(url, options),
    // What a browser says of it is not trusted: only the failed request tells.
    online: () => true,
    back: async () => {},
    pause: (seconds) => new Promise((resolve) => {
      setTimeout(resolve, seconds * 1000);
      addEventListener("online", resolve, { once: true });
    }),
    report,
    stopped,
    again: false,
    counted: () => {},
  };
}

/**
 * Sends what waits, once the network answers, until an interview begins.
 * @param {boolean} now  also where fewer than five wait
 * @param {(progress: Intake.Progress) => void} [report]
 * @returns {Promise<Record<string, number>>}
 */
async function uploadNow(now, report = () => {}) {
  const run = (uploads += 1);
  const isStopped = () => run !== uploads;
  const { record } = await app.store.counts();
  if (!now && !record && hasReported) return {};
  hasReported = true;
  const counts = await upload(app.store, { record: `${address}/record`, report: `${address}/report` }, send, world(report, isStopped), { now });
  if (!now && !isStopped()) setTimeout(() => !isStopped() && uploadNow(false), BETWEEN);
  return counts;
}

// --- the beginning

async function start() {
  const lacking = lackingParts();
  if (lacking.length) {
    return app.show([
      el("h1", { tabindex: "-1" }, voice.word("unsupported_title")),
      el("p", { class: "lede" }, voice.word("unsupported_about")),
      el("ul", {}, ...lacking.map((name) => el("li", {}, /** @type {string} */ (name)))),
    ]);
  }
  try {
    if (!(await app.store.open())) return welcome(app, ticket);
  } catch (error) {
    const isElsewhere = /** @type {Error} */ (error).message === "in use";
    return app.show([
      el("h1", { tabindex: "-1" }, voice.word(isElsewhere ? "elsewhere_title" : "unsupported_title")),
      el("p", { class: "lede" }, voice.word(isElsewhere ? "elsewhere_about" : "unsupported_file")),
      isElsewhere ? el("p", { class: "buttons" }, button(voice.word("try_again"), () => location.reload())) : null,
    ]);
  }
  const header = await app.store.header();
  if (header.fingerprint !== page.fingerprint) {
    return app.show([el("h1", { tabindex: "-1" }, voice.word("stopped_title")), el("p", { class: "lede" }, voice.word("other_survey"))]);
  }
  return header.ready ? handOver() : contact(app);
}

for (const event of ["contextmenu", "dragstart"]) addEventListener(event, (each) => each.preventDefault());
document.documentElement.classList.add("field-device");
void start();
