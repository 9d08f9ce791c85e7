// Compare: the same text in several vocabularies, and where they cut differently.

import { field, h, ratio, soon, stats, whole } from "./dom.js";
import { Pane } from "./pane.js";
import { tokensOf } from "./tokens-of.js";
import { VocabulariesView } from "./view.js";

const FIRST = "Tokenizers disagree: 12345 + 67890, naïve façade, 東京タワー, internationalization.\n    return self.value";

export class CompareView extends VocabulariesView {
  id = "compare";
  label = "Compare";

  constructor(changed) {
    super(changed, { tokenizers: ["gpt2", "o200k_base"], text: FIRST });
    this.text = h("textarea", { spellcheck: "false", "aria-label": "Text" });
    this.text.addEventListener("input", soon(() => this.set({ text: this.text.value }), { of: this.text }));
    this.common = h("p", { class: "soft", "data-common": "" });
    this.sides = h("div", { class: "columns" });
    this.element = h("div", { class: "view" },
      h("div", { class: "card" }, this.text,
        h("div", { class: "field soft" }, "Vocabularies", this.choose.element), this.common),
      this.sides);
  }

  read(params) {
    super.read(params);
    this.state.text = params.get("text") ?? this.state.text;
    this.text.value = this.state.text;
  }

  write() { return { ...super.write(), text: this.state.text }; }

  async ask(signal) {
    const { tokenizers, text } = this.state;
    const ask = (tokenizer) => tokensOf({ tokenizer, text, special: "none", add_special_tokens: false }, signal);
    const all = await Promise.all(tokenizers.map(ask));
    const byBytes = all.every((tokens) => tokens.found.by_bytes);
    const sides = cutsOf(all, byBytes);
    const shared = (end) => sides[end] === all.length;
    const everywhere = sides.reduce((sum, count) => sum + (count === all.length ? 1 : 0), 0);
    this.common.textContent = `${whole(everywhere)} cuts in common; a token whose end is no cut everywhere is framed in red.`;
    this.panes = [];
    this.sides.replaceChildren(...all.map((tokens, side) => this.#side(tokenizers[side], tokens, shared, byBytes)));
    this.panes.forEach(([pane, tokens, differs]) => pane.show(tokens, differs));
  }

  #side(name, tokens, shared, byBytes) {
    const ends = byBytes ? tokens.bytes : tokens.ends;
    const differs = (i) => tokens.ends[i] > tokens.starts[i] && !shared(ends[i]);
    let own = 0;
    for (let i = 0; i < tokens.count; i += 1) own += differs(i) ? 1 : 0;
    const pane = new Pane(`Tokens of ${name}`, { onCurrent: (i) => this.#current(tokens, i) });
    const [list, set] = stats(["tokens", "characters per token", "cuts of its own"]);
    set([whole(tokens.count), ratio(tokens.found.characters, tokens.count), whole(own)]);
    this.panes.push([pane, tokens, differs]);
    return h("div", { class: "card", "data-side": name }, h("h2", {}, name), list, pane.element);
  }

  /** Marks what covers the characters of a token, in all vocabularies. */
  #current(tokens, i) {
    const [start, end] = [tokens.starts[i], tokens.ends[i]];
    for (const [pane, others] of this.panes) {
      if (others === tokens) { pane.light(i); continue; }
      const first = firstEndingBehind(others.ends, start);
      let last = first;
      while (last + 1 < others.count && others.starts[last + 1] < end) last += 1;
      pane.lightAll(first, Math.min(last, others.count - 1), "current");
    }
  }
}

/** How many vocabularies cut at each place: in bytes if all tokens know theirs, else in characters. */
function cutsOf(all, byBytes) {
  const { bytes, characters } = all[0].found;
  const sides = new Uint8Array((byBytes ? bytes : characters) + 1);
  const last = new Uint8Array(sides.length);
  all.forEach((tokens, side) => {
    const ends = byBytes ? tokens.bytes : tokens.ends;
    for (let i = 0; i < tokens.count; i += 1) {
      const end = ends[i];
      if (tokens.ends[i] === tokens.starts[i] || last[end] === side + 1) continue;
      last[end] = side + 1;
      sides[end] += 1;
    }
  });
  return sides;
}

/** The first token that ends behind a character; ends never go down where tokens are of the text. */
function firstEndingBehind(ends, start) {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] > start) high = middle;
    else low = middle + 1;
  }
  return low;
}
