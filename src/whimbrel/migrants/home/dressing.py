"""Makes whole visits of bare ones, as the migrant would have: by the same brief and with a cache of its own."""

from collections.abc import Iterable

from msgspec.structs import replace

from whimbrel.fetch.robots import product
from whimbrel.flows.visit.bare import dressed
from whimbrel.flows.visit.crawl import receive
from whimbrel.flows.visit.tools import NothingFetched, Sifts, Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.migrants.judge import Spelling, UrlJudge
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.url import Url
from whimbrel.records.verdict import refused
from whimbrel.records.visit import Link, Visit
from whimbrel.urls.filters import travels
from whimbrel.urls.resolve import LinkResolver

CACHED_URLS = 150_000


class Dressing:
    """Nothing is fetched here, and nobody is waited for."""

    def __init__(self, brief: wire.Brief, sieve: Sifts | None = None) -> None:
        self._all_travel = all(map(travels, brief.filters))
        self._judge = UrlJudge(brief)
        self._cache = UrlCache(CACHED_URLS)
        self._tools = Tools(
            fetcher=NothingFetched(refused("home", "home fetches nothing")), resolver=LinkResolver(),
            cache=self._cache, judge=self._judge, rewrite=Spelling(brief.rewrites) if brief.rewrites else None,
            now=lambda: 0.0, agent=product(brief.agent), assets=brief.assets, retries=0,
            retry_seconds=lambda url, attempt: 0.0, busy=lambda url, wait: 0.0, at_work_on=lambda key: None,
            unheeded=frozenset(brief.directives_off_hosts), assumed=frozenset(brief.assumed),
            sieve=sieve, pictures=brief.pictures,
        )  # fmt: skip

    def widen(self, seeds: list[Url]) -> None:
        self._judge.widen(seeds)

    def whole(self, visits: Iterable[Visit]) -> list[Visit]:
        whole = [
            dressed(visit, lambda task, response, at: receive(task, response, self._tools, at)) for visit in visits
        ]
        return whole if self._all_travel else [replace(visit, links=self._judged(visit.links)) for visit in whole]

    def _judged(self, links: list[Link]) -> list[Link]:
        """Links that a place let through, by the filters that did not travel."""
        verdicts = [None if link.rule else self._judge(link.url) for link in links]
        return [
            link if verdict is None or verdict.accepted else replace(link, rule=verdict.rule, reason=verdict.reason)
            for link, verdict in zip(links, verdicts, strict=True)
        ]

    def occurrences(self) -> list[tuple[int, int]]:
        """How often links were met in what was worked out here since this was asked."""
        return self._cache.drain()
