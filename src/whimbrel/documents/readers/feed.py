"""RSS and Atom feeds: the title of each entry, then what it says."""

import io
from collections.abc import Iterator
from typing import Any

import feedparser

from whimbrel.documents import kinds
from whimbrel.documents.archive import declares_entities
from whimbrel.documents.contract import DocumentLimits, Unreadable
from whimbrel.documents.draft import Draft
from whimbrel.parse import html

_HTML = "text/html; charset=utf-8"


def read(kind: str, mime: str, body: bytes, limits: DocumentLimits) -> Draft | Unreadable:
    if declares_entities(body):
        return Unreadable("unsupported", "the feed declares XML entities, which can multiply without bound")
    if kinds.looks_like_html(body[: kinds.SNIFFED_BYTES]):
        return Unreadable("mislabelled", "called a feed, but HTML")
    # A stream: given bytes or text, the library would first try them as an address and as the name of a file.
    headers = {"content-type": mime} if mime else {}
    found = feedparser.parse(
        io.BytesIO(body), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )
    if not found.version and not found.entries:
        return Unreadable("mislabelled" if not found.bozo else "damaged", _fault(found))
    entries = found.entries[: limits.pages]
    cut = (f"{len(found.entries) - limits.pages} entries left out",) if len(found.entries) > limits.pages else ()
    return Draft(
        paragraphs=[text for entry in (found.feed, *entries) for text in _texts(entry)],
        pages=len(found.entries),
        title=_plain(found.feed.get("title", "")),
        language=found.feed.get("language", ""),
        cut=cut,
    )


def _texts(entry: Any) -> Iterator[str]:
    yield _plain(entry.get("title", ""))
    contents = [content.get("value", "") for content in entry.get("content", ())]
    yield from map(_plain, contents or [entry.get("subtitle", "") or entry.get("summary", "")])


def _plain(markup: str) -> str:
    return html.read(markup.encode("utf-8", "replace"), _HTML).text if "<" in markup or "&" in markup else markup


def _fault(found: Any) -> str:
    return (
        "called a feed, but its XML is cut off or damaged" if found.bozo else "called a feed, but neither RSS nor Atom"
    )
