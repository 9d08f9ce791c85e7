// Tokens side by side, of which only those near the window are elements.
//
// The tokens are cut into blocks of some hundred, at line ends where there are any. A block is an empty
// box of about the right height until it comes near the visible part, and is emptied when it leaves it,
// keeping its height; so a megabyte of text is a thousand boxes and a few thousand tokens.

import { h } from "./dom.js";

const BLOCK = 240;
const EARLY = 90;
const COLOURS = 5;
const LINE_PX = 24;

export class Pane {
  /** `onCurrent` is called with the index of the token under the pointer or chosen by keys. */
  constructor(label, { ids = false, onCurrent = () => {} } = {}) {
    this.ids = ids;
    this.onCurrent = onCurrent;
    this.current = -1;
    this.lit = [];
    this.element = h("div", {
      class: ids ? "pane ids" : "pane", tabindex: "0", role: "group", "aria-label": label,
      onpointerover: (event) => this.#at(event.target), onclick: (event) => this.#at(event.target),
      onkeydown: (event) => this.#key(event),
    });
    this.watch = new IntersectionObserver((seen) => seen.forEach((one) => this.#seen(one)), {
      root: this.element, rootMargin: "500px 0px",
    });
  }

  /** Shows tokens; `differs` says which are marked. */
  show(tokens, differs = () => false) {
    this.tokens = tokens;
    this.differs = differs;
    this.current = -1;
    this.lit = [];
    this.watch.disconnect();
    this.blocks = this.#cut();
    const perLine = Math.max(10, this.element.clientWidth / (this.ids ? 9 : 8.6));
    const elements = this.blocks.map((block) => {
      const lines = this.ids ? ((block.last - block.first) * 6.5) / perLine : block.lines + block.characters / perLine;
      block.element = h("div", { class: "block" });
      block.element.style.height = `${Math.ceil(lines + 0.5) * LINE_PX}px`;
      block.element.block = block;
      block.full = false;
      return block.element;
    });
    this.element.replaceChildren(...elements);
    this.blocks.slice(0, 4).forEach((block) => this.#fill(block));
    elements.forEach((element) => this.watch.observe(element));
  }

  #cut() {
    const { tokens } = this;
    const blocks = [];
    let first = 0;
    let lines = 0;
    for (let i = 0; i < tokens.count; i += 1) {
      const end = tokens.ends[i];
      const endsLine = end > tokens.starts[i] && tokens.slice(end - 1, end) === "\n";
      lines += endsLine ? 1 : 0;
      const size = i + 1 - first;
      if (size >= BLOCK || (endsLine && size >= EARLY) || i + 1 === tokens.count) {
        const characters = Math.max(0, end - tokens.starts[first]);
        blocks.push({ first, last: i + 1, lines, characters });
        first = i + 1;
        lines = 0;
      }
    }
    return blocks;
  }

  #seen({ target, isIntersecting }) {
    if (isIntersecting) this.#fill(target.block);
    else if (target.block.full) {
      target.style.height = `${target.offsetHeight}px`;
      target.replaceChildren();
      target.block.full = false;
    }
  }

  #fill(block) {
    if (block.full) return;
    const spans = [];
    for (let i = block.first; i < block.last; i += 1) {
      const gap = this.ids ? "" : this.tokens.gapBefore(i);
      if (gap) spans.push(gap);
      spans.push(this.#span(i));
    }
    block.element.replaceChildren(...spans);
    block.element.style.height = "";
    block.full = true;
    if (this.current >= block.first && this.current < block.last) this.light(this.current);
  }

  #span(i) {
    const { tokens } = this;
    const span = document.createElement("span");
    let name = `t c${i % COLOURS}`;
    if (tokens.isSpecial(i)) name = "t special";
    if (!this.ids && tokens.isPart(i)) name += " part";
    if (this.differs(i)) name += " differs";
    span.className = name;
    span.textContent = this.ids ? tokens.ids[i] : tokens.shown(i);
    span.token = i;
    return span;
  }

  #at(target) {
    if (target.token !== undefined && target.token !== this.current) this.onCurrent(target.token);
  }

  #key(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || !this.tokens?.count) return;
    event.preventDefault();
    const wanted = Math.min(this.tokens.count - 1, Math.max(0, this.current + steps[event.key]));
    this.onCurrent(wanted);
    this.reveal(wanted);
  }

  /** Scrolls a token into view. */
  reveal(i) {
    const block = this.blocks.find((one) => i < one.last);
    this.#fill(block);
    block.element.children[i - block.first].scrollIntoView({ block: "nearest" });
  }

  /** Marks a token and its pre-token. */
  light(i) {
    this.current = i;
    const [first, last] = i < 0 ? [0, -1] : this.tokens.wordAround(i);
    this.lightAll(first, last, "word");
    this.#spansOf(i, i).forEach((span) => this.#add(span, "current"));
  }

  /** Marks tokens from one to another. */
  lightAll(first, last, name) {
    this.lit.forEach(([span, added]) => span.classList.remove(added));
    this.lit = [];
    this.#spansOf(first, last).forEach((span) => this.#add(span, name));
  }

  #add(span, name) {
    span.classList.add(name);
    this.lit.push([span, name]);
  }

  #spansOf(first, last) {
    const spans = [];
    if (last < first) return spans;
    for (const block of this.blocks ?? []) {
      if (!block.full || block.last <= first || block.first > last) continue;
      for (let i = Math.max(first, block.first); i <= Math.min(last, block.last - 1); i += 1) {
        spans.push(block.element.children[i - block.first]);
      }
    }
    return spans;
  }
}
