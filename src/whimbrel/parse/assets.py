"""The files a page is shown with: style sheets, images, and what its own styles ask for."""

import re
from collections.abc import Iterator

from turbohtml import Document, Element

from whimbrel.parse import css

_SHOWN_WITH = "link[href],img,source,video[poster],input[src],image,style,[style],[background]"
_LINKED = frozenset({"stylesheet", "icon", "apple-touch-icon", "mask-icon"})
# HTML standard §4.8.4.2.2: candidates are split at commas that follow white space or a descriptor, since a
# comma may be part of an address.
_CANDIDATE = re.compile(r"[\s,]*([^\s,]\S*[^\s,]|[^\s,])(?:\s+[^,]*)?(?:,|\Z)")


def assets_of(document: Document) -> list[str]:
    """The addresses as written, each once, in the order of the page."""
    found = (url.strip() for element in document.select(_SHOWN_WITH) for url in _asked_for(element))
    return list(dict.fromkeys(url for url in found if url and url[:5].lower() != "data:"))


def _asked_for(element: Element) -> Iterator[str]:
    if style := element.attr("style"):
        yield from css.urls(style)
    match element.tag:
        case "link":
            if not _LINKED.isdisjoint((element.attr("rel") or "").lower().split()):
                yield element.attr("href") or ""
        case "style":
            yield from css.urls(element.text)
        case "img" | "source" | "input" | "video" | "image":
            yield from picture_addresses(element)
        case _:
            yield element.attr("background") or ""


def picture_addresses(element: Element) -> Iterator[str]:
    """Those of one element, as written, the one for everybody first."""
    # The src of a <source> is a picture's only where a srcset would be: elsewhere it is sound or film.
    names = ("poster",) if element.tag == "video" else ("src", "href", "xlink:href")
    if element.tag != "source":
        yield from (element.attr(name) or "" for name in names)
    yield from _CANDIDATE.findall(element.attr("srcset") or "")
