"""Where the links of a page stand: the elements around each, outermost first."""

from turbohtml import Document, Element

from whimbrel.parse.document import is_plain, tree_of
from whimbrel.parse.outline import Step

LEVELS = 6
WORDS = 100
_LEADING_OUT = 'a[href]:not([href^="#"])'
_OUTERMOST = ("body", "html")


class Places:
    """The places of one document's links. Links stand beside each other: what is above them is worked out once."""

    def __init__(self) -> None:
        self._above: dict[Element, tuple[str, ...]] = {}

    def place(self, element: Element) -> str:
        """The nearest ancestors with their classes, and the link itself."""
        parent = element.parent
        above = self._chain(parent) if isinstance(parent, Element) else ()
        return ">".join((*above[1 - LEVELS :], _name(element)))

    def _chain(self, element: Element) -> tuple[str, ...]:
        missing: list[Element] = []
        above: Element | None = element
        known: tuple[str, ...] = ()
        while above is not None and above.tag not in _OUTERMOST:
            if above in self._above:
                known = self._above[above]
                break
            missing.append(above)
            parent = above.parent
            above = parent if isinstance(parent, Element) else None
        for one in reversed(missing):
            known = self._above[one] = (*known[1 - LEVELS :], _name(one))
        return known


class Plan:
    """A page from above: its elements in order down to some depth, and its links. What shows at a link is worked out
    when it is asked for: most links of a page are known from others."""

    def __init__(self, steps: list[Step], links: list[tuple[str, Element]]) -> None:
        self.steps = steps
        self.links = links
        self._places = Places()

    def shown(self, element: Element) -> tuple[str, str]:
        """The words of a link, and its place."""
        return element.text[:WORDS], self._places.place(element)


def plan(body: bytes, content_type: str, deepest: int) -> Plan:
    """Nothing where there is no markup."""
    if is_plain(content_type):
        return Plan([], [])
    document = tree_of(body, content_type)[0]
    links = [(element.attr("href") or "", element) for element in document.select(_LEADING_OUT)]
    return Plan(upper(document, deepest), links)


def upper(document: Document, deepest: int) -> list[Step]:
    """As `outline_of` gives it, in half the time: so near the root one can walk by recursion."""
    steps: list[Step] = []
    root = document.root
    if root is None:
        return steps

    def walk(element: Element, depth: int) -> None:
        classes = element.attr("class")
        steps.append((depth, element.tag, classes if classes.__class__ is str else ""))
        if depth < deepest:
            for child in element.children:
                if child.__class__ is Element:
                    walk(child, depth + 1)

    walk(root, 0)
    return steps


def _name(element: Element) -> str:
    written = element.attr("class")
    return f"{element.tag}.{written}" if isinstance(written, str) and written else element.tag
