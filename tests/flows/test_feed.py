"""The feed holds to RFC 4287, and a program that reads feeds finds in it what happened."""

import re
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit
from uuid import UUID
from xml.etree import ElementTree

import feedparser
import pytest

from whimbrel.flows.packing import packed_spots
from whimbrel.flows.telling.feed import Feed, atom, entries
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.records.change import Change, Spot
from whimbrel.records.url import Url
from whimbrel.repository.views import Told

ATOM = "{http://www.w3.org/2005/Atom}"
READER = "http://127.0.0.1:8765"
EDITED = packed_spots(
    Change(True, ("content",), 0.2, (Spot("changed", ("content",), "p 2", "at <nine> & a half", "at ten", 0.2),), ())
)


def told(what: str, path: str, at: float, title: str = "", details: bytes = b"") -> Told:
    kinds = "content" if what == "changed" else ""
    before, after = (3, 4) if what == "changed" else (None, 7)
    target = Url("http://a.example/there") if what == "moved" else None
    return Told(
        at, what, Url(f"http://a.example{path}"), title, kinds, 0.2, before, after, target, details, "status 404"
    )


ITEMS = [
    FoldedChange(
        told("changed", "/tides?a=1&b=2", 2000.5, "Tides & <b>times</b>\x07\ud800", EDITED), (Url("http://a.example/"),)
    ),
    FoldedChange(told("changed", "/", 2000.2, "Start"), (), (Url("http://a.example/tides?a=1&b=2"),)),
    FoldedChange(told("new", '/é"<x>', 1500.0, "")),
    FoldedChange(told("moved", "/old", 1000.0, "Old")),
    FoldedChange(told("gone", "/lost", 1000.0, "Lost")),
]
FEED = Feed("estuary", "whimbrel changes estuary", READER, f"{READER}/feed.atom?site=a.example", 500.0)


@pytest.fixture
def root() -> ElementTree.Element:
    return ElementTree.fromstring(atom(entries(ITEMS), FEED).encode())


def test_the_rules_of_the_standard(root: ElementTree.Element) -> None:
    """§4.1.1, §4.1.2: exactly one id, title and updated, an author; §4.2.6: ids are IRIs and differ; §4.2.7: links."""
    assert root.tag == f"{ATOM}feed"
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    found = root.findall(f"{ATOM}entry")
    ids = []
    for element in (root, *found):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1, name
        ids.append(UUID(element.findtext(f"{ATOM}id")))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", element.findtext(f"{ATOM}updated") or "")
        alternates = [link for link in element.findall(f"{ATOM}link") if link.get("rel") == "alternate"]
        assert len(alternates) == 1
        for link in element.findall(f"{ATOM}link"):
            assert re.fullmatch(r"https?://[!-~]+", link.get("href", "")), "an address has no spaces or foreign letters"
            assert not set('"<>\\^`{|}') & set(link.get("href", ""))
    assert len(set(ids)) == len(ids)
    assert [link.get("href") for link in root.findall(f"{ATOM}link") if link.get("rel") == "self"] == [FEED.address]
    assert root.findtext(f"{ATOM}updated") == "1970-01-01T00:33:20Z", "the newest entry's"


def test_names_stay_whatever_else_comes(root: ElementTree.Element) -> None:
    def names(of: ElementTree.Element) -> list[str | None]:
        return [entry.findtext(f"{ATOM}id") for entry in of.findall(f"{ATOM}entry")]

    later = [FoldedChange(told("new", "/later", 3000.0)), *ITEMS]
    grown = ElementTree.fromstring(atom(entries(later), FEED).encode())
    assert names(grown)[1:] == names(root)
    assert grown.findtext(f"{ATOM}id") == root.findtext(f"{ATOM}id")


def test_a_reader_of_feeds_finds_what_happened() -> None:
    read = feedparser.parse(atom(entries(ITEMS), FEED).encode())
    assert not read.bozo, read.get("bozo_exception")
    assert (read.version, read.feed.title) == ("atom10", "Changes in estuary")
    assert [entry.title.partition(":")[0] for entry in read.entries] == ["Changed", "New", "Moved", "Gone"]
    changed = read.entries[0]
    asked = parse_qs(urlsplit(changed.link).query)
    assert changed.link.startswith(f"{READER}/read?")
    assert asked == {"url": ["http://a.example/tides?a=1&b=2"], "view": ["changes"], "v": ["4"], "from": ["3"]}
    assert "-[<nine> & a half] +[ten]" in changed.summary
    assert "<del>&lt;nine&gt; &amp; a half</del> <ins>ten</ins>" in changed.content[0].value
    assert "Also on" in changed.content[0].value
    assert datetime(*changed.updated_parsed[:6], tzinfo=UTC).timestamp() == 2000
    assert read.entries[2].summary == "to http://a.example/there"


def test_without_a_reader_entries_lead_to_the_pages() -> None:
    read = feedparser.parse(atom(entries(ITEMS), Feed("estuary", "estuary")).encode())
    assert read.entries[0].link == "http://a.example/tides?a=1&b=2"


def test_an_empty_feed_is_a_feed() -> None:
    read = feedparser.parse(atom([], FEED).encode())
    assert (read.bozo, read.entries, read.feed.updated) == (False, [], "1970-01-01T00:08:20Z")


def test_a_feed_ends_somewhere() -> None:
    assert len(entries((FoldedChange(told("new", f"/{n}", n)) for n in range(10_000)), 100)) == 100
