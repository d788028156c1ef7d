"""Where the links of a page stand: the elements around each, outermost first."""

from msgspec import Struct
from turbohtml import Element

from whimbrel.parse.document import is_plain, tree_of
from whimbrel.parse.outline import Step, outline_of

LEVELS = 6
WORDS = 100
_LEADING_OUT = 'a[href]:not([href^="#"])'


class Placed(Struct, frozen=True):
    """A link with its words and its place, the nearest ancestors with their classes."""

    href: str
    words: str
    place: str


class Plan(Struct, frozen=True):
    """A page from above: its elements in order down to some depth, and its links."""

    steps: list[Step]
    links: list[Placed]


def plan(body: bytes, content_type: str, deepest: int) -> Plan:
    """Nothing where there is no markup."""
    if is_plain(content_type):
        return Plan([], [])
    document = tree_of(body, content_type)[0]
    links = [
        Placed(element.attr("href") or "", element.text[:WORDS], _place(element))
        for element in document.select(_LEADING_OUT)
    ]
    return Plan(outline_of(document, deepest), links)


def _place(element: Element) -> str:
    names: list[str] = []
    above: Element | None = element
    while above is not None and len(names) < LEVELS and above.tag not in ("body", "html"):
        names.append(_name(above))
        parent = above.parent
        above = parent if isinstance(parent, Element) else None
    return ">".join(reversed(names))


def _name(element: Element) -> str:
    written = element.attr("class")
    return f"{element.tag}.{written}" if isinstance(written, str) and written else element.tag
