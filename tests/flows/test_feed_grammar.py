"""Every feed holds to the grammar of RFC 4287, whatever the pages say; and the grammar refuses what is none."""

from hypothesis import given
from hypothesis import strategies as st

from atom_schema import faults
from whimbrel.flows.packing import packed_spots
from whimbrel.flows.telling.feed import Feed, atom
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.records.change import Change, Spot
from whimbrel.records.url import Url
from whimbrel.repository.views import Told

TEXT = st.text(max_size=60)
WHATS = st.sampled_from(["new", "changed", "moved", "gone", "restored", "missing", "away", "answers"])


@st.composite
def changes(draw: st.DrawFn) -> FoldedChange:
    what, said = draw(WHATS), draw(TEXT)
    spot = Spot("changed", ("content",), draw(TEXT), draw(TEXT), said, 0.2)
    details = packed_spots(Change(True, ("content",), 0.2, (spot,), ()))
    url = Url(f"http://a.example/{draw(TEXT)}")
    told = Told(draw(st.floats(0, 4e9)), what, url, draw(TEXT), "content", 0.2, 3, 4, url, details, said, "small")
    return FoldedChange(told, (url,))


@given(st.lists(changes(), max_size=3), TEXT, st.sampled_from(["", "http://127.0.0.1:8765"]))
def test_every_feed_fits(items: list[FoldedChange], name: str, reader: str) -> None:
    feed = Feed(name, name, reader, f"{reader}/feed.atom?words={name}" if reader else "")
    assert faults(atom(items, feed).encode()) == []


def test_the_grammar_refuses_what_is_no_feed() -> None:
    good = atom([], Feed("x", "x", "http://a.example")).encode()
    assert faults(good) == []
    for wrong in (
        good.replace(b"<id>", b"<id>  </id><id>"),
        good.replace(b"<updated>1970-01-01T00:00:00Z", b"<updated>yesterday"),
        good.replace(b"<title>", b"<subject>").replace(b"</title>", b"</subject>"),
        good.replace(b' href="http://a.example/"', b""),
        good.replace(b"</feed>", b"<entry><id>urn:x</id></entry></feed>"),
    ):
        assert wrong != good
        assert faults(wrong) != [], wrong
