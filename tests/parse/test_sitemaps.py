"""Sitemaps as they are found: five kinds, every spelling, and files that mean harm."""

import gzip
from datetime import UTC, datetime
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.parse.sitemaps import MOST_URLS, Sitemap, SitemapLimits, SitemapUrl, read_sitemap
from whimbrel.parse.written_dates import unix_seconds
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

HERE = Url("https://example.org/sitemap.xml")
NOW = datetime(2024, 6, 1, tzinfo=UTC).timestamp()
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(body: bytes | str, **limits: int) -> Sitemap:
    sitemap = read_sitemap(body.encode() if isinstance(body, str) else body, HERE, NOW, SitemapLimits(**limits))
    assert isinstance(sitemap, Sitemap), sitemap.reason
    return sitemap


def refusal(body: bytes | str) -> str:
    verdict = read_sitemap(body.encode() if isinstance(body, str) else body, HERE, NOW)
    assert isinstance(verdict, Verdict)
    assert verdict.rule == "sitemap"
    return verdict.reason


def urlset(inner: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {NAMESPACE}>{inner}</urlset>'


def entry(path: str, more: str = "") -> str:
    return f"<url><loc>https://example.org/{path}</loc>{more}</url>"


def paths(sitemap: Sitemap) -> list[str]:
    return [listed.url.removeprefix("https://example.org/") for listed in sitemap.urls]


def test_a_urlset() -> None:
    more = "<lastmod>2024-01-31</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>"
    sitemap = read(urlset(entry("a", more) + entry("b")))
    lastmod = datetime(2024, 1, 31, tzinfo=UTC).timestamp()
    assert sitemap == Sitemap(
        "urlset",
        (SitemapUrl(Url("https://example.org/a"), lastmod, "daily", 0.8), SitemapUrl(Url("https://example.org/b"))),
        (),
        (),
    )


def test_an_index() -> None:
    sitemap = read(
        f"<sitemapindex {NAMESPACE}><sitemap><loc>/s1.xml.gz</loc><lastmod>2024-01-01T10:00:00+01:00</lastmod>"
        "</sitemap></sitemapindex>"
    )
    nine = datetime(2024, 1, 1, 9, tzinfo=UTC).timestamp()
    assert (sitemap.kind, sitemap.urls) == ("index", (SitemapUrl(Url("https://example.org/s1.xml.gz"), nine),))


def test_a_list_of_urls() -> None:
    sitemap = read("\ufeffhttps://example.org/a\r\n\r\n  https://example.org/b#part \nhello:\n/c\n")
    assert (sitemap.kind, paths(sitemap)) == ("text", ["a", "b", "c"])
    assert sitemap.notes == ("1 texts that are no http(s) URL: ignored",)


def test_rss() -> None:
    sitemap = read(
        '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://example.org/</link>'
        "<item><atom:link href='https://example.org/x'/><link>https://example.org/a</link>"
        "<pubDate>Wed, 31 Jan 2024 10:00:00 EST</pubDate></item>"
        "<item><guid>https://example.org/b</guid></item><item><guid isPermaLink='false'>17</guid></item>"
        "</channel></rss>"
    )
    assert (sitemap.kind, paths(sitemap)) == ("rss", ["a", "b"])
    assert sitemap.urls[0].lastmod == datetime(2024, 1, 31, 15, tzinfo=UTC).timestamp()
    assert sitemap.notes == ("1 entries without a URL: ignored",)


def test_rss_of_the_first_kind() -> None:
    sitemap = read(
        '<rdf:RDF xmlns:rdf="r" xmlns="p" xmlns:dc="d"><channel/><item><link>https://example.org/a</link>'
        "<dc:date>2024-01-31</dc:date></item></rdf:RDF>"
    )
    assert (sitemap.kind, paths(sitemap), sitemap.urls[0].lastmod) == ("rss", ["a"], 1706659200.0)


def test_atom() -> None:
    sitemap = read(
        '<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry><link rel="self" href="/self"/>'
        '<link href="/a"/><published>2024-01-01T00:00:00Z</published><updated>2024-01-31T00:00:00Z</updated></entry>'
        '<entry><link rel="alternate" href="/b"/><published>2024-01-31T00:00:00Z</published></entry></feed>'
    )
    assert (sitemap.kind, paths(sitemap)) == ("atom", ["a", "b"])
    assert [listed.lastmod for listed in sitemap.urls] == [1706659200.0, 1706659200.0]


def test_extensions_are_no_pages() -> None:
    inner = (
        "<image:image><image:loc>https://example.org/i.png</image:loc></image:image>"
        '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de"/>'
        "<video:video><video:content_loc>https://example.org/v.mp4</video:content_loc></video:video>"
        "<news:news><news:publication_date>2024-01-31</news:publication_date></news:news>"
    )
    spaces = 'xmlns:image="i" xmlns:video="v" xmlns:news="n" xmlns:xhtml="x"'
    sitemap = read(f"<urlset {spaces}><url>{inner}<loc>https://example.org/a</loc></url></urlset>")
    assert sitemap.urls == (SitemapUrl(Url("https://example.org/a")),)


def test_a_prefix_on_everything() -> None:
    assert paths(read('<s:urlset xmlns:s="x"><s:url><s:loc>https://example.org/a</s:loc></s:url></s:urlset>')) == ["a"]


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("?a=1&b=2", "?a=1&b=2"),
        ("?a=1&amp;b=2", "?a=1&b=2"),
        ("?a=1&copy;=2", "?a=1%C2%A9=2"),
        ("?a=1&nosuch;", "?a=1&nosuch;"),
        ("&#x26;&#38;&#0;&", "&&&"),
        ("<![CDATA[?a=1&b=2]]>", "?a=1&b=2"),
    ],
)
def test_ampersands(written: str, normal: str) -> None:
    assert paths(read(urlset(entry(written)))) == [normal]


