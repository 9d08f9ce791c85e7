"""The memory that caches of pieces may take: one budget for all tokenizers of the process."""

from typing import NamedTuple

from . import _native

__all__ = ["CacheInfo", "cache_info", "set_cache_limit"]

MOST_BYTES = 2**63 - 1


class CacheInfo(NamedTuple):
    """What `cache_info` tells."""

    limit_bytes: int
    """What all caches together may hold."""
    used_bytes: int
    """What they hold now."""


def cache_info() -> CacheInfo:
    """The budget of all caches of this process, and what they hold now, in bytes.

    Tokenizers remember the ids of pieces they have met; results never depend on it.

    >>> import fretsaw
    >>> fretsaw.cache_info().limit_bytes
    67108864
    """
    return CacheInfo(*_native.cache_bytes())


def set_cache_limit(limit_bytes: int) -> None:
    """Sets how many bytes all caches of this process may hold together; 64 MiB at first.

    Caches that are not in use are dropped at once, and begin anew; one that is in use is dropped when its
    call is done, if all together are above the limit then. With 0 nothing is kept: ids stay the same,
    encoding is slower. A child process made by `fork` has the limit of its parent.
    Raises `ValueError` if the limit is negative.

    >>> import fretsaw
    >>> fretsaw.set_cache_limit(16 << 20)
    >>> fretsaw.cache_info().limit_bytes
    16777216
    >>> fretsaw.set_cache_limit(64 << 20)
    """
    if limit_bytes < 0:
        raise ValueError(f"limit_bytes is {limit_bytes}, and must be 0 or more")
    _native.set_cache_limit(min(limit_bytes, MOST_BYTES))
