"""A browser's bookmark file: the HTML that Netscape wrote first and that every browser still exports.

It is read for its addresses and their names. Nothing in it is fetched, and nothing of it is run.
"""

import re
from html import unescape

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.urls.normal import normalise

LARGEST_BYTES = 32 << 20
MOST_BOOKMARKS = 20_000
"""Of a larger file the latest: what was put aside long ago tells little of today."""
LONGEST_TITLE = 300
LONGEST_URL = 2_000
_HOW = "Export it in the browser's bookmark manager as HTML."

# No part of a pattern can match what another could: a file of garbage takes no longer than its length.
_ANCHOR = re.compile(r"<a\s([^<>]*)>([^<]*)", re.IGNORECASE)
_HREF = re.compile(r"""(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_ADDED = re.compile(r'(?:^|\s)add_date\s*=\s*"?(\d{1,16})', re.IGNORECASE)


class Bookmark(Struct, frozen=True):
    """`at` is when it was made, 0 where the file does not say."""

    url: Url
    title: str
    at: float


class BookmarkFile(Struct, frozen=True):
    """The bookmarks, the latest first. `unread` had no address of a web page, `beyond` were more than are kept."""

    bookmarks: tuple[Bookmark, ...]
    unread: int
    beyond: int


class BadBookmarks(Struct, frozen=True):
    """Why a file is not taken, and what to do."""

    words: str


def read_bookmarks(data: bytes) -> BookmarkFile | BadBookmarks:
    if not data.strip():
        return BadBookmarks(f"The file is empty. {_HOW}")
    if len(data) > LARGEST_BYTES:
        return BadBookmarks(f"The file is larger than {LARGEST_BYTES >> 20} MB: no bookmarks are. {_HOW}")
    text = data.decode("utf-8-sig", "replace")
    found: dict[Url, Bookmark] = {}
    unread = 0
    for attributes, name in _ANCHOR.findall(text):
        bookmark = _bookmark(attributes, name)
        if bookmark is None:
            unread += 1
        elif bookmark.url not in found or bookmark.at > found[bookmark.url].at:
            found[bookmark.url] = bookmark
    if not found:
        return BadBookmarks(f"There is no address of a web page in this file. {_HOW}")
    latest = sorted(found.values(), key=lambda one: (-one.at, one.url))
    return BookmarkFile(tuple(latest[:MOST_BOOKMARKS]), unread, max(0, len(latest) - MOST_BOOKMARKS))


def _bookmark(attributes: str, name: str) -> Bookmark | None:
    href = _HREF.search(attributes)
    address = unescape(next(filter(None, href.groups()), "")).strip() if href is not None else ""
    if not address.lower().startswith(("http://", "https://")) or len(address) > LONGEST_URL:
        return None
    url = normalise(address)
    if not isinstance(url, str):
        return None
    added = _ADDED.search(attributes)
    at = float(added[1]) if added is not None else 0.0
    # Some browsers count microseconds.
    return Bookmark(url, " ".join(unescape(name).split())[:LONGEST_TITLE], at / 1e6 if at > 1e11 else at)
