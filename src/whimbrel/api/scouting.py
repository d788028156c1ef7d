"""What kept pages teach of where pages of a kind are: read again, they show which links led to such pages."""

from collections.abc import Iterable, Sequence, Set
from heapq import nlargest

from whimbrel.flows.copies import kept_copy
from whimbrel.judges.alike import AlikeJudge
from whimbrel.judges.judge import Sight
from whimbrel.parse import places
from whimbrel.records.request import Alike
from whimbrel.records.visit import Outcome
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import ListedUrl, Selection, Site
from whimbrel.structure.shape import DEEPEST
from whimbrel.urls.resolve import LinkResolver

MOST_READ = 400
"""Kept pages of a site that are read again: enough to be fitted well, a few seconds of work."""
MOST_WEIGHED = 20_000
"""Pages of a site that wait and are weighed against each other."""

_KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)


class Scout:
    """Judges kept pages as a migrant would judge them on the spot, and learns from them what a migrant would."""

    def __init__(self, reader: Reader, requests: Sequence[Alike]) -> None:
        self._reader = reader
        self._judge = AlikeJudge(requests)
        self._resolver = LinkResolver()

    def learn(self, sites: Iterable[str]) -> None:
        for host in sites:
            kept = Selection(_KEPT, site=Site(host), assets=False)
            every = max(1, self._reader.count(kept) // MOST_READ)
            for at, page in enumerate(one for one in self._reader.urls(kept) if "html" in one.mime):
                if at % every == 0:
                    self.look(page)

    def look(self, page: ListedUrl) -> bool:
        """Learns from a kept page; whether it is of a kind asked for."""
        copy = kept_copy(self._reader.body(page.url))
        if copy is None:
            return False
        read, tree = places.read(copy.body, copy.content_type or page.mime, DEEPEST)
        found = self._resolver.resolve(read.base, page.url) if read.base else None
        base = found[0] if found else page.url
        sight = Sight(page.key, page.url, read, tree, lambda href: self._resolver.resolve(href, base))
        return bool(self._judge.look(sight).serves)

    def promising(self, sites: Iterable[str], most: int, but: Set[int] = frozenset()) -> list[ListedUrl]:
        """Of the pages that wait on these sites, those whose links promise most."""
        waiting = [
            one
            for host in sites
            for one in self._reader.urls(
                Selection((Outcome.DISCOVERED,), site=Site(host), assets=False, limit=MOST_WEIGHED)
            )
            if one.key not in but
        ]
        return nlargest(most, waiting, key=lambda one: self._judge.promise(one.key, one.url))
