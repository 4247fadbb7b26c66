/** A file of a device on a disk that loses, tears and reorders whatever was not flushed; and chance with a seed. */

/** @typedef {import("../../intake/static/intake/field/slots.js").Draw} Draw */

export class Killed extends Error {}

/** Words below 2^32 (splitmix32): for tests that can be repeated. @param {number} seed */
export function seeded(seed) {
  let state = seed >>> 0;
  const word = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  /** @param {number} n */
  const below = (n) => Math.floor((word() / 2 ** 32) * n);
  /** @type {Draw} */
  const draw = (length) => {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i += 1) bytes[i] = word();
    return bytes;
  };
  return { below, draw };
}

export class Disk {
  /** What reads see, and what survives a power cut whatever happens. */
  bytes = new Uint8Array();
  durable = new Uint8Array();
  /** @type {{at: number, bytes: Uint8Array}[]} */
  unflushed = [];
  /** Writes and flushes until the process is killed. */
  left = Infinity;
  log = /** @type {string[]} */ ([]);

  getSize() {
    return this.bytes.length;
  }

  close() {}

  /** @param {number} size */
  truncate(size) {
    for (const name of /** @type {const} */ (["bytes", "durable"])) {
      const resized = new Uint8Array(size);
      resized.set(this[name].subarray(0, size));
      this[name] = resized;
    }
  }

  /** @type {(bytes: Uint8Array, options: {at: number}) => number} */
  read(bytes, { at }) {
    const found = this.bytes.subarray(at, at + bytes.length);
    bytes.set(found);
    return found.length;
  }

  /** @type {(bytes: Uint8Array, options: {at: number}) => number} */
  write(bytes, { at }) {
    this.log.push(`write ${at} ${bytes.length}`);
    this.unflushed.push({ at, bytes: bytes.slice() });
    this.bytes.set(bytes, at);
    this.#live();
    return bytes.length;
  }

  flush() {
    this.log.push("flush");
    this.#live();
    for (const { at, bytes } of this.unflushed) this.durable.set(bytes, at);
    this.unflushed = [];
  }

  #live() {
    if ((this.left -= 1) < 0) throw new Killed();
  }

  /**
   * Power goes: of each write that was not flushed, in any order, all, nothing or any pieces are there afterwards.
   * @param {(n: number) => number} below
   */
  cut(below) {
    while (this.unflushed.length) {
      const [{ at, bytes }] = this.unflushed.splice(below(this.unflushed.length), 1);
      const torn = [0, 1, below(bytes.length + 1), -below(bytes.length + 1), 512][below(5)];
      bytes.forEach((byte, i) => {
        const isThere = torn === 512 ? (Math.floor((at + i) / 512) * 2654435761 + at) % 7 < 3 : torn < 0 ? i >= -torn : torn === 1 || i < torn;
        if (isThere) this.durable[at + i] = byte;
      });
    }
    this.bytes = this.durable.slice();
    this.left = Infinity;
  }
}
