"""Heads, as curl hands them over line by line."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.fetch.head import read_head

LINES = st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"").rstrip(b"\r") + b"\r\n")


def test_http2_gets_a_status_line():
    head = read_head([b"HTTP/2 404 \r\n", b"server: x\r\n", b"\r\n"])
    assert head is not None
    assert head.text == b"HTTP/1.1 404 Not Found\r\nserver: x\r\n\r\n"
    assert (head.status, head.protocol) == (404, "HTTP/2")


def test_the_transfer_coding_goes_with_its_folded_lines():
    head = read_head(
        [b"HTTP/1.1 200 OK\r\n", b"TRANSFER-Encoding :\r\n", b" chunked\r\n", b"Transfer-Encodings: a\r\n", b"\r\n"]
    )
    assert head is not None
    assert head.text == b"HTTP/1.1 200 OK\r\nTransfer-Encodings: a\r\n\r\n"
    assert head.transfer_coding == "chunked"
    assert head.headers == {"transfer-encodings": "a"}


def test_lines_that_are_no_head_give_none():
    assert read_head([]) is None
    assert read_head([b"\r\n"]) is None
    assert read_head([b"HTTP/1.1 OK\r\n", b"\r\n"]) is None


def test_a_head_that_breaks_off_is_closed():
    head = read_head([b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"])
    assert head is not None
    assert head.text == b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"


@given(st.lists(LINES, max_size=8))
def test_any_lines_give_a_head_that_can_be_kept(lines):
    head = read_head([b"HTTP/1.1 200 OK\r\n", *lines, b"\r\n"])
    assert head is not None
    assert head.text.endswith(b"\r\n\r\n")
    assert "transfer-encoding" not in head.headers
    assert all(name == name.strip().lower() for name in head.headers)
