"""Whatever is sent to it, the server answers: what cannot be understood gets a sentence, and nothing ends in a 500."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from web_client import Answered, Running

from whimbrel.web.api import OPERATIONS
from whimbrel.web.app import _routes
from whimbrel.web.forms import LARGEST_BYTES, MOST_FIELDS
from whimbrel.web.seals import Seals
from whimbrel.web.settings import Door

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=b"
STRANGER = "127.0.0.9"
"""Sends wrong keys too, after which an address is not heard for a minute."""

KNOWN = ("http://a.example/tides", "http://a.example/hostile", "http://a.example/paper.pdf", "http://a.example/gone")
ODDS = (
    "", "0", "1", "-1", "3", "999999999999999999999", "1e9", "nan", "٣", "\x00", "\ud7ff", "\U0010ffff", "a" * 5_000,
    "%00", "%ff", "../../etc/passwd", "http://[", "http://a.example:99999/", "http://" + "a." * 200, "data:,", "//",
    "http://a.example/\u202e", "javascript:1", "before:0001", "after:9999-12-31", "before:99999", "site:", '"', "-",
    "true", "null", "{}", "copy", "text", "links", "changes", "yes",
)  # fmt: skip
NAMES = ("url", "q", "v", "view", "from", "to", "page", "size", "days", "version", "frame", "at", "fragment", "print",
         "next", "key", "keys", "keep", "back", "limit", "depth", "delay", "scope", "assets", "snippets", "token",
         "")  # fmt: skip

value = st.sampled_from((*KNOWN, *ODDS)) | st.text(max_size=60)
parameters = st.dictionaries(st.sampled_from(NAMES), value, max_size=6)
posted = st.sampled_from([route.path for route in _routes(Door()) if route.methods and "POST" in route.methods])
read = st.sampled_from([route.path for route in _routes(Door()) if route.methods and "GET" in route.methods])
segment = st.sampled_from(("x", "0" * 40, "%00", "%ff%fe", "..", "whimbrel.css", "é"))


@pytest.fixture(scope="module")
def visit(server: Running) -> tuple[str, str]:
    return server.visit()


def encodable(given: dict[str, str]) -> dict[str, str]:
    return {name: value.encode("utf-8", "replace").decode() for name, value in given.items()}


def answered(answer: Answered) -> None:
    assert answer.status < 500 or answer.status == 503, (answer.status, answer.text[:300])
    assert answer.status < 400 or len(answer.body) > 20, "a sentence says what was wrong"


def test_every_route_is_among_those_tried() -> None:
    routes = {route.path for route in _routes(Door())}
    assert {operation.path for operation in OPERATIONS} < routes
    assert len(routes) > 20


@settings(max_examples=250, deadline=None)
@given(read, segment, parameters)
def test_no_parameter_fails_a_page(server: Running, path: str, segment: str, given: dict[str, str]) -> None:
    path = path.replace("{seal}", segment).replace("{name}", segment)
    answered(server.get(path.encode("ascii", "ignore").decode(), **encodable(given)))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(KNOWN), parameters)
def test_no_parameter_fails_a_sealed_address(server: Running, url: str, given: dict[str, str]) -> None:
    """Addresses that a seal holds for, with anything else beside."""
    seals = Seals(server.key)
    for purpose, number in (("copy", given.get("v", "1")), ("save", "1"), ("file", given.get("at", "0"))):
        sent = encodable(given) | {"url": url, "frame": "f" * 20}
        sent |= {"at" if purpose == "file" else "v": number}
        answered(server.get(f"/kept/{seals.seal(purpose, url, number)}/{purpose}", **sent))


@settings(max_examples=120, deadline=None)
@given(posted, parameters)
def test_no_field_fails_a_form(server: Running, visit: tuple[str, str], path: str, given: dict[str, str]) -> None:
    cookie, token = visit
    if path.endswith(("/start", "/resume", "/api/crawl")):
        given |= {"url": "no host", "limit": "x"}  # nothing is to be crawled here
        path = path.replace("resume", "start")
    form = encodable(given) | {"token": token}
    answered(server.post(path, form, coming_from=STRANGER, Cookie=cookie, X_Whimbrel_Token=token))


@settings(max_examples=120, deadline=None)
@given(posted, st.binary(max_size=300), st.sampled_from((FORM, MULTIPART, "application/json", "text/plain", "é", "")))
def test_no_body_fails_a_form(server: Running, visit: tuple[str, str], path: str, body: bytes, kind: str) -> None:
    cookie, token = visit
    if path.endswith("/resume"):
        return
    named = {"Content-Type": kind.encode("ascii", "ignore").decode()} if kind else {}
    answered(server.ask("POST", path, body, coming_from=STRANGER, Cookie=cookie, X_Whimbrel_Token=token, **named))


BROKEN: dict[str, tuple[int, bytes, str]] = {
    "too many fields": (400, b"&".join(b"f%d=" % number for number in range(MOST_FIELDS + 1)), FORM),
    "too large": (413, b"x=" + b"y" * LARGEST_BYTES, FORM),
    "no UTF-8": (400, b"url=\xff\xfe", FORM),
    "no UTF-8 behind its escapes": (400, b"url=%ff%fe", FORM),
    "cut in a character": (400, b"url=%c3", FORM),
    "multipart": (415, b"--b\r\nContent-Disposition: form-data; name=url\r\n\r\nx\r\n--b--\r\n", MULTIPART),
    "broken multipart": (415, b"--b\r\nContent-Disp", MULTIPART),
    "multipart without a boundary": (415, b"--b\r\n", "multipart/form-data"),
    "JSON": (415, b'{"url": 1}', "application/json"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("path", ["/favourite", "/seen", "/crawl/start", "/login"])
def test_a_form_that_cannot_be_read_says_why(server: Running, visit: tuple[str, str], path: str, name: str) -> None:
    code, body, kind = BROKEN[name]
    cookie, token = visit
    answer = server.ask("POST", path, body, Cookie=cookie, X_Whimbrel_Token=token, **{"Content-Type": kind})
    assert answer.status == code
    assert answer.text.strip().endswith(".")
    page = server.ask("POST", path, body, Cookie=cookie, X_Whimbrel_Token=token, Accept="text/html",
                      **{"Content-Type": kind})  # fmt: skip
    assert page.status == code
    assert "<h1>" in page.text


def test_a_hundred_fields_are_read(server: Running, visit: tuple[str, str]) -> None:
    cookie, token = visit
    form = {f"f{number}": "" for number in range(MOST_FIELDS - 1)} | {"token": token}
    assert server.post("/seen", form, Cookie=cookie).status == 204


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"url": 5}', b'{"url": "\\ud800"}', b'"\xff"', b"null",
                                  b'{"url": "x", "limit": 1e400}', b"[" * 20_000])  # fmt: skip
def test_json_that_cannot_be_read_says_why(server: Running, visit: tuple[str, str], body: bytes) -> None:
    cookie, token = visit
    answer = server.ask("POST", "/api/crawl", body, Cookie=cookie, X_Whimbrel_Token=token)
    assert answer.status in (400, 409)
    assert len(answer.json()["error"]) > 20


def test_who_leaves_in_the_middle_of_a_form_fails_nothing(
    serving: Callable[..., Running], tmp_path: Path, caplog: Any
) -> None:
    server = serving(tmp_path)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(b"POST /seen HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nkeys=1")
    assert server.get("/favourites").status == 200
    assert [record for record in caplog.records if record.exc_info] == []
