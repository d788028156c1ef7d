"""A kept page written anew: what shows stays, what does goes."""

import re

from hypothesis import given
from hypothesis import strategies as st
from kept_shelf import hostile
from turbohtml import parse

from whimbrel.records.url import Url
from whimbrel.web.copy import Frame, framed, read, wanted_files
from whimbrel.web.drawings import DRAWN
from whimbrel.web.markup import DROPPED, SHOWN
from whimbrel.web.plain import PlainBlock, below_title, blocks, of_text
from whimbrel.web.styles import inside_element, rewritten

PAGE = Url("http://a.example/d/page")
FRAME = Frame("NONCE", "TOKEN", "http://127.0.0.1:1")
OURS = 1
"""Scripts of ours in a copy."""


def copied(html: str, *, kept: bool = True) -> str:
    return framed(
        read(html.encode(), "text/html; charset=utf-8"),
        PAGE,
        FRAME,
        lambda url: kept,
        lambda url: f"/kept/s/file?url={url}" if kept else None,
    )


def elements(html: str) -> list[str]:
    return [element.tag for element in parse(html).iter_elements()]


def test_the_root_keeps_its_looks_alone() -> None:
    made = copied('<html lang="he" dir="rtl" class="night wide" onclick="x()" manifest="/m"><p>words')
    assert '<html lang="he" dir="rtl" class="night wide"><head>' in made
    assert copied("<p>words").startswith("<!doctype html>\n<html><head>")


def test_what_does_something_goes() -> None:
    refresh = '<meta http-equiv="refresh" content="0;url=http://evil.example/refresh">'
    made = copied(refresh + hostile("http://evil.example").body.decode() + refresh, kept=False)
    # A string that no function reads as an address stays.
    left = made.replace('data-whimbrel-to="http://evil.example/link"', "").replace(
        '--u: "http://evil.example/said"', ""
    )
    assert "evil.example" not in left
    tags = elements(made)
    assert tags.count("script") == OURS
    for tag in ("iframe", "object", "embed", "base", "math", "video", "template", "noscript"):
        assert tag not in tags
    for element in parse(made).iter_elements():
        assert not [name for name in element.attrs if name.startswith("on") or name in ("action", "srcdoc")]
        assert element.tag != "meta" or "http-equiv" not in element.attrs


def test_what_shows_stays() -> None:
    made = copied(
        '<html lang=de><body class=x><h1 id=a title="t">Grüße</h1><table><tr><td colspan=2>c</table><pre>  x\n</pre>'
    )
    for part in ('<html lang="de">', '<body class="x">', '<h1 id="a" title="t">Grüße</h1>', 'colspan="2"', "  x"):
        assert part in made


def test_links_lead_to_the_reader_or_are_marked() -> None:
    kept = copied('<a href="../other">o</a><a href="#x">x</a><a href="javascript:1">j</a><a href="mailto:a@b">m</a>')
    assert 'data-whimbrel="kept" data-whimbrel-to="http://a.example/other"' in kept
    assert '<a href="#x">' in kept
    assert "<a>j</a>" in kept
    assert "<a>m</a>" in kept
    assert 'data-whimbrel="outside"' in copied('<a href="/other">o</a>', kept=False)


def test_files_come_from_the_kept_ones() -> None:
    html = (
        "<link rel=stylesheet href=s.css media=print><style>p{background:url(b.png)}</style>"
        "<img src=i.png srcset='j.png 2x'>"
    )
    made = copied(html)
    for name in ("s.css", "b.png", "i.png"):
        assert f"/kept/s/file?url=http://a.example/d/{name}" in made
    assert 'media="print"' in made
    assert "i.png" not in copied(html, kept=False)
    document = read(html.encode(), "text/html")
    assert [url.rsplit("/", 1)[1] for url in wanted_files(document, PAGE)] == ["s.css", "b.png", "i.png", "j.png"]


def test_a_style_sheet_cannot_end_its_element() -> None:
    made = copied("<style>a{}</st\\yle><b>{content:'<\\/style><script>alert(1)</script>'}</style>x")
    assert elements(made).count("script") == OURS


