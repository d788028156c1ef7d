"""What became of a page between the kept version and the one that just came in.

A page's own history says what on it turns over by itself; its neighbours say what the site repeats on every page. The
neighbours are some kept pages of the site and the first ones that came in anew, both taken once a run: a template that
was rebuilt is known after a few pages.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Protocol

import msgspec

from whimbrel.change.decide import decide
from whimbrel.change.mask import masked
from whimbrel.change.noise import learn
from whimbrel.change.version import Version
from whimbrel.flows.copies import kept_copy, visited_copy
from whimbrel.records.change import KINDS, Change, Kind, Spot
from whimbrel.records.visit import Document, Visit
from whimbrel.repository.contract import Known, RepositoryError
from whimbrel.repository.warc import Content, WarcError

HISTORY = 4
NEIGHBOURS = 6
NEWCOMERS = 6
REMEMBERED_SITES = 16
MOST_SPOTS = 40
MOST_CHARACTERS = 400
_COMPARED = ("text/html", "application/xhtml+xml", "text/plain")
_BY_MIME: tuple[tuple[str, Kind], ...] = (
    ("image/", "image"), ("text/css", "presentation"), ("text/javascript", "behavioural"),
    ("application/javascript", "behavioural"),
)  # fmt: skip


class Archive(Protocol):
    def copies(self, key: int, most: int) -> list[Content]: ...
    def neighbours(self, lane: int, key: int, most: int) -> list[Content]: ...


class Site:
    """What a site repeats on its pages: on those that are kept, and on those that came in anew."""

    def __init__(self, kept: list[Version]) -> None:
        self._newcomers: list[Version] = []
        self.repeats = learn([], kept).shared
        self.texts = _texts(self.repeats)

    def meet(self, page: Version) -> None:
        if len(self._newcomers) < NEWCOMERS:
            self._newcomers.append(page)
            if len(self._newcomers) == NEWCOMERS:
                self.repeats |= learn([], self._newcomers).shared
                self.texts = _texts(self.repeats)


class Comparing:
    """Remembers a few pages of each site while a run lasts."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._sites: OrderedDict[int, Site] = OrderedDict()

    def compare(self, row: Known, visit: Visit, document: Document) -> Change:
        copy = visited_copy(visit) if document.mime.startswith(_COMPARED) and not row.asset else None
        history = list(_versions(self._kept(row))) if copy is not None else []
        if copy is None or not history:
            return whole_change(document.mime)
        after = copy.version()
        site = self._site(row)
        change = decide(history[-1], after, msgspec.structs.replace(learn(history), shared=site.repeats))
        site.meet(after)
        return without_renumbering(change, site.texts)

    def _kept(self, row: Known) -> list[Content]:
        try:
            return self._archive.copies(row.key, HISTORY)
        except (WarcError, OSError) as error:
            raise RepositoryError(f"the kept copy of {row.url} cannot be read: {error}") from error

    def _site(self, row: Known) -> Site:
        site = self._sites.get(row.lane)
        if site is None:
            site = Site(list(_versions(self._archive.neighbours(row.lane, row.key, NEIGHBOURS))))
            self._sites[row.lane] = site
        self._sites.move_to_end(row.lane)
        if len(self._sites) > REMEMBERED_SITES:
            self._sites.popitem(last=False)
        return site


def whole_change(mime: str) -> Change:
    """Other bytes, of which no more can be said than of what kind they are."""
    kind: Kind = next((kind for prefix, kind in _BY_MIME if mime.startswith(prefix)), "content")
    return Change(True, (kind,), 1.0, (), ())


def without_renumbering(change: Change, texts: frozenset[str]) -> Change:
    """A line that the site repeats on its pages and in which only a number or date changed ("Manual 1.17") is the
    site's, not the page's. `texts` are masked."""
    ours = [spot for spot in change.where if not _is_renumbered(spot, texts)]
    if len(ours) == len(change.where):
        return change
    quiet = [
        msgspec.structs.replace(spot, reason="a number in what the site repeats on its pages")
        for spot in change.where
        if _is_renumbered(spot, texts)
    ]
    found = {kind for spot in ours for kind in spot.kinds}
    kinds = tuple(kind for kind in KINDS if kind in found)
    amount = change.amount if ours else 0.0
    return Change(bool(ours), kinds, amount, tuple(ours), (*change.noise, *quiet))


def _is_renumbered(spot: Spot, texts: frozenset[str]) -> bool:
    if spot.what != "changed" or spot.kinds != ("content",):
        return False
    words = masked(spot.after)
    return words in texts and words == masked(spot.before) and spot.before != spot.after


def _texts(repeats: Iterable[str]) -> frozenset[str]:
    return frozenset(key.partition("\n")[0] for key in repeats)


def packed_spots(change: Change) -> bytes:
    """What is kept of a change beside its versions: the places, shortened."""
    where = [_shortened(spot) for spot in change.where[:MOST_SPOTS]]
    noise = [_shortened(spot) for spot in change.noise[:MOST_SPOTS]]
    return msgspec.msgpack.encode((where, noise))


def unpacked_spots(packed: bytes) -> tuple[list[Spot], list[Spot]]:
    if not packed:
        return [], []
    return msgspec.msgpack.decode(packed, type=tuple[list[Spot], list[Spot]])


def _shortened(spot: Spot) -> Spot:
    return msgspec.structs.replace(
        spot, before=spot.before[:MOST_CHARACTERS], after=spot.after[:MOST_CHARACTERS], place=spot.place[:200]
    )


def _versions(contents: Iterable[Content]) -> Iterator[Version]:
    for content in contents:
        copy = kept_copy(content)
        if copy is not None:
            yield copy.version()
