"""What `GET /metrics` says, in the text format of Prometheus 0.0.4.

Counters and one histogram of times for each endpoint, under one lock. Names of endpoints come from the
table of routes, never from clients, so that their number is fixed.
"""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

__all__ = ["Metrics"]

BUCKETS_S = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0)
"""Upper bounds of the histogram, in seconds; one more is for all others."""

HELP = {
    "fretsaw_requests_total": ("counter", "Requests answered, by endpoint and status."),
    "fretsaw_request_bytes_total": ("counter", "Bytes of bodies that were read."),
    "fretsaw_tokens_total": ("counter", "Tokens that encode gave or decode took."),
    "fretsaw_request_seconds": ("histogram", "Time from a request's head to its answer's end."),
}


class Metrics:
    """Counts what the service does; safe to use from any thread.

    >>> metrics = Metrics()
    >>> metrics.answered("/count", 200, 0.003)
    >>> 'fretsaw_requests_total{endpoint="/count",status="200"} 1' in metrics.text({}).splitlines()
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()

    def answered(self, endpoint: str, status: int, seconds: float) -> None:
        """Counts a request that was answered."""
        with self._lock:
            self._requests[endpoint, status] += 1
            buckets = self._buckets.setdefault(endpoint, [0] * (len(BUCKETS_S) + 1))
            buckets[bisect_left(BUCKETS_S, seconds)] += 1
            self._seconds[endpoint] += seconds  # type: ignore[assignment]  # a Counter of floats

    def worked(self, endpoint: str, body_bytes: int, tokens: int) -> None:
        """Counts the work of a request."""
        with self._lock:
            self._bytes[endpoint] += body_bytes
            self._tokens[endpoint] += tokens

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All of it, with gauges as name -> (what it is, value)."""
        with self._lock:
            lines = [*self._counters(), *self._histogram()]
        for name, (about, value) in gauges.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge", f"{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _counters(self) -> Iterator[str]:
        yield from _head("fretsaw_requests_total")
        for (endpoint, status), count in sorted(self._requests.items()):
            labels = f'endpoint="{endpoint}",status="{status}"'
            yield f"fretsaw_requests_total{{{labels}}} {count}"
        tables = {"request_bytes": self._bytes, "tokens": self._tokens}
        for name, table in tables.items():
            yield from _head(f"fretsaw_{name}_total")
            for endpoint, count in sorted(table.items()):
                yield f'fretsaw_{name}_total{{endpoint="{endpoint}"}} {count}'

    def _histogram(self) -> Iterator[str]:
        name = "fretsaw_request_seconds"
        yield from _head(name)
        for endpoint, buckets in sorted(self._buckets.items()):
            below = 0
            for bound, count in zip([*map(str, BUCKETS_S), "+Inf"], buckets, strict=True):
                below += count
                yield f'{name}_bucket{{endpoint="{endpoint}",le="{bound}"}} {below}'
            yield f'{name}_sum{{endpoint="{endpoint}"}} {self._seconds[endpoint]:.6f}'
            yield f'{name}_count{{endpoint="{endpoint}"}} {below}'


def _head(name: str) -> list[str]:
    kind, about = HELP[name]
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