def test_what_xml_forbids_is_left_out() -> None:
    assert paths(read("\n\n " + urlset(entry("a\x00\x0b")))) == ["a"]


@pytest.mark.parametrize("kept", [0, 1])
def test_a_cut_file_gives_what_was_read(kept: int) -> None:
    whole = urlset(entry("a") + entry("b"))
    sitemap = read(whole[: whole.index("b</loc>") if kept else whole.index("a</loc>")])
    assert paths(sitemap) == ["a"][:kept]
    assert "what stands before was taken" in sitemap.notes[0]


@pytest.mark.parametrize(
    "behind", ["</loc>", "</loc><lastmod>2024-01-3", "</loc><image:image><image:loc>x", "</loc></u"]
)
def test_a_complete_url_is_kept_where_the_file_is_cut_behind_it(behind: str) -> None:
    sitemap = read(urlset(entry("a") + f"<url><loc>https://example.org/b{behind}").removesuffix("</urlset>"))
    assert sitemap.urls == (SitemapUrl(Url("https://example.org/a")), SitemapUrl(Url("https://example.org/b")))
    assert "what stands before was taken" in sitemap.notes[0]


def test_a_second_url_in_one_entry_is_noted() -> None:
    again = "<loc>https://example.org/a</loc><loc/>"
    sitemap = read(urlset(entry("a", again) + entry("b", "<loc>https://example.org/c</loc>") + entry("d")))
    assert paths(sitemap) == ["a", "b", "d"]
    assert sitemap.notes == ("1 further URLs in one entry: ignored",)


@given(st.integers(min_value=0, max_value=400))
def test_cutting_never_adds(length: int) -> None:
    whole = urlset("".join(entry(f"page-{number}") for number in range(5)))
    sitemap = read_sitemap(whole[:length].encode(), HERE, NOW)
    if isinstance(sitemap, Sitemap):
        assert paths(sitemap) == [f"page-{number}" for number in range(len(sitemap.urls))]


def test_compressed_once_twice_and_in_members() -> None:
    whole = urlset(entry("a")).encode()
    half = len(whole) // 2
    for packed in (
        gzip.compress(whole),
        gzip.compress(gzip.compress(whole)),
        gzip.compress(whole[:half]) + gzip.compress(whole[half:]),
    ):
        assert (paths(read(packed)), read(packed).notes) == (["a"], ())


