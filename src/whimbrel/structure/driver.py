"""The structure driver: what a specialised migrant does with each page, without a connection or a clock.

It holds pages against the requests in its brief, learns which links lead to such pages, and says what a link is worth.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.structure.leads import Leads, LinkTraits, Noticing, Traits
from whimbrel.structure.shape import Shape
from whimbrel.structure.wanted import KindJudge, KindJudged, Wanted

COMMON = 0.2
"""What a page of a most common structure counts for, beside 1 for one of the rarest that is asked for."""

BARELY = 0.1
"""What a page that is just alike enough counts for, beside one that is as alike as the examples are."""

LESSONS = 20
"""At most, from a page's links to pages fetched before."""

REMEMBERED = 100_000


class PageSeen(Struct, frozen=True):
    """A page as the requests see it. `numbers` are the requests it serves, the rarest first; `judged` is what the first
    of them says, or where there is none the one that it comes nearest to."""

    numbers: tuple[int, ...]
    judged: KindJudged


class Driver:
    """Judges, learns and scores for the requests in hand. Requests may come and go; what was learned stays."""

    def __init__(self, leads: Leads | None = None) -> None:
        self.leads = leads if leads is not None else Leads()
        self._noticing = Noticing()
        self._judges: dict[int, KindJudge] = {}
        self._fetched: dict[int, tuple[float, float]] = {}

    def want(self, wanted: Wanted) -> None:
        """Take a request on, or its newer wording."""
        self._judges[wanted.number] = KindJudge(wanted)
        # Rare structures first: a page may be like several, and serves the rarest.
        ranked = sorted(self._judges.values(), key=lambda one: (-one.wanted.rarity, one.wanted.number))
        self._judges = {one.wanted.number: one for one in ranked}

    def show(self, examples: Iterable[Url]) -> None:
        """Where the examples are is all that is known of such pages before the first link."""
        for traits in self.notice(LinkTraits(url, "", "", 0) for url in examples):
            self.leads.learn(traits, 1.0, 0.0)

    def done(self, number: int) -> bool:
        """Drop a request; whether any is left, else the migrant's work is done."""
        self._judges.pop(number, None)
        return bool(self._judges)

    def judge(self, shape: Shape) -> PageSeen:
        serves: dict[int, KindJudged] = {}
        nearest: KindJudged | None = None
        for number, one in self._judges.items():
            judged = one.judge(shape)
            if judged.alike:
                serves[number] = judged
            elif nearest is None or judged.similarity - judged.threshold > nearest.similarity - nearest.threshold:
                nearest = judged
        if serves:
            return PageSeen(tuple(serves), next(iter(serves.values())))
        return PageSeen((), nearest if nearest is not None else KindJudged(False, 0.0, 1.0))

    def notice(self, links: Iterable[LinkTraits]) -> list[Traits]:
        return [self._noticing.traits(link) for link in links]

    def fetched(self, key: int) -> bool:
        return key in self._fetched

    def take_in(
        self,
        key: int,
        seen: PageSeen,
        followed: Traits | None,
        new: Iterable[Traits],
        known: Sequence[tuple[int, Traits]],
    ) -> None:
        """Learn from a page: from the link that led to it (None for a seed), from what its links to pages not fetched
        yet promise, and from its links to pages fetched before, which are lessons that cost no fetch."""
        outcome = (self._worth(seen), self.leads.promise(new))
        if len(self._fetched) >= REMEMBERED:
            self._fetched.clear()
        self._fetched[key] = outcome
        if followed is not None:
            self.leads.learn(followed, *outcome)
        for target, link in known[:LESSONS]:
            if (become := self._fetched.get(target)) is not None:
                self.leads.learn(link, *become, tried=False)

    def _worth(self, seen: PageSeen) -> float:
        """Rare structures count for more, and so do pages that are as much alike as the examples are to each other."""
        if not seen.numbers:
            return 0.0
        wanted = self._judges[seen.numbers[0]].wanted
        judged = seen.judged
        sure = (judged.similarity - judged.threshold) / max(wanted.usual - judged.threshold, 1e-6)
        rarest = next(iter(self._judges.values())).wanted.rarity
        rare = wanted.rarity / rarest if rarest else 1.0
        return (COMMON + (1 - COMMON) * rare) * (BARELY + (1 - BARELY) * min(1.0, max(0.0, sure)))

    def rarity(self, number: int) -> float:
        """How rare the structure of a request in hand is."""
        return self._judges[number].wanted.rarity

    @property
    def numbers(self) -> Collection[int]:
        """The requests in hand, the rarest first."""
        return tuple(self._judges)
