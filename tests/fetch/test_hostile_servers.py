"""The fetcher against servers that misbehave."""

import asyncio
import gzip
import socket

import pytest

from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.testing.reply import bomb
from whimbrel.testing.web import Reply, TinyWeb

BODY = b"x" * 5000
PACKED_HEAD = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

HOSTILE = {
    "endless body": (Reply(endless_body=True), FailureKind.TOO_LARGE),
    "endless chunked body": (Reply(endless_body=True, chunked=True), FailureKind.TOO_LARGE),
    "body declared too large": (Reply(BODY, declared_length=10**12), FailureKind.TOO_LARGE),
    "header bomb": (Reply(endless_headers=True), FailureKind.HEADERS_TOO_LARGE),
    "one huge header": (Reply(BODY, headers=(("X", "y" * 70_000),)), FailureKind.HEADERS_TOO_LARGE),
    "gzip bomb": (bomb("gzip"), FailureKind.TOO_LARGE),
    "deflate bomb": (bomb("deflate"), FailureKind.TOO_LARGE),
    "brotli bomb": (bomb("br", 16), FailureKind.TOO_LARGE),
    "zstd bomb": (bomb("zstd", 64), FailureKind.TOO_LARGE),
    "endless gzip": (Reply(endless_body=True, chunked=True, codings=("gzip",)), FailureKind.TOO_LARGE),
    "stall before headers": (Reply(silent=True), FailureKind.TIMEOUT),
    "short body": (Reply(BODY, declared_length=9000), FailureKind.CUT),
    "cut in a chunked body": (Reply(BODY, chunked=True, cut_after=4500), FailureKind.CUT),
    "cut before the last chunk": (Reply(BODY, chunked=True, cut_after=5000), FailureKind.CUT),
    "cut in a gzip body": (Reply(raw=PACKED_HEAD + gzip.compress(BODY)[:-9]), FailureKind.CUT),
    "cut in the checksum of gzip": (Reply(raw=PACKED_HEAD + gzip.compress(BODY)[:-3]), FailureKind.CUT),
    "cut in the header": (Reply(raw=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"), FailureKind.CUT),
    "cut in a header line": (Reply(raw=b"HTTP/1.1 200 OK\r\nContent-Ty"), FailureKind.CUT),
    "cut behind the status line": (Reply(raw=b"HTTP/1.1 200 OK\r\n"), FailureKind.CUT),
    "cut before the body": (Reply(BODY, cut_after=0), FailureKind.CUT),
    "reset in the body": (Reply(BODY, cut_after=100, reset=True), FailureKind.CONNECT),
    "garbage": (Reply(raw=b"\x00\x01garbage\r\n\r\n" * 50), FailureKind.PROTOCOL),
    "another protocol": (Reply(raw=b"SSH-2.0-OpenSSH_9.2\r\n"), FailureKind.PROTOCOL),
    "nothing at all": (Reply(raw=b""), FailureKind.CONNECT),
    "status line only": (Reply(raw=b"HTTP/1.1 2"), FailureKind.CONNECT),
    "not gzip": (Reply(BODY, headers=(("Content-Encoding", "gzip"),)), FailureKind.ENCODING),
    "not brotli": (Reply(b"\xff" * 50, headers=(("Content-Encoding", "br"),)), FailureKind.ENCODING),
    "not zstd": (Reply(BODY, headers=(("Content-Encoding", "zstd"),)), FailureKind.ENCODING),
    "header without colon": (Reply(raw=b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\nx"), FailureKind.PROTOCOL),
    "bad chunk size": (
        Reply(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nxx\r\n"),
        FailureKind.PROTOCOL,
    ),
    "two lengths": (
        Reply(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk"),
        FailureKind.PROTOCOL,
    ),
}


PATIENCE_SECONDS = 300


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_servers_end_in_a_typed_failure(get, name):
    page, kind = HOSTILE[name]
    with TinyWeb({"/": page, "/good": Reply(raw=GOOD)}) as web:
        # Only who would stall for ever is given little time: a busy machine takes its own to send a bomb.
        seconds = 1 if kind is FailureKind.TIMEOUT else PATIENCE_SECONDS
        outcome = get(web.url("/"), max_body_bytes=1 << 20, total_seconds=seconds)
        assert get(web.url("/good")).body == b"ok"
    assert isinstance(outcome, Failure), outcome
    assert outcome.kind is kind, outcome
    assert outcome.detail.isprintable()


def test_a_cut_body_says_how_much_came(get):
    with TinyWeb({"/": Reply(BODY, declared_length=9000)}) as web:
        assert get(web.url("/")).detail == "the connection closed too early: 5000 bytes of the 9000 announced came"


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_a_body_that_proves_itself_whole_needs_no_right_length(get, coding):
    """Servers that announce the length before they compress do so every time, and browsers show their pages."""
    with TinyWeb({"/": Reply(BODY, codings=(coding,), declared_length=5000)}) as web:
        assert get(web.url("/")).body == BODY


@pytest.mark.parametrize("codings", [(), ("gzip",)])
def test_a_redirect_or_an_error_needs_no_body(get, codings):
    moved = Reply(BODY, status=301, headers=(("Location", "/b"),), codings=codings, cut_after=10)
    with TinyWeb({"/": moved, "/b": Reply(BODY, status=404, declared_length=9000)}) as web:
        assert (get(web.url("/")).status, get(web.url("/")).headers["location"]) == (301, "/b")
        assert get(web.url("/b")).status == 404


def test_a_slow_drip_is_cut_off_as_slow(get):
    with TinyWeb({"/": Reply(BODY, drip_seconds=0.2)}) as web:
        outcome = get(web.url("/"), stall_seconds=1)
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.SLOW


def test_a_body_longer_than_declared_ends_where_it_was_said_to(get):
    with TinyWeb({"/": Reply(BODY, declared_length=100)}) as web:
        outcome = get(web.url("/"))
    assert isinstance(outcome, Response)
    assert outcome.body == BODY[:100]


def test_a_body_at_the_cap_passes_and_one_byte_more_does_not(get):
    pages = {
        "/at": Reply(bytes(10_000)),
        "/over": Reply(bytes(10_001)),
        "/at-gzip": Reply(bytes(10_000), codings=("gzip",)),
        "/over-gzip": Reply(bytes(10_001), codings=("gzip",)),
        "/over-chunked": Reply(bytes(10_001), chunked=True),
    }
    with TinyWeb(pages) as web:
        outcomes = {path: get(web.url(path), max_body_bytes=10_000) for path in pages}
    kinds = {path: o.kind if isinstance(o, Failure) else len(o.body) for path, o in outcomes.items()}
    assert kinds == {
        "/at": 10_000,
        "/over": FailureKind.TOO_LARGE,
        "/at-gzip": 10_000,
        "/over-gzip": FailureKind.TOO_LARGE,
        "/over-chunked": FailureKind.TOO_LARGE,
    }


def test_interim_answers_and_trailers_are_not_part_of_the_head(get):
    raw = (
        b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
        b"HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        b"2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"
    )
    with TinyWeb({"/": Reply(raw=raw)}) as web:
        response = get(web.url("/"))
    assert response.head == b"HTTP/1.1 200 Fine\r\nTrailer: X-Sum\r\n\r\n"
    assert response.body == b"ok"
    assert "link" not in response.headers


def test_bare_line_feeds_and_folded_lines_are_read(get):
    raw = b"HTTP/1.0 200 OK\nX-A: one\n two\nContent-Type: text/plain\n\nbody"
    with TinyWeb({"/": Reply(raw=raw)}) as web:
        response = get(web.url("/"))
    assert isinstance(response, Response)
    assert response.headers["x-a"] == "one two"
    assert response.headers["content-type"] == "text/plain"
    assert response.body == b"body"
    assert response.head.count(b"\n") == response.head.count(b"\r\n")


def test_control_characters_of_a_server_do_not_reach_the_detail(get):
    with TinyWeb({"/": Reply(raw=b"HTTP/1.1 \x1b[31m\x07\r\n\r\n")}) as web:
        outcome = get(web.url("/"))
    assert isinstance(outcome, Failure)
    assert outcome.detail.isprintable()


def test_a_closed_port_is_a_connect_failure(get):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    outcome = get(f"http://127.0.0.1:{port}/")
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.CONNECT


def test_connections_closed_after_every_answer_do_not_confuse_the_fetcher(use_fetcher):
    """Socket numbers come back at once here: a stale registration would make a request hang."""

    async def use(fetcher):
        async def some() -> list[object]:
            return [await fetcher.fetch(web.url(path)) for path in paths * 5]

        return [outcome for outcomes in await asyncio.gather(*(some() for _ in range(16))) for outcome in outcomes]

    pages = {"/good": Reply(raw=GOOD), "/kept": "kept", "/reset": Reply(BODY, cut_after=9, reset=True)}
    paths = list(pages)
    with TinyWeb(pages) as web:
        outcomes = use_fetcher(use, total_seconds=5)
    kinds = [o.kind if isinstance(o, Failure) else o.body for o in outcomes]
    assert kinds == [b"ok", b"kept", FailureKind.CONNECT] * 80
