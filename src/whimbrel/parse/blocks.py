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
_SET_APART, _WITHIN, _HOLDS_NOTHING, _BREAKS, _NOT_READ, _FRAMES = range(1, 7)
_WAYS = dict.fromkeys(UNREAD, _NOT_READ) | dict.fromkeys(INLINE, _WITHIN) | dict.fromkeys(_EMPTY, _HOLDS_NOTHING)
_WAYS |= dict.fromkeys(APART, _SET_APART) | {"br": _BREAKS}
"""What is done about an element; any other is a box."""
_WITHOUT_FRAME = _WAYS | {"nav": _FRAMES, "footer": _FRAMES}
"""Outside `<main>` and `<article>` a third of all blocks stand in these two, and hardly any main text."""

LEAST_WORDS = 40
"""As many as a paragraph has. What says less has nothing to leave out."""
_EDGE_IN_WORD = re.compile(r"\0(?<=\w\0)\0*(?=\w)")
"""Begins with what it looks for, so that it is not tried at every letter."""
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
)
"""Thai, Lao, Burmese, Khmer, kana, Han: a word takes about two characters where one with its space takes six."""
_UNSPACED_AS = 3
_NAMING, _MARKING = frozenset({"class", "id", "itemprop"}), frozenset({"role", "hidden", "aria-hidden", "style"})
_UNSHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)


class Blocks(Struct, frozen=True):
    """Boxes and blocks in the order of the page, as columns; box 0 is the whole."""

    elements: list[Element]
    parents: list[int]
    tags: list[str]
    marks: list[int]
    names: list[str]
    """The class, id and itemprop of each box with text, in its order."""
    boxes: list[int]
    """The innermost box of each block."""
    texts: list[str]
    lengths: list[int]
    """How long each block is, in characters of scripts with spaces between words."""
    linked: list[int]
    """How much of that is a link's."""
    left_out: list[Element]
    """What was not looked into: the page's own navigation and footer."""


def blocks_of(document: Document) -> Blocks:
    """The blocks of the body, or of the one `<noscript>` in it that says more than all the rest: what scripts fill.
    What has fewer words than a paragraph asks for scripts, and is none of its text.

    A page's `<nav>` and `<footer>` are left out, unless there is next to nothing else.
    """
    body = document.find("body")
    if body is None:
        return Blocks([], [-1], ["body"], [0], [""], [], [], [], [], [])
    blocks = _cut(body, _WITHOUT_FRAME)
    if blocks.left_out and _says_little(blocks):
        blocks = _cut(body, _WAYS)
    length = sum(blocks.lengths)
    for instead in body.iter_elements("noscript"):
        # Markup is longer than its text: most are an image, and need no walk.
        if len(instead.text) > length:
            other = _cut(instead, _WAYS)
            others = sum(other.lengths)
            if others > length and not _says_little(other):
                blocks, length = other, others
    return blocks


def _says_little(blocks: Blocks) -> bool:
    # No block is without a word.
    return len(blocks.texts) < LEAST_WORDS and sum(map(words_of, blocks.texts, blocks.lengths)) < LEAST_WORDS


def _cut(body: Element, known_ways: Mapping[str, int]) -> Blocks:
    elements = [body]
    parents, tags = [-1], [body.tag]
    boxes: list[int] = []
    texts: list[str] = []
    lengths: list[int] = []
    linked: list[int] = []
    left_out: list[Element] = []
    run: list[str] = []
    of_links = 0
    ways = known_ways.get

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

    def in_content(box: int) -> bool:
        while box > 0:
            if (_MARKS.get(tags[box], 0) | said_of(elements[box])[1]) & (MAIN | ARTICLE):
                return True
            box = parents[box]
        return False

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
                way = ways(tag)
                if way is None or (way == _FRAMES and in_content(box)):
                    if run:
                        end_run(box)
                    inside = len(parents)
                    elements.append(child)  # type: ignore[arg-type]
                    parents.append(box)
                    tags.append(tag)
                    walk(child, inside, in_link)  # type: ignore[arg-type]
                    if run:
                        end_run(inside)
                elif way == _SET_APART:
                    if run:
                        run.append(_EDGE)
                    walk(child, box, in_link or tag == "a")  # type: ignore[arg-type]
                    if run:
                        run.append(_EDGE)
                elif way == _WITHIN:
                    walk(child, box, in_link)  # type: ignore[arg-type]
                elif way == _BREAKS:
                    run.append(" ")
                elif way == _FRAMES:
                    if run:
                        end_run(box)
                    left_out.append(child)  # type: ignore[arg-type]

    walk(body, 0, False)
    if run:
        end_run(0)
    names, marks = _said_of_all(elements, parents, tags, boxes)
    return Blocks(elements, parents, tags, marks, names, boxes, texts, lengths, linked, left_out)


def _said_of_all(
    elements: list[Element], parents: list[int], tags: list[str], boxes: list[int]
) -> tuple[list[str], list[int]]:
    """The names and marks of boxes with text: a quarter of all have none, and nobody asks what they are."""
    size = len(parents)
    asked = [False] * size
    for box in boxes:
        while box >= 0 and not asked[box]:
            asked[box] = True
            box = parents[box]
    names, marks = [""] * size, [0] * size
    names[0] = said_of(elements[0])[0]
    for box in range(1, size):
        if asked[box]:
            names[box], mark = said_of(elements[box])
            marks[box] = marks[parents[box]] | mark | _MARKS.get(tags[box], 0)
    return names, marks


def length_of(text: str) -> int:
    return len(text) if text.isascii() else len(text) + (_UNSPACED_AS - 1) * len(_UNSPACED.findall(text))


def words_of(text: str, length: int) -> int:
    """About how many words a block of this length has."""
    return text.count(" ") + 1 + (length - len(text)) // (2 * (_UNSPACED_AS - 1))


def said_of(element: Element) -> tuple[str, int]:
    """Its class, id and itemprop, and what its other attributes say it is."""
    name, mark = "", 0
    # Names of attributes are had for less than how many there are, or what they say.
    for key in element.attrs:
        if key in _NAMING:
            name = f"{name} {element.attr(key) or ''}"
        elif key in _MARKING:
            mark |= _mark(key, element.attr(key) or "")
    return " ".join(name.split()), mark


def _mark(key: str, value: str) -> int:
    if key == "role":
        return _ROLES.get(value.lower(), 0)
    hidden = key == "hidden" or value == "true" if key != "style" else _UNSHOWN.search(value) is not None
    return HIDDEN if hidden else 0
