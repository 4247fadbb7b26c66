/**
 * A field device without a browser: `node field-device.js '{"server": ..., "slug": ..., ...}'`. It sets itself up, asks
 * people, and uploads, with the modules of the product; its file lies in a folder. It may be killed at any moment and
 * started again. Each line of its output is JSON: `{"receipt": ...}` once a record is stored, `{"arrived": ...}` once the
 * server has acknowledged it, and `{"kept": ..., "state": ...}` where it was refused. A record is named by the SHA-256 of
 * its sealed bytes.
 */

import { createHash } from "node:crypto";
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import { device, fieldKinds, journey as j, blinding, sealing, sending, slots, tokens, uploading } from "./answering.js";
import { seeded } from "./field-disk.js";

/**
 * @typedef {object} Asked
 * @property {string} server  its address, http://127.0.0.1:8000
 * @property {string} slug
 * @property {string} ticket
 * @property {string} design  path of the canonical design
 * @property {number} interviews  how many people it asks in all
 * @property {string} folder  of its file
 * @property {number} seed  of the answers
 * @property {number} [together]  interviews between two uploads
 * @property {number} [pace]  by which all pauses are multiplied
 */

const asked = /** @type {Asked} */ (JSON.parse(process.argv[2]));
const { server, slug, ticket, interviews, folder, seed, together = 10, pace = 1 } = asked;
const canonical = readFileSync(asked.design, "utf8");
const fingerprint = createHash("sha256").update(canonical).digest("hex");
/** @type {Intake.Design & {token_key: string, sealing_key: string}} */
const design = JSON.parse(canonical);

/** @param {object} line */
const tell = (line) => void writeSync(1, `${JSON.stringify(line)}\n`);
/** @param {Uint8Array} bytes */
const name = (bytes) => createHash("sha256").update(bytes).digest("hex");
/** @param {number} length */
const draw = (length) => crypto.getRandomValues(new Uint8Array(length));

/** @returns {import("../../intake/static/intake/field/slots.js").Handle} */
function file() {
  mkdirSync(folder, { recursive: true });
  const path = `${folder}/${slug}.field`;
  if (!existsSync(path)) writeFileSync(path, "");
  const opened = openSync(path, "r+");
  return {
    getSize: () => fstatSync(opened).size,
    truncate: (size) => ftruncateSync(opened, size),
    read: (bytes, { at }) => readSync(opened, bytes, 0, bytes.length, at),
    write: (bytes, { at }) => writeSync(opened, bytes, 0, bytes.length, at),
    flush: () => fsyncSync(opened),
    close: () => closeSync(opened),
  };
}

const world = {
  /** @type {typeof globalThis.fetch} */
  fetch: (url, { headers, ...options } = {}) =>
    fetch(server + String(url), {
      method: "POST", body: options.body, signal: options.signal, redirect: "error",
      headers: { ...headers, "Sec-Fetch-Site": "same-origin" },
    }),
  online: () => true,
  stopped: () => false,
  again: false,
  counted: () => {},
  /** @param {number} seconds */
  pause: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000 * pace)),
  back: async () => {},
  report: () => {},
};

/** What is asked first, until somebody answers. @param {object} body @returns {Promise<any>} */
async function setUp(body) {
  for (;;) {
    try {
      const response = await world.fetch(`/a/${slug}/field/device`, { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      const said = await response.json();
      if (said.outcome === "set up") return said;
      if (["used", "unknown code", "closed"].includes(said.outcome)) throw new Error(said.outcome);
    } catch (error) {
      if (/** @type {Error} */ (error).message.match(/^(used|unknown code|closed)$/)) throw error;
    }
    await world.pause(1);
  }
}

async function opened() {
  const handle = file();
  // Digits of a record, with all keys and one of each answer.
  const width = j.placesOf(design).reduce((sum, { section, question }) => sum + device.digits(section, question, 0).length, 0);
  const before = await slots.openStore(handle, draw);
  const secret = before?.header().secret ?? sealing.textOf(draw(16));
  if (before?.header().people) return before;
  if (!before) await slots.createStore(handle, draw, { secret, people: 0 }, 0, width);
  const { people, label } = await setUp({ ticket, secret });
  return slots.createStore(handle, draw, { secret, people, label }, people, width);
}

/** @param {(n: number) => number} below */
function answered(below) {
  const words = device.secureWords(crypto);
  let journey = j.begin(design, device.drawCoins(design, words));
  if (journey.group === null) journey = j.choose(journey, below(2));
  const places = j.placesOf(design);
  const check = j.understoodPlace(design);
  if (check >= 0) journey = j.answer(journey, check, 0);
  for (;;) {
    const [place] = j.pages(design, journey).flatMap((page) => j.missing(journey, page));
    if (place === undefined) return journey;
    const { section, question } = places[place];
    journey = j.answer(journey, place, below(fieldKinds[section.kind].answers(question)));
  }
}

const store = await opened();
const fetched = await tokens.fetchTokens(
  store,
  { url: `/a/${slug}/field/lot`, secret: store.header().secret, key: design.token_key, people: store.header().people },
  async (n) => blinding.hide(await blinding.keyOf(n)),
  sending.send,
  world,
);
if (fetched !== "signed") throw new Error(fetched);

/** The store, which tells what becomes of its records. @type {import("../../intake/static/intake/field/store.js").StoreMethods} */
const telling = /** @type {any} */ ({
  ...store,
  async arrived(/** @type {number} */ slot) {
    const record = name(store.sealed(slot));
    await store.arrived(slot);
    tell({ arrived: record });
  },
  async mark(/** @type {number} */ slot, /** @type {number} */ state) {
    await store.mark(slot, state);
    tell({ kept: name(store.sealed(slot)), state });
  },
});
/** @param {boolean} now */
const upload = (now) =>
  uploading.upload(telling, { record: `/a/${slug}/field/record`, report: `/a/${slug}/field/report` }, sending.send, world, { now });

/** How many were asked, which the file tells by the tokens that are gone. */
const count = () => store.header().people - store.counts().token;
while (count() < Math.min(interviews, store.header().people)) {
  const { below } = seeded(seed + count());
  const { slot, token } = await store.takeToken();
  const key = device.drawKey(device.secureWords(crypto));
  const { record, body } = j.seal(design, fingerprint, answered(below), key, token);
  const sealed = await sealing.seal(design.sealing_key, fingerprint, new TextEncoder().encode(body));
  await store.finish(slot, sealed);
  tell({ receipt: name(sealed), key, answers: record.answers });
  if (count() % together === 0) await upload(false);
}
await upload(true);
tell({ over: store.counts() });
