// Train: a small vocabulary learned from a text, and all that follows from how many merges there are.
//
// The process learns all merges once and says how they build each sample; the slider only replays them,
// since with the first k merges exactly the steps below rank k are taken.

import { post } from "./api.js";
import { field, h, ratio, soon, stats, whole } from "./dom.js";
import { ladder, rungsOf } from "./ladder.js";
import { Player } from "./player.js";
import { look, spaced, token } from "./show.js";
import { View } from "./view.js";

const MERGES = 400;
const SHOWN = 400;
const OWN = "your own";

export class TrainView extends View {
  id = "train";
  label = "Train";

  constructor(changed) {
    super(changed, { corpus: "English", text: "", own: "", merges: 60, word: null });
    this.choose = h("select", { onchange: () => this.#chosen(this.choose.value) });
    const later = soon(() => this.set({}), { delay_ms: 150 });
    this.text = h("textarea", {
      spellcheck: "false", "aria-label": "Text to learn from", maxlength: "20000",
      oninput: () => { Object.assign(this.state, { corpus: OWN, text: this.text.value, word: null }); later(); },
    });
    this.own = h("input", {
      type: "text", maxlength: "400", oninput: () => { Object.assign(this.state, { own: this.own.value, word: null }); later(); },
    });
    this.player = new Player("Merges learned", (count) => this.#replay(count), 60);
    const [list, set] = stats(["vocabulary", "merges", "tokens", "characters per token"]);
    this.setStats = set;
    this.samples = h("div", { class: "columns" });
    this.replay = new Player("Merge of the word", (step) => this.#ladder(step));
    this.steps = h("div", {});
    this.table = h("tbody", {});
    this.element = h("div", { class: "view" },
      h("div", { class: "card" },
        h("div", { class: "row" }, field("Learn from", this.choose), field("Your own sample", this.own, "grow")),
        h("details", {}, h("summary", {}, "The text"), this.text)),
      h("div", { class: "card" }, h("h2", {}, "Merges learned"), this.player.element, list),
      this.samples,
      h("div", { class: "columns" },
        h("div", { class: "card" }, h("h2", {}, "One word's merges"),
          h("p", { class: "soft" }, "Choose a token above to see how its word is built."), this.replay.element, this.steps),
        h("div", { class: "card" }, h("h2", {}, "Merge table"),
          h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Merge table" },
            h("table", {}, h("thead", {}, h("tr", {}, h("th", { class: "n" }, "rank"), h("th", {}, "left"), h("th", {}, "right"), h("th", {}, "token"))), this.table)))));
  }

  read(params) {
    this.state.corpus = params.get("corpus") ?? this.state.corpus;
    this.state.own = params.get("own") ?? this.state.own;
    this.state.merges = Number(params.get("merges") ?? this.state.merges);
    this.state.text = params.get("text") ?? this.state.text;
    this.state.word = params.get("word");
    this.own.value = this.state.own;
  }

  write() {
    const { corpus, own, merges, text, word } = this.state;
    return { corpus, merges, ...(own ? { own } : {}), ...(word ? { word } : {}), ...(corpus === OWN ? { text } : {}) };
  }

  async show() {
    if (!this.corpora) {
      this.corpora = (await post("/view/samples", {})).corpora;
      const names = [...this.corpora.map((corpus) => corpus.name), OWN];
      this.choose.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
    }
    return this.run();
  }

  #chosen(corpus) {
    this.set({ corpus, text: corpus === OWN ? this.text.value : "", word: null });
  }

  async ask(signal) {
    const corpus = this.corpora.find((one) => one.name === this.state.corpus);
    const text = corpus ? corpus.text : this.state.text;
    const like = corpus ?? this.corpora[0];
    this.choose.value = corpus ? corpus.name : OWN;
    if (this.text.value !== text) this.text.value = text;
    const given = [["A sample like it", like.sample], ["Something else", like.elsewhere]];
    if (this.state.own) given.unshift(["Your own sample", this.state.own]);
    this.names = given.map(([name]) => name);
    this.texts = given.map(([, sample]) => sample);
    this.found = await post("/view/train", { corpus: text, merges: MERGES, samples: this.texts }, signal);
    const rows = this.found.merges.slice(0, SHOWN).map(([left, right], rank) => h("tr", {},
      h("td", { class: "n" }, String(rank)), h("td", { class: "mono" }, token(left)), h("td", { class: "mono" }, token(right)),
      h("td", { class: "mono" }, token(left + right))));
    this.table.replaceChildren(...rows);
    this.rungs = this.found.samples.map((sample) => sample.pieces.map((piece) => rungsOf(piece.parts, piece.steps, this.found.merges)));
    const wanted = this.state.merges;
    const [sample, piece] = (this.state.word ?? "").split(".").map(Number);
    this.word = this.rungs[sample]?.[piece] ? [sample, piece] : this.#longest();
    this.player.reset(this.found.merges.length, wanted);
    this.#choose(...this.word);
  }

  /** The piece of the first sample that takes most merges. */
  #longest() {
    const lengths = this.rungs[0].map((rungs) => rungs.length);
    return [0, lengths.indexOf(Math.max(...lengths))];
  }

  #replay(count) {
    if (!this.found) return;
    this.state.merges = count;
    this.changed();
    const stepOf = (rungs) => rungs.findLastIndex((rung) => rung.rank === null || rung.rank < count);
    const cut = this.rungs.map((pieces) => pieces.map((rungs) => rungs[stepOf(rungs)].parts));
    const characters = [...this.texts[0]].length;
    const total = cut[0].reduce((sum, parts) => sum + parts.length, 0);
    this.setStats([whole(256 + count), whole(count), whole(total), ratio(characters, total)]);
    this.samples.replaceChildren(...cut.map((pieces, sample) => this.#sample(sample, pieces)));
    [...this.table.children].forEach((row, rank) => {
      row.className = rank === count - 1 ? "now" : "";
      row.hidden = rank >= count;
    });
    if (this.word) this.replay.go(stepOf(this.rungs[this.word[0]][this.word[1]] ?? []));
  }

  #sample(sample, pieces) {
    const total = pieces.reduce((sum, parts) => sum + parts.length, 0);
    let colour = 0;
    const buttons = pieces.flatMap((parts, piece) => parts.map((hex) => h("button", {
      type: "button", class: look(hex, colour++), title: spaced(hex), tabindex: parts[0] === hex ? "0" : "-1",
      onclick: () => {
        this.state.word = `${sample}.${piece}`;
        this.changed();
        this.#choose(sample, piece);
      },
    }, token(hex))));
    const characters = [...this.texts[sample]].length;
    return h("div", { class: "card", "data-sample": String(sample) }, h("h2", {}, this.names[sample]),
      h("p", { class: "soft" }, `${whole(total)} tokens, ${ratio(characters, total)} characters per token`),
      h("div", { class: "parts" }, buttons));
  }

  #choose(sample, piece) {
    this.word = [sample, piece];
    const rungs = this.rungs[sample]?.[piece] ?? [];
    this.replay.reset(Math.max(0, rungs.length - 1), rungs.findLastIndex((rung) => rung.rank === null || rung.rank < this.state.merges));
  }

  #ladder(step) {
    const rungs = this.word && this.rungs?.[this.word[0]]?.[this.word[1]];
    if (rungs?.length) this.steps.replaceChildren(ladder(rungs, step));
  }
}
