"""The hot path: all a crawl needs from a page, in one walk over its elements and one over its text.

Half of the CPU time of a crawl is spent below `read`. What decided its shape, in microseconds on pages of
29 kB with 128 links, beside 175 for the parser: one walk for a dozen tag names costs 20 where a look-up for
each name costs 5; the text by `stripped_strings` 60. The layout renderer (`to_text`) costs the same, but drops
what stands in a list outside its items and fills short table rows up to the widest (42 kB became 18 MB);
`text` costs 15 and runs the words of neighbouring cells together.
"""

from collections.abc import Iterator
from itertools import islice, repeat

from msgspec.structs import replace
from turbohtml import Document, Element, Namespace

from whimbrel.parse.assets import assets_of
from whimbrel.parse.charset import decode
from whimbrel.parse.dates import Stated, dates_stated, written_at
from whimbrel.parse.directives import NO_DIRECTIVES, header_directives, meta_directives
from whimbrel.parse.document import is_plain, tree_of
from whimbrel.parse.heads import link_says, meta_says
from whimbrel.parse.marks import marks
from whimbrel.parse.refresh import refresh_target
from whimbrel.parse.shell import MOST_CHARACTERS, is_program, made_by_scripts
from whimbrel.records.page import BEGINNING, Anchor, Page

__all__ = ["PageElements", "header_directives", "page_of", "read", "visible_text"]

ANCHOR_TEXT_CHARACTERS = 300
TITLE_CHARACTERS = 1_000
MOST_HEADINGS, HEADING_CHARACTERS = 64, 500
MOST_FEEDS = 20
_LIKELY_ONE_BLOCK = 60
_STRINGS = 400
"""Strings that are taken from a page together where it is only begun."""
_PLAIN_TEXT_CHARACTERS = 32_000_000

_UNSEEN = ("script", "style", "noscript", "template", "iframe", "noframes", "noembed")
_HEADINGS = ("h1", "h2", "h3", "h4")
_NOTABLE = ("area", "frame", "base", "meta", "link", "time", "title", *_HEADINGS, *_UNSEEN)
_LEADING_OUT = 'a[href]:not([href^="#"])'
_LINKED_DATA = "application/ld+json"
_NOT_VOUCHED_FOR = frozenset({"nofollow", "ugc", "sponsored"})


class PageRest:
    """What is left to be read of a page that was begun: the rest of its text, its headings, when it was written."""

    def __init__(self, strings: Iterator[str], headings: list[Element], dates: float) -> None:
        self._strings = strings
        self._headings = headings
        self._dates = dates

    def read(self, begun: Page) -> Page:
        text = " ".join([begun.text, *self._strings]) if begun.text else begun.text
        return replace(
            begun, text=text, headings=_lines(self._headings), marks=marks(self._headings),
            written_at=written_at(self._dates, text),
        )  # fmt: skip


class PageElements:
    """Elements that somebody wants to look at who has the page read: the first of each link, by its href as in
    `anchors`, and what the page says of itself. With `begins` the page is read no further than it takes to tell what it
    is about; `rest` reads on."""

    def __init__(self, *, begins: bool = False) -> None:
        self.links: dict[str, Element] = {}
        self.metas: list[Element] = []
        self.begins = begins
        self.rest: PageRest | None = None


def read(body: bytes, content_type: str, *, assets: bool = False) -> Page:
    """The page in `body`: markup whatever the content type says, unless it says plain text."""
    if is_plain(content_type):
        return _read_plain(body, content_type)
    return page_of(*tree_of(body, content_type), assets=assets)


