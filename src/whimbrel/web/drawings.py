"""Drawings that stand in a kept page (inline SVG), written anew: shapes and paints by name, and nothing that runs,
loads a file or grows without end.

What is not listed is left out with all it holds: scripts, animations, foreign objects, filters, pictures. Titles and
descriptions are where the parser takes HTML again (HTML standard §13.2.6, "HTML integration point"), so only their
text is written.
"""

import re
from collections.abc import Callable, Iterator
from html import escape
from itertools import chain

from turbohtml import Document, Element, Namespace, Text

from whimbrel.web.styles import rewritten

DRAWN = frozenset(
    """
    svg g defs symbol use path circle ellipse rect line polyline polygon text tspan linearGradient radialGradient stop
    clipPath mask title desc
    """.split()  # noqa: SIM905
)
_THROUGH = frozenset({"a", "switch"})
"""What they hold is drawn, they themselves do nothing here."""
_TOLD = frozenset({"title", "desc"})
_LETTERED = frozenset({"text", "tspan"})
_REFERRING = frozenset({"use", "linearGradient", "radialGradient"})
# SVG 2, the attributes of the elements above and the presentation attributes that shapes are painted by.
_ATTRIBUTES = frozenset(
    """
    alignment-baseline baseline-shift clip-path clip-rule clipPathUnits color cx cy d direction display
    dominant-baseline dx dy fill fill-opacity fill-rule focusable font-family font-size font-style font-weight fr fx fy
    gradientTransform gradientUnits height lengthAdjust letter-spacing mask maskContentUnits maskUnits offset
    opacity overflow paint-order pathLength points preserveAspectRatio r refX refY rotate rx ry shape-rendering
    spreadMethod stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
    stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-rendering textLength transform
    transform-origin vector-effect viewBox visibility width word-spacing writing-mode x x1 x2 y y1 y2
    """.split()  # noqa: SIM905
)
_NAMING = frozenset({"id", "class", "role", "lang", "dir"})
_SPOKEN = re.compile(r"aria-[a-z]{2,30}")
_FUNCTION = re.compile(r"([\w-]*)\s*\(")
_FUNCTIONS = frozenset(
    """
    rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix var calc min max clamp matrix translate translatex
    translatey scale scalex scaley rotate skewx skewy
    """.split()  # noqa: SIM905
)
_LOCAL = re.compile(r"""url\(\s*(["']?)#[^\s"'()\\]+\1\s*\)""", re.IGNORECASE)
_ICON_UNITS = 64.0

LARGEST_REFERENCE = 5_000
MOST_REFERRED = 200_000
DEEPEST_REFERENCE = 8
"""Elements that one `use` draws again, that those of a page do together, and how many stand behind each other: twenty
lines can refer to each other so that they draw a thousand million shapes."""
_TOO_MUCH = LARGEST_REFERENCE + 1


class Drawings:
    """Of one page. `bare` where its style sheets are not kept: icons, whose size they say, are drawn in their own."""

    def __init__(self, document: Document, file: Callable[[str], str | None], *, bare: bool) -> None:
        self._file = file
        self._bare = bare
        self._references = _References(document)

    def drawn(self, root: Element) -> Iterator[str]:
        waiting: list[tuple[Element | Text | str, bool]] = [(root, False)]  # and whether text shows there
        while waiting:
            node, lettered = waiting.pop()
            if isinstance(node, str):
                yield node
            elif isinstance(node, Text):
                if lettered:
                    yield escape(node.data, quote=False)
            elif node.namespace is Namespace.SVG and node.tag in _THROUGH:
                waiting += [(child, lettered) for child in _children(node)]
            elif node.namespace is Namespace.SVG and node.tag in DRAWN and self._may_stand(node):
                yield f"<{node.tag}{''.join(self._attributes(node))}>"
                waiting.append((f"</{node.tag}>", False))
                if node.tag in _TOLD:
                    yield escape(node.text, quote=False)
                else:
                    waiting += [(child, node.tag in _LETTERED) for child in _children(node)]

    def _may_stand(self, element: Element) -> bool:
        return element.tag != "use" or self._references.take(_local(element))

    def _attributes(self, element: Element) -> Iterator[str]:
        for name, value in element.attrs.items():
            text = " ".join(value) if isinstance(value, list) else value or ""
            if name in _NAMING or _SPOKEN.fullmatch(name) or (name in _ATTRIBUTES and is_harmless(text)):
                yield f' {name}="{escape(text)}"'
            elif name == "style":
                yield f' style="{escape(rewritten(text, self._file))}"'
        if element.tag in _REFERRING and (target := _local(element)):
            yield f' href="#{escape(target)}"'
        if element.tag == "svg" and self._bare and (side := _own_width(element)):
            yield f' width="{side:g}"'


def is_harmless(value: str) -> bool:
    """Whether a value, which may be read as CSS, names no file: no escapes, known functions, addresses in the page."""
    rest = _LOCAL.sub("", value)
    return "\\" not in value and all(name.lower() in _FUNCTIONS or not name for name in _FUNCTION.findall(rest))


def _children(element: Element) -> list[Element | Text]:
    return [child for child in reversed(element.children) if isinstance(child, (Element, Text))]


def _local(element: Element) -> str:
    """The id that it refers to; "" where that is in another file."""
    written = element.attr("href") or element.attr("xlink:href") or ""
    text = written.strip() if isinstance(written, str) else ""
    return text[1:] if text.startswith("#") else ""


def _own_width(svg: Element) -> float:
    """Of an icon that says no other size."""
    if "width" in svg.attrs or "height" in svg.attrs:
        return 0.0
    sides = re.findall(r"-?[\d.]+", svg.attr("viewBox") or "")[2:4]
    try:
        width, height = (float(side) for side in sides)
    except ValueError:
        return 0.0
    return width if 0 < width <= _ICON_UNITS and 0 < height <= _ICON_UNITS else 0.0


class _References:
    """What ids stand for, and how much each draws."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._marked: dict[str, Element] | None = None
        self._weights: dict[str, int] = {}
        self._open: set[str] = set()
        self._walked = 0
        self._taken = 0

    def take(self, name: str) -> bool:
        """Whether it may be drawn once more."""
        weight = self._weight(name) if name else _TOO_MUCH
        if weight > LARGEST_REFERENCE or self._taken + weight > MOST_REFERRED:
            return False
        self._taken += weight
        return True

    def _weight(self, name: str) -> int:
        if name in self._weights:
            return self._weights[name]
        if name in self._open or len(self._open) >= DEEPEST_REFERENCE:
            return _TOO_MUCH
        self._open.add(name)
        weight = self._summed(self._by_id().get(name))
        self._open.discard(name)
        self._weights[name] = weight
        return weight

    def _summed(self, element: Element | None) -> int:
        weight = 0
        for each in chain((element,), element.iter_elements()) if element is not None else ():
            weight += 1
            self._walked += 1
            if each.tag == "use":
                weight += self._weight(_local(each))
            if weight > LARGEST_REFERENCE or self._walked > MOST_REFERRED:
                return _TOO_MUCH
        return weight

    def _by_id(self) -> dict[str, Element]:
        if self._marked is None:
            self._marked = {}
            for element in self._document.iter_elements():
                if element.namespace is Namespace.SVG and isinstance(name := element.attr("id"), str):
                    self._marked.setdefault(name, element)
        return self._marked
