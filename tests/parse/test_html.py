"""The hot path: what a page gives."""

import gzip
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.parse.html import ANCHOR_TEXT_CHARACTERS, HEADING_CHARACTERS, MOST_HEADINGS, header_directives, read
from whimbrel.records.page import Anchor, Page

SHARED_PAGES = Path(__file__).parents[2].parent / "shared" / "data" / "changes" / "pages"
DOCUMENTATION = Path("/usr/share/doc")
HTML = "text/html; charset=utf-8"


def page(markup: str, *, assets: bool = False) -> Page:
    return read(markup.encode(), HTML, assets=assets)


def links(markup: str) -> list[str]:
    return [anchor.href for anchor in page(markup).anchors]


def test_links_come_in_order_as_written_with_their_text() -> None:
    found = page(
        '<a href="../x?a=1&amp;b=2"> One\n</a><map><area href=/y alt=Two></map><iframe src=z title=Three></iframe>'
    )
    assert found.anchors == [
        Anchor("../x?a=1&b=2", "One", False),
        Anchor("/y", "Two", False),
        Anchor("z", "Three", False),
    ]


def test_frames_are_links() -> None:
    assert links("<frameset><frame src=left.html><frame src=right.html></frameset>") == ["left.html", "right.html"]


def test_an_address_is_listed_once_with_its_first_text() -> None:
    assert page("<a href=x></a><a href=x>second</a><a href=x>third</a>").anchors == [Anchor("x", "second", False)]


def test_links_into_the_page_itself_are_left_out() -> None:
    assert links("<a href=#top>up</a><a href=x#part>x</a>") == ["x"]


def test_beside_a_base_a_fragment_leads_elsewhere() -> None:
    found = page("<base href=/docs/><a href=#top>up</a>")
    assert found.base == "/docs/"
    assert [anchor.href for anchor in found.anchors] == ["#top"]


def test_only_the_first_base_counts() -> None:
    assert page("<base target=_top><base href=a><base href=b>").base == "a"


@pytest.mark.parametrize("rel", ["nofollow", "NOFOLLOW", "noopener ugc", "sponsored\tx"])
def test_links_nobody_vouches_for_are_marked(rel: str) -> None:
    assert page(f"<a href=x rel='{rel}'>x</a><a href=y rel=noopener>y</a>").anchors == [
        Anchor("x", "x", True),
        Anchor("y", "y", False),
    ]


def test_one_link_vouched_for_is_enough() -> None:
    assert page("<a href=x rel=nofollow>x</a><a href=x>x</a>").anchors == [Anchor("x", "x", False)]


def test_a_picture_lends_its_alternative_text() -> None:
    assert page("<a href=x><img alt='A bird'></a>").anchors[0].text == "A bird"
    assert page("<a href=x title='To x'></a>").anchors[0].text == "To x"


def test_long_anchor_texts_are_cut_and_their_blocks_kept_apart() -> None:
    text = page(f"<a href=x><div>{'word ' * 20}end</div><div>next{' word' * 200}</div></a>").anchors[0].text
    assert "end next" in text
    assert len(text) == ANCHOR_TEXT_CHARACTERS


def test_links_in_a_template_are_not_on_the_page() -> None:
    markup = "<template><a href=a>a</a><template><a href=b>b</a></template></template><a href=c>c</a>"
    assert links(markup) == ["c"]
    assert page(markup).text == "c"


def test_the_text_holds_what_a_reader_sees() -> None:
    found = page(
        "<title>T</title><style>s</style><body><script>var a</script>Read<noscript>no</noscript>"
        "<template>t</template><style>b{}</style><iframe>f</iframe> me<!-- c --> &amp; <b>you</b></body>"
    )
    assert found.text == "Read me & you"


@pytest.mark.parametrize(
    "markup",
    [
        "<table><tr><td>a</td><td>b</td></table>",
        "<p>a<p>b",
        "a<br>b",
        "<ul><li>a<li>b</ul>",
        "<select><option>a<option>b</select>",
        "<div>a</div><div>b</div>",
        "<pre>a<br>b</pre>",
        "<ul>a<li>b</ul>",
        "<dl><dt>a<dd>b</dl>",
    ],
)
def test_blocks_are_kept_apart(markup: str) -> None:
    assert page(markup).text.split() == ["a", "b"]


def test_the_title_is_one_line_that_cannot_steer_a_terminal() -> None:
    assert page("<title>\n A &lt;b&gt;\t \x1b[31mred\x07 \u009b2J title </title>").title == "A <b> [31mred 2J title"


