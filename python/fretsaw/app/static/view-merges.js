// Merges: how one word becomes its tokens, step by step, by the kind of model.

import { post } from "./api.js";
import { field, h, soon } from "./dom.js";
import { ladder } from "./ladder.js";
import { lattice, latticeSteps } from "./lattice.js";
import { Player } from "./player.js";
import { token, visible } from "./show.js";
import { View } from "./view.js";
import { chooseOne } from "./vocabularies.js";

const KINDS = {
  bpe: "Byte-pair encoding: of all pairs that have a rule, the one with the lowest rank is merged, the leftmost among equals.",
  unigram: "Unigram: of all ways to cut the piece, the one with the highest sum of scores.",
  wordpiece: "WordPiece: the longest token that fits, again and again.",
  wordlevel: "A word is a token, or unknown.",
  unknown: "The steps of this model can't be shown; these are its tokens.",
};

export class MergesView extends View {
  id = "merges";
  label = "Merges";

  constructor(changed) {
    super(changed, { tokenizer: "gpt2", word: " tokenization", piece: 0, step: null });
    this.word = h("input", {
      type: "text", maxlength: "200", spellcheck: "false", class: "mono",
      oninput: soon(() => this.set({ word: this.word.value, piece: 0, step: null })),
    });
    this.choose = chooseOne("Vocabulary", "gpt2", (tokenizer) => this.set({ tokenizer, piece: 0, step: null }));
    this.about = h("p", { class: "soft" });
    this.result = h("p", { class: "mono", "data-result": "" });
    this.pieces = h("div", { class: "chips", role: "group", "aria-label": "Pre-tokens" });
    this.player = new Player("Step", (step) => this.#step(step));
    this.steps = h("div", {});
    this.element = h("div", { class: "view" },
      h("div", { class: "card" },
        h("div", { class: "row" }, field("Word", this.word, "grow"), field("Vocabulary", this.choose)),
        this.about, this.result, this.pieces),
      h("div", { class: "card" }, this.player.element, this.steps));
  }

  read(params) {
    this.state = {
      tokenizer: params.get("tokenizer") ?? this.state.tokenizer,
      word: params.get("word") ?? this.state.word,
      piece: Number(params.get("piece") ?? 0),
      step: params.has("step") ? Number(params.get("step")) : null,
    };
    this.word.value = this.state.word;
    this.choose.set(this.state.tokenizer);
  }

  write() {
    const { tokenizer, word, piece, step } = this.state;
    return { tokenizer, word, ...(piece ? { piece } : {}), ...(step === null ? {} : { step }) };
  }

  async ask(signal) {
    const { tokenizer, word } = this.state;
    this.found = await post("/view/merges", { tokenizer, word }, signal);
    const { kind, ids, tokens } = this.found;
    this.about.textContent = KINDS[kind];
    this.result.textContent = `${tokens.map(token).join(" ")} → ${ids.join(" ")}`;
    this.#showPieces();
  }

  #showPieces() {
    const { pieces } = this.found;
    const at = (this.state.piece = Math.min(this.state.piece, Math.max(0, pieces.length - 1)));
    this.pieces.replaceChildren(...(pieces.length > 1 ? pieces : []).map((piece, i) => h("button", {
      type: "button", class: "mono", "aria-pressed": String(i === at),
      onclick: () => { this.state.piece = i; this.state.step = null; this.changed(); this.#showPieces(); },
    }, visible(piece.piece))));
    const piece = pieces[at];
    const last = piece ? lastStep(piece) : 0;
    this.player.element.hidden = last === 0;
    const wanted = this.state.step;
    this.player.reset(last, wanted ?? last);
    this.state.step = wanted;
  }

  #step(step) {
    const piece = this.found?.pieces[this.state.piece];
    if (this.state.step !== step) { this.state.step = step; this.changed(); }
    this.steps.replaceChildren(piece ? this.#drawn(piece, step) : h("p", { class: "soft" }, "No token."));
  }

  #drawn(piece, step) {
    if (piece.rungs) return ladder(piece.rungs, step);
    if (piece.arcs) return lattice(piece.piece, piece.arcs, step);
    if (piece.matches) return matches(piece.matches.slice(0, step));
    return h("p", { class: "mono" }, piece.ids.join(" "));
  }
}

function lastStep({ piece, rungs, arcs, matches: found }) {
  if (rungs) return rungs.length - 1;
  if (arcs) return latticeSteps(piece);
  return found ? found.length : 0;
}

/** The steps of WordPiece: what was tried in vain, then what fits. */
function matches(found) {
  return h("ol", { class: "ladder", "aria-label": "Longest matches" }, found.map((match, at) => h("li", { class: at === found.length - 1 ? "now" : "" },
    h("span", { class: "rule" }, `from character ${match.start}`),
    h("span", {},
      match.tried.map((tried) => h("s", { class: "tried" }, visible(tried))),
      h("span", { class: "parts" }, match.id === null
        ? h("span", { class: "t special" }, "nothing fits: the whole word is unknown")
        : h("span", { class: "t new" }, `${visible(match.token)} ${match.id}`))))));
}
