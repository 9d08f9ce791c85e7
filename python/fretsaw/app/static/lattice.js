// The lattice of a Unigram model, one place after the other, as Viterbi's algorithm goes through it.
//
// From each place, in order, every token that starts there offers the place where it ends the sum so far
// plus its score; a place keeps the first of its best offers. Behind the last place the best way is
// walked back. Sums are those of the reference: the same numbers, added in the same order.

import { h, s } from "./dom.js";
import { visible } from "./show.js";

const STEP_PX = 74;
const LEVEL_PX = 34;
const TOP_PX = 46;

/** How many steps there are: one for each character, and the way back. */
export function latticeSteps(piece) { return [...piece].length + 1; }

/** A picture and a table after some steps; `arcs` are [start, end, score, id, best] over the characters. */
export function lattice(piece, arcs, step) {
  const characters = [...piece];
  const isLast = step > characters.length;
  const places = offered(arcs, characters.length, step);
  const shown = arcs.filter(([start]) => start < step).map((arc) => ({
    arc, sum: places[arc[0]].sum + arc[2], name: nameOf(arc, places[arc[1]].arc === arc, isLast, step),
  }));
  return h("div", { class: "stack" },
    h("p", { class: "soft", "data-forward": "" }, said(characters, arcs, places, step)),
    h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Lattice" }, picture(characters, shown, places, step)),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Tokens of the lattice" }, table(characters, shown)));
}

/** The best sum to each place and the arc that ends it, once the tokens of some places have made their offers. */
function offered(arcs, last, step) {
  const places = Array.from({ length: last + 1 }, () => ({ sum: -Infinity, arc: null }));
  places[0].sum = 0;
  for (const arc of arcs) {
    const [start, end, score] = arc;
    if (start >= step) break;
    const sum = places[start].sum + score;
    if (places[end].arc === null || sum > places[end].sum) places[end] = { sum, arc };
  }
  return places;
}

function nameOf(arc, holds, isLast, step) {
  if (isLast) return arc[4] ? "best" : "beaten";
  if (!holds) return "beaten";
  return arc[0] === step - 1 ? "holds fresh" : "holds";
}

function said(characters, arcs, places, step) {
  if (step > characters.length) {
    const way = arcs.filter((arc) => arc[4]);
    return `Walked back from the end: ${way.length} tokens, score ${places[characters.length].sum.toFixed(3)} (the highest sum).`;
  }
  if (step === 0) return "Nothing is offered yet; the sum in front of the first character is 0.";
  const from = arcs.filter(([start]) => start === step - 1);
  const kept = from.filter((arc) => places[arc[1]].arc === arc).length;
  return `From place ${step - 1} (sum ${places[step - 1].sum.toFixed(3)}): ${from.length} tokens start, ${kept} of them are the best way to where they end so far.`;
}

function picture(characters, shown, places, step) {
  const most = Math.max(1, ...shown.map(({ arc: [start, end] }) => end - start));
  const height = TOP_PX + Math.min(most, 7) * LEVEL_PX;
  const width = characters.length * STEP_PX + 60;
  const line = height - 44;
  const x = (place) => 30 + place * STEP_PX;
  const svg = s("svg", { class: "lattice", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const order = ["beaten", "holds", "holds fresh", "best"];
  const drawn = [...shown].sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name) || other.arc[1] - other.arc[0] - (one.arc[1] - one.arc[0]));
  for (const { arc: [start, end, score], name } of drawn) {
    const lift = Math.min(end - start, 7) * LEVEL_PX;
    const middle = (x(start) + x(end)) / 2;
    const top = line - lift * 0.75;
    svg.append(
      s("path", { class: `arc ${name}`, d: `M${x(start)} ${line} C${x(start) + 12} ${line - lift}, ${x(end) - 12} ${line - lift}, ${x(end)} ${line}` }),
      s("text", { class: `word ${name}`, x: middle, y: top - 5 }, visible(characters.slice(start, end).join(""))),
      s("text", { class: `score ${name}`, x: middle, y: top + 11 }, score.toFixed(2)));
  }
  places.forEach(({ sum }, place) => {
    const isCurrent = place === step - 1;
    svg.append(
      s("circle", { class: isCurrent ? "place current" : "place", cx: x(place), cy: line, r: isCurrent ? 5 : 3.5 }),
      s("text", { class: "sum", "data-sum": place, x: x(place), y: line + 18 }, Number.isFinite(sum) ? sum.toFixed(2) : "–"));
  });
  characters.forEach((character, i) => svg.append(s("text", { x: x(i) + STEP_PX / 2, y: height - 8 }, visible(character))));
  return svg;
}

function table(characters, shown) {
  const words = { best: "best", beaten: "", holds: "best so far", "holds fresh": "best so far" };
  const rows = shown.map(({ arc: [start, end, score, id], sum, name }) => h("tr", { class: name === "best" || name === "holds fresh" ? "now" : "" },
    h("td", { class: "mono" }, visible(characters.slice(start, end).join(""))), h("td", { class: "n" }, `${start}–${end}`),
    h("td", { class: "n" }, score.toFixed(4)), h("td", { class: "n" }, Number.isFinite(sum) ? sum.toFixed(4) : "–"),
    h("td", { class: "n" }, String(id)), h("td", {}, words[name])));
  return h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "token"), h("th", { class: "n" }, "characters"),
    h("th", { class: "n" }, "score"), h("th", { class: "n" }, "sum with it"), h("th", { class: "n" }, "id"), h("th", {}, "way"))), h("tbody", {}, rows));
}
