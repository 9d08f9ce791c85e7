// What every view of the page is: a state that an address can hold, and a question to the process.
//
// A view has `id`, `label` and `element`; `read` takes its state from an address's parameters, `write` gives
// it back, and `ask` asks the process and draws the answer. Only the newest question is answered.

import { newest } from "./api.js";
import { chooseMany } from "./vocabularies.js";

export class View {
  /** `changed` is called when the state has changed, so that the address follows. */
  constructor(changed, state) {
    this.changed = changed;
    this.state = state;
    this.run = newest((signal) => this.ask(signal));
  }

  /** Called when the view comes to the front. */
  show() { return this.run(); }

  /** Changes the state, and asks anew. */
  set(change) {
    Object.assign(this.state, change);
    this.changed();
    return this.run();
  }
}

/** A view of several vocabularies: `state.tokenizers`, in the address a `tokenizer` for each. */
export class VocabulariesView extends View {
  constructor(changed, state) {
    super(changed, state);
    this.choose = chooseMany("Vocabularies", state.tokenizers, (tokenizers) => this.set({ tokenizers }));
  }

  read(params) {
    const names = params.getAll("tokenizer");
    if (names.length) this.state.tokenizers = names;
    this.choose.set(this.state.tokenizers);
  }

  write() { return { tokenizer: this.state.tokenizers }; }
}
