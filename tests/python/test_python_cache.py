"""The budget of the caches: what is told of it, that it is kept, that ids don't depend on it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import fretsaw

TEXT = " ".join(f"word{number} and {number * 7919}" for number in range(20_000))


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    limit = fretsaw.cache_info().limit_bytes
    yield
    fretsaw.set_cache_limit(limit)


def test_the_first_limit() -> None:
    program = "import fretsaw; print(fretsaw.cache_info())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "CacheInfo(limit_bytes=67108864, used_bytes=0)"


def test_caches_grow_within_the_limit_and_ids_stay_the_same() -> None:
    tok = fretsaw.get("gpt2")
    wanted = tok.encode_ids(TEXT)
    for limit in (64 << 20, 1 << 20, 100_000, 0):
        fretsaw.set_cache_limit(limit)
        assert tok.encode_ids(TEXT) == wanted
        assert tok.encode_ids(TEXT) == wanted
        info = fretsaw.cache_info()
        assert info.limit_bytes == limit
        assert info.used_bytes <= limit
    fretsaw.set_cache_limit(64 << 20)
    assert tok.encode_ids(TEXT) == wanted
    assert fretsaw.cache_info().used_bytes > 100_000


def test_a_lower_limit_drops_what_is_idle() -> None:
    tok = fretsaw.get("gpt2")
    tok.encode_ids(TEXT)
    assert fretsaw.cache_info().used_bytes > 0
    fretsaw.set_cache_limit(0)
    assert fretsaw.cache_info().used_bytes == 0


def test_many_threads_and_tokenizers_share_it() -> None:
    fretsaw.set_cache_limit(2 << 20)
    toks = [fretsaw.get(name) for name in ("gpt2", "r50k_base", "cl100k_base")]
    wanted = [tok.encode_ids(TEXT[:50_000]) for tok in toks]

    def encode(number: int) -> int:
        at = number % len(toks)
        assert toks[at].encode_ids(TEXT[:50_000]) == wanted[at]
        return fretsaw.cache_info().used_bytes

    with ThreadPoolExecutor(16) as pool:
        assert max(pool.map(encode, range(96))) <= 2 << 20


def test_what_is_no_limit() -> None:
    with pytest.raises(ValueError, match="limit_bytes is -1, and must be 0 or more"):
        fretsaw.set_cache_limit(-1)
    with pytest.raises(TypeError):
        fretsaw.set_cache_limit("64 MB")  # type: ignore[arg-type]
    fretsaw.set_cache_limit(10**30)
    assert fretsaw.cache_info().limit_bytes == 2**63 - 1
