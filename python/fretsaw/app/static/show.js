// Bytes and text as people can see them.

const VISIBLE = { " ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍" };
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function bytes(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** The text of bytes in hexadecimal, or null where they are not whole characters. */
export function textOf(hex) {
  try {
    return decoder.decode(bytes(hex));
  } catch {
    return null;
  }
}

/** Text with visible white space and control characters; with `lines`, line ends also end lines. */
export function visible(text, lines = false) {
  const shown = text.replace(/[ \n\t\r]|[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/gu, (c) => {
    if (c === "\n" && lines) return "↵\n";
    return VISIBLE[c] ?? (c === "\u200d" || c === "\u200c" ? c : `⟨${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
  });
  return /^\p{M}/u.test(shown) ? `◌${shown}` : shown;
}

/** Bytes with spaces between: "e7 8c". */
export function spaced(hex) {
  return (hex.match(/../g) ?? []).join(" ");
}

/** The class of a token of bytes: its colour, and whether it is a part of a character. */
export function look(hex, colour) {
  return `t c${colour % 5}${textOf(hex) === null ? " part" : ""}`;
}

/** A token of bytes in hexadecimal: its visible text, or the bytes themselves. */
export function token(hex) {
  const text = textOf(hex);
  return text === null ? spaced(hex) : visible(text);
}
