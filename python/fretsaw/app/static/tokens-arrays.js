// The arrays behind the tokens of a text, made of an answer of /view/tokens; a worker's work.
//
// Cost: a few passes over the tokens and, where a text has more than ASCII, over its characters.

const TYPES = { i1: Int8Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
const BLOCK = 240;
const EARLY = 90;
export const BLOCK_FIELDS = 4;

/** All that `Tokens` needs, as flat arrays that can be handed over without a copy. */
export function arraysOf(text, found) {
  const ids = Uint32Array.from(unpacked(found.ids));
  const { starts, ends } = places(unpacked(found.steps), unpacked(found.lengths));
  const words = wordsOf(unpacked(found.words), ids.length);
  const utf16 = text.length === found.characters ? null : placesOfCharacters(text, found.characters);
  const before = found.by_bytes ? null : bytesBefore(text, found.characters);
  const bytes = byteEnds(ids, ends, found.table, before);
  const blocks = blocksOf(text, starts, ends, utf16);
  return { ids, starts, ends, words, utf16, before, bytes, blocks };
}

/** Numbers in base64, as `{"i1": "…"}`; little-endian, as every browser is. */
function unpacked(packed) {
  const [[type, data]] = Object.entries(packed);
  const binary = atob(data);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return new TYPES[type](bytes.buffer);
}

function places(steps, lengths) {
  const starts = new Uint32Array(steps.length);
  const ends = new Uint32Array(steps.length);
  let at = 0;
  for (let i = 0; i < steps.length; i += 1) {
    at += steps[i];
    starts[i] = at;
    ends[i] = at + lengths[i];
  }
  return { starts, ends };
}

function wordsOf(runs, count) {
  const words = new Int32Array(count).fill(-1);
  let at = 0;
  runs.forEach((run, word) => {
    if (run > 0) words.fill(word, at, at + run);
    at += Math.abs(run);
  });
  return words;
}

/** Where each token ends in bytes of the text, exactly where its bytes are the text's. */
function byteEnds(ids, ends, table, before) {
  const found = new Uint32Array(ids.length);
  if (before) {
    for (let i = 0; i < ids.length; i += 1) found[i] = before[ends[i]];
    return found;
  }
  const sizes = new Map(Object.entries(table).map(([id, [, hex]]) => [Number(id), hex.length / 2]));
  let at = 0;
  for (let i = 0; i < ids.length; i += 1) found[i] = at += sizes.get(ids[i]);
  return found;
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

/** How many bytes of UTF-8 stand before each character. */
function bytesBefore(text, characters) {
  const before = new Uint32Array(characters + 1);
  let [at, size] = [0, 0];
  for (let i = 0; i < characters; i += 1) {
    before[i] = size;
    const code = text.codePointAt(at);
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += code > 0xffff ? 2 : 1;
  }
  before[characters] = size;
  return before;
}

/** Runs of some hundred tokens, cut at line ends where there are any: first, last, lines, characters of each. */
function blocksOf(text, starts, ends, utf16) {
  const blocks = [];
  let first = 0;
  let lines = 0;
  for (let i = 0; i < ends.length; i += 1) {
    const end = utf16 ? utf16[ends[i]] : ends[i];
    const endsLine = ends[i] > starts[i] && text.charCodeAt(end - 1) === 10;
    lines += endsLine ? 1 : 0;
    const size = i + 1 - first;
    if (size >= BLOCK || (endsLine && size >= EARLY) || i + 1 === ends.length) {
      blocks.push(first, i + 1, lines, Math.max(0, ends[i] - starts[first]));
      first = i + 1;
      lines = 0;
    }
  }
  return Uint32Array.from(blocks);
}
