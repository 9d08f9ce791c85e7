// The tokens of a text, as /view/tokens gives them, with their places; flat arrays, a million at most.

import { spaced, textOf, visible } from "./show.js";

export class Tokens {
  constructor(text, found) {
    this.text = text;
    this.found = found;
    this.count = found.count;
    this.ids = Uint32Array.from(found.ids);
    this.special = new Set(found.special);
    this.#place(found);
    this.#wordsOf(found.words);
    this.utf16 = /[\ud800-\udfff]/.test(text) ? placesOfCharacters(text, found.characters) : null;
    this.bytes = this.#byteEnds();
    this.shownIds = new Map();
  }

  #place({ lengths, gaps }) {
    this.starts = new Uint32Array(this.count);
    this.ends = new Uint32Array(this.count);
    let gap = 0;
    let at = 0;
    for (let i = 0; i < this.count; i += 1) {
      if (gap < gaps.length && gaps[gap][0] === i) at = gaps[gap++][1];
      this.starts[i] = at;
      at += lengths[i];
      this.ends[i] = at;
    }
  }

  #wordsOf(runs) {
    this.words = new Int32Array(this.count).fill(-1);
    let at = 0;
    runs.forEach((run, word) => {
      if (run > 0) this.words.fill(word, at, at + run);
      at += Math.abs(run);
    });
  }

  /** Where each token ends in bytes of the text, exactly where its bytes are the text's. */
  #byteEnds() {
    const ends = new Uint32Array(this.count);
    if (this.found.by_bytes) {
      let at = 0;
      for (let i = 0; i < this.count; i += 1) ends[i] = at += this.hex(i).length / 2;
      return ends;
    }
    const before = bytesBefore(this.text, this.found.characters);
    for (let i = 0; i < this.count; i += 1) ends[i] = before[this.ends[i]];
    return ends;
  }

  byteStart(i) {
    if (this.found.by_bytes) return i ? this.bytes[i - 1] : 0;
    return this.starts[i] === this.ends[i] ? this.bytes[i] : bytesBefore(this.text, this.found.characters)[this.starts[i]];
  }

  string(i) { return this.found.table[this.ids[i]][0]; }
  hex(i) { return this.found.table[this.ids[i]][1]; }
  isSpecial(i) { return this.special.has(this.ids[i]); }

  /** Characters of the text. */
  slice(start, end) {
    return this.utf16 ? this.text.slice(this.utf16[start], this.utf16[end]) : this.text.slice(start, end);
  }

  /** Whether a token is a part of a character, which others share. */
  isPart(i) {
    const shares = (j) => j >= 0 && j < this.count && this.starts[j] < this.ends[i] && this.ends[j] > this.starts[i];
    return this.starts[i] < this.ends[i] && (shares(i - 1) || shares(i + 1)) && textOf(this.hex(i)) === null;
  }

  /** What is shown of a token. */
  shown(i, lines = true) {
    if (this.starts[i] === this.ends[i] || this.isSpecial(i)) return visible(this.string(i), lines);
    if (this.isPart(i)) return spaced(this.hex(i));
    return visible(this.slice(this.starts[i], this.ends[i]), lines);
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

  /** Places where one token ends and another begins: in bytes if all tokens know theirs. */
  cuts(byBytes) {
    const ends = byBytes ? this.bytes : this.ends;
    const found = new Set();
    for (let i = 0; i < this.count; i += 1) if (this.ends[i] > this.starts[i]) found.add(ends[i]);
    return found;
  }
}

function placesOfCharacters(text, characters) {
  const places = new Uint32Array(characters + 1);
  let at = 0;
  for (let i = 0; i < characters; i += 1) {
    places[i] = at;
    at += text.codePointAt(at) > 0xffff ? 2 : 1;
  }
  places[characters] = at;
  return places;
}

const remembered = { text: null, before: null };

/** How many bytes of UTF-8 stand before each character. */
function bytesBefore(text, characters) {
  if (remembered.text === text) return remembered.before;
  const before = new Uint32Array(characters + 1);
  let [at, size] = [0, 0];
  for (let i = 0; i < characters; i += 1) {
    before[i] = size;
    const code = text.codePointAt(at);
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += code > 0xffff ? 2 : 1;
  }
  before[characters] = size;
  Object.assign(remembered, { text, before });
  return before;
}
