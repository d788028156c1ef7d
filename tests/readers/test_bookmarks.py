"""Bookmark files as browsers write them, as people mangle them, and as nobody should send them."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.readers.bookmarks import LARGEST_BYTES, MOST_BOOKMARKS, BadBookmarks, BookmarkFile, read_bookmarks

FIREFOX = b"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<DL><p>
  <DT><H3 ADD_DATE="1700000000">Birds &amp; tides</H3>
  <DL><p>
    <DT><A HREF="https://docs.example.org/tides?a=1&amp;b=2" ADD_DATE="1700000300" ICON="data:,i">Tides &amp; waders</A>
    <DT><A HREF='http://EXAMPLE.org' ADD_DATE='1700000100000000'>Caf\xc3\xa9</A>
    <DT><A HREF="javascript:alert(1)">a script</A>
    <DT><A HREF="place:sort=8">recent</A>
  </DL><p>
</DL>"""


def test_a_browsers_file() -> None:
    read = read_bookmarks(FIREFOX)
    assert isinstance(read, BookmarkFile)
    assert [(one.url, one.title, one.at) for one in read.bookmarks] == [
        ("https://docs.example.org/tides?a=1&b=2", "Tides & waders", 1_700_000_300.0),
        ("http://example.org/", "Café", 0.0),
    ]
    assert (read.unread, read.beyond) == (2, 0)


def test_a_hundred_thousand_lines_are_cut_and_told() -> None:
    lines = (f'<DT><A HREF="https://e.org/{at}" ADD_DATE="{at}">page {at}</A>\n' for at in range(100_000))
    read = read_bookmarks("".join(lines).encode())
    assert isinstance(read, BookmarkFile)
    assert len(read.bookmarks) == MOST_BOOKMARKS
    assert read.beyond == 100_000 - MOST_BOOKMARKS
    assert read.bookmarks[0].url == "https://e.org/99999", "the latest are kept"


def test_what_is_no_bookmark_file_is_answered() -> None:
    for garbage in (b"", b"  \n", b"\x00\xff" * 5_000, b"<a " * 200_000, b"<a href=" * 100_000, b"%PDF-1.7"):
        answer = read_bookmarks(garbage)
        assert isinstance(answer, BadBookmarks)
        assert "Export it" in answer.words
    large = read_bookmarks(b"x" * (LARGEST_BYTES + 1))
    assert isinstance(large, BadBookmarks)
    assert "32 MB" in large.words


@given(st.binary(max_size=2_000))
def test_no_file_does_harm(data: bytes) -> None:
    read = read_bookmarks(b'<A HREF="https://e.org/">' + data)
    assert isinstance(read, BookmarkFile)
    assert all(one.url.startswith(("http://", "https://")) and len(one.title) <= 300 for one in read.bookmarks)
