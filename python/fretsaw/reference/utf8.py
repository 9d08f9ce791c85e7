"""UTF-8 decoding with replacement, for text that arrives whole or in parts.

Walk the bytes with the table of well-formed sequences: a lead byte says how many bytes follow and
which values the first of them may have, the rest are 80..BF. A sequence that completes is its
character; one that meets a wrong byte becomes one U+FFFD (its bytes so far are the "maximal
ill-formed subpart") and decoding goes on at the wrong byte; one that runs out of bytes is undecided.

Cost: O(n) for n bytes; at most 3 bytes are undecided.
Source: The Unicode Standard, table 3-7 and the practice of section 3.9; the same result as Rust's
`String::from_utf8_lossy`, which Hugging Face tokenizers 0.23.3 decodes with.
"""

from __future__ import annotations

REPLACEMENT = "\ufffd"

# The second byte's bounds where they are narrower than 80..BF: no overlong forms, no surrogates,
# nothing above U+10FFFF.
_SECOND_BYTE = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}


def _sequence_length(lead: int) -> int:
    """Return the number of bytes that a lead byte announces, 0 if it can't lead."""
    if lead < 0x80:
        return 1
    if 0xC2 <= lead <= 0xDF:
        return 2
    if 0xE0 <= lead <= 0xEF:
        return 3
    if 0xF0 <= lead <= 0xF4:
        return 4
    return 0


def decode_prefix(data: bytes) -> tuple[str, int]:
    """Decode what is decided of `data`: its text, and the number of bytes (0..len) that text used.

    The bytes after that number, at most 3, begin a character that more bytes could complete.

    >>> decode_prefix(b"a\\xf0\\x9f\\x98")
    ('a', 1)
    >>> decode_prefix(b"\\xc3\\xa9\\xff\\xe2\\x82")
    ('é\ufffd', 3)
    """
    text: list[str] = []
    start = 0
    while start < len(data):
        length = _sequence_length(data[start])
        end = start + 1
        low, high = _SECOND_BYTE.get(data[start], (0x80, 0xBF))
        while end < min(start + length, len(data)) and low <= data[end] <= high:
            end += 1
            low, high = 0x80, 0xBF
        if end - start == length:
            text.append(data[start:end].decode("utf-8"))
        elif end == len(data) and length > 0:
            break
        else:
            text.append(REPLACEMENT)
        start = end
    return "".join(text), start


def decode_with_replacement(data: bytes) -> str:
    """Decode all of `data`, an undecided end as one U+FFFD.

    >>> decode_with_replacement(b"\\xc3\\xa9\\xff\\xe2\\x82")
    'é\ufffd\ufffd'
    """
    text, used = decode_prefix(data)
    return text if used == len(data) else text + REPLACEMENT
