"""Who may ask at /mcp, and how."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from web_client import Running

pytest.importorskip("mcp", reason="the extra `agents` is not installed")

CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sites"}}).encode()
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def test_asking_takes_the_right_to_read(serving: Callable[..., Running], shelf: Path) -> None:
    server = serving(shelf, host="0.0.0.0")
    refused = server.ask("POST", "/mcp", CALL, **HEADERS)
    assert (refused.status, "Bearer KEY" in refused.json()["error"]) == (401, True)
    said = server.ask("POST", "/mcp", CALL, **HEADERS, Authorization=f"Bearer {server.key}")
    assert (said.status, "a.example" in said.text) == (200, True)
    wrong = server.ask("POST", "/mcp", CALL, **HEADERS, Authorization="Bearer wrong")
    assert wrong.status == 401


def test_pages_of_other_sites_cannot_ask(server: Running) -> None:
    for asked in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Host": "evil.example"}):
        assert server.ask("POST", "/mcp", CALL, **HEADERS, **asked).status in (403, 421), asked


def test_what_is_no_question_is_refused(server: Running) -> None:
    assert server.ask("POST", "/mcp", CALL, **HEADERS).status == 200
    assert server.get("/mcp").status == 405
    assert server.ask("DELETE", "/mcp").status == 405
    assert server.ask("POST", "/mcp", b"nonsense", **HEADERS).status == 400
    assert server.ask("POST", "/mcp", b"x" * 5_000_000, **HEADERS).status == 413
