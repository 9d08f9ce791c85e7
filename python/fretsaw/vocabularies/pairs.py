"""The form in which tiktoken's ranks come with the package: `NAME.pairs`.

In these vocabularies the first 256 tokens are the bytes, and each later one joins two earlier
tokens. A file is zlib over the 256 bytes in rank order, then the left and the right rank of each
later token in rank order: three planes each, of the low, the middle and the high byte. The pairs of
r50k_base are GPT-2's list of merges.
"""

import zlib
from collections.abc import Sequence

BYTES = 256
_PLANES = 3


def pack(tokens: Sequence[bytes], left: Sequence[int], right: Sequence[int]) -> bytes:
    """The file of these tokens, in rank order: all but the first 256 join a left and a right."""
    planes = [
        bytes(rank >> 8 * plane & 0xFF for rank in side)
        for side in (left, right)
        for plane in range(_PLANES)
    ]
    return zlib.compress(b"".join([*tokens[:BYTES], *planes]), 9)


def unpack(packed: bytes) -> tuple[list[bytes], list[int], list[int]]:
    """The tokens of a file in rank order; the left and right ranks of all but the first 256."""
    # Some 15 MiB that a process without built-in vocabularies does without.
    import numpy as np

    data = zlib.decompress(packed)
    tokens = [data[rank : rank + 1] for rank in range(BYTES)]
    planes = np.frombuffer(data, np.uint8, offset=BYTES).reshape(2, _PLANES, -1).astype(np.uint32)
    left, right = (planes[:, 0] | planes[:, 1] << 8 | planes[:, 2] << 16).tolist()
    for first, second in zip(left, right, strict=True):
        tokens.append(tokens[first] + tokens[second])
    return tokens, left, right
