"""What honest documents of every kind say."""

import io
import zipfile

import papers
import pytest

from whimbrel.documents import DocumentLimits, DocumentText, Extractor

RSS = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Wader news</title><language>en-gb</language>
<item><title>Seen &amp; heard</title><description>&lt;p&gt;A &lt;b&gt;curlew&lt;/b&gt;&lt;/p&gt;</description></item>
<item><title>Gone south</title><description>Bye</description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title>
<entry><title>One</title><content type="html">&lt;p&gt;first&lt;/p&gt;</content></entry></feed>"""


def text_of(extractor: Extractor, body: bytes, mime: str, url: str = "") -> DocumentText:
    found = extractor.read(body, mime, url)
    assert isinstance(found, DocumentText), found
    return found


def test_pdf_paragraphs_follow_distance_and_size(extractor: Extractor) -> None:
    page = papers.lines(
        (24, 700, "Waders"),
        (10, 660, "The first paragraph has"), (10, 648, "two lines."),
        (10, 620, "The second stands apart."), (10, 608, "It goes on."), (10, 596, "And on."),
    )  # fmt: skip
    found = text_of(extractor, papers.pdf([page, papers.lines((10, 700, "Next page."))]), papers.PDF)
    assert papers.paragraphs(found) == [
        "Waders", "The first paragraph has two lines.", "The second stands apart. It goes on. And on.", "Next page."
    ]  # fmt: skip
    assert (found.title, found.pages, found.kind, found.cut) == ("Waders", 2, "pdf", ())


@pytest.mark.parametrize(
    ("own", "title"),
    [
        (b"A Guide to Waders", "A Guide to Waders"),
        (b"Microsoft Word - Waders of Europe", "Waders of Europe"),
        (b"guide-v2.dvi", "Hello whimbrel"),
        (b"untitled", "Hello whimbrel"),
    ],
)
def test_a_title_that_is_a_name_of_a_file_gives_way(extractor: Extractor, own: bytes, title: str) -> None:
    body = papers.pdf([papers.lines((24, 700, "Hello whimbrel"))], info=b"/Title (%s)" % own)
    assert text_of(extractor, body, papers.PDF).title == title


def test_pages_beyond_the_limit_are_left_out_and_counted() -> None:
    body = papers.pdf([papers.lines((10, 700, f"page {number}")) for number in range(5)])
    with Extractor(DocumentLimits(pages=3)) as extractor:
        found = text_of(extractor, body, papers.PDF)
    assert (found.pages, len(papers.paragraphs(found)), found.cut) == (5, 3, ("2 of 5 pages left out",))


def test_text_beyond_the_limit_is_left_out() -> None:
    with Extractor(DocumentLimits(characters=40)) as extractor:
        found = text_of(extractor, b"a paragraph of 27 characters\n\n" * 9, "text/plain")
    assert len(found.text) <= 40
    assert found.cut == ("text beyond 40 characters left out",)


def test_word(extractor: Extractor) -> None:
    found = text_of(extractor, papers.word(), papers.DOCX)
    assert papers.paragraphs(found) == [
        "inside a content control", "Waders of the North", papers.CURLEW, "bill", "curved", "kept"
    ]  # fmt: skip
    assert (found.title, found.language, found.kind) == ("Waders of the North", "en", "docx")
    assert text_of(extractor, papers.word("Its own title"), papers.DOCX).title == "Its own title"


def test_word_with_macros_by_its_folder(extractor: Extractor) -> None:
    types = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    body = papers.word()
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        contents = archive.read("[Content_Types].xml").replace(
            types, b"application/vnd.ms-word.document.macroEnabled.main+xml"
        )
    body = papers.changed(body, **{"[Content_Types]_xml": contents})
    assert papers.CURLEW in text_of(extractor, body, "application/octet-stream", "http://site.test/a.docm").text


def test_powerpoint(extractor: Extractor) -> None:
    found = text_of(extractor, papers.presentation(), papers.PPTX)
    assert papers.paragraphs(found) == [
        "Where whimbrels winter", "On warm coasts", "in a table", "said aloud", "Second slide"
    ]  # fmt: skip
    assert (found.title, found.pages) == ("Where whimbrels winter", 2)


def test_open_document(extractor: Extractor) -> None:
    text = text_of(extractor, papers.open_text(), papers.ODT)
    assert papers.paragraphs(text) == ["Zugvögel", "Der Regenbrachvogel zieht im Herbst nach Süden.", "one two"]
    assert (text.title, text.kind) == ("Zugvögel", "odt")
    show = text_of(extractor, papers.open_presentation(), papers.ODP)
    assert (papers.paragraphs(show), show.pages) == (["text of the first page", "text of the second page"], 2)
    sheet = text_of(extractor, papers.open_sheet(), papers.ODS)
    assert (papers.paragraphs(sheet), sheet.pages) == (["bird seen", "whimbrel 42"], 1)


def test_a_note_inside_a_paragraph_is_said_once(extractor: Extractor) -> None:
    body = "<text:note-body><text:p>aside</text:p></text:note-body>"
    note = f"<text:note><text:note-citation>1</text:note-citation>{body}</text:note>"
    with zipfile.ZipFile(io.BytesIO(papers.open_text())) as archive:
        content = archive.read("content.xml").decode().replace("nach Süden", f"nach{note} Süden")
    found = text_of(extractor, papers.changed(papers.open_text(), content_xml=content.encode()), papers.ODT)
    assert papers.paragraphs(found)[1:3] == ["aside", "Der Regenbrachvogel zieht im Herbst nach Süden."]


def test_feeds(extractor: Extractor) -> None:
    news = text_of(extractor, RSS.encode(), "application/rss+xml")
    assert text_of(extractor, RSS.encode(), "application/x-rss+xml") == news
    assert papers.paragraphs(news) == ["Wader news", "Seen & heard", "A curlew", "Gone south", "Bye"]
    assert (news.title, news.pages, news.language, news.kind) == ("Wader news", 2, "en", "feed")
    notes = text_of(extractor, ATOM.encode(), "text/xml")
    assert (notes.title, papers.paragraphs(notes)) == ("Notes", ["Notes", "One", "first"])


def test_a_feed_is_never_taken_for_an_address_or_a_file(extractor: Extractor) -> None:
    for body in (b"http://site.test/feed", b"/etc/passwd"):
        assert not isinstance(extractor.read(body, "application/rss+xml", ""), DocumentText)


def test_plain_text_and_markdown(extractor: Extractor) -> None:
    plain = text_of(
        extractor, "Grüße\r\n\r\nZweiter  Absatz\r\nmit Zeilen\r\n".encode("cp1252"), "text/plain; charset=latin1"
    )
    assert papers.paragraphs(plain) == ["Grüße", "Zweiter Absatz\nmit Zeilen"]
    marked = text_of(
        extractor, b"intro\n\n# The title #\n\ntext", "application/octet-stream", "http://site.test/README.md"
    )
    assert marked.title == "The title"
    assert text_of(extractor, b"intro\n\nUnderlined\n==========\n", "text/markdown").title == "Underlined"


def test_what_is_no_character_does_not_get_through(extractor: Extractor) -> None:
    found = text_of(
        extractor, ("whimbrel " * 20 + "a\x1b[31mb \x00\ufffe ﬁn \xadc").encode(), "text/plain; charset=utf-8"
    )
    assert found.text.endswith("whimbrel a [31mb fin c")


def test_the_language_is_that_of_most_of_the_text(extractor: Extractor) -> None:
    german = (
        "Der Regenbrachvogel brütet im Norden und zieht im Herbst an die Küsten Afrikas, wo er den Winter verbringt. "
    )
    assert text_of(extractor, (papers.CURLEW + german * 20).encode(), "text/plain; charset=utf-8").language == "de"
    assert text_of(extractor, b"ok", "text/plain").language == ""
