"""`encode_with_unstable`: the ids that more text can't change, and the ids that may follow them.

The last piece of a text may grow when text is added, so its ids are not stable; white space before
it may join it. Completions are found by brute force: for each place at which a token could start
inside the unstable bytes and go beyond their end, that token is put there, all is encoded again,
and what covers the unstable bytes counts. Source: behaviour of `CoreBPE` in tiktoken 0.14.0, with
its known holes. Cost: the unstable bytes times the tokens that start with each of their ends.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence

from fretsaw import Tokenizer

__all__ = ["completions", "last_piece", "merge_bytes", "unstable_ids"]

_SPACE = frozenset(b" \n\t")


def last_piece(tokenizer: Tokenizer, text: str) -> bytes:
    """The last piece into which a text without special tokens is split."""
    pieces = tokenizer.pre_tokenize(text)
    if not pieces:
        return b""
    start, end = pieces[-1][1]
    return text[start:end].encode()


def merge_bytes(piece: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """The ids of one piece by merging alone: the lowest rank first, leftmost among equals."""
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while len(parts) > 1:
        joined = (ranks.get(parts[at] + parts[at + 1]) for at in range(len(parts) - 1))
        found = [(rank, at) for at, rank in enumerate(joined) if rank is not None]
        if not found:
            break
        _, at = min(found)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [ranks[part] for part in parts]


def unstable_ids(tokens: Sequence[bytes], last_piece: bytes) -> int:
    """How many tokens at the end are unstable: those of the last piece.

    Where that starts with a token of white space, all such tokens before it are unstable too.
    """
    count = covered = 0
    while covered < len(last_piece):
        count += 1
        covered += len(tokens[-count])
    if count and _is_space(tokens[-count]):
        while count < len(tokens) and _is_space(tokens[-count - 1]):
            count += 1
    return count


def _is_space(token: bytes) -> bool:
    return _SPACE.issuperset(token)


def completions(
    unstable: bytes,
    ranks: Mapping[bytes, int],
    sorted_tokens: Sequence[bytes],
    encode: Callable[[str], list[int]],
    decode: Callable[[int], bytes],
) -> list[list[int]]:
    """Every sequence of ids that covers the unstable bytes, in no order.

    `encode` encodes text without special tokens, `decode` gives the bytes of one id;
    `sorted_tokens` are the keys of `ranks`.
    """
    found: set[tuple[int, ...]] = {
        (ranks[token],) for token in _starting_with(unstable, sorted_tokens)
    }
    for start in range(1, len(unstable)):
        for token in _starting_with(unstable[start:], sorted_tokens):
            grown = unstable[:start] + token
            try:
                ids = encode(grown.decode())
            except UnicodeDecodeError:
                ids = merge_bytes(grown, ranks)
            found.add(_covering(ids, decode, len(unstable)))
    last = _last_character_bytes(unstable)
    if 0 < last < len(unstable) and _is_white(unstable[-last:]):
        # A split may appear before the last white space when something follows it.
        parts = unstable[:-last], unstable[-last:]
        found.add(tuple(id for part in parts for id in merge_bytes(part, ranks)))
    return [list(ids) for ids in found]


def _starting_with(prefix: bytes, sorted_tokens: Sequence[bytes]) -> Iterator[bytes]:
    for at in range(bisect_left(sorted_tokens, prefix), len(sorted_tokens)):
        if not sorted_tokens[at].startswith(prefix):
            return
        yield sorted_tokens[at]


def _covering(ids: Sequence[int], decode: Callable[[int], bytes], size: int) -> tuple[int, ...]:
    """The first ids that together have `size` bytes or more; all if there are not so many."""
    covered = 0
    for count, id in enumerate(ids, 1):
        covered += len(decode(id))
        if covered >= size:
            return tuple(ids[:count])
    return tuple(ids)


def _last_character_bytes(data: bytes) -> int:
    """Bytes of the last character; 0 where the data does not end in a whole one."""
    for size in range(1, min(4, len(data)) + 1):
        try:
            if len(data[-size:].decode()) == 1:
                return size
        except UnicodeDecodeError:
            continue
    return 0


def _is_white(character: bytes) -> bool:
    """White space as Unicode defines it, which `str.isspace` widens by four control characters."""
    text = character.decode()
    return text.isspace() and text not in "\x1c\x1d\x1e\x1f"
