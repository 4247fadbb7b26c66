/**
 * The one file of a field device: a header, kept twice, and slots of one length. A slot is its state (1 byte), its check
 * (8 bytes of SHA-256) and its content, filled with random bytes. The file has room for everybody from the beginning,
 * and for one lot more: what undoes the blinding of a lot stays until all its tokens are stored.
 *
 * A slot is written by one write and flushed, and only then does it count. A write that was interrupted leaves a slot
 * whose check fails, which is emptied when the file is opened. No write is thought to damage bytes that it does not write.
 */

import { below } from "../../privacy/coins.js";
import { bytesOf, textOf } from "../base64url.js";

export const [EMPTY, BLINDED, TOKEN, RECORD, CLOSED, SPENT, REFUSED] = [0, 1, 2, 3, 4, 5, 6];
const STATES = ["empty", "blinded", "token", "record", "closed", "spent", "refused"];
/** Bytes of each copy of the header, of a check, and before the content of a slot. */
const HEADER = 4096;
const CHECK = 8;
const HEAD = 1 + CHECK;
/** People of a lot of tokens. */
const LOT = 50;
/** Bytes of a token; of its message, blinded message and inverse; of lot and rank before them. */
const TOKEN_BYTES = 288;
const PARTS = [32, 256, 256];
const RANK = 3;
/** Bytes of a sealed record beyond those of its answer text. */
const ENVELOPE = 547;
const SEALING = 82;

/**
 * @typedef {{getSize(): number, truncate(size: number): void, flush(): void, close(): void,
 *            read(bytes: Uint8Array, options: {at: number}): number, write(bytes: Uint8Array, options: {at: number}): number}} Handle
 * @typedef {(length: number) => Uint8Array<ArrayBuffer>} Draw  random bytes
 * @typedef {{[name: string]: any}} Header  what the pages store
 * @typedef {{people: number, width: number, lots: number, header: Header}} Facts  `lots`: of how many all tokens are stored
 * @typedef {Awaited<ReturnType<typeof createStore>>} Store
 */

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function checkOf(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes), 0, CHECK);
}

/**
 * Of a slot. It covers whether there is a record, and not what became of that: so one byte marks it.
 * @param {Uint8Array<ArrayBuffer>} slot
 */
function slotCheck(slot) {
  const checked = slot.slice(CHECK);
  checked[0] = Math.min(slot[0], RECORD);
  return checkOf(checked);
}

/** @type {(a: Uint8Array, b: Uint8Array) => boolean} */
const isEqual = (a, b) => a.every((byte, i) => byte === b[i]);

/** @type {(handle: Handle, at: number, length: number) => Uint8Array<ArrayBuffer>} */
function read(handle, at, length) {
  const bytes = new Uint8Array(length);
  handle.read(bytes, { at });
  return bytes;
}

/** @type {(handle: Handle, at: number, bytes: Uint8Array) => void} */
function write(handle, at, bytes) {
  if (handle.write(bytes, { at }) !== bytes.length) throw new Error("not stored");
}

/**
 * One after the other, so that one of both is whole at any moment.
 * @param {Handle} handle
 * @param {Uint8Array} bytes
 */
function writeHeader(handle, bytes) {
  for (const at of [0, HEADER]) {
    write(handle, at, bytes);
    handle.flush();
  }
}

/**
 * A new file, in the place of what was there.
 * @param {Handle} handle
 * @param {Draw} draw
 * @param {Header} header
 * @param {number} people  how many may be asked
 * @param {number} width  of the answer texts of the design
 */
export async function createStore(handle, draw, header, people, width) {
  const store = storeOf(handle, draw, { people, width, lots: 0, header });
  await store.empty();
  await store.saveHeader(header);
  return store;
}

/**
 * The store that was created in this file; null where that was interrupted.
 * @param {Handle} handle
 * @param {Draw} draw
 */