def test_cut_and_damaged_compression() -> None:
    whole = urlset("".join(entry(f"{number * 7919 % 10007}") for number in range(3000))).encode()
    packed = gzip.compress(whole)
    cut = read(packed[: len(packed) // 2])
    assert 0 < len(cut.urls) < 3000
    assert cut.notes[0] == "truncated gzip: what could be unpacked was taken"
    damaged = read(packed[:5000] + b"\xff" * 64 + packed[5064:])
    assert 0 < len(damaged.urls) < 3000


def test_a_bomb_of_compression_is_cut() -> None:
    bomb = gzip.compress(urlset(entry("a")).encode()[:-9] + b" " * 30_000_000)
    sitemap = read(bomb, bytes=1_000_000)
    assert paths(sitemap) == ["a"]
    assert sitemap.notes[0] == "larger than 1000000 bytes: the rest was not read"


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">',
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p SYSTEM "http://example.org/p.dtd">',
    ],
)
def test_entities_are_refused(declaration: str) -> None:
    body = f"<!DOCTYPE urlset [{declaration}]><urlset>{entry('&b;')}</urlset>"
    assert "declares the entity" in refusal(body)


def test_a_doctype_without_entities_passes() -> None:
    assert paths(read(f'<!DOCTYPE urlset SYSTEM "x.dtd"><urlset>{entry("a")}</urlset>')) == ["a"]


def test_one_url_too_many_is_left_out_and_said() -> None:
    body = urlset("".join(entry(str(number)) for number in range(MOST_URLS + 1)))
    sitemap = read(body)
    assert len(sitemap.urls) == MOST_URLS
    assert sitemap.notes == ("more than 50000 URLs: the rest was not read",)
    exactly = read(urlset(entry("a") + entry("b")), urls=2)
    assert (len(exactly.urls), exactly.notes) == (2, ())


def test_nonsense_is_ignored_and_counted() -> None:
    sitemap = read(
        urlset(
            entry("a", "<lastmod>2024-06-01T12:00:00Z</lastmod>")
            + entry("b", "<lastmod>2024-06-09</lastmod>")
            + entry("c", "<lastmod>soon</lastmod><changefreq>often</changefreq><priority>high</priority>")
            + entry("d", "<lastmod>1970-01-01</lastmod><priority>nan</priority>")
            + entry("a")
            + "<url/>"
            + "<url><loc>ftp://example.org/</loc></url>"
        )
    )
    assert [listed.lastmod for listed in sitemap.urls] == [NOW + 43200, None, None, None]
    assert {listed.changefreq for listed in sitemap.urls} == {""}
    assert {listed.priority for listed in sitemap.urls} == {None}
    assert sitemap.notes == (
        "1 lastmod in the future: ignored",
        "2 lastmod that name no moment: ignored",
        "1 changefreq that the protocol does not know: ignored",
        "2 priorities that are not between 0 and 1: ignored",
        "1 URLs listed before: ignored",
        "1 entries without a URL: ignored",
        "1 texts that are no http(s) URL: ignored",
    )


def test_other_hosts_are_kept_apart() -> None:
    sitemap = read(
        urlset(entry("a") + "<url><loc>http://www.example.org/b</loc></url><url><loc>http://x.net/</loc></url>")
    )
    assert [listed.url for listed in sitemap.urls] == ["https://example.org/a", "http://www.example.org/b"]
    assert [listed.url for listed in sitemap.foreign] == ["http://x.net/"]
    assert "1 URLs of other hosts" in sitemap.notes[0]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_marks_and_wide_characters(codec: str) -> None:
    assert paths(read(urlset(entry("ä")).encode(codec))) == ["%C3%A4"]


def test_charsets_that_are_named_wrong() -> None:
    latin = urlset(entry("ä")).replace("UTF-8", "ISO-8859-1").encode("latin-1")
    assert (paths(read(latin)), read(latin).notes) == (["%C3%A4"], ())
    lying = read(urlset(entry("ä")).encode("latin-1"))
    assert (paths(lying), lying.notes) == (["%C3%A4"], ("the bytes are not UTF-8: read as windows-1252",))
    wide_by_name = urlset(entry("a")).replace("UTF-8", "UTF-16").encode()
    assert paths(read(wide_by_name)) == ["a"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("<!doctype html><html><body>Not found</body></html>", "it is no sitemap or feed"),
        ("Not found", "first line is no http(s) URL"),
        ("\x00", "first line is no http(s) URL"),
        ("<", "no root element|not well-formed"),
        ("<a>" * 3, "its root is <a>"),
    ],
)
def test_what_is_no_sitemap_is_refused(body: str, reason: str) -> None:
    assert any(part in refusal(body) for part in reason.split("|"))


