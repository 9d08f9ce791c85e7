// The lattice of a Unigram model: each token that may stand in the piece is an arc with its score.

import { h, s } from "./dom.js";
import { visible } from "./show.js";

const STEP_PX = 74;
const LEVEL_PX = 34;

/** A picture and a table of `arcs` ([start, end, score, id, best]) over the characters of a piece. */
export function lattice(piece, arcs) {
  const characters = [...piece];
  const best = arcs.filter((arc) => arc[4]);
  const total = best.reduce((sum, arc) => sum + arc[2], 0);
  return h("div", { class: "stack" },
    h("p", { class: "soft" }, `Best way: ${best.length} tokens, score ${total.toFixed(3)} (the highest sum).`),
    h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Lattice" }, picture(characters, arcs)),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Tokens of the lattice" }, table(characters, arcs)));
}

function picture(characters, arcs) {
  const most = Math.max(1, ...arcs.map(([start, end]) => end - start));
  const height = 46 + Math.min(most, 7) * LEVEL_PX;
  const width = characters.length * STEP_PX + 40;
  const line = height - 30;
  const x = (place) => 20 + place * STEP_PX;
  const svg = s("svg", { class: "lattice", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const ordered = [...arcs].sort((one, other) => one[4] - other[4] || other[1] - other[0] - (one[1] - one[0]));
  for (const [start, end, score, , onBest] of ordered) {
    const lift = Math.min(end - start, 7) * LEVEL_PX;
    const name = onBest ? " best" : "";
    const middle = (x(start) + x(end)) / 2;
    const top = line - lift * 0.75;
    svg.append(
      s("path", { class: `arc${name}`, d: `M${x(start)} ${line} C${x(start) + 12} ${line - lift}, ${x(end) - 12} ${line - lift}, ${x(end)} ${line}` }),
      s("text", { class: `word${name}`, x: middle, y: top - 5 }, visible(characters.slice(start, end).join(""))),
      s("text", { class: `score${name}`, x: middle, y: top + 11 }, score.toFixed(2)));
  }
  for (let place = 0; place <= characters.length; place += 1) svg.append(s("circle", { class: "place", cx: x(place), cy: line, r: 3.5 }));
  characters.forEach((character, i) => svg.append(s("text", { x: x(i) + STEP_PX / 2, y: height - 8 }, visible(character))));
  return svg;
}

function table(characters, arcs) {
  const rows = arcs.map(([start, end, score, id, onBest]) => h("tr", { class: onBest ? "now" : "" },
    h("td", { class: "mono" }, visible(characters.slice(start, end).join(""))), h("td", { class: "n" }, `${start}–${end}`),
    h("td", { class: "n" }, score.toFixed(4)), h("td", { class: "n" }, String(id)), h("td", {}, onBest ? "best" : "")));
  return h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "token"), h("th", { class: "n" }, "characters"),
    h("th", { class: "n" }, "score"), h("th", { class: "n" }, "id"), h("th", {}, "way"))), h("tbody", {}, rows));
}
