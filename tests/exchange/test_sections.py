"""Pages as Markdown, section by section."""

from whimbrel.exchange.markdown import main_markdown
from whimbrel.exchange.sections import MarkdownSection, sections
from whimbrel.records.url import Url

URL = Url("https://a.example/guide/")
PAGE = b"""<!doctype html><title>t</title><nav><h2>Menu</h2><a href=/x>x</a></nav><main><p>Before any heading the page
already says something about tides and about birds.</p><h1 id=top>The <code>ebb</code></h1><p>Words of the first part,
with <a href=../more>a link</a>, many enough to be told from a menu.</p><pre><code># no heading\n</code></pre>
<section id=flood><h2>Flood</h2><p>Words of the second part, and there are quite some of these as well.</p></section>
<ul><li><h3>In a list</h3> and its words, which follow in the same line of the list that holds them all.</ul></main>"""


def test_sections_carry_their_anchor_and_add_up_to_the_page() -> None:
    found = sections(PAGE, "text/html", URL)
    assert [(part.heading, part.level, part.mark) for part in found] == [
        ("", 0, ""), ("The ebb", 1, "top"), ("Flood", 2, "flood"), ("In a list", 3, ""),
    ]  # fmt: skip
    assert "[a link](https://a.example/more)" in found[1].text
    assert found[2].text.startswith("## Flood\n")
    whole = main_markdown(PAGE, "text/html", URL)
    assert "".join("".join(part.text for part in found).split()) == "".join(whole.split())


def test_all_of_a_page_holds_what_stands_beside_its_main_part() -> None:
    found = {part.heading: part.text for part in sections(PAGE, "text/html", URL, whole=True)}
    assert list(found) == ["Menu", "The ebb", "Flood", "In a list"]
    assert "# no heading" in found["The ebb"]


def test_a_heading_is_called_without_the_sign_that_links_to_it() -> None:
    page = b"<main><h2>Ebb<a href='#ebb' id=ebb>\xc2\xb6</a></h2><p>Words.</main>"
    assert sections(page, "text/html; charset=utf-8", URL) == [MarkdownSection("## Ebb\n\nWords.", "Ebb", 2, "ebb")]


def test_a_page_without_headings_is_one_section() -> None:
    assert sections(b"<p>Only words.</p><p>And more.</p>", "text/html", URL) == [
        MarkdownSection("Only words.\n\nAnd more.")
    ]


def test_a_page_cannot_forge_a_heading() -> None:
    body = "<main><p>\ue0000\ue001 and \ue000x.1\ue001 are words</p><h1>Real</h1><p>text</main>".encode()
    assert [part.heading for part in sections(body, "text/html; charset=utf-8", URL)] == ["", "Real"]
    assert sections(b"", "text/html", URL) == []
    assert sections(b"<h1></h1>", "text/html", URL) == [MarkdownSection("#", "", 1, "")]
