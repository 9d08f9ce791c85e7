"""`python -m fretsaw.reference`: train on a small text, encode samples, stream one back.

Prints the merge table, the tokens of samples in several scripts with their characters per token, and
what a stream gives out token by token while a character is cut in two. Takes about a second; fails
with AssertionError if decoding should not invert encoding.
"""

from __future__ import annotations

from collections.abc import Iterator

from .byte_map import token_to_bytes
from .stream import StreamDecoder
from .tokenizer import Tokenizer
from .train import train
from .utf8 import REPLACEMENT, decode_prefix

TEXT = """\
The cat sat on the mat and the rat ran at the cat. The cats are sitting on the mats.
A token is a string of bytes; the tokenizer turns the text into tokens and the tokens into text.
for token in tokens:
    if token not in counts:
        counts[token] = 0
    counts[token] += 1
return [token for token in tokens if counts[token] > 1]
猫在垫子上。猫和老鼠在垫子上。 แมวนั่งบนเสื่อ แมวนั่งบนเก้าอี้ 😀😀 😃
"""

SAMPLES = {
    "English": "The cats are sitting on the tokens.",
    "code": "for token in counts:\n    return counts[token]",
    "CJK": "老鼠在垫子上。",
    "emoji": "😀 👍🏽",
    "Thai": "แมวกินปลา",
}


def readable(data: bytes) -> str:
    """Return bytes as text with visible spaces, as hexadecimal if they are not whole characters."""
    text, used = decode_prefix(data)
    if used < len(data) or REPLACEMENT in text:
        return f"<{data.hex()}>"
    return text.replace(" ", "␣").replace("\n", "↵")


def merge_table(tokenizer: Tokenizer, columns: int = 5) -> Iterator[str]:
    """Yield the lines of a table of merges: rank, left and right token."""
    cells = [
        f"#{rank} {readable(token_to_bytes(left))}+{readable(token_to_bytes(right))}"
        for rank, (left, right) in enumerate(tokenizer.model.merges())
    ]
    for start in range(0, len(cells), columns):
        yield "  " + "".join(f"{cell:<20}" for cell in cells[start : start + columns]).rstrip()


def report(tokenizer: Tokenizer, name: str, text: str) -> str:
    """Return a sample's line; raises AssertionError if its ids don't decode to it."""
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text, f"decoding does not invert encoding for {text!r}"
    tokens = " ".join(readable(tokenizer.token_bytes(token_id)) for token_id in ids)
    return (
        f"  {name:<8}{len(text):>4} characters {len(ids):>4} tokens"
        f" {len(text) / len(ids):>6.2f} characters per token\n          {tokens}"
    )


def stream_trace(tokenizer: Tokenizer, text: str) -> Iterator[str]:
    """Yield a line for each id pushed: its bytes, the chunk given out, the bytes held back."""
    stream = StreamDecoder(tokenizer)
    chunks = []
    for token_id in tokenizer.encode(text):
        chunks.append(stream.push(token_id))
        data = tokenizer.token_bytes(token_id).hex(" ")
        yield f"  {token_id:>5}  {data:<24} {chunks[-1]!r:<12} {stream.pending.hex(' ')}".rstrip()
    chunks.append(stream.finish())
    assert "".join(chunks) == text, f"the chunks don't join to {text!r}"


def main() -> None:
    """Print the three parts."""
    tokenizer = train([TEXT], vocab_size=320, special_tokens=["<|endoftext|>"])
    merges = tokenizer.model.merges()
    print(
        f"{len(merges)} merges learned from {len(TEXT.encode())} bytes (␣ space, ↵ newline, <..> bytes)"
    )
    print("\n".join(merge_table(tokenizer)))
    print("\ntokens of samples; each decodes to itself")
    for name, text in SAMPLES.items():
        print(report(tokenizer, name, text))
    print("\na stream: id, its bytes, the chunk it gives, the bytes held back")
    print("\n".join(stream_trace(tokenizer, "the 😀👍 cat")))


if __name__ == "__main__":
    main()
