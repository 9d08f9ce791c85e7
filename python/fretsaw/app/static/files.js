// Tokenizer files that a person chooses: sent to this process, with what their format lacks.

import { post, send, tell } from "./api.js";
import { field, h } from "./dom.js";
import { refresh } from "./vocabularies.js";

const GGUF_BYTES = 48 * 1024 * 1024;
const HEAD_BYTES = 4096;
const OWN = "of your own";
const isVocab = (file) => /vocab\.json(\.gz)?$/.test(file.name);
const isMerges = (file) => /merges\.txt(\.gz)?$/.test(file.name);

/** The button that opens the choice of files, and the input behind it. */
export function addFiles(button, input) {
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const chosen = [...input.files];
    input.value = "";
    try {
      const names = [];
      for (const sending of await sendings(chosen)) {
        const name = await sent(sending);
        if (name) names.push(name);
      }
      await refresh();
      if (names.length) tell(`${names.join(", ")}: loaded; choose among the vocabularies. It stays in this process.`);
    } catch (error) {
      tell(error.message);
    }
  });
}

/** What is sent at once: each file, but vocab.json and merges.txt as one. */
async function sendings(chosen) {
  const [vocab, merges] = [chosen.find(isVocab), chosen.find(isMerges)];
  const pair = vocab && merges ? [vocab, merges] : [];
  const alone = chosen.filter((file) => !pair.includes(file));
  const all = await Promise.all(alone.map(async (file) => ({ body: await vocabularyOf(file), query: { name: file.name } })));
  if (pair.length) all.push({ body: new Blob(pair), query: { name: vocab.name, merges_bytes: merges.size } });
  return all;
}

/** The part of a file that a vocabulary can be in: of a GGUF file, the beginning. */
async function vocabularyOf(file) {
  const isGguf = (await file.slice(0, 4).text()) === "GGUF";
  return isGguf ? file.slice(0, GGUF_BYTES) : file;
}

/** Sends a file, after asking the person for what it lacks; its name then, or null if they would not say. */
async function sent({ body, query }) {
  if (!(await isRanks(body))) return (await send("/files", query, body)).name;
  const more = await askForPattern(query.name);
  return more && (await send("/files", { ...query, ...more }, body)).name;
}

/** Whether a file begins as ranks of tiktoken do, packed or not. */
async function isRanks(file) {
  const [one, other] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = one === 0x1f && other === 0x8b;
  const bytes = isPacked ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.slice(0, HEAD_BYTES).stream();
  try {
    const { value } = await bytes.getReader().read();
    return /^\s*[A-Za-z0-9+/]+={0,2} \d+\s/.test(new TextDecoder().decode(value?.subarray(0, HEAD_BYTES)));
  } catch {
    return false; // what is packed wrongly is refused with words of its own
  }
}

/** Asks how ranks of tiktoken cut a text, and for their special tokens. */
async function askForPattern(name) {
  const { patterns } = await post("/view/patterns", {});
  const choose = h("select", {}, [...patterns.map((known) => known.name), OWN].map((one) => h("option", { value: one }, one)));
  const pattern = h("textarea", { spellcheck: "false", rows: "4" });
  const special = h("textarea", { spellcheck: "false", rows: "4" });
  const fill = () => {
    const known = patterns.find((one) => one.name === choose.value);
    if (!known) return;
    pattern.value = known.pattern;
    special.value = Object.entries(known.special_tokens).map(([token, id]) => `${token} ${id}`).join("\n");
  };
  choose.value = patterns.find((known) => name.includes(known.name))?.name ?? "cl100k_base";
  fill();
  choose.addEventListener("change", fill);
  pattern.addEventListener("input", () => { choose.value = OWN; });
  special.addEventListener("input", () => { wrong.textContent = ""; });
  const wrong = h("p", { class: "warn", role: "status" });
  const answer = (value) => { dialog.close(); dialog.remove(); done(value); };
  const load = () => {
    try {
      answer({ pattern: pattern.value, special_tokens: JSON.stringify(specialTokens(special.value)) });
    } catch (error) {
      wrong.textContent = error.message;
    }
  };
  let done = null;
  const dialog = h("dialog", { "aria-labelledby": "ranks-of", oncancel: () => answer(null) },
    h("h2", { id: "ranks-of" }, name),
    h("p", { class: "soft" }, "A file with ranks of tiktoken says neither how to cut a text nor which special tokens there are."),
    field("Cuts a text as", choose), field("Pattern", pattern), field("Special tokens, a line for each: token, space, id", special), wrong,
    h("div", { class: "row" },
      h("button", { type: "button", onclick: load }, "Load"),
      h("button", { type: "button", onclick: () => answer(null) }, "Cancel")));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => { done = resolve; });
}

function specialTokens(lines) {
  return Object.fromEntries(lines.split("\n").filter((line) => line.trim()).map((line) => {
    const match = /^(.+) (\d+)\s*$/.exec(line);
    if (!match) throw new Error(`“${line}” is no token, a space and an id.`);
    return [match[1], Number(match[2])];
  }));
}
