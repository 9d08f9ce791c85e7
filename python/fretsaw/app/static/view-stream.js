// Stream: ids one at a time, what each settles, and what is held back meanwhile.

import { events, post } from "./api.js";
import { field, h, soon } from "./dom.js";
import { Player } from "./player.js";
import { spaced, textOf, visible } from "./show.js";
import { View } from "./view.js";
import { chooseOne } from "./vocabularies.js";

const FIRST = "The saw 🪚 cuts 𝄞 and 猫.\nUser: bye";
const CHARS = 2000;

export class StreamView extends View {
  id = "stream";
  label = "Stream";

  constructor(changed) {
    super(changed, { tokenizer: "gpt2", text: FIRST, stop: "\\nUser:", step: 0 });
    this.text = h("textarea", {
      spellcheck: "false", "aria-label": "Text of the answer", maxlength: String(CHARS),
      oninput: soon(() => this.set({ text: this.text.value, step: 0 })),
    });
    this.stop = h("input", { type: "text", class: "mono", maxlength: "200", oninput: soon(() => this.set({ stop: this.stop.value, step: 0 })) });
    this.choose = chooseOne("Vocabulary", "gpt2", (tokenizer) => this.set({ tokenizer, step: 0 }));
    this.player = new Player("Id", (step) => this.#step(step), 450);
    this.given = h("div", { class: "out", "data-out": "", role: "log", "aria-label": "Given out" });
    this.held = h("div", { class: "out held", "data-held": "" });
    this.ids = h("div", { class: "parts", "aria-label": "Ids", role: "group" });
    this.element = h("div", { class: "view" },
      h("div", { class: "card" }, this.text,
        h("div", { class: "row" }, field("Vocabulary", this.choose), field("Stop string (\\n is a line end)", this.stop))),
      h("div", { class: "card" }, this.player.element, this.ids),
      h("div", { class: "columns" },
        h("div", { class: "card" }, h("h2", {}, "Given out"), this.given),
        h("div", { class: "card" }, h("h2", {}, "Held back"), this.held)));
  }

  read(params) {
    for (const name of ["tokenizer", "text", "stop"]) this.state[name] = params.get(name) ?? this.state[name];
    this.state.step = Number(params.get("step") ?? 0);
    this.text.value = this.state.text;
    this.stop.value = this.state.stop;
    this.choose.set(this.state.tokenizer);
  }

  write() { return { ...this.state }; }

  async ask(signal) {
    const { tokenizer, text, stop } = this.state;
    const { ids } = await post("/encode", { tokenizer, text: text.slice(0, CHARS), add_special_tokens: false }, signal);
    const stops = stop ? [stop.replaceAll("\\n", "\n")] : [];
    const found = await events("/stream", { tokenizer, ids, stop: stops }, signal);
    const failed = found.find(([name]) => name === "error");
    if (failed) throw new Error(failed[1].error.message);
    this.found = found;
    this.all = ids;
    this.player.reset(found.length, this.state.step);
  }

  #step(step) {
    if (!this.found) return;
    if (this.state.step !== step) { this.state.step = step; this.changed(); }
    const seen = this.found.slice(0, step);
    const [name, last] = seen[seen.length - 1] ?? ["token", { text: "", held: "" }];
    const before = seen.slice(0, -1).map(([, data]) => data.text).join("");
    this.given.replaceChildren(visible(before, true), h("mark", {}, visible(last.text, true)));
    this.held.textContent = name === "done" ? ended(last) : describe(last.held);
    this.ids.replaceChildren(...this.all.map((id, i) => h("span", {
      class: i === step - 1 ? "t new" : i < step ? `t c${i % 5}` : "t",
    }, String(id))));
  }
}

function ended({ stopped }) {
  return stopped === null ? "Nothing: the stream has ended." : `Nothing: the stop string ${visible(stopped)} ended the stream.`;
}

function describe(held) {
  if (!held) return "Nothing.";
  const text = textOf(held);
  return text === null ? `${spaced(held)}: bytes of a character that is not complete` : `${visible(text)}: what a stop string may begin with`;
}
