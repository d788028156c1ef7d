"""What only a whole run shows, looked at when all its visits have come in.

A number in a line that other pages carry too may be the site's, which writes it anew everywhere, or this page's alone:
the other pages that the run saw tell which. A line that they carry ("Sold out") may have come to all of them, or to
this page alone: what they said when this page was visited before tells. A picture under a new name may be another
picture or the same: its bytes tell, which come after the page.

A run that is cut off forgets what it was to look at. A number is then told at the next visit, if it stays.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.change.decide import SITES_LINE, SITES_NUMBER, changed_in
from whimbrel.change.pictures import is_another, measures
from whimbrel.flows.archive import KeptCopies
from whimbrel.flows.copies import kept_copy
from whimbrel.records.change import Change, Spot
from whimbrel.records.url import Url
from whimbrel.repository.contract import HeldVersion, KnownUrl
from whimbrel.repository.warc import Content, WarcError
from whimbrel.revisit.history import unpacked
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.normal import normalise

PICTURE_SHARE = 0.05
"""How much of a page one picture is said to be: how large it is drawn nobody knows here."""

_OTHERS = 12
_MOST_LEAVING = 6
"""Pages that may leave the same line in one run; where more do, it is the site that moves."""
_SAME_ROUND = 0.1
"""Of the time between two visits of a page, that in which other pages still count as visited along with the first."""
_MOST_OPEN = 1_000
"""Lines and pictures that one run leaves open; what comes beyond is told as if nobody had looked again."""


class RunRemembered(KeptCopies, Protocol):
    """What is asked about the pages of a run."""

    def held(self, keys: Iterable[int]) -> dict[int, HeldVersion]: ...
    def states(self, key: int) -> tuple[float, list[tuple[float, bytes]]]: ...


class Glimpse(Struct, frozen=True):
    """A page as a visit found it, and what was held of it before."""

    row: KnownUrl
    held: HeldVersion
    at: float
    standing: str
    """What the visit was counted as; "" where it was told of something else."""


class Belated(Struct, frozen=True):
    """A change that is told after all."""

    seen: Glimpse
    change: Change


class _OtherPage(Struct, frozen=True):
    """A page of the site as it is kept: since when it says so, when it was last visited, and its texts; those that the
    version bore as well from which it differs by noise, and since when."""

    key: int
    since: float
    visited_at: float
    texts: frozenset[str]
    told_at: float
    told: frozenset[str]

    def bore(self, line: str, until: float) -> bool:
        return (line in self.texts and self.since <= until) or (line in self.told and self.told_at <= until)


class Hindsight:
    """What the visits of one run left open."""

    def __init__(self, past: RunRemembered) -> None:
        self._past = past
        self._leaving: dict[tuple[int, str], dict[int, tuple[Glimpse, Spot]]] = {}
        self._pictures: dict[tuple[Url, Url], Glimpse] = {}
        self._gained: list[tuple[Glimpse, Spot]] = []
        self._lost: dict[tuple[int, str], list[tuple[Glimpse, Spot]]] = {}

    def hear(self, row: KnownUrl, held: HeldVersion, at: float, change: Change) -> None:
        glimpse = Glimpse(row, held, at, "" if change.changed else "unread" if change.where else "noise")
        for spot in change.noise:
            if spot.reason == SITES_NUMBER and len(self._leaving) < _MOST_OPEN:
                leaving = self._leaving.setdefault((row.lane, spot.before), {})
                if len(leaving) <= _MOST_LEAVING:
                    leaving[row.key] = (glimpse, spot)
            elif spot.reason == SITES_LINE and spot.shows == "words":
                self._hear_line(glimpse, spot)
        if len(self._pictures) < _MOST_OPEN and not row.asset:
            for pair in _renamed((*change.where, *change.noise), row.url):
                self._pictures.setdefault(pair, glimpse)

    def _hear_line(self, glimpse: Glimpse, spot: Spot) -> None:
        """A box without a word says nothing that could have come or gone."""
        if spot.after:
            self._gained += [(glimpse, spot)] if len(self._gained) < _MOST_OPEN else []
        elif spot.before and len(self._lost) < _MOST_OPEN:
            self._lost.setdefault((glimpse.row.lane, spot.before), []).append((glimpse, spot))

    def forget(self, key: int) -> None:
        """What was seen of a page in vain: its answer is not believed."""
        self._gained = [one for one in self._gained if one[0].row.key != key]
        for line, leaving in self._lost.items():
            self._lost[line] = [one for one in leaving if one[0].row.key != key]
        for left in self._leaving.values():
            left.pop(key, None)

    def drain(self, began: float) -> Iterator[Belated]:
        """What is told after all, page by page; `began` is when the run made its first visit."""
        found: dict[int, tuple[Glimpse, list[Spot]]] = {}
        others = _Others(self._past)
        for glimpse, spot in (*self._left(began, others), *self._lines(began, others), *self._replaced()):
            found.setdefault(glimpse.row.key, (glimpse, []))[1].append(spot)
        self._leaving.clear()
        self._pictures.clear()
        self._gained.clear()
        self._lost.clear()
        for glimpse, spots in found.values():
            yield Belated(glimpse, changed_in(tuple(spots), ()))

    # Numbers.

    def _left(self, began: float, others: "_Others") -> Iterator[tuple[Glimpse, Spot]]:
        for (_, line), leaving in self._leaving.items():
            if len(leaving) > _MOST_LEAVING:
                continue
            said = Counter(spot.after for _, spot in leaving.values())
            for glimpse, spot in leaving.values():
                pages = others.of(glimpse.row)
                staying = sum(line in page.texts and page.visited_at >= began for page in pages)
                alone = said[spot.after] == 1 and not any(
                    spot.after in page.texts for page in pages if page.visited_at >= began
                )
                few = staying > len(leaving)
                if (staying and (alone or few)) or _bore_it_before(spot.after, glimpse, pages):
                    yield glimpse, replace(spot, reason="")

    # Lines.

    def _lines(self, began: float, others: "_Others") -> Iterator[tuple[Glimpse, Spot]]:
        """A line that this page alone gained, and one that it alone has lost."""
        for glimpse, spot in self._gained:
            if _bore_it_before(spot.after, glimpse, others.of(glimpse.row)):
                yield glimpse, replace(spot, reason="")
        for (_, line), leaving in self._lost.items():
            for glimpse, spot in leaving if len(leaving) == 1 else ():
                if any(line in page.texts and page.visited_at >= began for page in others.of(glimpse.row)):
                    yield glimpse, replace(spot, reason="")

    # Pictures.

    def _replaced(self) -> Iterator[tuple[Glimpse, Spot]]:
        for (was, now), glimpse in self._pictures.items():
            before, after = self._picture(was), self._picture(now)
            if before is not None and after is not None and is_another(before, after, was, now):
                yield (
                    glimpse,
                    Spot(
                        "changed", ("image",), f"image {now}, was {was}", measures(before), measures(after),
                        PICTURE_SHARE, shows="bytes",
                    ),
                )  # fmt: skip

    def _picture(self, url: Url) -> bytes | None:
        """As it is kept; None where nobody fetched it."""
        key = key_of(url)
        held = self._past.held([key]).get(key)
        try:
            content: Content | None = self._past.copy(held.version) if held is not None else None
        except (WarcError, OSError):
            return None
        copy = kept_copy(content) if content is not None else None
        return copy.body if copy is not None and copy.content_type.startswith("image/") else None


class _Others:
    """Pages of sites beside those that a run left open, each site read once."""

    def __init__(self, past: RunRemembered) -> None:
        self._past = past
        self._sites: dict[int, list[_OtherPage]] = {}

    def of(self, row: KnownUrl) -> list[_OtherPage]:
        if row.lane not in self._sites:
            self._sites[row.lane] = list(self._read(row))
        return [page for page in self._sites[row.lane] if page.key != row.key]

    def _read(self, row: KnownUrl) -> Iterator[_OtherPage]:
        for content in self._past.neighbours(row.lane, row.key, _OTHERS):
            key = key_of(Url(content.warc_headers.get("warc-target-uri", "")))
            visited_at, versions = self._past.states(key)
            if versions and (texts := _texts(content)):
                told_at, told = self._told(key, versions, texts)
                yield _OtherPage(key, versions[-1][0], visited_at, texts, told_at, told)

    def _told(
        self, key: int, versions: list[tuple[float, bytes]], texts: frozenset[str]
    ) -> tuple[float, frozenset[str]]:
        held = self._past.held([key]).get(key)
        if held is None or held.told == held.version or len(versions) < 2:
            return versions[-1][0], texts
        content = self._past.copy(held.told)
        return versions[-2][0], texts & _texts(content) if content is not None else frozenset()


def _texts(content: Content) -> frozenset[str]:
    copy = kept_copy(content)
    return frozenset(block.text for block in copy.version().blocks) if copy is not None else frozenset()


def _bore_it_before(line: str, seen: Glimpse, pages: Iterable[_OtherPage]) -> bool:
    """Whether another page bore the line already when this one was visited before and did not: then no template brought
    it."""
    visited = _last_visit(seen.held)
    until = visited + _SAME_ROUND * (seen.at - visited)
    return any(page.bore(line, until) for page in pages)


def _last_visit(held: HeldVersion) -> float:
    return unpacked(held.returned.history).visited_at if held.returned.history else held.at


def _renamed(spots: Iterable[Spot], page: Url) -> Iterator[tuple[Url, Url]]:
    """Pictures in whose place others stand."""
    for spot in spots:
        for aspect in spot.aspects:
            was, now = aspect.before.split(), aspect.after.split()
            if aspect.what == "pictures" and was and now:
                pair = normalise(was[0], page), normalise(now[0], page)
                if isinstance(pair[0], str) and isinstance(pair[1], str) and pair[0] != pair[1]:
                    yield Url(pair[0]), Url(pair[1])
