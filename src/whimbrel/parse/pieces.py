"""A page as the runs of text that its elements part, each with where it stands. From the kept copy.

What a template writes and what it is filled with meet within one line (`<p><b>Version:</b> 1.2</p>`), so a piece ends
at every element, and says which pieces make one line.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from turbohtml import Document, Element, Node, Text

from whimbrel.parse.blocks import APART, HIDDEN, INLINE, NAV, UNREAD, said_of
from whimbrel.parse.document import is_plain, tree_of

MOST_PIECES = 20_000
MOST_CHARACTERS = 10_000
"""Of one piece; a longer one is cut."""

_FEW_CHILDREN = 4
_MOST_CLASSES = 4
_DIGITS = re.compile(r"\d+")
_CELLS = frozenset({"td", "th"})
_PLACED = frozenset({"span", "div", "a"})
"""Elements that say by their place alone what they are for, where a few of them stand beside each other."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


class Piece(NamedTuple):
    """A run of text. `path` are its elements from the body down, with their classes; `line` is the number of the line
    it is part of, `boxes` the numbers of the boxes around that line, outermost first, `tags` their elements.

    `level` is that of the heading it is in, 0 for none; `row` and `column` are those of its table, -1 outside. `target`
    is where it links to. `name` is what its markup calls it, `called` what it calls the whole line. `apart`: space or
    an edge parts it from the piece before.
    """

    path: str
    text: str
    line: int
    boxes: tuple[int, ...]
    tags: tuple[str, ...]
    level: int = 0
    row: int = -1
    column: int = -1
    target: str = ""
    name: str = ""
    called: str = ""
    apart: bool = True


class _Around(NamedTuple):
    """What a text stands in."""

    path: str = ""
    boxes: tuple[int, ...] = (0,)
    tags: tuple[str, ...] = ("body",)
    level: int = 0
    row: int = -1
    column: int = -1
    target: str = ""
    name: str = ""
    called: str = ""


def pieces(body: bytes, content_type: str) -> list[Piece]:
    """Those that a reader sees, menus left out; none where there is no markup."""
    return [] if is_plain(content_type) else pieces_of(tree_of(body, content_type)[0])


def pieces_of(document: Document) -> list[Piece]:
    body = document.find("body")
    return [] if body is None else list(islice(_Walk().over(body, _Around()), MOST_PIECES))


class _Walk:
    def __init__(self) -> None:
        self._line = 0
        self._boxes = 0
        self._rows = 0
        self._apart = True

    def over(self, element: Element, around: _Around) -> Iterator[Piece]:
        children = list(element.children)
        places = _places(element.tag, children)
        for at, child in enumerate(children):
            if isinstance(child, Text):
                yield from self._text(child.data, around)
            elif isinstance(child, Element) and child.tag not in UNREAD:
                yield from self._element(child, around, places.get(at))

    def _text(self, data: str, around: _Around) -> Iterator[Piece]:
        text = " ".join(data.split())
        if text:
            apart = self._apart or data[0].isspace()
            yield Piece(around.path, text[:MOST_CHARACTERS], self._line, *around[1:], apart)
        self._apart = data[-1:].isspace() or (self._apart and not text)

    def _element(self, child: Element, around: _Around, place: int | None) -> Iterator[Piece]:
        tag = child.tag
        if tag == "br":
            self._end_line()
            return
        if said_of(child)[1] & (HIDDEN | NAV) or tag == "nav":
            return
        inside = self._inside(child, around, place)
        if tag in INLINE or tag in APART:
            self._apart |= tag in APART
            yield from self.over(child, inside)
            self._apart |= tag in APART
            return
        self._end_line()
        yield from self.over(child, inside)
        self._end_line()

    def _inside(self, child: Element, around: _Around, place: int | None) -> _Around:
        tag = child.tag
        step = f"{around.path}>{tag}{_classes(child)}{'' if place is None else f'[{place}]'}"
        name = _name(child) or around.name
        if tag in INLINE or tag in APART:
            target = (child.attr("href") or "") if tag == "a" else around.target
            return around._replace(path=step, target=target, name=name)
        self._boxes += 1
        self._rows += tag == "tr"
        return _Around(
            step,
            (*around.boxes, self._boxes),
            (*around.tags, tag),
            int(tag[1]) if tag in _HEADINGS else around.level,
            self._rows if tag == "tr" else -1 if tag == "table" else around.row,
            place if place is not None and tag in _CELLS else around.column,
            around.target,
            name,
            name,
        )

    def _end_line(self) -> None:
        self._line += 1
        self._apart = True


def _places(tag: str, children: Sequence[Node]) -> dict[int, int]:
    """Which of their parent's children those are that their place tells: cells, and a few that look the same."""
    elements = {at: child for at, child in enumerate(children) if isinstance(child, Element)}
    if tag == "tr":
        cells = [at for at, child in elements.items() if child.tag in _CELLS]
        return {at: place for place, at in enumerate(cells)}
    if len(elements) > _FEW_CHILDREN:
        return {}
    looks = {at: (child.tag, _classes(child)) for at, child in elements.items() if child.tag in _PLACED}
    counts = Counter(looks.values())
    met: Counter[tuple[str, str]] = Counter()
    found = {}
    for at, look in looks.items():
        if counts[look] > 1:
            found[at] = met[look]
            met[look] += 1
    return found


def _classes(element: Element) -> str:
    written = element.attr("class")
    if not isinstance(written, str) or not written:
        return ""
    return "".join(f".{name}" for name in sorted(set(_DIGITS.sub("0", written).split()))[:_MOST_CLASSES])


def _name(element: Element) -> str:
    """By which a program would find it: its property, else its first class."""
    for attribute in ("itemprop", "property", "class"):
        value = element.attr(attribute)
        if isinstance(value, str) and value.split():
            return value.split()[0]
    return ""