def test_the_title_of_a_drawing_is_not_the_pages() -> None:
    assert page("<svg><title>drawing</title></svg>").title == ""
    assert page("<svg><title>drawing</title></svg><title>page</title>").title == "page"


def test_language_and_canonical_address() -> None:
    found = page("<html lang=' de-CH '><link rel='alternate canonical' href=' /c '><link rel=canonical href=/d>")
    assert (found.language, found.canonical) == ("de-ch", "/c")
    assert page("<html xml:lang=FR>").language == "fr"
    assert page("<p>").language == page("<p>").canonical == ""


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=next.html", "next.html"),
        ("5; URL = 'a b.html' x", "a b.html"),
        ('0.5,url="q"', "q"),
        ("3 next", "next"),
        (";url=x", "x"),
        ("10;url=x", "x"),
        ("11;url=x", ""),
        ("99999999999999999999;url=x", ""),
        ("5", ""),
        ("0;url=#here", ""),
        ("soon;url=x", ""),
        ("", ""),
    ],
)
def test_refresh(content: str, target: str) -> None:
    quote = "'" if '"' in content else '"'
    assert page(f"<meta http-equiv=Refresh content={quote}{content}{quote}>").refresh == target


def test_who_runs_no_scripts_is_sent_away_only_from_a_page_without_words() -> None:
    away = "<noscript><meta http-equiv=refresh content='0; url=/no-scripts'></noscript>"
    assert page(f"{away}<p>All of its text</p>").refresh == ""
    assert page(away).refresh == "/no-scripts"


def test_meta_directives() -> None:
    found = page(
        "<meta name=Robots content='NoIndex , noarchive'><meta name=googlebot content=nofollow>"
        "<meta name=whimbrel content=nosnippet><meta name=description content=noimageindex><meta content=x>"
    )
    assert found.directives == {"noindex", "noarchive", "nosnippet"}


def test_none_means_both() -> None:
    assert page("<meta name=robots content=NONE>").directives >= {"noindex", "nofollow"}


@pytest.mark.parametrize(
    ("value", "ours"),
    [
        ("", set()),
        ("noindex, NOFOLLOW", {"noindex", "nofollow"}),
        ("none", {"none", "noindex", "nofollow"}),
        ("googlebot: noindex, otherbot: noarchive", set()),
        ("noarchive, googlebot: noindex, nofollow", {"noarchive"}),
        ("googlebot: noindex, whimbrel: noarchive, nofollow", {"noarchive", "nofollow"}),
        ("Whimbrel : noindex", {"noindex"}),
        ("*: noindex", {"noindex"}),
    ],
)
def test_header_directives(value: str, ours: set[str]) -> None:
    assert header_directives(value, "Whimbrel") == ours


def test_directives_with_values_are_tolerated() -> None:
    value = "unavailable_after: 25 Jun 2030 15:00:00 PST, max-snippet:-1, noindex"
    assert "noindex" in header_directives(value, "whimbrel")


def test_assets() -> None:
    found = page(
        "<link rel=stylesheet href=a.css><link rel='shortcut icon' href=b.ico><link rel=next href=no.html>"
        "<style>@import 'c.css'; p{background:url(d.png)}</style>"
        "<body background=e.gif><p style='background:url(f.png)'><img src=g.png srcset='g.png 1x, h,1.png 2x'>"
        "<picture><source srcset='i.webp, j.webp 2x'><img src=data:image/png;base64,AA></picture>"
        "<video poster=k.jpg><source src=no.mp4></video><img src=g.png>",
        assets=True,
    )
    assert found.assets == [
        "a.css", "b.ico", "c.css", "d.png", "e.gif", "f.png", "g.png", "h,1.png", "i.webp", "j.webp", "k.jpg",
    ]  # fmt: skip
    assert page("<img src=a.png>").assets == []


def test_headings_of_four_ranks_in_lines() -> None:
    found = page("<h1 class=x>A &amp; <b>B</b><br>C</h1><h5>no</h5><H2>café</H2 ><h3></h3><header>no</header>")
    assert found.headings.split("\n") == ["A & B C", "café", ""]


def test_headings_that_nobody_sees_are_none() -> None:
    found = page("<div><template><h1>later</h1></template><noscript><h1>else</h1></noscript><h2>seen</h2>")
    assert found.headings == "seen"


def test_headings_are_bounded() -> None:
    lines = page("<h4>" + "x" * 9_999 + "</h4><h4>y</h4>" * 999).headings.split("\n")
    assert (len(lines), max(map(len, lines))) == (MOST_HEADINGS, HEADING_CHARACTERS)


