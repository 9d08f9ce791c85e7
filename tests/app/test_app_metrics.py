"""`GET /metrics` as a Prometheus client reads it."""

from collections.abc import Iterator

import pytest
from app_served import Served
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from fretsaw.app._metrics import BUCKETS_S, Metrics

ALL = {
    "fretsaw_requests": "counter",
    "fretsaw_request_bytes": "counter",
    "fretsaw_tokens": "counter",
    "fretsaw_request_seconds": "histogram",
    "fretsaw_in_flight": "gauge",
    "fretsaw_tokenizers": "gauge",
    "fretsaw_cache_bytes": "gauge",
    "fretsaw_cache_limit_bytes": "gauge",
}


@pytest.fixture(scope="module")
def fresh() -> Iterator[Served]:
    served = Served("serve")
    yield served
    assert "Traceback" not in served.stop()


def families(text: str) -> dict[str, Metric]:
    found = list(text_string_to_metric_families(text))
    names = [family.name for family in found]
    assert len(names) == len(set(names))
    return {family.name: family for family in found}


def values(family: Metric) -> dict[tuple[str, ...], float]:
    """Values by the name of the sample and its labels; no two samples are of the same."""
    found = {(one.name, *one.labels.values()): one.value for one in family.samples}
    assert len(found) == len(family.samples)
    return found


def test_a_client_reads_every_metric(fresh: Served):
    body = '{"tokenizer": "byte", "text": "héllo"}'.encode()
    headers = {"content-type": "application/json"}
    for _ in range(3):
        assert fresh.client.post("/count", content=body, headers=headers).json() == {"count": 6}
    assert fresh.post("/count", tokenizer="none", text="").status_code == 404
    fresh.client.get('/no"such%5Cpath%0A')
    response = fresh.client.get("/metrics")
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = families(response.text)
    assert {name: family.type for name, family in found.items()} == ALL
    assert all(family.documentation for family in found.values())
    requests = values(found["fretsaw_requests"])
    assert requests["fretsaw_requests_total", "/count", "200"] == 3
    assert requests["fretsaw_requests_total", "/count", "404"] == 1
    assert requests["fretsaw_requests_total", "other", "404"] == 1
    assert values(found["fretsaw_tokens"]) == {("fretsaw_tokens_total", "/count"): 18}
    sent = {("fretsaw_request_bytes_total", "/count"): 3 * len(body)}
    assert values(found["fretsaw_request_bytes"]) == sent
    seconds = values(found["fretsaw_request_seconds"])
    assert seconds["fretsaw_request_seconds_count", "/count"] == 4
    assert seconds["fretsaw_request_seconds_bucket", "/count", "+Inf"] == 4
    assert values(found["fretsaw_in_flight"]) == {("fretsaw_in_flight",): 0}


def test_a_histogram_adds_up():
    metrics = Metrics()
    times_s = [0.0, *BUCKETS_S, 0.0011, 11.0]
    for time_s in times_s:
        metrics.answered("/encode", 200, time_s)
    seconds = values(families(metrics.text({}))["fretsaw_request_seconds"])
    for bound in BUCKETS_S:
        below = sum(time_s <= bound for time_s in times_s)
        assert seconds["fretsaw_request_seconds_bucket", "/encode", str(bound)] == below
    assert seconds["fretsaw_request_seconds_bucket", "/encode", "+Inf"] == len(times_s)
    assert seconds["fretsaw_request_seconds_count", "/encode"] == len(times_s)
    assert seconds["fretsaw_request_seconds_sum", "/encode"] == pytest.approx(sum(times_s))
