"""The scope and the user's filters, as a migrant applies them to every link, and the guard of addresses."""

from collections.abc import Iterable

from whimbrel.fetch.guard import AddressGuard
from whimbrel.migrants.wire.messages import Brief
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.acts import Acts
from whimbrel.urls.filters import Filter, from_table, load, travels
from whimbrel.urls.normal import Rewrites, host, rewrite
from whimbrel.urls.scope import Scope


def guard_of(brief: Brief, ours: Iterable[str] = ()) -> AddressGuard:
    """`ours` are hosts of the place's own: its owner knows where they are, be it on the next machine."""
    named, own = frozenset(brief.private_names), frozenset(brief.own_addresses)
    return AddressGuard(frozenset((*brief.seed_hosts, *ours)), tuple(brief.networks), named, own)


class UrlJudge:
    """Accepts a URL when the scope and all filters do; the first refusal is the answer."""

    def __init__(self, brief: Brief, abroad: bool = False) -> None:
        """`abroad`, on somebody else's machine, filters in Python are left to home."""
        self._scope = Scope(brief.scope, tuple(brief.seeds))
        self.acts = Acts(brief.avoid)
        self._filters: list[Filter] = [
            load(declared) if isinstance(declared, str) else from_table(declared)
            for declared in brief.filters
            if not abroad or travels(declared)
        ]

    def __call__(self, url: Url) -> Verdict:
        verdict = self._scope.judge(url)
        if not verdict.accepted:
            return verdict
        for wanted in self._filters:
            verdict = wanted.judge(url)
            if not verdict.accepted:
                return verdict
        return self.acts.judge(url)

    def widen(self, seeds: list[Url]) -> None:
        """A seed that redirects elsewhere takes the scope along."""
        self._scope = Scope(self._scope.kind, (*self._scope.seeds, *seeds))


class Spelling:
    """The rewrites that the user allowed for some sites, as a function of the URL."""

    def __init__(self, rewrites: list[tuple[str, Rewrites]]) -> None:
        self._hosts = {place: rules for place, rules in rewrites if "/" not in place}
        self._prefixes = [(place, rules) for place, rules in rewrites if "/" in place]

    def __call__(self, url: Url) -> Url:
        rules = self._hosts.get(host(url))
        if rules is None:
            rules = next((rules for prefix, rules in self._prefixes if url.startswith(prefix)), None)
        return url if rules is None else rewrite(url, rules)
