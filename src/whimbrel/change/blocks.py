"""The paragraphs, headings, items and cells of a part of a page, each with what a reader and a tool see in it."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from turbohtml import Element, Text

# Phrasing content (HTML standard §3.2.5.2.5) that stands within a line, with the obsolete elements that did.
_WITHIN_LINES = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "audio",
        "b",
        "bdi",
        "bdo",
        "big",
        "blink",
        "button",
        "canvas",
        "cite",
        "code",
        "data",
        "datalist",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "input",
        "ins",
        "kbd",
        "label",
        "mark",
        "math",
        "meter",
        "nobr",
        "object",
        "output",
        "picture",
        "progress",
        "q",
        "rb",
        "rp",
        "rt",
        "rtc",
        "ruby",
        "s",
        "samp",
        "select",
        "small",
        "source",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "track",
        "tt",
        "u",
        "var",
        "video",
        "wbr",
    ]
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_PLACE_CHARACTERS = 60


class Block(Struct, frozen=True):
    """`path` are the elements around the text, outermost first; `place` names the block to a person.

    `dress` is how it is set: classes, styles and the elements within its lines.
    """

    text: str
    tag: str
    path: str
    place: str
    links: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    classes: str = ""
    dress: str = ""


class _Line:
    """A block being read."""

    __slots__ = ("classes", "dress", "images", "links", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.links: list[str] = []
        self.images: list[str] = []
        self.classes: list[str] = []
        self.dress: list[str] = []


def blocks_of(part: Element) -> Iterator[Block]:
    """Every run of text between two block boundaries, in the order of the page; images alone are blocks as well."""
    heading = ""
    counts: dict[str, int] = {}
    line = _Line()
    owner, path = part.tag, part.tag
    # What is still to be read, the next last: an element or text with its block's name and path, or None where a
    # block ends.
    waiting: list[tuple[Element | Text | None, str, str]] = [(None, owner, path)]
    waiting += ((child, owner, path) for child in reversed(part.children) if isinstance(child, (Element, Text)))
    while waiting:
        node, owner, path = waiting.pop()
        if isinstance(node, Text):
            line.texts.append(node.data)
            continue
        if node is not None and (node.tag in _WITHIN_LINES):
            _note(node, line)
            children = node.children
            if children:
                waiting += ((child, owner, path) for child in reversed(children) if isinstance(child, (Element, Text)))
            continue
        if node is not None and node.tag == "br":
            line.texts.append(" ")
            continue
        text = " ".join("".join(line.texts).split())
        # What surrounds a block without being one dresses the first block in it.
        if not text and not line.images:
            line.texts.clear()
        else:
            if owner in _HEADINGS:
                heading = text
                counts.clear()
            counts[owner] = counts.get(owner, 0) + 1
            yield Block(
                text,
                owner,
                path,
                _place(owner, counts[owner], heading),
                tuple(line.links),
                tuple(line.images),
                " ".join(line.classes),
                " ".join(line.dress),
            )
            line = _Line()
        if node is not None:
            inner = f"{path}/{node.tag}"
            attributes = node.attrs
            if attributes:
                _wear(attributes, line)
            waiting.append((None, node.tag, inner))
            waiting += (
                (child, node.tag, inner) for child in reversed(node.children) if isinstance(child, (Element, Text))
            )


def _note(node: Element, line: _Line) -> None:
    tag = node.tag
    attributes = node.attrs
    if tag == "a":
        href = attributes.get("href")
        if isinstance(href, str):
            line.links.append(href.strip())
    elif tag == "img":
        line.images.append(f"{attributes.get('src') or ''} {attributes.get('alt') or ''}".strip())
    else:
        line.dress.append(tag)
    if attributes:
        _wear(attributes, line)


def _wear(attributes: Mapping[str, str | list[str] | None], line: _Line) -> None:
    name = attributes.get("class")
    if name:
        line.classes.append(name if isinstance(name, str) else " ".join(name))
    for set_by in ("style", "color", "face", "size", "align", "bgcolor"):
        value = attributes.get(set_by)
        if isinstance(value, str):
            line.dress.append(f"{set_by}={value}")


def _place(tag: str, number: int, heading: str) -> str:
    if tag in _HEADINGS:
        return f"{tag} “{_short(heading)}”"
    under = f" under “{_short(heading)}”" if heading else ""
    return f"{tag} {number}{under}"


def _short(text: str) -> str:
    return text if len(text) <= _PLACE_CHARACTERS else text[: _PLACE_CHARACTERS - 1] + "…"
