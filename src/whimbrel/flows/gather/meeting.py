"""URLs met: new ones are judged, known ones may come nearer, and with them all that was reached through them."""

from collections import Counter
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from whimbrel.flows.gather.batch import Batch
from whimbrel.flows.gather.keeping import KEPT, Keeping
from whimbrel.flows.gather.shedding import RULE as COLLECTION
from whimbrel.flows.gather.shedding import followed
from whimbrel.flows.learning import Learning
from whimbrel.flows.listing import STEPS, USUAL_PLACE_RULE, waits
from whimbrel.flows.packing import unpack
from whimbrel.flows.twins.dusting import RULE as DUST
from whimbrel.frontier.order import Order, band, promised
from whimbrel.frontier.watch import FirstVisit, Watch
from whimbrel.records.entry import ENTRY_RULE
from whimbrel.records.picturing import IMAGES_RULE, SMALL_RULE
from whimbrel.records.request import RULES
from whimbrel.records.role import Role
from whimbrel.records.sifting import KEEP_RULE
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.records.visit import NOFOLLOW, Link, Outcome, Visit
from whimbrel.repository.contract import FoundUrl, KnownUrl, Queued
from whimbrel.urls.normal import authority
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of

_WITH_DOCUMENT = (*KEPT, Outcome.DUPLICATE)
_FOLLOWED_BUT_NOT_KEPT = ("noindex", "noarchive", *RULES, KEEP_RULE, IMAGES_RULE, ENTRY_RULE)
_NOT_THERE = ("http_404", "http_410")
_SITE_FULL = "the limit set for this site is reached"
_FORGOTTEN = "erased on purpose; `whimbrel forget --allow-again` lifts it"


