"""A feed as blocks: every text in it that is no moment. When something was written is no news; what it says is."""

import re
from collections.abc import Iterator
from email.utils import parsedate_tz
from html import unescape

from whimbrel.change.blocks import Block, place_of

TYPES = (
    "application/rss+xml",
    "application/x-rss+xml",  # by which Debian's servers know .rss
    "application/atom+xml",
    "application/rdf+xml",
    "application/xml",
    "text/xml",
)
_ROOTS = frozenset({"rss", "feed", "RDF"})
_ENTRIES = frozenset({"item", "entry"})
_CDATA, _COMMENT = "<![CDATA[", "<!--"
_NAME = re.compile(r"<(/?)([\w.-]+:)?([\w.-]+)")
_HREF = re.compile(r"""\b(?:href|url)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TAG = re.compile(r"<[^<>]*>")
# RFC 3339, which is how Atom writes moments.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?")


def is_feed(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in TYPES


def feed_blocks(xml: str) -> Iterator[Block]:
    """Each under the title of its entry, named by its element; none of what is XML but no feed."""
    if _root(xml) not in _ROOTS:
        return
    heading = ""
    counts: dict[str, int] = {}
    entry = tag = ""
    texts: list[str] = []
    for is_tag, piece in _pieces(xml):
        if not is_tag:
            texts.append(piece)
            continue
        found = _NAME.match(piece)
        text, owner = _words("".join(texts)), tag
        texts.clear()
        if found is None:
            continue
        tag = found[3]
        if tag in _ENTRIES:
            entry, heading = ("", "") if found[1] else (tag, "")
            counts.clear()
        if not found[1] and (linked := _HREF.search(piece)):
            text, owner = linked[1] or linked[2] or "", tag
        if text and not is_moment(text):
            if owner == "title":
                heading = text
            counts[owner] = counts.get(owner, 0) + 1
            yield Block(text, owner, f"{entry}/{owner}", place_of(owner, counts[owner], heading))


def _root(xml: str) -> str:
    names = (_NAME.match(piece) for is_tag, piece in _pieces(xml) if is_tag)
    return next((found[3] for found in names if found is not None), "")


def is_moment(text: str) -> bool:
    return _MOMENT.fullmatch(text) is not None or (len(text) < 40 and ":" in text and parsedate_tz(text) is not None)


def _words(text: str) -> str:
    """What a text says that may be markup, written as text."""
    return " ".join(_TAG.sub(" ", text).split()) if "<" in text else " ".join(text.split())


def _pieces(xml: str) -> Iterator[tuple[bool, str]]:
    """Tags and the texts between them, in one pass however broken it is."""
    at = 0
    while at < len(xml):
        start = xml.find("<", at)
        if start != at:
            yield False, unescape(xml[at : start if start >= 0 else len(xml)])
            if start < 0:
                return
        if xml.startswith(_CDATA, start):
            end = xml.find("]]>", start)
            yield False, xml[start + len(_CDATA) : end if end >= 0 else len(xml)]
            at = end + 3 if end >= 0 else len(xml)
        else:
            closing = "-->" if xml.startswith(_COMMENT, start) else ">"
            end = xml.find(closing, start)
            if end < 0:
                return
            if closing == ">":
                yield True, xml[start : end + 1]
            at = end + len(closing)
