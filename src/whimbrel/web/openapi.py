"""The description of the JSON interface, made from the very table that its routes are made from."""

from typing import Any

import msgspec

from whimbrel import __version__
from whimbrel.web.answers import Problem
from whimbrel.web.api import OPERATIONS, Operation

_REFERENCE = "#/components/schemas/{name}"
_MEANINGS = {
    200: "The answer.",
    400: "The request cannot be understood.",
    401: "The folder's key is missing.",
    403: "The token is missing.",
    404: "There is no such thing here.",
    409: "Not now.",
}


def description(locked: bool) -> dict[str, Any]:
    """OpenAPI 3.1."""
    types = [Problem, *(each.answer for each in OPERATIONS), *(each.sends for each in OPERATIONS if each.sends)]
    distinct = list(dict.fromkeys(types))
    schemas, components = msgspec.json.schema_components(distinct, ref_template=_REFERENCE)
    named = dict(zip(distinct, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _described(operation, named, locked)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Whimbrel", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "The folder's key, from serve.key."},
                "token": {"type": "apiKey", "in": "header", "name": "X-Whimbrel-Token"},
            },
        },
    }


def _described(operation: Operation, named: dict[Any, Any], locked: bool) -> dict[str, Any]:
    codes = [*operation.failures, *((401,) if locked else ())]
    told: dict[str, Any] = {
        "summary": operation.summary,
        "operationId": f"{operation.method}{operation.path.removeprefix('/api').replace('/', '_')}",
        "parameters": [_parameter(*each) for each in operation.parameters],
        "responses": {
            "200": _response(200, named[operation.answer]),
            **{str(code): _response(code, named[Problem]) for code in sorted(codes)},
        },
    }
    if operation.method == "post" or locked:
        told["security"] = [{"key": []}, {"token": []}] if operation.method == "post" else [{"key": []}]
    if operation.sends is not None:
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": named[operation.sends]}}}
    return told


def _parameter(name: str, kind: str, words: str) -> dict[str, Any]:
    return {
        "name": name.rstrip("*"),
        "in": "query",
        "required": name.endswith("*"),
        "description": words,
        "schema": {"type": kind},
    }


def _response(code: int, schema: Any) -> dict[str, Any]:
    return {"description": _MEANINGS[code], "content": {"application/json": {"schema": schema}}}
