"""The pages of a labelled site as a crawl would see them: structure, links with their places, and what it cost to look.

Nothing is asked over HTTP: a file is a page, its path the URL's.
"""

import time
from urllib.parse import unquote, urljoin, urlsplit

from msgspec import Struct
from turbohtml import Document, Element, parse

from whimbrel.bench.structure_site import LabelledSite, is_stub
from whimbrel.parse.outline import upper_of
from whimbrel.records.url import Url
from whimbrel.structure.leads import LinkTraits, Noticing, Traits
from whimbrel.structure.shape import DEEPEST, Shape, Shaper, signature

HOST = "http://site.test/"
PLACE_LEVELS = 6
_LEADING_OUT = 'a[href]:not([href^="#"])'
_WORDS = 100


class PageLook(Struct, frozen=True):
    """A page read once. `links` are the pages it leads to with what shows at each link; a stub redirects to its one."""

    kind: str
    stub: bool
    shape: Shape
    links: tuple[tuple[int, Traits], ...]


class ReadingCosts(Struct):
    """CPU milliseconds a page beyond parsing and resolving links: for its elements in order, shape, links' traits."""

    outlines: list[float]
    shapes: list[float]
    traits: list[float]


class SitePages:
    """The files of a site by number, in the order of their paths; each is read when it is first asked for."""

    def __init__(self, site: LabelledSite) -> None:
        self.site = site
        self.paths = sorted(path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*.html"))
        self.numbers = {path: number for number, path in enumerate(self.paths)}
        self.costs = ReadingCosts([], [], [])
        self._known: dict[int, PageLook] = {}
        self._shaper, self._noticing = Shaper(), Noticing()
        self._same: dict[Traits, Traits] = {}
        self._classes: dict[str, str] = {}

    def url(self, number: int) -> Url:
        return Url(HOST + self.paths[number])

    def look(self, number: int) -> PageLook:
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._read(self.paths[number])
        return known

    def _read(self, path: str) -> PageLook:
        body = (self.site.folder / path).read_bytes()
        document = parse(body, encoding="utf-8", positions=False)
        stub = is_stub(body)
        began = time.process_time()
        steps = upper_of(document, DEEPEST)
        self.costs.outlines.append(1000 * (time.process_time() - began))
        blinded = self.site.blind(steps)
        began = time.process_time()
        shape = self._shaper.shape(blinded)
        self.costs.shapes.append(1000 * (time.process_time() - began))
        targets = self._targets(document, path)
        began = time.process_time()
        links = self._links(targets, signature(shape))
        self.costs.traits.append(1000 * (time.process_time() - began))
        kind = "" if stub else self.site.kind_of(self.site.folder, path)
        return PageLook(kind, stub, shape, links[:1] if stub else links)

    def _targets(self, document: Document, path: str) -> dict[int, Element]:
        """The pages linked to, each with the first link to it."""
        found: dict[int, Element] = {}
        for element in document.select(_LEADING_OUT):
            number = self._target(path, element.attr("href") or "")
            if number is not None:
                found.setdefault(number, element)
        return found

    def _links(self, targets: dict[int, Element], source: int) -> tuple[tuple[int, Traits], ...]:
        links = []
        for number, element in targets.items():
            link = LinkTraits(self.url(number), element.text[:_WORDS], self._place(element), source)
            traits = self._noticing.traits(link)
            links.append((number, self._same.setdefault(traits, traits)))
        return tuple(links)

    def _target(self, path: str, href: str) -> int | None:
        try:
            parts = urlsplit(urljoin(HOST + path, href))
        except ValueError:
            return None
        if f"{parts.scheme}://{parts.netloc}/" != HOST:
            return None
        target = unquote(parts.path[1:])
        number = self.numbers.get(f"{target}index.html" if target.endswith("/") or not target else target)
        return None if number is None or self.paths[number] == path else number

    def _place(self, element: Element) -> str:
        """The nearest ancestors, outermost first, with their classes as blinded as the page's."""
        names: list[str] = []
        above: Element | None = element
        while above is not None and len(names) < PLACE_LEVELS and above.tag not in ("body", "html"):
            names.append(self._name(above))
            parent = above.parent
            above = parent if isinstance(parent, Element) else None
        return ">".join(reversed(names))

    def _name(self, element: Element) -> str:
        written = element.attr("class")
        if not isinstance(written, str) or not written:
            return element.tag
        classes = self._classes.get(written)
        if classes is None:
            classes = self._classes[written] = self.site.blind([(2, "a", written)])[0][2]
        return f"{element.tag}.{classes}"
