// Asks for tokens and makes their arrays beside the page, so that a megabyte does not hold it up.

import { arraysOf } from "./tokens-arrays.js";

const asked = new Map();

onmessage = async ({ data: { number, body } }) => {
  if (!body) {
    asked.get(number)?.abort();
    return;
  }
  const control = new AbortController();
  asked.set(number, control);
  try {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch("/view/tokens", { method: "POST", headers, body: JSON.stringify(body), signal: control.signal });
    const found = await response.json();
    if (!response.ok) throw new Error(found.error.message);
    const arrays = arraysOf(body.text, found);
    const { characters, bytes, count, special, table, by_bytes } = found;
    const handed = Object.values(arrays).filter((array) => array !== null).map((array) => array.buffer);
    postMessage({ number, found: { characters, bytes, count, special, table, by_bytes }, arrays }, handed);
  } catch (error) {
    postMessage({ number, error: error.message });
  }
  asked.delete(number);
};