def test_deep_nesting_ends_the_reading() -> None:
    sitemap = read(f"<urlset>{entry('a')}" + "<x>" * 100_000)
    assert paths(sitemap) == ["a"]
    assert "nested deeper than 64" in sitemap.notes[0]


SECONDS = 1706700645.0


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2024-01-31T11:30:45Z", SECONDS),
        ("2024-01-31T11:30:45.123456Z", SECONDS),
        ("2024-01-31T13:30:45+02:00", SECONDS),
        ("2024-01-31T13:30:45+0200", SECONDS),
        ("2024-01-31T13:30:45+02", SECONDS),
        ("2024-01-31T13:30:45 +02:00", SECONDS),
        ("2024-01-31 11:30:45", SECONDS),
        ("2024-01-31 11:30:45 UTC", SECONDS),
        ("2024-01-31T11:30Z", SECONDS - 45),
        ("2024-01-31", SECONDS - 41445),
        ("2024/1/31", SECONDS - 41445),
        ("2024.01.31", SECONDS - 41445),
        ("20240131", SECONDS - 41445),
        ("20240131T113045Z", SECONDS),
        ("2024-01", SECONDS - 41445 - 30 * 86400),
        ("2024", SECONDS - 41445 - 30 * 86400),
        ("Wed, 31 Jan 2024 11:30:45 GMT", SECONDS),
        ("31 Jan 24 06:30:45 EST", SECONDS),
        ("Wednesday, 31-Jan-24 11:30:45 GMT", SECONDS),
        ("Wed Jan 31 11:30:45 2024", SECONDS),
        ("January 31, 2024", SECONDS - 41445),
        ("Jan 31, 2024, 11:30:45", SECONDS),
        ("1706700645", SECONDS),
        ("1706700645000", SECONDS),
        ("2024-01-31T24:00:00Z", SECONDS - 41445 + 86400),
        ("03/04/2024", None),
        ("2024-13-01", None),
        ("2024-02-30", None),
        ("0000-00-00", None),
        ("2024-01-31T25:00:00Z", None),
        ("31 Foo 2024", None),
        ("today", None),
        ("9" * 400, None),
        ("2024-01-31T11:30:45+99:99", None),
    ],
)
def test_moments(written: str, moment: float | None) -> None:
    assert unix_seconds(written) == moment


@given(st.binary(max_size=300))
@settings(max_examples=300)
def test_any_bytes_give_a_sitemap_or_a_refusal(body: bytes) -> None:
    for whole in (body, b"<urlset><url><loc>" + body, b"https://example.org/" + body, b"\x1f\x8b" + body):
        assert isinstance(read_sitemap(whole, HERE, NOW), Sitemap | Verdict)


@given(st.text(max_size=80))
def test_any_text_is_a_moment_or_none(written: str) -> None:
    assert isinstance(unix_seconds(written), float | None)


@pytest.mark.parametrize(
    "junk",
    [
        b"<urlset><url><loc>" + b"a" * 20,
        b"<urlset " + b"a='" * 7,
        b"<urlset><![CDATA[",
        b"<urlset><!--",
        b"<urlset>&&&&&&&",
        b"https://example.org/\n" + b"\x00" * 9,
        b" ",
    ],
)
def test_the_work_grows_with_the_bytes_and_not_faster(junk: bytes) -> None:
    head, unit = junk[:8], junk[8:] or junk

    def cost(size: int) -> float:
        body = head + unit * (size // len(unit))
        start = process_time()
        read_sitemap(body, HERE, NOW)
        return process_time() - start

    small = min(cost(250_000) for _ in range(2))
    assert any(cost(2_000_000) < 0.05 + 24 * small for _ in range(3)), "whoever else works on the machine only adds"
