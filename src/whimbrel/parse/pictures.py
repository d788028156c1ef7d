"""The pictures that a page shows, each with what the page says of it."""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from turbohtml import Document, Element, Text

from whimbrel.parse.assets import picture_addresses
from whimbrel.parse.blocks import UNREAD

MOST_PICTURES = 500
AROUND_WORDS = 20
"""Before a picture, and as many after it."""
MOST_CHARACTERS = 400
_FIGURE_STRINGS = 40
_SHOWING = frozenset({"img", "input", "video", "image"})
_UNREAD = UNREAD - {"video", "svg", "head"} | {"title"}


class PagePicture(Struct, frozen=True):
    """`addresses` as the page writes them: the first is the picture, the others stand in for it, smaller or in another
    format. `around` are the words that stand next to it, `width` and `height` how large the page says it is drawn, -1
    where it does not."""

    addresses: tuple[str, ...]
    alt: str
    title: str
    caption: str
    around: str
    width: int
    height: int
    name: str = ""

    def drawn_under(self, pixels: int) -> bool:
        """Whether the page says that it is drawn smaller than this, in width or in height."""
        return any(0 <= size < pixels for size in (self.width, self.height))


def pictures_of(document: Document) -> list[PagePicture]:
    """In the order of the page; one without an address, or whose address holds its bytes, is left out."""
    body = document.find("body")
    if body is None:
        return []
    said: list[str] = []
    met: list[tuple[Element, int, list[str]]] = []
    for node in _walked(body):
        if isinstance(node, Text):
            said += node.data.split()
        elif node.tag in _SHOWING and len(met) < MOST_PICTURES and (addresses := _addresses(node)):
            met.append((node, len(said), addresses))
    return [_picture(element, at, addresses, said) for element, at, addresses in met]


def _walked(body: Element) -> Iterator[Element | Text]:
    """What a reader sees, in order."""
    waiting: deque[Element | Text] = deque(_seen(body))
    while waiting:
        node = waiting.popleft()
        yield node
        if isinstance(node, Element):
            waiting.extendleft(reversed(list(_seen(node))))


def _seen(element: Element) -> Iterator[Element | Text]:
    for child in element.children:
        if isinstance(child, Text) or (isinstance(child, Element) and child.tag not in _UNREAD):
            yield child


def _addresses(element: Element) -> list[str]:
    found = list(picture_addresses(element))
    if element.tag == "img" and (parent := element.parent) is not None and getattr(parent, "tag", "") == "picture":
        found += [url for source in parent.find_all("source") for url in picture_addresses(source)]
    found = [url.strip() for url in found]
    return list(dict.fromkeys(url for url in found if url and url[:5].lower() != "data:"))


def _picture(element: Element, at: int, addresses: list[str], said: list[str]) -> PagePicture:
    around = " ".join(said[max(0, at - AROUND_WORDS) : at + AROUND_WORDS])
    return PagePicture(
        addresses=tuple(addresses),
        alt=_short(element.attr("alt") or element.attr("aria-label") or ""),
        title=_short(element.attr("title") or ""),
        caption=_caption(element),
        around=_short(around),
        width=pixels(element.attr("width")),
        height=pixels(element.attr("height")),
        name=_short(element.attr("name") or ""),
    )


def _caption(element: Element) -> str:
    """HTML standard §4.4.13: of the figure that it stands in."""
    figure = element.closest("figure")
    caption = figure.find("figcaption") if figure is not None else None
    return _short(" ".join(islice(caption.stripped_strings, _FIGURE_STRINGS))) if caption is not None else ""


def _short(text: str) -> str:
    return " ".join(text[: 4 * MOST_CHARACTERS].split())[:MOST_CHARACTERS]


def file_words(url: str) -> str:
    """The words of a picture's file name."""
    path = PurePosixPath(unquote(urlsplit(url).path))
    return " ".join(path.stem.replace("-", " ").replace("_", " ").split())


def pixels(said: str | None) -> int:
    """HTML standard §2.3.4.1, of lengths in pixels alone: a share of the page is no size."""
    said = (said or "").strip().lower().removesuffix("px")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 6 else -1
