// The tokens of a text, as /view/tokens gives them, with their places; flat arrays, a million at most.

import { BLOCK_FIELDS } from "./tokens-arrays.js";
import { spaced, textOf, visible } from "./show.js";

let worker = null;
let numbers = 0;
const waiting = new Map();

/** The tokens of a text; `options` are those of /view/tokens. An abort of the signal gives them up. */
export function tokensOf(options, signal) {
  if (!worker) {
    worker = new Worker("tokens-worker.js", { type: "module" });
    worker.onmessage = ({ data }) => waiting.get(data.number)?.(data);
  }
  const number = (numbers += 1);
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => worker.postMessage({ number }));
    waiting.set(number, ({ error, found, arrays }) => {
      waiting.delete(number);
      if (error) reject(new Error(error));
      else resolve(new Tokens(options.text, found, arrays));
    });
    worker.postMessage({ number, body: options });
  });
}

export class Tokens {
  #shown = new Map();
  #parts = new Map();

  constructor(text, found, arrays) {
    Object.assign(this, arrays);
    this.text = text;
    this.found = found;
    this.count = found.count;
    this.special = new Set(found.special);
  }

  byteStart(i) {
    if (this.found.by_bytes) return i ? this.bytes[i - 1] : 0;
    return this.starts[i] === this.ends[i] ? this.bytes[i] : this.before[this.starts[i]];
  }

  string(i) { return this.found.table[this.ids[i]][0]; }
  hex(i) { return this.found.table[this.ids[i]][1]; }
  isSpecial(i) { return this.special.has(this.ids[i]); }

  /** Characters of the text. */
  slice(start, end) {
    return this.utf16 ? this.text.slice(this.utf16[start], this.utf16[end]) : this.text.slice(start, end);
  }

  /** Blocks of tokens that are shown together: `first`, `last`, and how many lines and characters. */
  cut() {
    const blocks = [];
    for (let at = 0; at < this.blocks.length; at += BLOCK_FIELDS) {
      const [first, last, lines, characters] = this.blocks.subarray(at, at + BLOCK_FIELDS);
      blocks.push({ first, last, lines, characters });
    }
    return blocks;
  }

  /** Whether a token is a part of a character, which others share. */
  isPart(i) {
    const shares = (j) => j >= 0 && j < this.count && this.starts[j] < this.ends[i] && this.ends[j] > this.starts[i];
    if (this.starts[i] === this.ends[i] || !(shares(i - 1) || shares(i + 1))) return false;
    return remembered(this.#parts, this.ids[i], () => textOf(this.hex(i)) === null);
  }

  /** What is shown of a token. */
  shown(i) {
    if (this.starts[i] === this.ends[i] || this.isSpecial(i)) return visible(this.string(i), true);
    if (this.isPart(i)) return spaced(this.hex(i));
    const text = this.slice(this.starts[i], this.ends[i]);
    return remembered(this.#shown, text, () => visible(text, true));
  }

  /** Text in front of a token that no token has: white space that a vocabulary drops. */
  gapBefore(i) {
    if (this.starts[i] === this.ends[i]) return "";
    let before = i - 1;
    while (before >= 0 && this.starts[before] === this.ends[before]) before -= 1;
    const from = before < 0 ? 0 : this.ends[before];
    return from < this.starts[i] ? visible(this.slice(from, this.starts[i]), true) : "";
  }

  /** First and last token of the pre-token of a token. */
  wordAround(i) {
    const word = this.words[i];
    if (word < 0) return [i, i];
    let [first, last] = [i, i];
    while (first > 0 && this.words[first - 1] === word) first -= 1;
    while (last + 1 < this.count && this.words[last + 1] === word) last += 1;
    return [first, last];
  }
}

function remembered(table, key, make) {
  let value = table.get(key);
  if (value === undefined) table.set(key, (value = make()));
  return value;
}