class Meeting:
    """Takes links into the plan. `admitted` counts, over all batches, the URLs of sites that have a limit."""

    def __init__(
        self, batch: Batch, keeping: Keeping, watch: Watch, admitted: Counter[str], learning: Learning | None = None,
        led_to: Callable[[int], list[int]] | None = None,
    ) -> None:  # fmt: skip
        self._batch = batch
        self._keeping = keeping
        self._watch = watch
        self._admitted = admitted
        self._learning = learning
        self._led_to = led_to

    def meet_all(self, visit: Visit, parent: KnownUrl, outcome_before: str) -> None:
        """Takes a page's links in: known ones may come nearer, new ones are judged."""
        rows = self._batch.rows
        new: list[Link] = []
        for link in visit.links:
            row = rows.get(link.key)
            if link.sitemap and not self._batch.terms.sitemaps and parent.asset != Role.SITEMAP.value:
                continue  # a feed that a page names, where the user wants none
            if row is None or (_is_shunned(row) and not link.rule):
                new.append(link)
            elif link.rule != NOFOLLOW:
                self.approach(link.key, parent.depth + link.step)
        run = self._run(visit, parent, new)
        before = self._listed_before(parent, outcome_before) if new else None
        for link in new:
            if link.key not in rows or _is_shunned(rows[link.key]):
                self._discover(link, parent, run, self._is_news(link, parent, before))

    def come_into_being(self, row: KnownUrl) -> KnownUrl:
        """A page at an address that said there was none. On a host whose first crawl is over it is news."""
        batch = self._batch
        if row.outcome != Outcome.FAILED or row.rule not in _NOT_THERE or row.asset or row.news:
            return row
        if batch.memory.surveyed(host_of(row.url)):
            row = batch.rows[row.key] = row._replace(news=1)
            batch.plan.news.append(row.key)
        return row

    def plant(self, link: Link) -> None:
        """A seed: a URL at depth 0 that nobody linked to."""
        batch = self._batch
        if link.key in batch.rows:
            self.approach(link.key, 0)
            row = batch.rows[link.key]
            if row.outcome == Outcome.OUT_OF_SCOPE or _is_shunned(row):
                batch.welcome(row)
        elif self._forgotten(link.url):
            self._find(link, 0, 0, None, Outcome.REFUSED, "forgotten", _FORGOTTEN)
        else:
            self._find(link, 0, 0, None, Outcome.DISCOVERED, "", "")

    def offer(self, named: Iterable[Link], guessed: Iterable[Link]) -> None:
        """Sitemaps that a site names for itself, and usual places of one; those known already are left to `refresh`."""
        rules = {link.key: (link, "") for link in named}
        rules |= {link.key: (link, USUAL_PLACE_RULE) for link in guessed if not self._is_shallow(link)}
        known = self._batch.memory.known(rules.keys() - self._batch.rows.keys())
        plan = self._batch.plan
        for place, found in enumerate(plan.found):
            if found.key in rules and found.outcome == Outcome.DISCOVERED:  # a page in the same batch links to it
                plan.found[place] = found._replace(asset=Role.SITEMAP.value, rule=rules[found.key][1])
        for key, (link, rule) in rules.items():
            if key not in known and key not in self._batch.rows and not self._forgotten(link.url):
                self._find(link, 0, 0, None, Outcome.DISCOVERED, rule, "")
        if waits(self._batch.terms.order) and not self._batch.terms.refreshing:
            plan.queued = [queued for queued in plan.queued if queued.key not in rules]

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

    def standing(self, row: KnownUrl, within: Callable[[Url], Verdict]) -> Verdict:
        """What the settings say today of a URL met before. A seed was named, and is not held against them."""
        if row.depth == 0:
            return ACCEPTED
        verdict = within(row.url)
        if not verdict.accepted:
            return verdict
        if self._too_deep(row.depth, bool(row.asset), host_of(row.url)):
            return refused("depth", _too_far(row.depth))
        if self._site_full(host_of(row.url)):
            return refused("site_limit", _SITE_FULL)
        return ACCEPTED if row.asset else self._watch.judge(row.url, row.depth, row.run)

    def readmit(self, row: KnownUrl) -> None:
        if not self._forgotten(row.url):
            self._admitted[host_of(row.url)] += host_of(row.url) in self._batch.terms.site_limits
            self._batch.welcome(row)

    def _run(self, visit: Visit, parent: KnownUrl, new: list[Link]) -> int:
        """How many pages in a row, this one included, led only to more of the same."""
        if visit.document is None or parent.asset or not visit.document.reading or visit.key in self._batch.held:
            return parent.run
        duplicate = parent.outcome == Outcome.DUPLICATE
        found = [link.url for link in new if not link.rule and not link.asset]
        seen = FirstVisit(parent.url, parent.depth, parent.run, visit.document.shape, duplicate, found)
        return self._watch.visit(seen)

    def _listed_before(self, parent: KnownUrl, outcome_before: str) -> set[int] | None:
        """What the page led to when it was read before; None where it never was."""
        if outcome_before == Outcome.REDIRECTED:
            return set()
        version = self._batch.memory.version_of(parent.key) if parent.version is not None else None
        if version is None:
            return None
        return {key_of(url) for url in unpack(version[2]).urls} if version[2] else set()

    def _is_news(self, link: Link, parent: KnownUrl, before: set[int] | None) -> int:
        """Whether the URL was not there when its host was first crawled: a page or sitemap that was read before leads
        to it only now, or one that is news itself does."""
        if link.asset and not link.sitemap:
            return 0
        if not parent.news and (before is None or link.key in before):
            return 0
        return int(self._batch.memory.surveyed(host_of(link.url)))

    def _discover(self, link: Link, parent: KnownUrl, run: int, news: int) -> None:
        depth, host = parent.depth + link.step, host_of(link.url)
        outcome, rule, reason = Outcome.DISCOVERED, "", ""
        if link.rule:
            outcome = Outcome.REFUSED if link.rule == NOFOLLOW else Outcome.OUT_OF_SCOPE
            rule, reason = link.rule, link.reason
        elif self._too_deep(depth, link.asset, host):
            outcome, rule, reason = Outcome.OUT_OF_SCOPE, "depth", _too_far(depth)
        elif self._site_full(host):
            outcome, rule, reason = Outcome.OUT_OF_SCOPE, "site_limit", _SITE_FULL
        elif self._forgotten(link.url):
            outcome, rule, reason = Outcome.REFUSED, "forgotten", _FORGOTTEN
        elif (same := self._same_as(link)) is not None:
            outcome, rule, reason = Outcome.REFUSED, DUST, same[1]
            self._meet_instead(replace(link, url=same[0], key=key_of(same[0])), parent, run, news)
        elif not link.asset:
            verdict = self._watch.judge(link.url, depth, run)
            if verdict.accepted and self._learning is not None and not link.sitemap:
                verdict = self._learning.judge(link.url)
            if not verdict.accepted:
                outcome, rule, reason = Outcome.REFUSED, verdict.rule, verdict.reason
        self._find(link, depth, run, parent.key, outcome, rule, reason, news)

    def _same_as(self, link: Link) -> tuple[Url, str] | None:
        dusting = self._batch.terms.dusting
        if dusting is None or link.asset or link.sitemap:
            return None
        return dusting.same_as(link.url)

    def _meet_instead(self, link: Link, parent: KnownUrl, run: int, news: int) -> None:
        """The URL under which a page is known stands for the one that was met."""
        batch = self._batch
        if link.key not in batch.rows:
            batch.rows.update(batch.memory.known([link.key]))
        if link.key in batch.rows:
            self.approach(link.key, parent.depth + link.step)
        else:
            self._discover(link, parent, run, news)

    def _find(
        self, link: Link, depth: int, run: int, via: int | None, outcome: Outcome, rule: str, reason: str, news: int = 0
    ) -> None:
        batch, plan = self._batch, self._batch.plan
        host = host_of(link.url)
        asset = Role.SITEMAP.value if link.sitemap else int(link.asset)
        if link.key in batch.rows:  # so far every link to it had asked not to be followed
            batch.overrule(link.key, outcome, rule, reason)
            plan.depths[link.key] = depth
            plan.roles[link.key] = asset
            plan.news += [link.key] if news else []
        else:
            plan.found.append(
                FoundUrl(
                    link.key, link.url, host, depth, link.hops, run, asset, via, batch.now, outcome, rule, reason, news
                )
            )
        if outcome is Outcome.DISCOVERED:
            self._admitted[host] += host in batch.terms.site_limits and not link.sitemap
            if not self._waits(link, via):
                plan.queued.append(Queued(link.key, host, self._place(link, depth)))
        batch.rows[link.key] = KnownUrl(
            link.key, link.url, 0, depth, link.hops, run, asset, outcome, rule, None, None, 0, news
        )

    def _waits(self, link: Link, via: int | None) -> bool:
        """A feed that a page names is read when links lead to nothing more, as sitemaps are."""
        terms, leading = self._batch.terms, self._batch.rows.get(via) if via is not None else None
        named = link.sitemap and leading is not None and leading.asset != Role.SITEMAP.value
        return named and waits(terms.order) and not terms.refreshing

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

    def _is_shallow(self, link: Link) -> bool:
        """Whether no page comes in because a sitemap of its host lists it."""
        return self._too_deep(STEPS, False, host_of(link.url))

    def _site_full(self, host: str) -> bool:
        """Whether as many URLs of the site were let in as the user set for it."""
        most = self._batch.terms.site_limits.get(host)
        return most is not None and self._admitted[host] >= most

    def _reached_through(self, row: KnownUrl) -> list[tuple[int, int]]:
        """The URLs that a visited one led to, at the depth they have through it."""
        batch = self._batch
        if row.outcome == Outcome.REDIRECTED and row.target is not None:
            return [(row.target, row.depth)]
        if row.rule == COLLECTION and self._led_to is not None:
            links = self._led_to(row.key)
        else:
            links = followed(batch.packed_reading(row.key)) if row.outcome in _WITH_DOCUMENT else []
        known = batch.rows.keys() & set(links)
        batch.rows.update(batch.memory.known(set(links) - known))
        return [(key, row.depth + 1) for key in links if key in batch.rows]


def _is_shunned(row: KnownUrl) -> bool:
    """Whether every link to it so far asked not to be followed, or drew it small. One that does not outweighs all that
    did."""
    if row.outcome == Outcome.OUT_OF_SCOPE:
        return row.rule == SMALL_RULE
    return row.outcome == Outcome.REFUSED and row.rule == NOFOLLOW


def _too_far(depth: int) -> str:
    return (
        f"{depth} links from the nearest seed" if depth < STEPS else "only a sitemap leads there, no links from a seed"
    )
