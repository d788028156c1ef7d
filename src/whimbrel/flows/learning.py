"""What visits teach about kinds of URLs, as home hears of them.

A page that may not be kept can still be the only way to one that may: then it was needed. A link is known otherwise as
soon as a kept page has it too, whichever was read first; migrants tell links of pages that are not kept apart, so that
home hears of them again.
"""

from collections.abc import Iterable
from typing import Protocol

from whimbrel.frontier.kinds import UrlKinds
from whimbrel.records.entry import ENTRY_RULE
from whimbrel.records.picturing import IMAGES_RULE
from whimbrel.records.role import Role
from whimbrel.records.sifting import KEEP_RULE
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.contract import FoundUrl, KnownUrl, Plan, RobotsCopy

NOT_KEPT = ("noindex", "noarchive")
_NOT_SHOWN = ("http_401", "http_403")
_MOST_ASIDE = 200_000
_LONGEST_WAY = 10


class Ways(Protocol):
    """How URLs were found."""

    def kin(self, keys: Iterable[int]) -> dict[int, tuple[int | None, int]]: ...
    def known(self, keys: Iterable[int]) -> dict[int, KnownUrl]: ...


class Learning:
    """`aside` are URLs found on pages that are not kept, `otherwise` those of them that a kept page has as well."""

    def __init__(self, kinds: UrlKinds, resumed: bool) -> None:
        self.kinds = kinds
        self._resumed = resumed
        self._aside: set[int] = set()
        self._otherwise: set[int] = set()

    def judge(self, url: Url) -> Verdict:
        return self.kinds.judge(url)

    def pay(self, found: Iterable[FoundUrl], robots: Iterable[RobotsCopy]) -> None:
        """Robots files were asked for too. Sitemaps and feeds are read when all else is done: what they will cost is
        set aside when they are found."""
        for copy in robots:
            self.kinds.paid(Url(f"{copy.origin}/robots.txt"))
        for one in found:
            if one.asset == Role.SITEMAP and one.outcome == Outcome.DISCOVERED:
                self.kinds.paid(one.url)

    def hear(self, visit: Visit, outcome: str) -> None:
        """A first visit was settled; what nobody was asked for teaches nothing."""
        if not visit.status:
            return
        if visit.document is not None:
            self.kinds.visited(visit.url, True, visit.document.sample, outcome == Outcome.FETCHED)
            self.kinds.listed(link.url for link in visit.links if not link.rule)
            if self._aside:
                also = self._aside.intersection(link.key for link in visit.links if not link.rule)
                self._aside -= also
                self._otherwise |= also
        elif visit.rule in (KEEP_RULE, IMAGES_RULE, ENTRY_RULE):
            # Its kind has pages: that this one does not say what is asked for teaches nothing of the others.
            self.kinds.visited(visit.url, True, b"", True)
        elif _is_not_kept(visit):
            ways = [link.key for link in visit.links if not link.rule]
            # One that may be followed leads on, although all it leads to today is known.
            self.kinds.visited(visit.url, False, leads_on=not (visit.shut or visit.rule in _NOT_SHOWN))
            if len(self._aside) < _MOST_ASIDE:
                self._aside.update(ways)
        else:
            self.kinds.missed(visit.url)

    def credit(self, plan: Plan, ways: Ways) -> None:
        """Pages that were kept speak for the pages without which nobody would know them."""
        if not self._aside and not self._resumed:
            return
        keys = {one.key for one in plan.settled if one.kept >= 0 and one.outcome == Outcome.FETCHED} - self._otherwise
        for _ in range(_LONGEST_WAY):
            vias = {via for via, _ in ways.kin(keys).values() if via is not None}
            parents = [row for row in ways.known(vias).values() if _was_not_kept(row)]
            for row in parents:
                self.kinds.needed(row.url)
            keys = {row.key for row in parents}
            if not keys:
                return


def _is_not_kept(visit: Visit) -> bool:
    if visit.outcome is Outcome.FAILED:
        return visit.rule in _NOT_SHOWN
    return visit.outcome is Outcome.REDIRECTED or (visit.outcome is Outcome.REFUSED and visit.rule in NOT_KEPT)


def _was_not_kept(row: KnownUrl) -> bool:
    return row.outcome == Outcome.REDIRECTED or (row.outcome == Outcome.REFUSED and row.rule in NOT_KEPT)
