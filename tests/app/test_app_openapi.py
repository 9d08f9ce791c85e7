"""The service keeps to its own OpenAPI description, whatever is sent (schemathesis)."""

import os
from collections.abc import Iterator

import pytest
import schemathesis
from app_served import Served
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

EXAMPLES = 2000 if os.environ.get("FRETSAW_PROVE") else 15
SERVICE = [
    *(("post", f"/{name}") for name in ("encode", "encode_batch", "decode", "count", "stream")),
    *(("get", f"/{name}") for name in ("tokenizers", "health", "metrics")),
]
PAGE = [
    *(
        ("post", f"/view/{name}")
        for name in ("tokens", "merges", "train", "languages", "samples", "patterns")
    ),
    ("post", "/files"),
]


@pytest.fixture(scope="module")
def page() -> Iterator[Served]:
    """The service with what the page asks for."""
    served = Served("app", "--no-browser")
    yield served
    assert "Traceback" not in served.stop()


def described(service: Served) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{service.address}/openapi.json")


def test_every_operation_is_tried(service: Served, page: Served):
    for served, wanted in ((service, SERVICE), (page, SERVICE + PAGE)):
        operations = [found.ok() for found in described(served).get_all_operations()]
        assert {(one.method, one.path) for one in operations} == set(wanted)


def try_all(served: Served, method: str, path: str, mode: GenerationMode, examples: int) -> None:
    """Sends what the description allows, or what it does not, and checks the answers against it."""
    operation = described(served)[path][method]
    if mode is GenerationMode.NEGATIVE and not operation.body:
        return  # there is nothing to get wrong

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode), name=st.sampled_from(["byte", "gpt2"]))
    def try_it(case: schemathesis.Case, name: str) -> None:
        if mode is GenerationMode.POSITIVE and isinstance(case.body, dict):
            # else hardly any name is one of a tokenizer
            names = {"tokenizer": name, "tokenizers": [name]}
            case.body.update({key: value for key, value in names.items() if key in case.body})
        response = case.call()
        excluded = [positive_data_acceptance] if path == "/files" else []
        case.validate_response(response, excluded_checks=excluded)
        assert response.status_code < 500

    try_it()


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize(("method", "path"), SERVICE)
def test_the_service_is_as_described(service: Served, method: str, path: str, mode: GenerationMode):
    try_all(service, method, path, mode, EXAMPLES)


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize(("method", "path"), PAGE)
def test_the_page_is_served_as_described(
    page: Served, method: str, path: str, mode: GenerationMode
):
    try_all(page, method, path, mode, EXAMPLES // 3)
