"""The paragraphs, headings, items and cells of a part of a page, each with what a reader and a tool see in it."""

from collections.abc import Mapping

from msgspec import Struct
from turbohtml import Element, Text

from whimbrel.change.hidden_mail import ATTRIBUTE, mail_of, readable_link
from whimbrel.change.letters import readable
from whimbrel.change.moments import moment_in

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
        "embed",
        "font",
        "i",
        "iframe",
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
# These mean nothing by themselves (HTML standard §4.5.26 on span): no reader sees whether they are there.
_UNDRESSED = frozenset({"span", "time", "data", "wbr", "bdi", "label", "picture", "source"})
_SHOWN = frozenset({"img", "iframe", "embed", "video", "audio"})
_PUT_IN_LATER = ("data-src", "data-original", "data-lazy-src", "data-lazy")
_DRESSES = frozenset({"style", "color", "face", "size", "align", "bgcolor"})
_BUTTONS = frozenset({"submit", "button", "reset"})
# Elements that only group others or part lines (HTML standard §4.3, §4.4): no reader sees which of them it is.
GROUPS = frozenset({"div", "p", "section", "article", "main", "body", "center", "hgroup", "form", "fieldset"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_PLACE_CHARACTERS = 60
_BREAK = "\x1f"
"""An end of a line: white space that no page has."""


class Block(Struct, frozen=True):
    """`path` are the elements around the text, outermost first; `place` names the block to a person.

    `dress` is how it is set: styles and the elements within its lines, one to a line.
    """

    text: str
    tag: str
    path: str
    place: str
    links: tuple[str, ...] = ()
    images: tuple[tuple[str, str], ...] = ()
    """The address of each picture, film or frame, and what is said in its place."""
    classes: str = ""
    dress: str = ""
    moments: tuple[tuple[str, str], ...] = ()
    """Moments that are written out for machines, and what is said of each."""


class _Line:
    """A block being read."""

    __slots__ = ("classes", "dress", "images", "links", "moments", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.links: list[str] = []
        self.images: list[tuple[str, str]] = []
        self.classes: list[str] = []
        self.dress: list[str] = []
        self.moments: list[tuple[str, str]] = []


class _Reading:
    """The blocks read so far, and the heading they stand under."""

    __slots__ = ("blocks", "counts", "heading", "line")

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.counts: dict[str, int] = {}
        self.heading = ""
        self.line = _Line()

    def end_block(self, owner: str, path: str) -> None:
        line = self.line
        text = readable(" ".join("".join(line.texts).split())) if line.texts else ""
        # What surrounds a block without being one dresses the first block in it.
        if not text and not line.images:
            line.texts.clear()
            return
        if owner in _HEADINGS:
            self.heading = text
            self.counts.clear()
        number = self.counts[owner] = self.counts.get(owner, 0) + 1
        self.blocks.append(
            Block(
                text, owner, path, place_of(owner, number, self.heading), tuple(line.links), tuple(line.images),
                " ".join(line.classes), "\n".join(line.dress), tuple(line.moments),
            )
        )  # fmt: skip
        self.line = _Line()


def blocks_of(part: Element) -> list[Block]:
    """Every run of text between two block boundaries, in the order of the page; images alone are blocks as well."""
    reading = _Reading()
    # The elements whose children are being read, the innermost last, each with its block's name and path: no
    # recursion, however deep the page is.
    owner = path = part.tag
    within = [(iter(part.children), owner, path, True)]
    while within:
        children, owner, path, is_block = within[-1]
        for node in children:
            if isinstance(node, Text):
                reading.line.texts.append(node.data)
            elif isinstance(node, Element):
                tag = node.tag
                # What browsers do not know stands within a line too (HTML standard §15.3.1).
                if tag in _WITHIN_LINES or is_own(tag):
                    if tag == "a" and _is_mark(node):
                        continue
                    _note(node, tag, reading.line)
                    if (mail := mail_of(_said(node.attr(ATTRIBUTE)))) is not None:
                        reading.line.texts.append(mail)
                    elif tag != "iframe":
                        within.append((iter(node.children), owner, path, False))
                        break
                elif tag == "br":
                    # Two in a row part paragraphs.
                    if _ends_with_break(reading.line.texts):
                        reading.end_block(owner, path)
                    else:
                        reading.line.texts.append(_BREAK)
                else:
                    reading.end_block(owner, path)
                    _wear(node.attrs, reading.line)
                    within.append((iter(node.children), tag, f"{path}/{tag}", True))
                    break
        else:
            within.pop()
            if is_block:
                reading.end_block(owner, path)
    return reading.blocks


def _ends_with_break(texts: list[str]) -> bool:
    return next((text == _BREAK for text in reversed(texts) if text == _BREAK or text.strip()), False)


def is_own(tag: str) -> bool:
    """Whether a site invented the element: it means nothing by itself."""
    return "-" in tag or ":" in tag


def _is_mark(link: Element) -> bool:
    """A link without a word beside a heading, to where it stands already."""
    if not _said(link.attr("href")).strip().startswith("#"):
        return False
    return not any(character.isalnum() for character in link.text) and link.find("img") is None


def _note(node: Element, tag: str, line: _Line) -> None:
    attributes = node.attrs
    if tag == "a":
        href = attributes.get("href")
        if isinstance(href, str):
            line.links.append(readable_link(href.strip()))
    elif tag in _SHOWN:
        if address := _address(attributes, tag):
            line.images.append((address, _said(attributes.get("title" if tag == "iframe" else "alt"))))
    elif tag == "input":
        if _said(attributes.get("type")).lower() in _BUTTONS:
            line.texts.append(f" {_said(attributes.get('value'))} ")
    elif tag not in _UNDRESSED and not is_own(tag):
        line.dress.append(tag)
    if moment := moment_in(attributes):
        line.moments.append((moment, readable(" ".join(node.text.split()))))
    _wear(attributes, line)


def _address(attributes: Mapping[str, str | list[str] | None], tag: str) -> str:
    """Where a picture really lies: scripts put some of them in later, in place of a tiny one within the page."""
    address = _said(attributes.get("src")).strip()
    if tag == "iframe":
        return address.partition("?")[0]
    if not address or address.startswith("data:"):
        later = (_said(attributes.get(name)).strip() for name in _PUT_IN_LATER)
        return next(filter(None, later), address)
    return address


def _said(value: str | list[str] | None) -> str:
    return value if isinstance(value, str) else ""


def _wear(attributes: Mapping[str, str | list[str] | None], line: _Line) -> None:
    for name, value in attributes.items():
        if name == "class":
            if value:
                line.classes.append(value if isinstance(value, str) else " ".join(value))
        elif name in _DRESSES and isinstance(value, str):
            line.dress.append(f"{name}={value}")


def outline(block: Block) -> list[str]:
    """The elements around it that a reader can tell apart."""
    return [tag for tag in block.path.split("/") if tag not in GROUPS and not is_own(tag)]


def place_of(tag: str, number: int, heading: str) -> str:
    if tag in _HEADINGS:
        return f"{tag} “{_short(heading)}”"
    under = f" under “{_short(heading)}”" if heading else ""
    return f"{tag} {number}{under}"


def _short(text: str) -> str:
    return text if len(text) <= _PLACE_CHARACTERS else text[: _PLACE_CHARACTERS - 1] + "…"
