// Languages: characters per token over the Universal Declaration of Human Rights.

import { post } from "./api.js";
import { field, h } from "./dom.js";
import { VocabulariesView } from "./view.js";

export class LanguagesView extends VocabulariesView {
  id = "languages";
  label = "Languages";

  constructor(changed) {
    super(changed, { tokenizers: ["gpt2", "cl100k_base", "o200k_base"], order: "name" });
    this.order = h("select", { onchange: () => this.set({ order: this.order.value }) },
      h("option", { value: "name" }, "name"), h("option", { value: "most" }, "most characters per token"), h("option", { value: "least" }, "fewest"));
    this.keys = h("div", { class: "chips soft" });
    this.bars = h("div", { class: "bars", role: "list", "aria-label": "Characters per token by language" });
    this.element = h("div", { class: "view" },
      h("div", { class: "card" },
        h("p", { class: "soft" }, "Characters per token of the Universal Declaration of Human Rights: the longer the bar, the fewer tokens the same text takes."),
        h("div", { class: "field soft" }, "Vocabularies", this.choose.element),
        h("div", { class: "row" }, field("Order by", this.order)), this.keys),
      h("div", { class: "card" }, this.bars));
  }

  read(params) {
    super.read(params);
    this.state.order = params.get("order") ?? this.state.order;
    this.order.value = this.state.order;
  }

  write() { return { ...super.write(), order: this.state.order }; }

  async ask(signal) {
    const { tokenizers, order } = this.state;
    const { languages } = await post("/view/languages", { tokenizers }, signal);
    const fits = languages.map((one) => ({ ...one, ratios: one.tokens.map((count) => one.characters / count) }));
    if (order === "most") fits.sort((one, other) => other.ratios[0] - one.ratios[0]);
    if (order === "least") fits.sort((one, other) => one.ratios[0] - other.ratios[0]);
    const most = Math.max(...fits.flatMap((one) => one.ratios));
    this.keys.replaceChildren(...tokenizers.map((name, i) => h("span", { class: "box" }, h("span", { class: `key b${i}` }), ` ${name}`)));
    this.bars.replaceChildren(...fits.map((one) => this.#language(one, most)));
  }

  #language({ name, code, ratios, tokens }, most) {
    const bars = ratios.map((found, i) => {
      const filled = h("i", { class: `b${i}` });
      filled.style.width = `${(100 * found) / most}%`;
      const shown = found.toFixed(2);
      const said = `${this.state.tokenizers[i]}: ${shown} characters per token, ${tokens[i]} tokens`;
      return h("div", { class: "bar", title: said }, h("span", {}, filled), h("span", { "data-ratio": `${code} ${this.state.tokenizers[i]}` }, shown));
    });
    return h("div", { class: "language", role: "listitem" }, h("span", {}, name), h("div", {}, bars));
  }
}
