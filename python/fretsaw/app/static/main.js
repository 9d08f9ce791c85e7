// The page: its views, the address that restores them, files, theme.

import { tell } from "./api.js";
import { h, soon } from "./dom.js";
import { addFiles } from "./files.js";
import { CompareView } from "./view-compare.js";
import { LanguagesView } from "./view-languages.js";
import { MergesView } from "./view-merges.js";
import { StreamView } from "./view-stream.js";
import { TokensView } from "./view-tokens.js";
import { TrainView } from "./view-train.js";
import { refresh } from "./vocabularies.js";

const LONGEST_VALUE = 6000;
const tabs = document.getElementById("tabs");
const main = document.getElementById("views");
const write = soon(() => writeAddress(), { delay_ms: 150 });
const views = [TokensView, CompareView, MergesView, TrainView, StreamView, LanguagesView].map((View) => new View(write));
let current = null;

/** The state of a view; a text that is too long for an address is left out. */
function paramsOf(view) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(view.write())) {
    for (const one of [value].flat()) if (String(one).length <= LONGEST_VALUE) params.append(name, one);
  }
  return params;
}

function writeAddress() {
  const hash = `#${current.id}?${paramsOf(current)}`;
  if (hash !== location.hash) history.replaceState(null, "", hash);
}

function readAddress() {
  const [id, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const view = views.find((one) => one.id === id) ?? views[0];
  if (query || view !== current) view.read(new URLSearchParams(query));
  open(view);
}

function open(view) {
  current = view;
  for (const one of views) {
    const chosen = one === view;
    one.panel.hidden = !chosen;
    one.tab.setAttribute("aria-selected", String(chosen));
    one.tab.tabIndex = chosen ? 0 : -1;
  }
  document.title = `${view.label} · fretsaw`;
  return view.show();
}

function addTab(view) {
  view.tab = h("button", {
    type: "button", role: "tab", id: `tab-${view.id}`, "aria-controls": `view-${view.id}`, "aria-selected": "false",
    onclick: () => choose(view), onkeydown: (event) => step(event, view),
  }, view.label);
  view.panel = view.element;
  view.panel.id = `view-${view.id}`;
  view.panel.setAttribute("role", "tabpanel");
  view.panel.setAttribute("aria-labelledby", view.tab.id);
  view.panel.hidden = true;
  tabs.append(view.tab);
  main.append(view.panel);
}

function choose(view) {
  if (view === current) return;
  const params = paramsOf(view);
  view.read(params);
  history.pushState(null, "", `#${view.id}?${params}`);
  open(view);
}

function step(event, view) {
  const moves = { ArrowRight: 1, ArrowLeft: -1 };
  if (!(event.key in moves)) return;
  const next = views[(views.indexOf(view) + moves[event.key] + views.length) % views.length];
  choose(next);
  next.tab.focus();
}

function addTools() {
  addFiles(document.getElementById("load"), document.getElementById("file"));
  const copy = document.getElementById("copy");
  copy.addEventListener("click", async () => {
    writeAddress();
    await navigator.clipboard.writeText(location.href);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy link"; }, 1500);
  });
  addTheme(document.getElementById("theme"));
}

function addTheme(button) {
  const themes = ["auto", "light", "dark"];
  const set = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    localStorage.setItem("theme", theme);
  };
  const now = () => localStorage.getItem("theme") ?? "auto";
  set(now());
  button.addEventListener("click", () => set(themes[(themes.indexOf(now()) + 1) % themes.length]));
}

views.forEach(addTab);
addTools();
addEventListener("hashchange", readAddress);
addEventListener("popstate", readAddress);
await refresh().catch((error) => tell(error.message));
readAddress();
