"""The entries of a sitemap or feed in XML, by expat, as far as the file can be read.

Entity declarations are refused before anything is expanded (a DTD without them is let pass). A bare "&" is escaped
first, HTML's named characters are spelled out, and control characters that XML forbids are left out: sites write all of
them. Elements are known by their place: of an entry only direct children count, so that the `image:loc` of an
`image:image` is not taken for a page.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from html.entities import html5
from typing import Literal
from xml.parsers import expat
from xml.sax.saxutils import escape

from msgspec import Struct

XmlKind = Literal["urlset", "index", "rss", "atom"]

ROOTS: Mapping[str, XmlKind] = {
    "urlset": "urlset",
    "sitemapindex": "index",
    "rss": "rss",
    "rdf": "rss",
    "feed": "atom",
}
_ENTRIES: Mapping[XmlKind, str] = {"urlset": "url", "index": "sitemap", "rss": "item", "atom": "entry"}
_FIELDS: Mapping[XmlKind, Mapping[str, str]] = {
    "urlset": {"loc": "loc", "lastmod": "lastmod", "changefreq": "changefreq", "priority": "priority"},
    "index": {"loc": "loc", "lastmod": "lastmod"},
    "rss": {"link": "loc", "guid": "guid", "pubdate": "lastmod", "date": "lastmod"},
    "atom": {"updated": "lastmod", "published": "published"},
}
_DEEPEST = 64
_LONGEST_FIELD = 8192
_PIECE = 1 << 16
_LARGEST_CHUNK = 1 << 22
_LONGEST_REFERENCE = 40

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]+")
_NAMED = r"#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,30}"
_BARE = re.compile(f"&(?!(?:{_NAMED});)")
_REFERENCE = re.compile(f"&(?!(?:amp|lt|gt|quot|apos);)({_NAMED});")


class SitemapEntry(Struct, frozen=True):
    """What one entry says, as written; "" where it says nothing. `further` counts the URLs behind its first.
    `capability` and `change` are ResourceSync's: what the list behind this URL is for, and what became of a page."""

    loc: str
    lastmod: str
    changefreq: str
    priority: str
    further: int = 0
    capability: str = ""
    change: str = ""


class Walked(Struct, frozen=True):
    """`kind` is None where the root is none of ours. `broken` says why reading stopped before the end, if it did.
    `capability` is what ResourceSync calls such a list, "" where it calls it nothing."""

    kind: XmlKind | None
    broken: str
    capability: str = ""


class Refused(Exception):
    """The file asks for what is never done; the reason is for a person."""


class _Stop(Exception):
    """Ends a parse from inside a handler."""


def walk(text: str, take: Callable[[SitemapEntry], bool]) -> Walked:
    """Hands every entry to `take` until it says no, the text ends, or cannot be read on. Raises `Refused`."""
    walker = _Walker(take)
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = walker.start
    parser.EndElementHandler = walker.end
    parser.CharacterDataHandler = walker.words
    parser.EntityDeclHandler = _refuse_entity
    try:
        _feed(parser, mended(text))
    except _Stop as stopped:
        return Walked(walker.kind, str(stopped), walker.capability)
    except expat.ExpatError as error:
        why = f"not well-formed at line {error.lineno} ({expat.ErrorString(error.code)})"
        walker.cut()
        return Walked(walker.kind, why, walker.capability)
    return Walked(walker.kind, "", walker.capability)


def _feed(parser: expat.XMLParserType, pieces: Iterator[str]) -> None:
    # Expat reads an unfinished token again with every chunk: chunks that grow keep that work small.
    waiting: list[str] = []
    length, size = 0, _PIECE
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length >= size:
            parser.Parse("".join(waiting).encode("utf-8", "replace"), False)
            waiting, length, size = [], 0, min(2 * size, _LARGEST_CHUNK)
    parser.Parse("".join(waiting).encode("utf-8", "replace"), True)


def mended(text: str) -> Iterator[str]:
    """The text in pieces, with what sites get wrong put right; CDATA sections stay as they are."""
    at = len(text) - len(text.lstrip())
    while at < len(text):
        opened = _found(text, "<![CDATA[", at)
        while at < opened:
            end = _before_reference(text, at, min(at + _PIECE, opened))
            yield _escaped(_FORBIDDEN.sub("", text[at:end]))
            at = end
        closed = min(_found(text, "]]>", opened) + 3, len(text))
        while at < closed:
            yield _FORBIDDEN.sub("", text[at : min(at + _PIECE, closed)])
            at = min(at + _PIECE, closed)


def _found(text: str, mark: str, start: int) -> int:
    place = text.find(mark, start)
    return len(text) if place < 0 else place