def test_addresses_in_style_sheets() -> None:
    def place(address: str) -> str | None:
        return f"/k/{address}" if address.endswith("png") else None

    assert rewritten("a{b:url(x.png)}", place) == 'a{b:url("/k/x.png")}'
    assert rewritten("a{b:URL( 'y.gif' )}", place) == 'a{b:url("data:,")}'
    assert rewritten("@import 'z.css' print;", place) == '@import url("data:,") print;'
    assert rewritten("a{b:url(data:image/png;base64,AA==)}", place) == 'a{b:url("data:image/png;base64,AA==")}'
    assert rewritten("@import url(data:image/png;base64,AA==)", place) == '@import url("data:,")'
    assert rewritten("a{b:url(data:text/css,x)}", place) == 'a{b:url("data:,")}'
    assert rewritten("/* url(x.png) */b", place) == "/**/b"
    assert rewritten("@im/**/port 'x.png'", place) == "@im/**/port 'x.png'"
    assert rewritten("@import'x.png'", place) == '@import/**/url("/k/x.png")'
    assert rewritten("@namespace a url(x.png);", place) == '@namespace a "x.png";'
    assert rewritten("a{b:image-set('x.png' type('y.png') 1x)}", place) == (
        "a{b:image-set(url(\"/k/x.png\") type('y.png') 1x)}"
    )
    assert rewritten("a{b:image-set(var(--c) 1x, 'x.png' 2x)}", place) == 'a{b:url("data:,")}'
    assert rewritten("a{b:unheard-of('x.png')}", place) == 'a{b:unheard-of("")}'
    assert rewritten("a{b:url(x.png", place) == 'a{b:url("/k/x.png")'
    assert rewritten("<!--a{b:c}-->", place) == "<!--a{b:c}-->"


BITS = (
    *(
        "url(",
        "URL(",
        "u\\72l(",
        "\\75 rl(",
        "\\000075rl(",
        "@import",
        "@im\\70ort",
        "@namespace",
        "image-set(",
        "src(",
    ),
    *("var(--x)", "type(", "--url(", "1url(", "#url(", "/**/", "/*", "*/", "<!--", "-->", "</", '"', "'", "\\", "\\\n"),
    *(
        " ",
        "\n",
        "\f",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ";",
        ":",
        ",",
        "-",
        "+",
        "%",
        "@",
        "#",
        "a",
        "e3",
        ".5",
        "\xa0",
        "é",
    ),
    *("\u2028", "\0", "\x7f", '"x.png"', "'y'", "evil", "\\29 ", "\\)", "\\\xa0"),
)


@given(st.lists(st.sampled_from(BITS), max_size=14).map("".join) | st.text(max_size=60))
def test_a_sheet_written_anew_names_only_what_it_was_given(sheet: str) -> None:
    """Read once more it says the same, and every address in it is one of ours."""
    asked: list[str] = []

    def place(address: str) -> str:
        return f"/k/{len(address)}"

    made = rewritten(sheet, place)
    again = rewritten(made, lambda address: asked.append(address) or address)
    assert again == made
    assert all(re.fullmatch(r"/k/\d+", address) for address in asked)
    assert "</" not in inside_element(made)


def test_no_element_is_both_shown_and_dropped() -> None:
    assert not SHOWN & DROPPED


@given(st.text(alphabet=st.sampled_from("<>/\"'=& \nabionscriptsvgmaelfhjy-!:;()"), max_size=200))
def test_whatever_a_page_holds_its_copy_has_only_our_script(html: str) -> None:
    made = copied(html)
    tags = elements(made)
    assert tags.count("script") == OURS
    assert not set(tags) - SHOWN - DRAWN - {"html", "head", "meta", "style", "script", "body"} - {"link"}
    for element in parse(made).iter_elements():
        assert not [name for name in element.attrs if name.startswith("on")]


def test_plain_blocks() -> None:
    html = """<nav>menu</nav><main><h1>Title</h1><p>One <b>two</b><br>three</p><ul><li>item<p>inner</p></ul>
    <pre>a\n  b</pre><table><tr><td>x<td><p>y</p></table><script>no</script></main>"""
    assert blocks(html.encode(), "text/html") == [
        PlainBlock("h2", "Title"),
        PlainBlock("p", "One two three"),
        PlainBlock("li", "item"),
        PlainBlock("li", "inner"),
        PlainBlock("pre", "a\n  b"),
        PlainBlock("row", "x · y", ("x", "y")),
    ]


def test_a_row_keeps_its_columns() -> None:
    html = "<table><tr><th>bird\tname<th><th>1<tr><td> <td>2\n 3<td></table>"
    assert blocks(html.encode(), "text/html") == [
        PlainBlock("row", "bird name · 1", ("bird name", "", "1")),
        PlainBlock("row", "2 3", ("", "2 3", "")),
    ]


def test_headings_below_a_title_leave_no_level_out() -> None:
    told = [PlainBlock(kind, kind) for kind in ("h2", "h4", "h5", "p", "h4", "h3", "h6", "h2")]
    assert [block.kind for block in below_title(told, "")] == ["h2", "h3", "h4", "p", "h3", "h3", "h4", "h2"]
    assert [block.kind for block in below_title(told, "h2")] == ["h2", "h3", "p", "h2", "h2", "h3", "h2"]
    assert below_title([PlainBlock("h2", "Tides")], "Tides") == [PlainBlock("h2", "Tides")], (
        "else nothing is left to read"
    )


def test_plain_text_is_paragraphs() -> None:
    assert of_text("one\n\n\ntwo\nlines\n") == [PlainBlock("p", "one"), PlainBlock("pre", "two\nlines")]
