// A slider with steps: back, play, forward; arrow keys move it as they do every slider.

import { h } from "./dom.js";

export class Player {
  /** `onStep` is called with the step; a tick of play is `tick_ms`. */
  constructor(label, onStep, tick_ms = 550) {
    this.onStep = onStep;
    this.tick_ms = tick_ms;
    this.timer = 0;
    this.slider = h("input", { type: "range", min: "0", max: "0", value: "0", "aria-label": label, oninput: () => this.#moved() });
    this.button = h("button", { type: "button", onclick: () => this.#toggle() }, "Play");
    this.output = h("output", { class: "mono" }, "0 / 0");
    this.element = h("div", { class: "row centre player" },
      h("button", { type: "button", "aria-label": `${label}: one step back`, onclick: () => this.go(this.step - 1) }, "◀"),
      this.button,
      h("button", { type: "button", "aria-label": `${label}: one step forward`, onclick: () => this.go(this.step + 1) }, "▶"),
      this.slider, this.output);
  }

  get step() { return Number(this.slider.value); }
  get last() { return Number(this.slider.max); }

  /** Sets how many steps there are, and where to stand. */
  reset(last, step = last) {
    this.stop();
    this.slider.max = last;
    this.go(step);
  }

  go(step) {
    this.slider.value = Math.min(this.last, Math.max(0, step));
    this.#moved();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.button.textContent = "Play";
  }

  #toggle() {
    if (this.timer) { this.stop(); return; }
    if (this.step === this.last) this.go(0);
    this.button.textContent = "Pause";
    this.timer = setInterval(() => {
      this.go(this.step + 1);
      if (this.step === this.last) this.stop();
    }, this.tick_ms);
  }

  #moved() {
    this.output.textContent = `${this.step} / ${this.last}`;
    this.onStep(this.step);
  }
}
