"""URLs met: new ones are judged, known ones may come nearer, and with them all that was reached through them."""

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from whimbrel.flows.again import SITEMAP
from whimbrel.flows.batch import Batch
from whimbrel.flows.dusting import RULE as DUST
from whimbrel.flows.keeping import KEPT, Keeping
from whimbrel.flows.packing import unpack
from whimbrel.frontier.order import Order, band, promised
from whimbrel.frontier.watch import Seen, Watch
from whimbrel.records.url import Url
from whimbrel.records.visit import Link, Outcome, Visit
from whimbrel.repository.contract import Found, Known
from whimbrel.urls.normal import authority
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of

_WITH_DOCUMENT = (*KEPT, Outcome.DUPLICATE)
_FOLLOWED_BUT_NOT_KEPT = ("noindex", "noarchive", "structure")
_FORGOTTEN = "erased on purpose; `whimbrel forget --allow-again` lifts it"


class Meeting:
    """Takes links into the plan. `admitted` counts, over all batches, the URLs of sites that have a limit."""

    def __init__(self, batch: Batch, keeping: Keeping, watch: Watch, admitted: Counter[str]) -> None:
        self._batch = batch
        self._keeping = keeping
        self._watch = watch
        self._admitted = admitted

    def meet_all(self, visit: Visit, parent: Known) -> None:
        """Takes a page's links in: known ones may come nearer, new ones are judged."""
        rows = self._batch.rows
        new: list[Link] = []
        for link in visit.links:
            if link.key in rows:
                self.approach(link.key, parent.depth + link.step)
            else:
                new.append(link)
        run = self._run(visit, parent, new)
        for link in new:
            if link.key not in rows:
                self._discover(link, parent, run)

    def plant(self, link: Link) -> None:
        """A seed: a URL at depth 0 that nobody linked to."""
        batch = self._batch
        if link.key in batch.rows:
            self.approach(link.key, 0)
            if batch.rows[link.key].outcome == Outcome.OUT_OF_SCOPE:
                batch.welcome(batch.rows[link.key])
        elif self._forgotten(link.url):
            self._find(link, 0, 0, None, Outcome.REFUSED, "forgotten", _FORGOTTEN)
        else:
            self._find(link, 0, 0, None, Outcome.DISCOVERED, "", "")

    def offer(self, sitemaps: Iterable[Link]) -> None:
        """Sitemaps that a site names for itself; those known already are left to `refresh`."""
        links = {link.key: link for link in sitemaps if link.key not in self._batch.rows}
        known = self._batch.memory.known(links)
        for link in links.values():
            if link.key not in known and not self._forgotten(link.url):
                self._find(link, 0, 0, None, Outcome.DISCOVERED, "", "")

    def approach(self, key: int, depth: int) -> None:
        """A known URL met again, perhaps on a shorter way; then all that hangs on it comes nearer too."""
        batch = self._batch
        nearer = [(key, depth)]
        while nearer:
            key, depth = nearer.pop()
            row = batch.row(key)
            if depth >= row.depth:
                continue
            row = batch.rows[key] = row._replace(depth=depth)
            batch.plan.depths[key] = depth
            if (
                row.outcome == Outcome.OUT_OF_SCOPE
                and row.rule == "depth"
                and not self._too_deep(depth, False, host_of(row.url))
            ):
                batch.welcome(row)
            elif row.outcome == Outcome.DUPLICATE:
                self._keeping.reconsider(row)
            elif row.outcome == Outcome.REFUSED and row.rule in _FOLLOWED_BUT_NOT_KEPT:
                batch.welcome(row)  # its links were not kept: only another look can bring them nearer
            nearer += self._reached_through(row)

    def spread(self, key: int) -> None:
        """All that was reached through this URL is met again from where it now stands."""
        for child, depth in self._reached_through(self._batch.rows[key]):
            self.approach(child, depth)

    def _run(self, visit: Visit, parent: Known, new: list[Link]) -> int:
        """How many pages in a row, this one included, led only to more of the same."""
        if visit.document is None or parent.asset or not visit.document.reading or visit.key in self._batch.held:
            return parent.run
        duplicate = parent.outcome == Outcome.DUPLICATE
        found = [link.url for link in new if not link.rule and not link.asset]
        seen = Seen(parent.url, parent.depth, parent.run, visit.document.shape, duplicate, found)
        return self._watch.visit(seen)

    def _discover(self, link: Link, parent: Known, run: int) -> None:
        depth = parent.depth + link.step
        outcome, rule, reason = Outcome.DISCOVERED, "", ""
        if link.rule:
            outcome, rule, reason = Outcome.OUT_OF_SCOPE, link.rule, link.reason
        elif self._too_deep(depth, link.asset, host_of(link.url)):
            outcome, rule, reason = Outcome.OUT_OF_SCOPE, "depth", f"{depth} links from the nearest seed"
        elif self._site_full(host_of(link.url)):
            outcome, rule, reason = Outcome.OUT_OF_SCOPE, "site_limit", "the limit set for this site is reached"
        elif self._forgotten(link.url):
            outcome, rule, reason = Outcome.REFUSED, "forgotten", _FORGOTTEN
        elif (same := self._same_as(link)) is not None:
            outcome, rule, reason = Outcome.REFUSED, DUST, same[1]
            self._meet_instead(replace(link, url=same[0], key=key_of(same[0])), parent, run)
        elif not link.asset:
            verdict = self._watch.judge(link.url, depth, run)
            if not verdict.accepted:
                outcome, rule, reason = Outcome.REFUSED, verdict.rule, verdict.reason
        self._find(link, depth, run, parent.key, outcome, rule, reason)

    def _same_as(self, link: Link) -> tuple[Url, str] | None:
        dusting = self._batch.terms.dusting
        if dusting is None or link.asset or link.sitemap:
            return None
        return dusting.same_as(link.url)

    def _meet_instead(self, link: Link, parent: Known, run: int) -> None:
        """The URL under which a page is known stands for the one that was met."""
        batch = self._batch
        if link.key not in batch.rows:
            batch.rows.update(batch.memory.known([link.key]))
        if link.key in batch.rows:
            self.approach(link.key, parent.depth + link.step)
        else:
            self._discover(link, parent, run)

    def _find(
        self, link: Link, depth: int, run: int, via: int | None, outcome: Outcome, rule: str, reason: str
    ) -> None:
        batch, plan = self._batch, self._batch.plan
        host = host_of(link.url)
        asset = SITEMAP if link.sitemap else int(link.asset)
        plan.found.append(
            Found(link.key, link.url, host, depth, link.hops, run, asset, via, batch.now, outcome, rule, reason)
        )
        if outcome is Outcome.DISCOVERED:
            self._admitted[host] += host in batch.terms.site_limits
            plan.queued.append((link.key, host, self._place(link, depth), 0.0))
        batch.rows[link.key] = Known(link.key, link.url, 0, depth, link.hops, run, asset, outcome, rule, None, None, 0)

    def _place(self, link: Link, depth: int) -> int:
        if self._batch.terms.order is Order.STRUCTURE and not link.asset:
            return promised(link.score)
        return band(self._batch.terms.order, depth, link.asset)

    def _forgotten(self, url: Url) -> bool:
        erased = self._batch.memory.forgotten
        return bool(erased) and (url in erased or host_of(url) in erased or authority(url) in erased)

    def _too_deep(self, depth: int, asset: bool, host: str) -> bool:
        terms = self._batch.terms
        deepest = terms.site_depths.get(host, terms.depth)
        return deepest is not None and depth > deepest and not asset

    def _site_full(self, host: str) -> bool:
        """Whether as many URLs of the site were let in as the user set for it."""
        most = self._batch.terms.site_limits.get(host)
        return most is not None and self._admitted[host] >= most

    def _reached_through(self, row: Known) -> list[tuple[int, int]]:
        """The URLs that a visited one led to, at the depth they have through it."""
        batch = self._batch
        if row.outcome == Outcome.REDIRECTED and row.target is not None:
            return [(row.target, row.depth)]
        if row.outcome not in _WITH_DOCUMENT:
            return []
        packed = batch.packed_reading(row.key)
        if not packed:
            return []
        reading = unpack(packed)
        links = [key_of(url) for url, followed in zip(reading.urls, reading.followed, strict=True) if followed]
        known = batch.rows.keys() & set(links)
        batch.rows.update(batch.memory.known(set(links) - known))
        return [(key, row.depth + 1) for key in links if key in batch.rows]
