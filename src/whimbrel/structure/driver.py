"""The structure driver: what a specialised migrant does with each page, without a connection or a clock.

It holds pages against the requests in its brief, learns which links lead to such pages, says which link to follow
next, and puts the pages that nobody asked for on the shelf, where the next brief looks first.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Generic, TypeVar

from msgspec import Struct

from whimbrel.structure.leads import Leads, Link, Noticing, Traits
from whimbrel.structure.prospects import Prospects
from whimbrel.structure.shape import Shape
from whimbrel.structure.shelf import Shelf, Shelved
from whimbrel.structure.wanted import Judge, Judged, Wanted

COMMON = 0.5
"""What a page of the most common structure counts for, beside 1 for one that is known nowhere yet."""

BARELY = 0.1
"""What a page that is just alike enough counts for, beside one that is as alike as the examples are."""

LESSONS = 20
"""At most, from a page's links to pages fetched before."""

REMEMBERED = 100_000

Kept = TypeVar("Kept")


class Seen(Struct, frozen=True):
    """A page as the requests see it. `number` is the request it serves, None where it serves none."""

    number: int | None
    judged: Judged


class Driver(Generic[Kept]):
    """Judges, learns and chooses for the requests in hand. Requests may come and go; what was learned stays."""

    def __init__(self, shelf: Shelf[Kept] | None = None, leads: Leads | None = None) -> None:
        self.shelf: Shelf[Kept] = shelf if shelf is not None else Shelf()
        self.leads = leads if leads is not None else Leads()
        self.prospects: Prospects[int] = Prospects(self.leads)
        self._noticing = Noticing()
        self._judges: dict[int, Judge] = {}
        self._fetched: dict[int, tuple[float, float]] = {}

    def want(self, wanted: Wanted) -> list[Shelved[Kept]]:
        """Take a request on, or its newer wording; what the shelf has of it is taken down at once."""
        judge = self._judges[wanted.number] = Judge(wanted)
        # Rare structures first: a page may be like several, and serves the rarest.
        ranked = sorted(self._judges.values(), key=lambda one: (-one.wanted.rarity, one.wanted.number))
        self._judges = {one.wanted.number: one for one in ranked}
        return list(self.shelf.search(lambda shape: judge.judge(shape).alike))

    def done(self, number: int) -> bool:
        """Drop a request; whether any is left, else the migrant's work is done."""
        self._judges.pop(number, None)
        return bool(self._judges)

    def judge(self, shape: Shape) -> Seen:
        """The first request that the page serves, else the one it comes nearest to."""
        nearest: Judged | None = None
        for number, one in self._judges.items():
            judged = one.judge(shape)
            if judged.alike:
                return Seen(number, judged)
            if nearest is None or judged.similarity - judged.threshold > nearest.similarity - nearest.threshold:
                nearest = judged
        return Seen(None, nearest if nearest is not None else Judged(False, 0.0, 1.0))

    def notice(self, links: Iterable[Link]) -> list[Traits]:
        return [self._noticing.traits(link) for link in links]

    def take_in(self, key: int, seen: Seen, followed: Traits | None, links: Sequence[tuple[int, Traits]]) -> None:
        """Learn from a page and offer its links. `followed` led to it, None where no link did (a seed).

        A link to a page that was fetched already is a lesson too, and costs no fetch.
        """
        new = [(target, link) for target, link in links if target not in self._fetched]
        outcome = (self._worth(seen), self.leads.promise(link for _, link in new))
        if len(self._fetched) >= REMEMBERED:
            self._fetched.clear()
        self._fetched[key] = outcome
        if followed is not None:
            self.leads.learn(followed, *outcome)
        for target, link in islice(((one, link) for one, link in links if one in self._fetched), LESSONS):
            self.leads.learn(link, *self._fetched[target], tried=False)
        for target, link in new:
            self.prospects.offer(target, link)

    def _worth(self, seen: Seen) -> float:
        """Rare structures count for more, and so do pages that are as much alike as the examples are to each other."""
        if seen.number is None:
            return 0.0
        wanted = self._judges[seen.number].wanted
        judged = seen.judged
        sure = (judged.similarity - judged.threshold) / max(wanted.usual - judged.threshold, 1e-6)
        return (COMMON + (1 - COMMON) * wanted.rarity) * (BARELY + (1 - BARELY) * min(1.0, max(0.0, sure)))