def _before_reference(text: str, start: int, end: int) -> int:
    """An end that cuts no reference in two."""
    ampersand = text.rfind("&", max(start + 1, end - _LONGEST_REFERENCE), end)
    return end if ampersand < 0 or end == len(text) else ampersand


def _escaped(markup: str) -> str:
    if "&" not in markup:
        return markup
    return _BARE.sub("&amp;", _REFERENCE.sub(_lawful, markup))


def _lawful(found: re.Match[str]) -> str:
    """A reference that XML knows: HTML's names are spelled out, numbers that name no character lose their meaning."""
    reference = found[1]
    if reference[0] != "#":
        meant = html5.get(f"{reference};")
        return f"&amp;{reference};" if meant is None else escape(meant)
    code = int(reference[2:], 16) if reference[1] in "xX" else int(reference[1:])
    lawful = code in (9, 10, 13) or 32 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return f"&#{code};" if lawful else f"&amp;{reference};"


def _refuse_entity(name: str, *_: object) -> None:
    raise Refused(f"it declares the entity {name[:40]!r}: entities are never expanded")


class _Walker:
    """Handlers of one parse. Names are compared without prefix and case."""

    def __init__(self, take: Callable[[SitemapEntry], bool]) -> None:
        self.kind: XmlKind | None = None
        self.capability = ""
        self._take = take
        self._depth = 0
        self._entry_depth = 0
        self._fields: dict[str, str] = {}
        self._field = ""
        self._text: list[str] = []
        self._length = 0
        self._further = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2].lower()
        self._depth += 1
        if self._depth == 1:
            self._open_root(local)
        elif self._depth > _DEEPEST:
            raise _Stop(f"elements nested deeper than {_DEEPEST}")
        elif self._entry_depth == 0:
            if self.kind is not None and local == _ENTRIES[self.kind]:
                self._entry_depth, self._fields, self._further = self._depth, {}, 0
            elif self._depth == 2 and local == "md":
                self.capability = self.capability or attributes.get("capability", "").strip().lower()
        elif self._depth == self._entry_depth + 1:
            self._open_field(local, attributes)

    def _open_root(self, local: str) -> None:
        self.kind = ROOTS.get(local)
        if self.kind is None:
            raise _Stop(f"its root is <{local[:40]}>")

    def _open_field(self, local: str, attributes: dict[str, str]) -> None:
        assert self.kind is not None
        if self.kind == "atom" and local == "link":
            if attributes.get("rel", "alternate") == "alternate":
                self._fields.setdefault("loc", attributes.get("href", ""))
            return
        if local == "md" and self.kind in ("urlset", "index"):
            self._open_resourcesync(attributes)
            return
        field = _FIELDS[self.kind].get(local, "")
        if field == "guid" and attributes.get("isPermaLink", "true").lower() != "true":
            field = ""
        self._field, self._text, self._length = field, [], 0

    def _open_resourcesync(self, attributes: dict[str, str]) -> None:
        """ResourceSync's own word on an entry (ANSI/NISO Z39.99 §6): it is later than a lastmod beside it."""
        for name in ("capability", "change"):
            self._fields.setdefault(name, attributes.get(name, "").strip().lower())
        if moment := attributes.get("datetime", "").strip():
            self._fields["lastmod"] = moment

    def words(self, text: str) -> None:
        if self._field and self._length < _LONGEST_FIELD:
            self._text.append(text)
            self._length += len(text)

    def end(self, _: str) -> None:
        if self._field and self._depth == self._entry_depth + 1:
            # The first one counts, except that an empty one does not: RSS in the wild carries <atom:link/> too.
            written = "".join(self._text).strip()
            if written and self._fields.setdefault(self._field, written) != written and self._field == "loc":
                self._further += 1
            self._field = ""
        elif self._entry_depth and self._depth == self._entry_depth:
            self._close_entry()
        self._depth -= 1

    def cut(self) -> None:
        """The text ended inside an entry; a URL that stands there complete is one."""
        if self._entry_depth and self._fields.get("loc"):
            self._take(self._entry())

    def _close_entry(self) -> None:
        self._entry_depth = 0
        if not self._take(self._entry()):
            raise _Stop("")

    def _entry(self) -> SitemapEntry:
        said = self._fields
        return SitemapEntry(
            loc=said.get("loc") or said.get("guid", ""),
            lastmod=said.get("lastmod") or said.get("published", ""),
            changefreq=said.get("changefreq", ""),
            priority=said.get("priority", ""),
            further=self._further,
            capability=said.get("capability", ""),
            change=said.get("change", ""),
        )
