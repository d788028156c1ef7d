"""Kept copies are decoded in one place, and what cannot be read any more is said or left out."""

import gzip
import re
from pathlib import Path

import pytest

from whimbrel.flows.copies import DecodedCopy, decoded, kept_copy
from whimbrel.records.response import Failure, FailureKind
from whimbrel.repository.warc import Content

SOURCE = Path(__file__).parents[2] / "src" / "whimbrel"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n\r\n"
URL = "http://a.example/"


def content(head: bytes, payload: bytes) -> Content:
    return Content({"warc-target-uri": URL}, head, payload)


def test_a_copy_is_given_as_it_was_meant() -> None:
    body = b"<title>Tides</title><p>High water is at nine.</p>"
    copy = decoded(content(HEAD, gzip.compress(body)))
    assert isinstance(copy, DecodedCopy)
    assert (copy.body, copy.content_type, copy.address) == (body, "text/html; charset=utf-8", URL)
    assert copy.version().title == "Tides"
    assert kept_copy(content(HEAD.replace(b"gzip", b"identity"), body)) == DecodedCopy(
        copy.headers | {"content-encoding": "identity"}, body, URL
    )


@pytest.mark.parametrize(
    ("head", "payload", "kind"),
    [
        (b"no head at all", b"", FailureKind.PROTOCOL),
        (HEAD, b"this is no gzip at all, and long", FailureKind.ENCODING),
        (HEAD, gzip.compress(b"a long text " * 99)[:-20], FailureKind.CUT),
    ],
    ids=["no head", "no gzip", "cut off"],
)
def test_what_cannot_be_read_any_more_has_a_kind(head: bytes, payload: bytes, kind: FailureKind) -> None:
    failure = decoded(content(head, payload))
    assert isinstance(failure, Failure)
    assert failure.kind is kind
    assert kept_copy(content(head, payload)) is None


def test_there_is_one_decoder_of_kept_copies_one_of_archives_that_come_in_and_one_of_what_comes_home_bare() -> None:
    calling = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if re.search(r"^from whimbrel\.fetch\.decode import .*\bplain\b", path.read_text(), re.MULTILINE)
    }
    assert calling == {"flows/copies.py", "exchange/sources.py", "flows/visit/bare.py"}