def page_of(
    document: Document, cut: tuple[str, ...], *, assets: bool = False, elements: PageElements | None = None
) -> Page:
    """The page in a parsed document, which loses what no reader sees; `cut` is what was cut before it was parsed.
    `elements` is filled in passing."""
    files = assets_of(document) if assets else []
    base = language = canonical = refresh = scriptless = ""
    title: Element | None = None
    directives = NO_DIRECTIVES
    unseen = []
    framed = hides_headings = False
    scripts = 0
    templates = []
    headings = []
    metas = []
    feeds: list[str] = []
    stated = Stated()
    for element in document.iter_elements(_NOTABLE):
        match element.tag:
            case "h1" | "h2" | "h3" | "h4":
                headings.append(element)
            case "meta":
                metas.append(element)
                says = meta_says(element)
                if says.date:
                    stated.metas.append(element)
                if says.directives:
                    directives |= meta_directives(element)
                if says.refresh and (target := refresh_target(element)):
                    if element.closest("noscript") is not None:
                        scriptless = scriptless or target
                    refresh = refresh or (target if target != scriptless else "")
            case "script":
                if is_program(element):
                    scripts += 1
                elif element.attr("type") == _LINKED_DATA:
                    stated.scripts.append(element)
                unseen.append(element)
            case "link":
                named = link_says(element)
                if named.canonical:
                    canonical = canonical or _address(element)
                if named.feed and len(feeds) < MOST_FEEDS and (feed := _address(element)):
                    feeds.append(feed)
            case "title":
                if title is None and element.namespace is Namespace.HTML:
                    title = element
            case "time":
                stated.times.append(element)
            case "base":
                base = base or element.attr("href", "") or ""
            case "area" | "frame":
                framed = True
            case "template":
                hides_headings = hides_headings or _holds_heading(element)
                templates.append(element)
            case tag:
                framed |= tag == "iframe"
                hides_headings = hides_headings or (tag != "style" and _holds_heading(element))
                unseen.append(element)
    # The content of a template is not part of the page (HTML standard §4.12.3), its links often not yet links.
    for element in templates:
        element.decompose()
    if elements is not None:
        elements.metas += metas
    anchors = _links(document, bool(base), elements.links if elements is not None else None)
    if framed:
        anchors += _areas_and_frames(list(document.iter_elements(("area", "frame", "iframe"))))
    root = document.root
    if root is not None:
        language = (root.attr("lang") or root.attr("xml:lang") or "").strip().lower()
    dates = dates_stated(stated)  # before scripts go, and dates with them
    strings = _strings(document, unseen)
    begins = elements is not None and elements.begins
    text = _beginning(strings) if begins else " ".join(strings)
    seen = headings[:MOST_HEADINGS]
    if hides_headings:
        seen = [heading for heading in seen if heading.closest("html") is not None]
    if elements is not None and begins:
        elements.rest = PageRest(strings, seen, dates)
    return Page(
        title=_title(title),
        text=text,
        headings="" if begins else _lines(seen),
        anchors=anchors,
        base=base.strip(),
        language=language,
        charset=document.encoding or "",
        canonical=canonical,
        # Who runs no scripts is often sent to a page that says so, and away from one that has all its text.
        refresh=refresh or ("" if text else scriptless),
        directives=directives,
        assets=files,
        feeds=feeds,
        cut=cut,
        written_at=0.0 if begins else written_at(dates, text),
        marks=[] if begins else marks(seen),
        scripted=made_by_scripts(document, text, scripts) if len(text) <= MOST_CHARACTERS and not framed else "",
    )


def visible_text(document: Document) -> str:
    """The text a reader sees, a space between the text of one element and the next."""
    return " ".join(_strings(document, list(document.iter_elements(_UNSEEN))))


def _holds_heading(element: Element) -> bool:
    return next(element.iter_elements(_HEADINGS), None) is not None


