"""The hot path: all a crawl needs from a page, in one walk over its elements and one over its text.

Half of the CPU time of a crawl is spent below `read`. What decided its shape, in microseconds on pages of
29 kB with 128 links, beside 175 for the parser: one walk for a dozen tag names costs 20 where a look-up for
each name costs 5; the text by `stripped_strings` 60. The layout renderer (`to_text`) costs the same, but drops
what stands in a list outside its items and fills short table rows up to the widest (42 kB became 18 MB);
`text` costs 15 and runs the words of neighbouring cells together.
"""

from itertools import islice

from turbohtml import Document, Element

from whimbrel.parse.assets import assets_of
from whimbrel.parse.charset import decode
from whimbrel.parse.directives import NO_DIRECTIVES, header_directives, meta_directives
from whimbrel.parse.document import is_plain, tree_of
from whimbrel.parse.refresh import refresh_target
from whimbrel.records.page import Anchor, Page

__all__ = ["header_directives", "read", "visible_text"]

ANCHOR_TEXT_CHARACTERS = 300
TITLE_CHARACTERS = 1_000
_PLAIN_TEXT_CHARACTERS = 32_000_000

_UNSEEN = ("script", "style", "noscript", "template", "iframe", "noframes", "noembed")
_NOTABLE = ("a", "area", "frame", "base", "meta", "link", "title", *_UNSEEN)
_NOT_VOUCHED_FOR = frozenset({"nofollow", "ugc", "sponsored"})


def read(body: bytes, content_type: str, *, assets: bool = False) -> Page:
    """The page in `body`: markup whatever the content type says, unless it says plain text."""
    if is_plain(content_type):
        return _read_plain(body, content_type)
    document, cut = tree_of(body, content_type)
    files = assets_of(document) if assets else []
    anchors, others = _links(document)
    base = language = canonical = refresh = ""
    title: Element | None = None
    directives = NO_DIRECTIVES
    unseen = []
    for element in others:
        match element.tag:
            case "meta":
                directives |= meta_directives(element)
                refresh = refresh or refresh_target(element)
            case "link":
                canonical = canonical or _canonical(element)
            case "title":
                title = title or element
            case "base":
                base = base or element.attr("href", "") or ""
            case "area" | "frame":
                pass
            case _:
                unseen.append(element)
    root = document.root
    if root is not None:
        language = (root.attr("lang") or root.attr("xml:lang") or "").strip().lower()
    return Page(
        title=_title(title),
        text=_text(document, unseen),
        anchors=anchors,
        base=base.strip(),
        language=language,
        charset=document.encoding or "",
        canonical=canonical,
        refresh=refresh,
        directives=directives,
        assets=files,
        cut=cut,
    )


def visible_text(document: Document) -> str:
    """The text a reader sees, a space between the text of one element and the next."""
    return _text(document, list(document.iter_elements(_UNSEEN)))


def _links(document: Document) -> tuple[list[Anchor], list[Element]]:
    """The anchors in the order of the page, and the other notable elements."""
    anchors: list[Anchor] = []
    others: list[Element] = []
    shunned = {element for element in document.select("a[rel],area[rel]") if _shuns(element)}
    elements = document.iter_elements(_NOTABLE)
    for element in elements:
        if (tag := element.tag) == "a":
            if (href := element.attr("href")) is not None:
                text = element.text.strip()
                if not 0 < len(text) < 60:
                    text = _anchor_text(element, text)
                anchors.append(Anchor(href, text, element in shunned if shunned else False))
            continue
        others.append(element)
        if tag == "area":
            if (href := element.attr("href")) is not None:
                anchors.append(Anchor(href, (element.attr("alt") or "").strip(), element in shunned))
        elif (tag == "iframe" or tag == "frame") and (source := element.attr("src")):
            anchors.append(Anchor(source, (element.attr("title") or "").strip(), False))
        elif tag == "template":
            # Its content is not part of the page (HTML standard §4.12.3), and its links often not yet links.
            inside = sum(1 for _ in element.iter_elements(_NOTABLE))
            next(islice(elements, inside, inside), None)
    return anchors, others


def _shuns(element: Element) -> bool:
    rel = element.attr("rel") or ""
    return not _NOT_VOUCHED_FOR.isdisjoint(rel.lower().split())


def _anchor_text(element: Element, text: str) -> str:
    """A long text is often several blocks, which `text` runs together; none may be a picture."""
    if text:
        text = " ".join(islice(element.stripped_strings, 50))
    else:
        image = element.find("img")
        text = (image.attr("alt") if image is not None else "") or element.attr("title") or ""
    return text.strip()[:ANCHOR_TEXT_CHARACTERS]


def _canonical(link: Element) -> str:
    rel = link.attr("rel")
    if rel is None or "canonical" not in rel.lower().split():
        return ""
    return (link.attr("href") or "").strip()


def _title(element: Element | None) -> str:
    """The title on one line; control characters, which could steer a terminal, count as white space."""
    if element is None:
        return ""
    title = element.text.strip()
    if not title.isprintable():
        title = "".join(c if c.isprintable() or c > "\x9f" else " " for c in title)
    return " ".join(title.split())[:TITLE_CHARACTERS]


def _text(document: Document, unseen: list[Element]) -> str:
    for element in unseen:
        element.decompose()
    body = document.find("body")
    return " ".join(body.stripped_strings) if body is not None else ""


def _read_plain(body: bytes, content_type: str) -> Page:
    text, charset = decode(body, content_type)
    cut: tuple[str, ...] = ()
    if len(text) > _PLAIN_TEXT_CHARACTERS:
        cut = (f"text longer than {_PLAIN_TEXT_CHARACTERS} characters: {len(text) - _PLAIN_TEXT_CHARACTERS} left out",)
        text = text[:_PLAIN_TEXT_CHARACTERS]
    return Page(
        title="",
        text=text.replace("\0", "\ufffd"),
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
