// Elements from JavaScript: h("button", { type: "button", onclick }, "text").

/** An element with properties (those with "-" or without one of their name are attributes) and children. */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

/** The same for SVG. */
export function s(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A labelled control. */
export function field(label, control, className = "") {
  return h("label", { class: `field ${className}` }, label, control);
}

/** Numbers with names: [["tokens", "12"], …]; returns the list and a function that sets them. */
export function stats(names) {
  const values = names.map((name) => h("dd", { "data-stat": name }, "–"));
  const list = h("dl", { class: "stats" }, names.map((name, i) => h("div", {}, h("dt", {}, name), values[i])));
  return [list, (found) => found.forEach((value, i) => { values[i].textContent = value; })];
}

export const whole = (number) => number.toLocaleString("en");
export const ratio = (over, under) => (under ? (over / under).toFixed(2) : "–");

/** Calls `work` once things have been quiet for a while, the longer the longer the text is. */
export function soon(work, { delay_ms = 60, of = null } = {}) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, delay_ms + (of?.value.length ?? 0) / 4000);
  };
}