def test_plain_text_is_not_markup() -> None:
    found = read(b"<a href=x>A</a>\n<title>no</title>", "Text/Plain")
    assert (found.title, found.anchors, found.text) == ("", [], "<a href=x>A</a>\n<title>no</title>")


@pytest.mark.parametrize("content_type", ["application/xhtml+xml", "application/xml", "text/html", ""])
def test_everything_else_is_read_as_markup(content_type: str) -> None:
    found = read(
        b"<?xml version='1.0'?><html><head><title>T</title></head><body><a href='x'>A</a></body></html>", content_type
    )
    assert (found.title, found.anchors) == ("T", [Anchor("x", "A", False)])


@pytest.mark.parametrize("content_type", ["text/html", "text/plain", ""])
def test_an_empty_body_is_an_empty_page(content_type: str) -> None:
    found = read(b"", content_type, assets=True)
    assert (found.title, found.text, found.anchors, found.cut) == ("", "", [], ())


FRAGMENTS = st.one_of(
    st.sampled_from(
        ["<p>", "<a href=x>", "</a>", "<area href=y>", "<b>", "</b>", "<svg>", "</svg>", "<math><mi>", "word"]
    ),
    st.sampled_from(["<table>", "<td>", "</table>", "<select>", "<option>", "<frameset>", "<body>", "<html lang=x>"]),
    st.sampled_from(
        ["<template>", "</template>", "<script>", "</script>", "<noscript>", "<iframe src=q>", "<plaintext>"]
    ),
    st.sampled_from(["<!--", "-->", "<![CDATA[", "<title>", "</title>", "<meta charset=utf-16>", "<base href=//[>"]),
    st.sampled_from(["&#xd800;", "&amp;", "\0", "é"]),
)


@given(st.lists(FRAGMENTS, max_size=40), st.booleans())
@settings(max_examples=150)
def test_any_markup_gives_a_page_that_can_travel(fragments: list[str], assets: bool) -> None:
    found = read("".join(fragments).encode(), "text/html", assets=assets)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Page) == found


@given(
    st.binary(max_size=400), st.sampled_from(["", "utf-8", "utf-16", "gb18030", "shift_jis", "iso-2022-jp", "nonsense"])
)
@settings(max_examples=150)
def test_any_bytes_give_a_page_that_can_travel(body: bytes, charset: str) -> None:
    for kind in ("text/html", "text/plain"):
        found = read(body, f"{kind}; charset={charset}")
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Page) == found
        assert found.charset


WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)


@given(st.lists(WORD, min_size=1, max_size=20), st.data())
@settings(max_examples=60)
def test_words_in_blocks_come_out_as_they_went_in(words: list[str], data: st.DataObject) -> None:
    block = st.sampled_from(
        ["<p>{}</p>", "<div>{}</div>", "<table><tr><td>{}</td></tr></table>", "{}<br>", "<ul><li>{}</ul>"]
    )
    markup = "".join(data.draw(block).format(word) for word in words)
    assert page(markup).text.split() == words


@given(st.lists(WORD, max_size=20, unique=True))
@settings(max_examples=60)
def test_every_link_comes_out(hrefs: list[str]) -> None:
    assert links("".join(f"<p><a href='{href}'>{href}</a>" for href in hrefs)) == hrefs


@pytest.mark.skipif(not SHARED_PAGES.is_dir(), reason="needs the page captures of ../shared/data/changes")
def test_real_pages_have_titles_text_and_links_and_lose_nothing() -> None:
    captures = sorted(SHARED_PAGES.glob("*.html.gz"))[::8]
    read_pages = [read(gzip.decompress(capture.read_bytes()), "text/html", assets=True) for capture in captures]
    assert all(found.cut == () for found in read_pages)
    assert sum(bool(found.title and found.text and found.anchors) for found in read_pages) > 0.8 * len(read_pages)
    assert not any("<script" in found.text or "function(" in found.title for found in read_pages)


def test_real_documentation_is_read_whole() -> None:
    files = sorted(DOCUMENTATION.glob("*/html/*.html"))[:60] + sorted(DOCUMENTATION.glob("*/api/*/*.html"))[:40]
    if not files:
        pytest.skip("needs HTML documentation below /usr/share/doc")
    for file in files:
        body = file.read_bytes()
        found = read(body, "text/html")
        assert found.cut == (), file
        assert bool(found.title) == (b"<title>" in body.lower() and b"<title></title>" not in body.lower()), file
