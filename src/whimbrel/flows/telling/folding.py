"""Which pages changed only because others did: a start page that now teases a new post belongs under that post.

By links and shared words, never by the look of an address: every word that came to such a page stands, beside the same
word, on a page that it links to, or stood on it before; every word that left it is known likewise from a page that it
no longer links to, or from what the page it links to said before. A list pushes its last entry on to the next list:
what is fully known from older pages goes along with the list that lost them.

A batch of changes is looked at together; memory holds the pairs of words that these changes ask for, never the texts.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from urllib.parse import urljoin

from msgspec import Struct
from xxhash import xxh3_64_hexdigest

from whimbrel.change.feeds import is_feed
from whimbrel.flows.copies import kept_copy
from whimbrel.flows.packing import MOST_SPOTS, unpack, unpacked_spots
from whimbrel.records.change import Spot
from whimbrel.records.url import Url
from whimbrel.records.visit import Reading
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Told
from whimbrel.urls.normal import normalise

KNOWN_SHARE = 3 / 4
"""Of the words of a place, that have to be known from elsewhere."""
MOST_LINKS = 40
"""Followed of those that a page gained or lost."""

_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"\S+://\S+")
Needs = list[frozenset[str]]
"""For every word that is not yet known, the pairs of words by which it would be."""


class FoldedChange(Struct, frozen=True):
    """A change, the pages that changed only because of it, and the changes that it is only due to; of a page that may
    be gone, when that will be known. `id` names it, `seen` and `silenced` are what the folder's owner said of it."""

    told: Told
    also_on: tuple[Url, ...] = ()
    because_of: tuple[Url, ...] = ()
    asked_again_at: float | None = None
    seen: bool = False
    silenced: int = 0
    """The number of a silence that covers it; 0 where none does."""

    @property
    def id(self) -> str:
        return change_id(self.told)


def change_id(told: Told) -> str:
    """By which a change is named from outside: its moment, by which it is found again, and what happened to which
    page."""
    return f"{round(told.at * 1000):011x}-{xxh3_64_hexdigest(f'{told.what} {told.url}'.encode())[:8]}"


class _Page(Struct):
    """A changed page that may be due to others; changes are known by their place in the batch, `at`.

    `counts` are the words that differ, of each place, on either side. `leads_to` and `led_to` are the changes of the
    pages that it links to and linked to, `gained` and `lost` the links that it did not have before, or has no more.
    """

    at: int
    told: Told
    counts: list[tuple[int, int]]
    added: list[Needs]
    removed: list[Needs]
    links: int
    leads_to: set[int]
    led_to: set[int]
    gained: list[Url]
    lost: list[Url]
    causes: tuple[int, ...] = ()


def folded(batch: Sequence[Told], reader: Reader) -> list[FoldedChange]:
    """The batch in its order; a page that is due to others comes with their names, and they with its."""
    places: dict[Url, list[int]] = {}
    for at, told in enumerate(batch):
        places.setdefault(told.url, []).append(at)
    pages = [page for at in range(len(batch)) if (page := _page(at, batch, places, reader)) is not None]
    if pages:
        _judge(pages, batch, reader)
    causes = {page.at: page.causes for page in pages if page.causes}
    causes |= _copies(batch, causes, reader)
    also: dict[int, set[Url]] = {}
    for at, whose in causes.items():
        for cause in whose:
            also.setdefault(cause, set()).add(batch[at].url)
    return [
        FoldedChange(told, tuple(sorted(also.get(at, ()))), tuple(batch[cause].url for cause in causes.get(at, ())))
        for at, told in enumerate(batch)
    ]


def _copies(batch: Sequence[Told], causes: Mapping[int, tuple[int, ...]], reader: Reader) -> dict[int, tuple[int]]:
    """Pages that changed to the same text as another: one page by several names, told once, under the shortest."""
    ends = {told.after: at for at, told in enumerate(batch) if told.what == "changed" and told.after is not None}
    groups: dict[bytes, list[int]] = {}
    for version, group in reader.groups(ends.keys()).items():
        groups.setdefault(group, []).append(ends[version])
    found: dict[int, tuple[int]] = {}
    for places in groups.values():
        names = {batch[at].url: at for at in places if at not in causes}
        first, *others = sorted(names, key=lambda url: (len(url), url)) or [Url("")]
        found |= {names[url]: (names[first],) for url in others}
    return found


