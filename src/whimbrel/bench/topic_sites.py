"""Sites about many subjects, named before anything was measured on them, whose own tables of contents say what each
page belongs to: a subject is a heading of the table with all that stands below it.

Sphinx writes a table into every page that has others below it; DocBook a link up into every page. Nothing is asked over
HTTP: a file is a page, its path the URL's.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from msgspec import Struct
from turbohtml import Document, parse

from whimbrel.bench.structure_site import NotThatSite
from whimbrel.parse import places
from whimbrel.records.url import Url
from whimbrel.topic.counting import PageTexts
from whimbrel.topic.strategies import MetLink

HOST = "http://site.test/"
FEWEST, LEAST, MOST = 20, 0.02, 0.15
"""Pages of a subject: so many at least, and this share of the site."""

_NUMBERED = re.compile(r"^(?:(?:Part|Chapter|Appendix)\s+)?(?:[IVXLC]+|[A-Z]|\d+)(?:\.\d+)*\.\s+")


class TopicSite(Struct, frozen=True):
    """`start` is where a crawl begins."""

    name: str
    package: str
    folder: Path
    start: str


SITES = (
    TopicSite("python", "python3.11-doc", Path("/usr/share/doc/python3.11/html"), "index.html"),
    TopicSite("postgresql", "postgresql-doc-15", Path("/usr/share/doc/postgresql-doc-15/html"), "index.html"),
    TopicSite("linux", "linux-doc-6.1", Path("/usr/share/doc/linux-doc-6.1/html"), "index.html"),
)


class SitePage(Struct, frozen=True):
    """A page read once: its parts, and its links to other pages of the site, each by the first that names it."""

    texts: PageTexts
    links: tuple[MetLink, ...]


class Subject(Struct, frozen=True):
    """A heading of the table of contents, and the pages below it, itself included."""

    title: str
    pages: frozenset[int]


class LeftOut(Struct, frozen=True):
    title: str
    pages: int
    why: str


class ContentsSite:
    """All pages that links lead to from the start, in the order of breadth first."""

    def __init__(self, site: TopicSite) -> None:
        if not (site.folder / site.start).is_file():
            raise NotThatSite(f"{site.folder} is not there. Install {site.package}.")
        self.site = site
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._above: dict[int, tuple[int, str]] = {}
        self.pages: dict[int, SitePage] = {}
        self.order: list[int] = []
        self._read_all()

    def _read_all(self) -> None:
        waiting = [self._number(self.site.start)]
        for number in waiting:
            path = self.site.folder / self._names[number]
            if number in self.pages or not path.is_file():
                continue
            document = self._read(number, path.read_bytes())
            self.order.append(number)
            for child, title in self._below(number, document):
                self._above.setdefault(child, (number, title))
            waiting += [link.key for link in self.pages[number].links if link.key not in self.pages]

    def _number(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._names)
            self._names.append(name)
        return number

    def _read(self, number: int, body: bytes) -> Document:
        page, plan = places.read(body, "text/html", 0)
        url = self.url(number)
        met: dict[int, MetLink] = {}
        for href, element in plan.links:
            target = self._target(url, href)
            if target is not None and target not in met and target != number:
                words, place = plan.shown(element)
                met[target] = MetLink(target, self.url(target), words, plan.around(element), place)
        texts = PageTexts(url, page.title, page.text, plan.meta)
        self.pages[number] = SitePage(texts, tuple(met.values()))
        return parse(body.decode("utf-8", "replace"))

    def _target(self, url: Url, href: str) -> int | None:
        whole = urljoin(url, href)
        path = unquote(urlsplit(whole).path).lstrip("/")
        if not whole.startswith(HOST) or not path.endswith(".html") or not (self.site.folder / path).is_file():
            return None
        return self._number(path)

    def url(self, number: int) -> Url:
        return Url(HOST + self._names[number])

    # The table of contents.

    def _below(self, number: int, document: Document) -> Iterator[tuple[int, str]]:
        """The pages right below this one; where pages say what is above them, this one below that."""
        url = self.url(number)
        for link in document.select("div.toctree-wrapper li.toctree-l1 > a"):
            child = self._target(url, link.attr("href") or "")
            if child is not None and child != number:
                yield child, link.text.strip()
        for link in document.select('div.navheader a[accesskey="u"]')[:1]:
            above = self._target(url, link.attr("href") or "")
            if above is not None and above != number:
                self._above.setdefault(number, (above, self.pages[number].texts.title))

    def subjects(self) -> tuple[list[Subject], list[LeftOut]]:
        """The outermost headings of a fitting size, and those that are left out."""
        below: dict[int, set[int]] = {}
        titles: dict[int, str] = {}
        for number in self.order:
            titles[number] = self._above.get(number, (0, ""))[1]
            above, seen = number, {number}
            while above in self._above and self._above[above][0] not in seen:
                below.setdefault(above, set()).add(number)
                above = self._above[above][0]
                seen.add(above)
        fitting: list[Subject] = []
        left_out: list[LeftOut] = []
        taken: set[int] = set()
        for number, pages in sorted(below.items(), key=lambda pair: (-len(pair[1]), pair[0])):
            title = _NUMBERED.sub("", titles.get(number, "")).strip()
            if len(pages) < FEWEST or len(pages) < LEAST * len(self.order):
                continue
            if len(pages) > MOST * len(self.order):
                left_out.append(LeftOut(title, len(pages), "more than 15 % of the pages"))
            elif pages & taken:
                left_out.append(LeftOut(title, len(pages), "part of another subject"))
            else:
                taken |= pages
                fitting.append(Subject(title, frozenset(pages)))
        return fitting, left_out