export async function openStore(handle, draw) {
  // What is read here may be in memory alone, if the last page was killed before its flush.
  handle.flush();
  const copies = [0, HEADER].map((at) => read(handle, at, HEADER));
  const checks = await Promise.all(copies.map((copy) => checkOf(copy.slice(CHECK))));
  const whole = copies.find((copy, i) => isEqual(checks[i], copy));
  if (!whole) return null;
  if (!isEqual(copies[0], copies[1])) writeHeader(handle, whole);
  const length = new DataView(whole.buffer).getUint16(CHECK);
  const text = new TextDecoder().decode(whole.subarray(CHECK + 2, CHECK + 2 + length));
  const store = storeOf(handle, draw, JSON.parse(text));
  await store.load();
  return store;
}

/**
 * @param {Handle} handle
 * @param {Draw} draw
 * @param {Facts} facts
 */
function storeOf(handle, draw, facts) {
  const { people, width } = facts;
  const sealedBytes = width + ENVELOPE + SEALING;
  const length = HEAD + sealedBytes;
  const states = new Uint8Array(people + Math.min(LOT, people));
  const lots = Math.ceil(people / LOT);
  const words = { bits: 32, draw: () => new DataView(draw(4).buffer).getUint32(0) };

  /** @param {number} slot */
  const at = (slot) => 2 * HEADER + slot * length;
  /** @param {number} slot */
  const contentOf = (slot) => read(handle, at(slot) + HEAD, sealedBytes);
  /** @param {number[]} wanted */
  const slotsIn = (...wanted) => [...states.keys()].filter((slot) => wanted.includes(states[slot]));
  /** @param {number} lot */
  const sizeOf = (lot) => Math.min(LOT, people - LOT * lot);

  /** @param {number[]} slots */
  function shuffled(slots) {
    for (let i = slots.length - 1; i > 0; i -= 1) {
      const j = below(i + 1, words);
      [slots[i], slots[j]] = [slots[j], slots[i]];
    }
    return slots;
  }

  /**
   * @param {[slot: number, state: number, content?: Uint8Array][]} slots
   */
  async function put(...slots) {
    for (const [slot, state, content = []] of slots) {
      const bytes = draw(length);
      bytes[0] = state;
      bytes.set(content, HEAD);
      bytes.set(await slotCheck(bytes), 1);
      write(handle, at(slot), bytes);
    }
    handle.flush();
    for (const [slot, state] of slots) states[slot] = state;
  }

  /**
   * @param {number} state
   * @param {Uint8Array[]} contents
   */
  const add = (state, contents) => {
    const slots = shuffled(slotsIn(EMPTY));
    return put(...contents.map((content, i) => /** @type {[number, number, Uint8Array]} */ ([slots[i], state, content])));
  };

  /** @param {number[]} slots */
  const clear = (slots) => put(...slots.map((slot) => /** @type {[number, number]} */ ([slot, EMPTY])));

  /**
   * Reads the state of a slot, and empties it if it is not whole.
   * @param {number} slot
   */
  async function check(slot) {
    const bytes = read(handle, at(slot), length);
    const isWhole = isEqual(await slotCheck(bytes), bytes.subarray(1, HEAD)) && bytes[0] < STATES.length;
    if (isWhole) states[slot] = bytes[0];
    else await clear([slot]);
  }

  /** @param {Partial<Facts>} changed */
  async function keep(changed) {
    const text = new TextEncoder().encode(JSON.stringify({ ...facts, ...changed }));
    if (text.length > HEADER - CHECK - 2) throw new RangeError(`a header of ${text.length} bytes`);
    const bytes = draw(HEADER);
    new DataView(bytes.buffer).setUint16(CHECK, text.length);
    bytes.set(text, CHECK + 2);
    bytes.set(await checkOf(bytes.slice(CHECK)));
    writeHeader(handle, bytes);
    Object.assign(facts, changed);
  }

  return {
    header: () => facts.header,
    /** @param {Header} header */
    saveHeader: (header) => keep({ header }),
    /** Makes the file whole, without a header. */
    async empty() {
      handle.truncate(at(states.length));
      await clear([...states.keys()]);
    },
    /** Reads all slots; a lot that was not stored whole was never sent. */
    async load() {
      for (const slot of states.keys()) await check(slot);
      if (!(await this.lot(facts.lots))) await this.drop(BLINDED);
    },
    /** @returns {Record<string, number>} */
    counts: () => Object.fromEntries(STATES.map((name, state) => [name, slotsIn(state).length])),
    lots: () => ({ count: lots, done: facts.lots }),
    /**
     * What undoes the blinding of a lot whose tokens are not stored; null where nothing was stored either.
     * @param {number} k
     */
    async lot(k) {
      /** @type {Intake.Hidden[]} */
      const hidden = [];
      for (const content of slotsIn(BLINDED).map(contentOf)) {
        let start = RANK;
        const [message, blinded, inverse] = PARTS.map((bytes) => textOf(content.subarray(start, (start += bytes))));
        if ((content[0] << 8 | content[1]) === k) hidden[content[2]] = { message, blinded, inverse };
      }
      return hidden.length && Object.keys(hidden).length === sizeOf(k) ? hidden : null;
    },
    /**
     * @param {number} k
     * @param {Intake.Hidden[]} hidden
     */
    async putBlinded(k, hidden) {
      // Where this was interrupted, some of others are there.
      await this.load();
      await add(BLINDED, hidden.map(({ message, blinded, inverse }, rank) =>
        Uint8Array.of(k >> 8, k, rank, ...[message, blinded, inverse].flatMap((text) => [...bytesOf(text)]))));
    },
    /**
     * @param {number} k
     * @param {string[]} tokens
     */
    async putTokens(k, tokens) {
      if (k !== facts.lots) throw new Error("another lot");
      // Some are there already where this was interrupted.
      await this.load();
      const stored = new Set(slotsIn(TOKEN).map((slot) => textOf(contentOf(slot).subarray(0, TOKEN_BYTES))));
      await add(TOKEN, tokens.filter((token) => !stored.has(token)).map(bytesOf));
      await keep({ lots: k + 1 });
      await this.drop(BLINDED);
    },
    /** The token of a random slot, in which its record will stand. Throws before all lots are there, and when none is left. */
    async takeToken() {
      while (facts.lots === lots) {
        const tokens = slotsIn(TOKEN);
        if (!tokens.length) break;
        const slot = tokens[below(tokens.length, words)];
        // An earlier record may stand there whose flush failed.
        await check(slot);
        if (states[slot] === TOKEN) return { slot, token: textOf(contentOf(slot).subarray(0, TOKEN_BYTES)) };
      }
      throw new Error("no token");
    },
    /**
     * Stores a record in the place of its token.
     * @param {number} slot
     * @param {Uint8Array} sealed
     */
    async finish(slot, sealed) {
      if (states[slot] !== TOKEN) throw new Error("no token");
      if (sealed.length !== sealedBytes) throw new RangeError(`a record of ${sealed.length} bytes`);
      await put([slot, RECORD, sealed]);
    },
    /**
     * The slots of records in these states, in random order.
     * @param {number[]} wanted
     */
    waiting: (...wanted) => shuffled(slotsIn(...(wanted.length ? wanted : [RECORD]))),
    /** @param {number} slot */
    sealed: contentOf,
    /** @param {number} slot */
    arrived: (slot) => clear([slot]),
    /**
     * Notes what became of a record.
     * @param {number} slot
     * @param {number} state
     */
    mark(slot, state) {
      if (Math.min(states[slot], state) < RECORD) throw new Error("no record");
      write(handle, at(slot), Uint8Array.of(state));
      handle.flush();
      states[slot] = state;
    },
    /** @param {number} state */
    drop: (state) => clear(slotsIn(state)),
    /** Overwrites the whole file; the store ends with it. */
    overwrite() {
      for (let from = 0; from < handle.getSize(); from += HEADER) {
        write(handle, from, draw(Math.min(HEADER, handle.getSize() - from)));
      }
      handle.flush();
    },
  };
}
