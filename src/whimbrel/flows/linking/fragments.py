"""Links to a place within a kept page that the page does not have.

Every page is read once: of its places and of its links to places only numbers are held, 8 and 24 bytes each. Pages
with a link that seems to lead to no place are read again, for the words.
"""

from array import array
from collections.abc import Iterator

from msgspec import Struct
from xxhash import xxh3_64_intdigest

from whimbrel.flows.copies import kept_copy
from whimbrel.parse.document import is_plain
from whimbrel.parse.named_places import NamedPlaces, PlaceLink, named_places
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import NothingThere
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Selection, Site
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.normal import normalise

_HOLDING = (Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE)
_MARKUP = ("text/html", "application/xhtml+xml", "")
_SCRIPT_MADE = "script_made"
_MOST_HOPS = 12


class DanglingLink(Struct, frozen=True):
    page: Url
    words: str
    target: Url
    fragment: str


class PlacesKept:
    """The places of kept pages. A redirect is followed to its end; what scripts make has places that nobody knows."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._ends: dict[Url, Url] = {}
        for listed in reader.urls(Selection(outcomes=(Outcome.REDIRECTED,))):
            self._ends[listed.url] = listed.url
        self._unknown = {listed.url for listed in reader.urls(Selection(rules=(_SCRIPT_MADE,)))}

    def pages(self) -> Iterator[tuple[Url, NamedPlaces]]:
        for page in self._reader.pages(Selection(outcomes=_HOLDING)):
            if page.mime in _MARKUP and (read := self.of(page.url)) is not None:
                yield page.url, read

    def of(self, url: Url) -> NamedPlaces | None:
        if url in self._unknown:
            return None
        try:
            copy = kept_copy(self._reader.body(url))
        except NothingThere:
            return None
        if copy is None or is_plain(copy.content_type):
            return None
        return named_places(copy.body, copy.content_type)

    def links(self, url: Url, read: NamedPlaces) -> Iterator[tuple[PlaceLink, Url]]:
        """With the page that each leads to in the end."""
        for link in read.links:
            # A page's own places are meant by "#…", whatever its <base> says, only where it has none.
            target = normalise(link.href, normalise_base(read.base, url))
            if isinstance(target, str):
                yield link, self._end(target)

    def _end(self, url: Url) -> Url:
        end = url
        for _ in range(_MOST_HOPS):
            if end not in self._ends:
                break
            target = self._reader.detail(end).target
            if target is None:
                break
            end = target
        return end


def normalise_base(base: str, url: Url) -> Url:
    named = normalise(base, url) if base else url
    return named if isinstance(named, str) else url


def dangling(reader: Reader, site: Site | None) -> Iterator[DanglingLink]:
    """On pages of the site, to kept pages of any."""
    kept = PlacesKept(reader)
    names: dict[int, frozenset[int]] = {}
    pages: list[Url] = []
    asked = array("Q")
    for url, read in kept.pages():
        names[_number_of(url)] = frozenset(map(_number, read.names))
        if site is None or site.covers(url):
            for link, target in kept.links(url, read):
                asked.extend((len(pages), _number_of(target), _number(link.fragment)))
            pages.append(url)
    doubts: dict[int, set[tuple[int, int]]] = {}
    for at in range(0, len(asked), 3):
        number, there_at, fragment = asked[at : at + 3]
        if there_at in names and fragment not in names[there_at]:
            doubts.setdefault(number, set()).add((there_at, fragment))
    there: dict[tuple[Url, str], bool] = {}
    for number, doubted in doubts.items():
        yield from _told(kept, pages[number], doubted, there)


def _told(
    kept: PlacesKept, url: Url, doubted: set[tuple[int, int]], there: dict[tuple[Url, str], bool]
) -> Iterator[DanglingLink]:
    """`there` holds what was found out already: a place may be there in other words (%20 for a space)."""
    read = kept.of(url)
    told: set[tuple[Url, str]] = set()
    for link, target in kept.links(url, read) if read is not None else ():
        place = (target, link.fragment)
        if place in told or (_number_of(target), _number(link.fragment)) not in doubted:
            continue
        told.add(place)
        if place not in there:
            places = read if target == url else kept.of(target)
            there[place] = places is None or places.has(link.fragment)
        if not there[place]:
            yield DanglingLink(url, link.words, target, link.fragment)


def _number_of(url: Url) -> int:
    return key_of(url) & _ALL_BITS


_ALL_BITS = 0xFFFFFFFFFFFFFFFF


def _number(name: str) -> int:
    return xxh3_64_intdigest(name.encode("utf-8", "replace"))
