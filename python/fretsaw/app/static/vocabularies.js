// The vocabularies that there are, and controls that choose among them.

import { get } from "./api.js";
import { h } from "./dom.js";

let names = [];
const listeners = new Set();

export async function refresh() {
  names = (await get("/tokenizers")).tokenizers.map((entry) => entry.name);
  listeners.forEach((listener) => listener());
}

/** A list to choose one from; `onChange` gets its name. */
export function chooseOne(label, chosen, onChange) {
  const select = h("select", { "aria-label": label, onchange: () => onChange(select.value) });
  const fill = (value = select.value || chosen) => {
    const shown = names.includes(value) ? names : [...names, value];
    select.replaceChildren(...shown.map((name) => h("option", { value: name }, name)));
    select.value = value;
  };
  fill(chosen);
  listeners.add(() => fill());
  select.set = fill;
  return select;
}

/** Chosen ones as buttons that take them away, and a list to add more from; at least one stays. */
export function chooseMany(label, chosen, onChange, most = 6) {
  let current = [...chosen];
  const add = h("select", { "aria-label": `Add to ${label}`, onchange: () => change([...current, add.value]) });
  const element = h("div", { class: "chips", role: "group", "aria-label": label });
  const change = (wanted) => {
    current = wanted;
    fill();
    add.focus();
    onChange(current);
  };
  const fill = () => {
    const others = names.filter((name) => !current.includes(name));
    add.replaceChildren(h("option", { value: "" }, "Add…"), ...others.map((name) => h("option", { value: name }, name)));
    add.disabled = current.length >= most;
    const buttons = current.map((name) => h("button", {
      type: "button", "aria-label": `Take ${name} away`, disabled: current.length === 1,
      onclick: () => change(current.filter((one) => one !== name)),
    }, `${name} ✕`));
    element.replaceChildren(...buttons, add);
  };
  fill();
  listeners.add(fill);
  return { element, set(wanted) { current = [...wanted]; fill(); } };
}