def _page(at: int, batch: Sequence[Told], places: Mapping[Url, list[int]], reader: Reader) -> _Page | None:
    told = batch[at]
    spots = unpacked_spots(told.details)[0] if told.what == "changed" else []
    spots = [spot for spot in spots if spot.what != "moved" and any(_is_read(aspect.what) for aspect in spot.aspects)]
    if not spots or len(spots) >= MOST_SPOTS or told.before is None or told.after is None:
        return None
    packed = reader.readings((told.before, told.after))
    was, now = (
        unpack(packed[number]) if number in packed else _read_again(told.url, number, reader)
        for number in (told.before, told.after)
    )
    if was is None or now is None:
        return None
    before, after = set(was.urls), set(now.urls)

    def changes_of(urls: set[Url]) -> set[int]:
        """Of a page that changed several times, the change that is nearest in time."""
        return {
            min(places[url], key=lambda other: abs(batch[other].at - told.at))
            for url in urls & places.keys()
            if url != told.url
        }

    leads_to, led_to = changes_of(after), changes_of(before)
    if not leads_to and not led_to and before == after:
        return None
    page = _Page(at, told, [], [], [], len(after), leads_to, led_to, [], [])
    page.gained = [url for url in now.urls if url not in before][:MOST_LINKS]
    page.lost = [url for url in was.urls if url not in after][:MOST_LINKS]
    _ask(page, spots, grams(was.text), grams(now.text))
    return page


def _read_again(url: Url, number: int, reader: Reader) -> Reading | None:
    """A feed, of which no reading is kept: its links are written out in it."""
    version = next((one for one in reader.versions(url) if one.number == number), None)
    copy = kept_copy(reader.body(url, version)) if version is not None and is_feed(version.mime) else None
    if copy is None:
        return None
    texts = [block.text for block in copy.version().blocks]
    named = [normalise(urljoin(url, text)) for text in texts if "/" in text and " " not in text]
    return Reading("\n".join(texts), list(dict.fromkeys(one for one in named if isinstance(one, str))), [], [])


def _is_read(what: str) -> bool:
    return what in ("words", "links", "pictures")


def _ask(page: _Page, spots: Iterable[Spot], stood: Collection[str], stands: Collection[str]) -> None:
    """Words that the page itself had, or still has, elsewhere need no explanation."""
    for spot in spots:
        before, after = (spot.before, spot.after) if spot.shows == "words" else ("", "")
        came, went = needs(after, before), needs(before, after)
        page.counts.append((len(came), len(went)))
        page.added.append([pairs for pairs in came if pairs.isdisjoint(stood)])
        page.removed.append([pairs for pairs in went if pairs.isdisjoint(stands)])


def grams(text: str) -> set[str]:
    """The words of a text and its pairs of neighbouring words."""
    words = _words(text)
    return {*words, *(f"{one} {other}" for one, other in pairwise(words))}


def _words(text: str) -> list[str]:
    """Without numbers, which are mostly dates, and addresses, which are links."""
    return _WORD.findall(_ADDRESS.sub(" ", text).casefold())


def needs(text: str, other: str) -> Needs:
    """Of each word that the text has beyond the other: how it stands in the text."""
    words = _words(text)
    beyond = Counter(words) - Counter(_words(other))
    found = []
    for at, word in enumerate(words):
        if beyond[word] > 0:
            beyond[word] -= 1
            pairs = [f"{one} {two}" for one, two in pairwise(words[max(0, at - 1) : at + 2])]
            found.append(frozenset(pairs or [word]))
    return found


