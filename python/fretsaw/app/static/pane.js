// Tokens side by side, of which only those near the window are elements.
//
// The tokens come in blocks of some hundred. Blocks that are not near the visible part are only heights,
// summed up in two boxes, one above what is drawn and one below. A height is guessed until its block is
// drawn and measured; then the place that one looks at is kept where it was. So showing a megabyte costs
// what is visible and a sum over some thousand numbers.

import { h } from "./dom.js";

const COLOURS = 5;
const LINE_PX = 24;
const MARGIN_PX = 240;

export class Pane {
  #tops = new Float64Array(1);
  #drawn = [];
  #waiting = false;

  /** `onCurrent` is called with the index of the token under the pointer or chosen by keys. */
  constructor(label, { ids = false, onCurrent = () => {} } = {}) {
    this.ids = ids;
    this.onCurrent = onCurrent;
    this.blocks = [];
    this.#forget();
    this.above = h("div", {});
    this.below = h("div", {});
    this.element = h("div", {
      class: ids ? "pane ids" : "pane", tabindex: "0", role: "group", "aria-label": label,
      onpointerover: (event) => this.#at(event.target), onclick: (event) => this.#at(event.target),
      onkeydown: (event) => this.#key(event), onscroll: () => this.#soon(),
    }, this.above, this.below);
    new ResizeObserver(() => this.#soon()).observe(this.element);
  }

  /** Shows tokens; `differs` says which are marked. */
  show(tokens, differs = () => false) {
    this.tokens = tokens;
    this.differs = differs;
    this.#forget();
    const perLine = Math.max(10, this.element.clientWidth / (this.ids ? 9 : 8.6));
    this.blocks = tokens.cut();
    for (const block of this.blocks) {
      const lines = this.ids ? ((block.last - block.first) * 6.5) / perLine : block.lines + block.characters / perLine;
      block.height_px = Math.ceil(lines + 0.5) * LINE_PX;
      block.element = null;
    }
    this.#drawn.forEach((block) => block.element.remove());
    this.#drawn = [];
    this.#sum();
    this.#draw();
  }

  #forget() {
    this.current = -1;
    this.lit = [];
  }

  #soon() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#draw();
    });
  }

  #sum() {
    this.#tops = new Float64Array(this.blocks.length + 1);
    this.blocks.forEach((block, at) => { this.#tops[at + 1] = this.#tops[at] + block.height_px; });
  }

  /** The block at a height. */
  #blockAt(top_px) {
    let [low, high] = [0, Math.max(0, this.blocks.length - 1)];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tops[middle + 1] > top_px) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Draws what is near the visible part, measures what is new, and keeps the place one looks at. */
  #draw() {
    if (!this.blocks.length) {
      this.#box(0, 0);
      return;
    }
    const top_px = this.element.scrollTop;
    const anchor = this.#blockAt(top_px);
    const within_px = top_px - this.#tops[anchor];
    const first = this.#blockAt(top_px - MARGIN_PX);
    const last = this.#blockAt(top_px + this.element.clientHeight + MARGIN_PX);
    const wanted = this.blocks.slice(first, last + 1);
    const kept = new Set(wanted);
    for (const block of this.#drawn) {
      if (kept.has(block)) continue;
      block.element.remove();
      block.element = null;
    }
    let behind = this.above;
    const fresh = wanted.filter((block) => {
      const isNew = block.element === null;
      if (isNew) behind.after(this.#filled(block));
      behind = block.element;
      return isNew;
    });
    this.#drawn = wanted;
    if (fresh.length) {
      fresh.forEach((block) => { block.height_px = block.element.getBoundingClientRect().height || block.height_px; });
      this.#sum();
      if (this.current >= 0) this.light(this.current);
    }
    this.#box(this.#tops[first], this.#tops[this.blocks.length] - this.#tops[last + 1]);
    const place_px = this.#tops[anchor] + within_px;
    if (Math.abs(place_px - this.element.scrollTop) > 1) this.element.scrollTop = place_px;
  }

  #box(above_px, below_px) {
    this.above.style.height = `${above_px}px`;
    this.below.style.height = `${below_px}px`;
  }

  #filled(block) {
    const spans = [];
    for (let i = block.first; i < block.last; i += 1) {
      const gap = this.ids ? "" : this.tokens.gapBefore(i);
      if (gap) spans.push(gap);
      spans.push(this.#span(i));
    }
    block.element = h("div", { class: "block" });
    block.element.append(...spans);
    return block.element;
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
    const at = this.blocks.findIndex((one) => i < one.last);
    if (this.blocks[at].element === null) {
      this.element.scrollTop = this.#tops[at];
      this.#draw();
    }
    this.#spansOf(i, i)[0].scrollIntoView({ block: "nearest" });
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
    for (const block of this.#drawn) {
      if (block.last <= first || block.first > last) continue;
      for (let i = Math.max(first, block.first); i <= Math.min(last, block.last - 1); i += 1) {
        spans.push(block.element.children[i - block.first]);
      }
    }
    return spans;
  }
}
