"""The description of the JSON interface is true: real answers are held against it."""

from typing import Any
from urllib.parse import urlencode

import pytest
from kept_shelf import PLAIN, TIDES
from web_client import Running

ASKED: dict[str, list[dict[str, object]]] = {
    "/api/search": [
        {"q": "estuary"},
        {"q": "godwits", "snippets": "false", "facets": "false", "size": 3},
        {"q": "zzzz"},
    ],
    "/api/page": [{"url": TIDES}, {"url": "http://a.example/twin/2"}, {"url": "http://a.example/gone"}],
    "/api/text": [{"url": TIDES}, {"url": PLAIN}],
    "/api/links": [{"url": TIDES}],
    "/api/changes": [{"url": TIDES}],
    "/api/changed": [{}, {"days": 30}],
    "/api/status": [{}],
    "/api/favourites": [{}],
    "/api/crawl": [{}],
}
WRONG: list[tuple[str, dict[str, object], int]] = [
    ("/api/page", {"url": "nonsense"}, 400),
    ("/api/page", {"url": "http://never.example/"}, 404),
    ("/api/text", {"url": TIDES, "version": 99}, 404),
    ("/api/changes", {"url": PLAIN}, 404),
    ("/api/nowhere", {}, 404),
]


@pytest.fixture(scope="module")
def described(server: Running) -> dict[str, Any]:
    told = server.get("/api/openapi.json").json()
    assert told["openapi"] == "3.1.0"
    return told


def faults(value: Any, schema: dict[str, Any], whole: dict[str, Any], at: str = "") -> list[str]:
    """Where a value departs from a schema: the part of JSON Schema that is used here, and no unknown keys."""
    if "$ref" in schema:
        return faults(value, whole["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], whole, at)
    if "anyOf" in schema:
        return [] if any(not faults(value, one, whole, at) for one in schema["anyOf"]) else [f"{at}: none of anyOf"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{at}: {value!r} is not in {schema['enum']}"]
    kinds: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool,
                             "array": list, "object": dict, "null": type(None)}  # fmt: skip
    kind = schema.get("type")
    if kind is None or not isinstance(value, kinds[kind]) or (kind in ("integer", "number") and value is True):
        return [f"{at}: {value!r} is no {kind}"]
    if kind == "array":
        return [
            fault for place, one in enumerate(value) for fault in faults(one, schema["items"], whole, f"{at}[{place}]")
        ]
    if kind != "object":
        return []
    known = schema.get("properties", {})
    found = [f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value]
    for name, one in value.items():
        if name in known:
            found += faults(one, known[name], whole, f"{at}.{name}")
        elif "additionalProperties" in schema:
            found += faults(one, schema["additionalProperties"], whole, f"{at}.{name}")
        else:
            found.append(f"{at}: {name} is not described")
    return found


def test_every_get_is_asked(described: dict[str, Any]) -> None:
    assert {path for path, methods in described["paths"].items() if "get" in methods} == set(ASKED)


@pytest.mark.parametrize("path", ASKED)
def test_answers_are_as_described(server: Running, described: dict[str, Any], path: str) -> None:
    operation = described["paths"][path]["get"]
    names = {each["name"] for each in operation["parameters"]}
    for parameters in ASKED[path]:
        assert set(parameters) <= names
        answer = server.get(f"{path}?{urlencode(parameters)}")
        assert answer.headers["Content-Type"] == "application/json"
        schema = operation["responses"][str(answer.status)]["content"]["application/json"]["schema"]
        assert answer.status == 200
        assert faults(answer.json(), schema, described) == []


@pytest.mark.parametrize(("path", "parameters", "status"), WRONG)
def test_problems_are_as_described(
    server: Running, described: dict[str, Any], path: str, parameters: dict[str, object], status: int
) -> None:
    answer = server.get(f"{path}?{urlencode(parameters)}")
    assert answer.status == status
    assert set(answer.json()) == {"error"}
    if path in described["paths"]:
        assert str(status) in described["paths"][path]["get"]["responses"]


def test_required_parameters_are_required(described: dict[str, Any], server: Running) -> None:
    for path in ("/api/page", "/api/text", "/api/links", "/api/changes"):
        assert server.get(path).status == 400


def test_posts_need_what_is_described(described: dict[str, Any], server: Running) -> None:
    for path, methods in described["paths"].items():
        if "post" in methods:
            assert methods["post"]["security"] == [{"key": []}, {"token": []}]
            assert server.post(path, {}).status == 403
            assert "403" in methods["post"]["responses"]
    key = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    stopped = server.ask("POST", "/api/crawl/stop", b"", **key)
    assert stopped.status == 409
    wrong = server.ask("POST", "/api/crawl", b'{"url": 5}', **key)
    assert wrong.status == 400
    problem = described["paths"]["/api/crawl"]["post"]["responses"]["400"]["content"]["application/json"]["schema"]
    assert faults(wrong.json(), problem, described) == []


def test_a_fault_would_be_found(described: dict[str, Any], server: Running) -> None:
    schema = described["paths"]["/api/search"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    answer = server.get("/api/search", q="estuary").json()
    answer["hits"][0]["score"] = "high"
    del answer["total"]
    answer["more"] = 1
    assert len(faults(answer, schema, described)) == 3
