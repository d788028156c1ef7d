"""Where the links of a page stand: the elements around each, outermost first."""

from typing import TypeGuard

from turbohtml import Element

from whimbrel.parse import html
from whimbrel.parse.document import is_plain, tree_of
from whimbrel.parse.html import PageRest
from whimbrel.parse.outline import upper_of
from whimbrel.records.outline import Step
from whimbrel.records.page import Page

LEVELS = 6
NEAR = 2
"""Elements around a link, and within it, that say what it stands there for."""

WORDS = 100
AROUND = 300
_META = ("description", "keywords")
_OUTERMOST = ("body", "html")


class LinkPlaces:
    """The places of one document's links. Links stand beside each other: what is above them is worked out once."""

    def __init__(self) -> None:
        self._above: dict[Element, tuple[str, ...]] = {}

    def place(self, element: Element) -> str:
        """The nearest ancestors with their classes, and the link itself."""
        parent = element.parent
        above = self._chain(parent) if isinstance(parent, Element) else ()
        return ">".join((*above[1 - LEVELS :], _name(element)))

    def standing(self, element: Element) -> str:
        """The link, the elements near around it and those that it begins with. A list is filled by one template, and
        many mark there what each link leads to."""
        parent = element.parent
        above = self._chain(parent) if isinstance(parent, Element) else ()
        within: list[str] = []
        first = next(filter(_is_element, element.children), None)
        while first is not None and len(within) < NEAR:
            within.append(_name(first))
            first = next(filter(_is_element, first.children), None)
        return ">".join((*above[-NEAR:], _name(element), "", *within))

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


class GroundPlan:
    """A page from above: its elements in order down to some depth, and its links. What shows at a link is worked out
    when it is asked for: most links of a page are known from others. `meta` is what the page says of itself in its
    head, beside its title: description and keywords."""

    def __init__(
        self, steps: list[Step], links: list[tuple[str, Element]], meta: str = "", rest: PageRest | None = None
    ) -> None:
        self.steps = steps
        self.links = links
        self.meta = meta
        self._rest = rest
        self._places = LinkPlaces()
        self._around: dict[Element, str] = {}

    def read_on(self, page: Page) -> Page:
        """The whole page, where only its beginning was read."""
        rest, self._rest = self._rest, None
        return page if rest is None else rest.read(page)

    def shown(self, element: Element) -> tuple[str, str]:
        """The words of a link, and its place."""
        return self.words(element), self.place(element)

    def words(self, element: Element) -> str:
        return element.text[:WORDS]

    def place(self, element: Element) -> str:
        return self._places.place(element)

    def standing(self, element: Element) -> str:
        return self._places.standing(element)

    def around(self, element: Element) -> str:
        """What the element says that a link stands in; worked out once for all that stand in it."""
        parent = element.parent
        if not isinstance(parent, Element) or parent.tag in _OUTERMOST:
            return ""
        text = self._around.get(parent)
        if text is None:
            text = self._around[parent] = parent.text[:AROUND]
        return text


def read(
    body: bytes, content_type: str, deepest: int, *, assets: bool = False, begins: bool = False
) -> tuple[Page, GroundPlan]:
    """A page as `html.read` gives it, and from above, by one parsing; the plan is empty where there is no markup, and
    has its links alone where `deepest` is 0. With `begins` its text is cut, and its headings are missing, until it is
    read on: of most pages that is enough to tell that nobody asked for them."""
    if is_plain(content_type):
        return html.read(body, content_type), GroundPlan([], [])
    document, cut = tree_of(body, content_type)
    steps = upper_of(document, deepest) if deepest else []
    elements = html.PageElements(begins=begins)
    page = html.page_of(document, cut, assets=assets, elements=elements)
    own = (one.attr("content") for one in elements.metas if (one.attr("name") or "").lower() in _META)
    meta = " ".join(said for said in own if said)
    return page, GroundPlan(steps, list(elements.links.items()), meta, elements.rest)


def _is_element(node: object) -> TypeGuard[Element]:
    return node.__class__ is Element


def _name(element: Element) -> str:
    written = element.attr("class")
    return f"{element.tag}.{written}" if isinstance(written, str) and written else element.tag
