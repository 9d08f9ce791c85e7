// A pre-token on its merge ladder: one row for each merge, the newest marked.

import { h } from "./dom.js";
import { look, spaced, token } from "./show.js";

/** Parts in alternating colours; `fresh` is the index of the one that is new. */
export function parts(hexes, fresh = -1) {
  return h("span", { class: "parts" }, hexes.map((hex, i) => h("span", {
    class: i === fresh ? `${look(hex, i)} new` : look(hex, i), title: spaced(hex),
  }, token(hex))));
}

/** The rows up to a step; `rungs` have `parts`, `rank`, `rule`. */
export function ladder(rungs, step) {
  return h("ol", { class: "ladder", "aria-label": "Merge ladder" }, rungs.slice(0, step + 1).map((rung, at) => {
    const before = at ? rungs[at - 1].parts : rung.parts;
    const fresh = at ? rung.parts.findIndex((part, i) => part !== before[i]) : -1;
    let rule = "start";
    if (rung.rule) rule = `rank ${rung.rank}: ${token(rung.rule[0])} + ${token(rung.rule[1])}`;
    else if (at) rule = "whole pre-token is a token";
    return h("li", { class: at === step ? "now" : "" }, h("span", { class: "rule" }, rule), parts(rung.parts, fresh));
  }));
}

/** The rungs that single steps of [rank, place] make of parts. */
export function rungsOf(start, steps, merges) {
  const rungs = [{ parts: start, rank: null, rule: null }];
  for (const [rank, place] of steps) {
    const last = rungs[rungs.length - 1].parts;
    const joined = [...last.slice(0, place), last[place] + last[place + 1], ...last.slice(place + 2)];
    rungs.push({ parts: joined, rank, rule: merges[rank] });
  }
  return rungs;
}
