"""A document as plain paragraphs, for where its own looks were not kept, for printing, and for PDFs and the like."""

from collections.abc import Iterator

from msgspec import Struct
from turbohtml import Document, Element, Namespace, Text

from whimbrel.parse.charset import decode
from whimbrel.parse.document import is_plain, tree_of

MOST_BLOCKS = 20_000

_UNREAD = "script,style,noscript,template,iframe,noframes,noembed,svg,head,select,textarea,a.headerlink"
_MAIN = "main,[role=main],article"
_AROUND = "nav,aside,[role=navigation],[role=banner],[role=contentinfo],[role=search]"
_MAIN_SHARE = 0.4
# HTML standard §4.5, and the elements that stand among words.
_WITHIN_LINES = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span
    strike strong sub sup time tt u var wbr math mi mo mn mrow msup msub mtext input button
    """.split()  # noqa: SIM905
)
_WITHIN_CELLS = frozenset({"p", "div", "ul", "ol", "li", "dl", "dt", "dd", "section", "blockquote"})
_HEADINGS = {"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6", "h6": "h6"}
"""One lower than on the page, which has a heading of ours above it."""
_KINDS = {"li": "li", "dt": "dt", "dd": "dd", "pre": "pre", "listing": "pre", "xmp": "pre", "blockquote": "quote"}


_CELL = "\0"
"""Stands before each cell of a row; no parsed text holds it (HTML standard §13.2.5)."""


class PlainBlock(Struct, frozen=True, omit_defaults=True):
    """`kind` is p, h2…h6, li, dt, dd, pre, quote or row; `text` keeps its lines where it is pre."""

    kind: str
    text: str
    cells: tuple[str, ...] = ()
    """Of a row, also the empty ones, which keep the others in their columns."""


def blocks(body: bytes, content_type: str) -> list[PlainBlock]:
    if is_plain(content_type):
        return of_text(decode(body, content_type)[0])
    found: list[PlainBlock] = []
    for block in _walk(_main(tree_of(body, content_type)[0])):
        found.append(block)
        if len(found) >= MOST_BLOCKS:
            break
    return found


def _main(document: Document) -> Document | Element:
    """What the page calls its main part, where that is most of it; else all of it but its menus."""
    document.remove(_UNREAD)
    whole = len(document.text)
    for part in document.select(_MAIN):
        if len(part.text) > _MAIN_SHARE * whole:
            return part
    document.remove(_AROUND)
    return document


def of_text(text: str) -> list[PlainBlock]:
    """Paragraphs are parted by empty lines."""
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    parts = (part.strip("\n") for part in lines.split("\n\n"))
    return [PlainBlock("pre" if "\n" in part else "p", part) for part in parts if part.strip()][:MOST_BLOCKS]


def below_title(blocks: list[PlainBlock], title: str) -> list[PlainBlock]:
    """As they stand below the title, which is not repeated, and whose headings leave no level out."""
    rest = blocks[1:] if len(blocks) > 1 and blocks[0].text == title else blocks
    around: list[str] = []
    found = []
    for block in rest:
        if block.kind in _HEADINGS.values():
            while around and around[-1] >= block.kind:
                around.pop()
            around.append(block.kind)
            block = PlainBlock(f"h{1 + len(around)}", block.text)
        found.append(block)
    return found


def _walk(root: Document | Element) -> Iterator[PlainBlock]:
    """An element that is no part of a line ends the line before it, and the one inside it."""
    line: list[str] = []
    waiting: list[tuple[Element | Text | None, str]] = [(None, "p"), *_down(root, "p")]
    while waiting:
        node, kind = waiting.pop()
        if isinstance(node, Text):
            line.append(node.data)
        elif node is not None and node.tag == "br":
            line.append("\n")
        elif node is not None and (node.tag in _WITHIN_LINES or node.namespace is not Namespace.HTML):
            waiting += _down(node, kind)
        elif node is not None and kind == "row" and node.tag in _WITHIN_CELLS:
            line.append(" ")
            waiting += _down(node, kind)
        elif node is not None and node.tag in ("td", "th"):
            line.append(_CELL)
            waiting += _down(node, kind)
        else:
            if text := _line(line, kind):
                yield PlainBlock(kind, text, _cells(line) if kind == "row" else ())
            line.clear()
            if node is not None:
                inner = _kind(node.tag, kind)
                waiting += [(None, inner), *_down(node, inner)]


def _down(node: Document | Element, kind: str) -> list[tuple[Element | Text | None, str]]:
    return [(child, kind) for child in reversed(node.children) if isinstance(child, (Element, Text))]


def _kind(tag: str, outer: str) -> str:
    if tag in _HEADINGS:
        return _HEADINGS[tag]
    if tag == "tr":
        return "row"
    if outer in ("li", "dd", "quote") and tag in ("p", "div"):
        return outer
    return _KINDS.get(tag, "p")


def _line(parts: list[str], kind: str) -> str:
    if kind == "row":
        return " · ".join(cell for cell in _cells(parts) if cell)
    text = "".join(parts).replace(_CELL, " ")
    return text.strip("\n") if kind == "pre" else " ".join(text.split())


def _cells(parts: list[str]) -> tuple[str, ...]:
    before, *cells = (" ".join(part.split()) for part in "".join(parts).split(_CELL))
    return (before, *cells) if before else tuple(cells)