def _links(document: Document, based: bool, standing: dict[str, Element] | None) -> list[Anchor]:
    """One anchor for each distinct page linked to, in the order of the page, with the first text that names it.

    Links into the page itself ("#…") lead nowhere else, unless there is a `<base>`; on reference manuals every
    second link is one, and half of the others differ only in their fragment.
    """
    links = document.select("a[href]" if based else _LEADING_OUT)
    asked_of = document.find("a", rel=True) is not None
    texts: dict[str, str] = {}
    vouched: set[str] = set()
    for element in links:
        href = element.attr("href") or ""
        if "#" in href:
            href = _without_fragment(href)
        if not texts.get(href):
            if standing is not None:
                standing.setdefault(href, element)
            text = element.text.strip()
            texts[href] = text if 0 < len(text) < _LIKELY_ONE_BLOCK else _anchor_text(element, text)
        if asked_of and not _is_shunned(element):
            vouched.add(href)
    if not asked_of:
        return list(map(Anchor, texts, texts.values(), repeat(False)))
    return [Anchor(href, text, href not in vouched) for href, text in texts.items()]


def _without_fragment(href: str) -> str:
    stem, mark, _ = href.partition("#")
    # A space before the "#" belongs to the path, but would be trimmed from the end of a link.
    return stem if mark and stem and stem[-1] > " " else href


def _is_shunned(element: Element) -> bool:
    rel = element.attr("rel")
    return rel is not None and not _NOT_VOUCHED_FOR.isdisjoint(rel.lower().split())


def _areas_and_frames(others: list[Element]) -> list[Anchor]:
    anchors = []
    for element in others:
        if element.tag == "area" and (href := element.attr("href")) is not None:
            anchors.append(Anchor(href, (element.attr("alt") or "").strip(), _is_shunned(element)))
        elif element.tag in ("iframe", "frame") and (source := element.attr("src")):
            anchors.append(Anchor(source, (element.attr("title") or "").strip(), False))
    return anchors


def _anchor_text(element: Element, text: str) -> str:
    """A long text is often several blocks, which `text` runs together; none may be a picture."""
    if text:
        text = " ".join(islice(element.stripped_strings, 50))
    else:
        image = element.find("img")
        text = (image.attr("alt") if image is not None else "") or element.attr("title") or ""
    return text.strip()[:ANCHOR_TEXT_CHARACTERS]


def _address(link: Element) -> str:
    return (link.attr("href") or "").strip()


def _title(element: Element | None) -> str:
    """The title on one line; control characters, which could steer a terminal, count as white space."""
    if element is None:
        return ""
    title = element.text.strip()
    if not title.isprintable():
        title = "".join(c if c.isprintable() or c > "\x9f" else " " for c in title)
    return " ".join(title.split())[:TITLE_CHARACTERS]


def _strings(document: Document, unseen: list[Element]) -> Iterator[str]:
    for element in unseen:
        element.decompose()
    body = document.find("body")
    return iter(body.stripped_strings) if body is not None else iter(())


def _beginning(strings: Iterator[str]) -> str:
    """So many strings that they are `BEGINNING` characters together, or all."""
    text = " ".join(islice(strings, _STRINGS))
    while len(text) < BEGINNING and (more := " ".join(islice(strings, _STRINGS))):
        text = f"{text} {more}"
    return text


def _lines(headings: list[Element]) -> str:
    return "\n".join([" ".join(one.stripped_strings)[:HEADING_CHARACTERS] for one in headings])


def _read_plain(body: bytes, content_type: str) -> Page:
    text, charset = decode(body, content_type)
    cut: tuple[str, ...] = ()
    if len(text) > _PLAIN_TEXT_CHARACTERS:
        cut = (f"text longer than {_PLAIN_TEXT_CHARACTERS} characters: {len(text) - _PLAIN_TEXT_CHARACTERS} left out",)
        text = text[:_PLAIN_TEXT_CHARACTERS]
    return Page(
        title="",
        text=text.replace("\0", "\ufffd"),
        headings="",
        anchors=[],
        base="",
        language="",
        charset=charset,
        canonical="",
        refresh="",
        directives=NO_DIRECTIVES,
        assets=[],
        cut=cut,
    )
