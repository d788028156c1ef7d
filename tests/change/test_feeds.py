"""Feeds are compared by what they say: a new entry is told with its words, the moment of a build is not."""

from whimbrel.change.decide import decide
from whimbrel.change.feeds import feed_blocks, is_moment
from whimbrel.change.version import read_version
from whimbrel.records.change import Change

RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Shore</title>
<lastBuildDate>{}</lastBuildDate><!-- <title>hidden</title> -->{}</channel></rss>"""
ITEM = """<item><title>{}</title><link>http://a.example/{}</link><pubDate>Tue, 17 Nov 2026 19:37:25 +0000</pubDate>
<dc:creator><![CDATA[admin]]></dc:creator><description><![CDATA[<p>{} <b>[…]</b></p>]]></description></item>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Shore</title><updated>{}</updated>
<entry><title>Tides</title><link href="http://a.example/tides"/>
<summary type="html">High &lt;b&gt;water&lt;/b&gt; {}</summary></entry></feed>"""


def compare(kind: str, before: str, after: str) -> Change:
    old, new = (read_version(text.encode(), f"application/{kind}+xml; charset=utf-8") for text in (before, after))
    return decide(old, new)


def test_what_a_feed_says() -> None:
    text = RSS.format("Mon, 16 Nov 2026 08:00:00 GMT", ITEM.format("Crabs &amp; co", "crabs", "Under weed."))
    assert [(block.place, block.text) for block in feed_blocks(text)] == [
        ("title 1 under “Shore”", "Shore"),
        ("title 1 under “Crabs & co”", "Crabs & co"),
        ("link 1 under “Crabs & co”", "http://a.example/crabs"),
        ("creator 1 under “Crabs & co”", "admin"),
        ("description 1 under “Crabs & co”", "Under weed. […]"),
    ]


def test_the_moment_of_a_build_is_no_change() -> None:
    items = ITEM.format("Crabs", "crabs", "Under weed.")
    assert not compare("rss", RSS.format("Mon, 16 Nov 2026 08:00:00 GMT", items),
                       RSS.format("Tue, 17 Nov 2026 09:30:11 GMT", items)).changed  # fmt: skip
    assert not compare(
        "atom", ATOM.format("2026-11-16T08:00:00Z", "x"), ATOM.format("2026-11-17T09:30:11+01:00", "x")
    ).changed
    assert not is_moment("Meeting moved: now at ten")


def test_a_new_entry_is_told_with_its_words() -> None:
    first = ITEM.format("Crabs", "crabs", "Under weed.")
    change = compare("rss", RSS.format("", first), RSS.format("", ITEM.format("Eggs", "eggs", "Four of them.") + first))
    assert {spot.what for spot in change.where} == {"added"}
    assert "Four of them. […]" in [spot.after for spot in change.where]
    assert compare("atom", ATOM.format("", "at nine"), ATOM.format("", "at ten")).where[0].after == "High water at ten"


def test_broken_feeds_are_read_as_far_as_they_go() -> None:
    for text in (
        "<rss><channel><title>Shore</title><!-- never closed",
        "<rss><title><![CDATA[Shore",
        "<title>Shore</title><",
    ):
        assert [block.text for block in feed_blocks(text)] in (["Shore"], []), text
    assert len(list(feed_blocks("<!--" * 200_000))) == 0
