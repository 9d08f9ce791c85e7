// Requests to the process that served this page; errors go into the line below the header.

const line = document.getElementById("problem");

export function tell(message) {
  line.textContent = message;
  line.hidden = message === "";
}

async function answer(response) {
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  return body;
}

/** Posts JSON; throws with the service's own words. */
export async function post(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return answer(await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal }));
}

export async function get(path) {
  return answer(await fetch(path));
}

/** Sends bytes, what they are in the query. */
export async function send(path, query, body) {
  return answer(await fetch(`${path}?${new URLSearchParams(query)}`, { method: "POST", body }));
}

/** The events of a stream, as [name, data]. */
export async function events(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!response.ok) await answer(response);
  const found = [];
  for (const block of (await response.text()).split("\n\n")) {
    const match = /^event: (\w+)\ndata: (.*)$/.exec(block);
    if (match) found.push([match[1], JSON.parse(match[2])]);
  }
  return found;
}

/** Runs only the newest of several calls: an older one is given up. Errors are told. */
export function newest(work) {
  let current = null;
  return async (...given) => {
    current?.abort();
    const mine = (current = new AbortController());
    try {
      await work(mine.signal, ...given);
      if (current === mine) tell("");
    } catch (error) {
      if (!mine.signal.aborted) tell(error.message);
    }
  };
}
