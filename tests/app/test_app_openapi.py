"""The service keeps to its own OpenAPI description, whatever is sent (schemathesis)."""

import os

import pytest
import schemathesis
from app_served import Served
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

EXAMPLES = 2000 if os.environ.get("FRETSAW_PROVE") else 15
OPERATIONS = [
    *(("post", f"/{name}") for name in ("encode", "encode_batch", "decode", "count", "stream")),
    *(("get", f"/{name}") for name in ("tokenizers", "health", "metrics")),
]


def described(service: Served) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{service.address}/openapi.json")


def test_every_operation_is_tried(service: Served):
    operations = [found.ok() for found in described(service).get_all_operations()]
    assert {(one.method, one.path) for one in operations} == set(OPERATIONS)


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_service_is_as_described(service: Served, method: str, path: str, mode: GenerationMode):
    operation = described(service)[path][method]
    if mode is GenerationMode.NEGATIVE and not operation.body:
        return  # there is nothing to get wrong

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode), name=st.sampled_from(["byte", "gpt2"]))
    def try_it(case: schemathesis.Case, name: str) -> None:
        if mode is GenerationMode.POSITIVE and isinstance(case.body, dict):
            case.body["tokenizer"] = name  # else hardly any name is one of a tokenizer
        response = case.call()
        case.validate_response(response)
        assert response.status_code < 500

    try_it()
