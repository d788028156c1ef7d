"""A page cut into blocks: runs of text that no box divides.

One walk over the tree. A box is an element that starts a line, a cell or a control of its own; the text and the inline
elements between the edges of boxes are one block.
"""

import re
from collections.abc import Mapping

from msgspec import Struct
from turbohtml import Document, Element, Text

NAV, HEADER, FOOTER, ASIDE, MAIN, ARTICLE, FORM, DIALOG, HEADING, HIDDEN = (1 << bit for bit in range(10))
"""What a box is or stands in, by its elements (HTML standard §4.3) and roles (WAI-ARIA 1.2 §5.3.4)."""

_MARKS = {
    "nav": NAV, "header": HEADER, "footer": FOOTER, "aside": ASIDE, "main": MAIN, "article": ARTICLE, "form": FORM,
    "dialog": DIALOG, "h1": HEADING, "h2": HEADING, "h3": HEADING, "h4": HEADING, "h5": HEADING, "h6": HEADING,
}  # fmt: skip
_ROLES = {
    "navigation": NAV, "menu": NAV, "menubar": NAV, "banner": HEADER, "contentinfo": FOOTER, "complementary": ASIDE,
    "main": MAIN, "article": ARTICLE, "search": FORM, "dialog": DIALOG, "alertdialog": DIALOG,
}  # fmt: skip
INLINE = frozenset({
    "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "img", "input", "ins",
    "kbd", "link", "mark", "meta", "nobr", "picture", "q", "rp", "rt", "ruby", "s", "samp", "small", "source", "strike",
    "strong", "sub", "sup", "tt", "u", "var", "wbr",
})  # fmt: skip
_EMPTY = frozenset({"img", "input", "link", "meta", "source", "wbr"})
"""Those of them that hold nothing (HTML standard §13.1.2, void elements)."""
APART = frozenset({"a", "data", "label", "span", "time"})
"""Inline, but styles often set them apart: two of them that touch are two words."""
UNREAD = frozenset({
    "audio", "canvas", "datalist", "head", "iframe", "map", "math", "noembed", "noframes", "noscript", "object",
    "script", "select", "style", "svg", "template", "video",
})  # fmt: skip

_EDGE = "\0"
"""The parser leaves none in a text."""
_EDGE_IN_WORD = re.compile(r"(?<=\w)\0+(?=\w)")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
)
"""Thai, Lao, Burmese, Khmer, kana, Han: a word takes about two characters where one with its space takes six."""
_UNSPACED_AS = 3
_UNSHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)


class Blocks(Struct, frozen=True):
    """Boxes and blocks in the order of the page, as columns; box 0 is the whole."""

    elements: list[Element]
    parents: list[int]
    tags: list[str]
    marks: list[int]
    names: list[str]
    """The class, id and itemprop of each box."""
    boxes: list[int]
    """The innermost box of each block."""
    texts: list[str]
    lengths: list[int]
    """How long each block is, in characters of scripts with spaces between words."""
    linked: list[int]
    """How much of that is a link's."""


def blocks_of(document: Document) -> Blocks:
    """The blocks of the body, or of the one `<noscript>` in it that says more than all the rest: what scripts fill."""
    body = document.find("body")
    if body is None:
        return Blocks([], [-1], ["body"], [0], [""], [], [], [], [])
    blocks = _cut(body)
    length = sum(blocks.lengths)
    for instead in body.iter_elements("noscript"):
        # Markup is longer than its text: most are an image, and need no walk.
        if len(instead.text) > length:
            other = _cut(instead)
            others = sum(other.lengths)
            if others > length:
                blocks, length = other, others
    return blocks


def _cut(body: Element) -> Blocks:
    elements = [body]
    parents, tags, marks, names = [-1], [body.tag], [0], [_name(body.attrs)]
    boxes: list[int] = []
    texts: list[str] = []
    lengths: list[int] = []
    linked: list[int] = []
    run: list[str] = []
    of_links = 0

    def end_run(box: int) -> None:
        nonlocal of_links
        # Most blocks end where a link does: without that edge there is often nothing to look for.
        while run and run[-1] is _EDGE:
            run.pop()
        text = run[0] if len(run) == 1 else "".join(run)
        if _EDGE in text:
            text = _EDGE_IN_WORD.sub(" ", text).replace(_EDGE, "")
        text = " ".join(text.split())
        if text:
            boxes.append(box)
            texts.append(text)
            length = length_of(text)
            lengths.append(length)
            linked.append(min(of_links, length))
        run.clear()
        of_links = 0

    def walk(element: Element, box: int, in_link: bool) -> None:
        nonlocal of_links
        for child in element.children:
            kind = child.__class__
            if kind is Text:
                data = child.data  # type: ignore[attr-defined]
                # Two texts of three are white space between boxes.
                if data.isspace():
                    if run:
                        run.append(" ")
                    continue
                run.append(data)
                if in_link:
                    of_links += length_of(data)
            elif kind is Element:
                tag = child.tag  # type: ignore[attr-defined]
                if tag in APART:
                    if run:
                        run.append(_EDGE)
                    walk(child, box, in_link or tag == "a")  # type: ignore[arg-type]
                    if run:
                        run.append(_EDGE)
                elif tag in INLINE:
                    if tag not in _EMPTY:
                        walk(child, box, in_link)  # type: ignore[arg-type]
                elif tag == "br":
                    run.append(" ")
                elif tag not in UNREAD:
                    if run:
                        end_run(box)
                    attrs = child.attrs  # type: ignore[attr-defined]
                    inside = len(parents)
                    elements.append(child)  # type: ignore[arg-type]
                    parents.append(box)
                    tags.append(tag)
                    mark = marks[box] | _MARKS.get(tag, 0)
                    # Every look into the attributes costs; most boxes have a class alone, or nothing.
                    many = len(attrs)
                    alone = child.attr("class") if many == 1 else None  # type: ignore[attr-defined]
                    if alone is not None:
                        names.append(" ".join(alone.split()))
                    elif many:
                        mark |= marks_of(attrs)
                        names.append(_name(attrs))
                    else:
                        names.append("")
                    marks.append(mark)
                    walk(child, inside, in_link)  # type: ignore[arg-type]
                    if run:
                        end_run(inside)

    walk(body, 0, False)
    if run:
        end_run(0)
    return Blocks(elements, parents, tags, marks, names, boxes, texts, lengths, linked)


def length_of(text: str) -> int:
    return len(text) if text.isascii() else len(text) + (_UNSPACED_AS - 1) * len(_UNSPACED.findall(text))


def words_of(text: str, length: int) -> int:
    """About how many words a block of this length has."""
    return text.count(" ") + 1 + (length - len(text)) // (2 * (_UNSPACED_AS - 1))


def marks_of(attrs: Mapping[str, object]) -> int:
    mark = 0
    if (role := attrs.get("role")) is not None:
        mark = _ROLES.get(str(role).lower(), 0)
    if "hidden" in attrs or attrs.get("aria-hidden") == "true":
        mark |= HIDDEN
    style = attrs.get("style")
    if style and _UNSHOWN.search(str(style)):
        mark |= HIDDEN
    return mark


def _name(attrs: Mapping[str, object]) -> str:
    name = _words(attrs.get("class"))
    if own := attrs.get("id"):
        name = f"{name} {own}"
    if own := attrs.get("itemprop"):
        name = f"{name} {_words(own)}"
    return name


def _words(value: object) -> str:
    """The parser gives lists of words for attributes that hold such."""
    return value if isinstance(value, str) else " ".join(value) if isinstance(value, list | tuple) else ""
