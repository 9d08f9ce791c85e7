"""The description of the service in OpenAPI 3.1, made from the table of endpoints.

So that nothing is said twice, schemas of bodies are those that check them (`_fields`).
"""

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from ._endpoints import COUNT, Endpoint
from ._fields import schema_of
from ._limits import Limits
from ._sent import MAX_NAME, PATTERN_CHARS

__all__ = ["description"]

JSON = "application/json"
BINARY = "application/octet-stream"
TEXT_SCHEMA = {"type": "string"}
PROBLEMS = {
    400: "The body is not JSON in UTF-8, or the client went away.",
    403: "The request comes from another site, or for another host.",
    404: "No tokenizer has the name.",
    408: "The body did not come in time, or the work took too long.",
    413: "The body is too large.",
    415: "The body is not called application/json.",
    422: "A field is wrong, or the tokenizer can't do this; `where` is its JSON path.",
    429: "Too many requests at once; try again in a second.",
}
FILE_PARAMETERS = (
    ("name", "The file's name.", {"type": "string", "minLength": 1, "maxLength": MAX_NAME}),
    (
        "pattern",
        "For ranks of tiktoken: what splits the text (fancy-regex).",
        {"type": "string", "maxLength": PATTERN_CHARS},
    ),
    (
        "special_tokens",
        "For ranks of tiktoken: a JSON object of strings and their ids.",
        {"type": "string", "contentMediaType": JSON},
    ),
    (
        "merges_bytes",
        "For vocab.json: how many bytes of merges.txt stand behind it.",
        {"type": "integer", "minimum": 0},
    ),
)


def description(endpoints: Iterable[Endpoint], limits: Limits, page: bool) -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, Any] = {
        endpoint.path: {"post": _post(endpoint, limits)} for endpoint in endpoints
    }
    if page:
        paths["/files"] = {"post": _files(limits)}
    tokenizers = _object(
        {
            "tokenizers": {
                "type": "array",
                "items": _object(
                    {
                        "name": TEXT_SCHEMA,
                        "source": {"type": "string", "enum": ["built-in", "file", "sent"]},
                    }
                ),
            }
        }
    )
    health = _object({"status": {"const": "ok"}, "version": TEXT_SCHEMA})
    about = "Names of all tokenizers, and where each is from."
    paths["/tokenizers"] = {"get": _get(about, JSON, tokenizers)}
    paths["/health"] = {"get": _get("Whether the service works.", JSON, health)}
    paths["/metrics"] = {"get": _get("Metrics for Prometheus.", "text/plain", TEXT_SCHEMA)}
    paths["/openapi.json"] = {"get": _get("This description.", JSON, {"type": "object"})}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "fretsaw",
            "version": version("fretsaw"),
            "description": "Exact, fast tokenization. Text is data unless `special` says otherwise.",
        },
        "paths": paths,
        "components": {"schemas": {"Problem": _problem()}},
    }


def _post(endpoint: Endpoint, limits: Limits) -> dict[str, Any]:
    answer: Mapping[str, Any]
    if endpoint.stream is None:
        answer = {JSON: {"schema": _object(endpoint.answer)}}
    else:
        data = {"type": "string", "contentMediaType": JSON, "contentSchema": _events(endpoint)}
        event = {"type": "string", "enum": ["token", "done", "error"]}
        answer = {"text/event-stream": {"schema": _object({"event": event, "data": data})}}
    return {
        "operationId": endpoint.path.strip("/").replace("/", "_"),
        "summary": endpoint.summary,
        "description": f"At most {limits.body_bytes:,} bytes and {limits.time_s:g} seconds.",
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": schema_of(endpoint.fields)}},
        },
        "responses": {"200": {"description": "The answer.", "content": answer}}
        | _problems(PROBLEMS),
    }


def _events(endpoint: Endpoint) -> dict[str, Any]:
    """The data of events: one for each id, one at the end, or an error."""
    stopped = {"type": ["string", "null"]}
    done = {"text": TEXT_SCHEMA, "stopped": stopped}
    problem = {"$ref": "#/components/schemas/Problem"}
    return {"anyOf": [_object(endpoint.answer), _object(done), problem]}


def _files(limits: Limits) -> dict[str, Any]:
    answer = _object({"name": TEXT_SCHEMA, "vocab_size": COUNT})
    return {
        "operationId": "files",
        "summary": "Lends a tokenizer file to this process, until others take its place.",
        "description": f"At most {limits.file_bytes:,} bytes; {limits.loaded_files} are kept.",
        "parameters": [_parameter(*known) for known in FILE_PARAMETERS],
        "requestBody": {
            "required": True,
            "content": {BINARY: {"schema": {"type": "string", "contentEncoding": "binary"}}},
        },
        "responses": {"200": {"description": "Its name.", "content": {JSON: {"schema": answer}}}}
        | _problems(PROBLEMS),
    }


def _parameter(name: str, about: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    required = "minLength" in schema
    return {
        "name": name,
        "in": "query",
        "required": required,
        "description": about,
        "schema": dict(schema),
    }


def _get(about: str, kind: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    answer = {"description": "The answer.", "content": {kind: {"schema": schema}}}
    return {"summary": about, "responses": {"200": answer} | _problems({403: PROBLEMS[403]})}


def _problems(problems: Mapping[int, str]) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        str(status): {"description": about, "content": {JSON: {"schema": schema}}}
        for status, about in problems.items()
    }


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _problem() -> dict[str, Any]:
    return _object({"error": _object(dict.fromkeys(("code", "message", "where"), TEXT_SCHEMA))})
