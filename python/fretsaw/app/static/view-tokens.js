// Tokens: live while typing; hovering links token, id, characters, bytes and pre-token.

import { field, h, ratio, soon, stats, whole } from "./dom.js";
import { Pane } from "./pane.js";
import { spaced, token, visible } from "./show.js";
import { tokensOf } from "./tokens-of.js";
import { View } from "./view.js";
import { chooseOne } from "./vocabularies.js";

const FIRST = "Hello world! The naïve tokenizer 🪚 cut 猫 and ภาษาไทย.\n\tdef f(x): return x  # <|endoftext|>";
const AROUND = 24;

export class TokensView extends View {
  id = "tokens";
  label = "Tokens";

  constructor(changed) {
    super(changed, { tokenizer: "gpt2", text: FIRST, special: "all", add: false });
    this.text = h("textarea", { spellcheck: "false", "aria-label": "Text" });
    this.text.addEventListener("input", soon(() => this.#asked(), { of: this.text }));
    this.choose = chooseOne("Vocabulary", "gpt2", (name) => { this.state.tokenizer = name; this.#asked(); });
    this.special = h("input", { type: "checkbox", onchange: () => this.#asked() });
    this.add = h("input", { type: "checkbox", onchange: () => this.#asked() });
    const [list, set] = stats(["characters", "bytes", "tokens", "characters per token"]);
    this.setStats = set;
    const options = { onCurrent: (i) => this.#current(i) };
    this.pane = new Pane("Tokens", options);
    this.idPane = new Pane("Ids", { ...options, ids: true });
    this.detail = h("div", { class: "card detail", "aria-live": "polite" }, h("p", { class: "soft" },
      "Point at a token, or step through them with the arrow keys."));
    this.element = h("div", { class: "view" },
      h("div", { class: "card" },
        this.text,
        h("div", { class: "row" },
          field("Vocabulary", this.choose),
          h("label", { class: "box" }, this.special, "special tokens in the text act as control"),
          h("label", { class: "box" }, this.add, "add the file's own special tokens")),
        list),
      h("div", { class: "card" }, h("h2", {}, "Tokens"), this.pane.element),
      h("div", { class: "card" }, h("h2", {}, "Ids"), this.idPane.element),
      this.detail);
  }

  read(params) {
    this.state = {
      tokenizer: params.get("tokenizer") ?? "gpt2",
      text: params.get("text") ?? this.state.text,
      special: params.get("special") ?? "all",
      add: params.get("add") === "1",
    };
    this.text.value = this.state.text;
    this.choose.set(this.state.tokenizer);
    this.special.checked = this.state.special === "all";
    this.add.checked = this.state.add;
  }

  write() {
    const { tokenizer, text, special, add } = this.state;
    return { tokenizer, text, ...(special === "all" ? {} : { special }), ...(add ? { add: "1" } : {}) };
  }

  #asked() {
    return this.set({ text: this.text.value, special: this.special.checked ? "all" : "none", add: this.add.checked });
  }

  async ask(signal) {
    const { tokenizer, text, special, add } = this.state;
    this.tokens = await tokensOf({ tokenizer, text, special, add_special_tokens: add }, signal);
    const { found } = this.tokens;
    this.setStats([whole(found.characters), whole(found.bytes), whole(found.count), ratio(found.characters, found.count)]);
    this.pane.show(this.tokens);
    this.idPane.show(this.tokens);
  }

  #merges(word) { return `#merges?${new URLSearchParams({ tokenizer: this.state.tokenizer, word })}`; }

  #current(i) {
    const { tokens } = this;
    this.pane.light(i);
    this.idPane.light(i);
    const [start, end] = [tokens.starts[i], tokens.ends[i]];
    const [first, last] = tokens.wordAround(i);
    const [from, to] = [tokens.starts[first], tokens.ends[last]];
    const hex = tokens.hex(i);
    const row = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", { "data-detail": name }, ...value));
    this.detail.classList.add("full");
    this.detail.replaceChildren(h("dl", {},
      row("token", `${tokens.isSpecial(i) ? "control " : ""}${token(hex)}`),
      row("id", String(tokens.ids[i])),
      row("in the vocabulary", tokens.string(i)),
      row("bytes of the token", spaced(hex) || "none"),
      row("characters", `${start}–${end}`),
      row("byte range", `${tokens.byteStart(i)}–${tokens.bytes[i]}`),
      row("pre-token", tokens.words[i] < 0 ? "none" : `${visible(tokens.slice(from, to))} (${last - first + 1} ${first === last ? "token" : "tokens"})`,
        tokens.words[i] < 0 || to - from > 200 ? "" : h("a", { href: this.#merges(tokens.slice(from, to)) }, "its merges")),
      row("in the text",
        visible(tokens.slice(Math.max(0, start - AROUND), start)),
        h("mark", {}, visible(tokens.slice(start, end))),
        visible(tokens.slice(end, Math.min(end + AROUND, tokens.found.characters))))));
  }
}