def _judge(pages: list[_Page], batch: Sequence[Told], reader: Reader) -> None:
    places = [place for page in pages for place in (*page.added, *page.removed)]
    known = _knowledge(pages, batch, reader, {pair for place in places for word in place for pair in word})
    # Lists have most links: they are looked at first, and what they are due to is nobody's echo.
    causing: set[int] = set()
    echoes: set[int] = set()
    for page in sorted(pages, key=lambda one: (-one.links, one.told.url, one.at)):
        if page.at not in causing and (found := tuple(_causes(page, echoes, known))):
            page.causes = found
            causing.update(found)
            echoes.add(page.at)
    _pushed_on([page for page in pages if page.at not in causing], known)


class _Knowledge(Struct, frozen=True):
    """Which of the wanted pairs stand on the pages that others link to, and stood on them before their change: by the
    place of the change in the batch, and by URL where the page did not change."""

    says: dict[int | Url, set[str]]
    said: dict[int | Url, set[str]]

    def after(self, page: _Page, echoes: Collection[int] = ()) -> set[str]:
        return _together(self.says, page.leads_to.difference(echoes), page.gained)

    def before(self, page: _Page, echoes: Collection[int] = ()) -> set[str]:
        return _together(self.said, page.led_to.difference(echoes), page.lost)


def _together(said: Mapping[int | Url, set[str]], changes: Iterable[int], urls: Iterable[Url]) -> set[str]:
    found: set[str] = set()
    for at in changes:
        found |= said.get(at, set())
    for url in urls:
        found |= said.get(url, set())
    return found


def _knowledge(pages: list[_Page], batch: Sequence[Told], reader: Reader, wanted: set[str]) -> _Knowledge:
    known = _Knowledge({}, {})
    for at in {at for page in pages for at in (*page.leads_to, *page.led_to)}:
        told = batch[at]
        packed = reader.readings([number for number in (told.before, told.after) if number is not None])
        for number, said in ((told.after, known.says), (told.before, known.said)):
            if number in packed:
                said[at] = grams(f"{told.title}\n{unpack(packed[number]).text}") & wanted
    beside = {url for page in pages for url in (*page.gained, *page.lost)}.difference(told.url for told in batch)
    for url, reading in reader.current_readings(beside):
        known.says[url] = known.said[url] = grams(unpack(reading).text) & wanted
    return known


def _causes(page: _Page, echoes: Collection[int], known: _Knowledge) -> Iterator[int]:
    """The changes that explain this one; none where some of its words come from nowhere."""
    if not _is_explained(page, known.after(page, echoes), known.before(page, echoes)):
        return
    for at in sorted((page.leads_to | page.led_to).difference(echoes)):
        came = at in page.leads_to and _helps(page.added, known.says.get(at, ()))
        went = at in page.led_to and _helps(page.removed, known.said.get(at, ()))
        if came or went:
            yield at


def _is_explained(page: _Page, came: Collection[str], went: Collection[str]) -> bool:
    return any(any(place) for place in (*page.added, *page.removed)) and all(
        _is_known(added, count[0], came) and _is_known(removed, count[1], went)
        for count, added, removed in zip(page.counts, page.added, page.removed, strict=True)
    )


def _is_known(place: Needs, count: int, known: Collection[str]) -> bool:
    return sum(pairs.isdisjoint(known) for pairs in place) <= (1 - KNOWN_SHARE) * count


def _helps(places: Iterable[Needs], known: Collection[str]) -> bool:
    return any(not pairs.isdisjoint(known) for place in places for pairs in place)


def _pushed_on(pages: list[_Page], known: _Knowledge) -> None:
    """A list whose words are those of older pages, which another list handed on to it or took from it."""
    lists = [page for page in pages if page.causes]
    for page in pages:
        if page.causes or not _is_explained(page, known.after(page), known.before(page)):
            continue
        gained, lost = set(page.gained), set(page.lost)
        beside = [one for one in lists if gained.intersection(one.lost) or lost.intersection(one.gained)]
        page.causes = tuple(sorted({at for one in beside for at in one.causes}))
