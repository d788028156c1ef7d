"""How far from its seeds a crawl may go."""

from enum import StrEnum
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.urls.normal import authority, host

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

RULE = "scope"


class ScopeKind(StrEnum):
    HOST = "host"
    DOMAIN = "domain"
    PREFIX = "prefix"
    LIST = "list"


class Scope(Struct, frozen=True, dict=True):
    """Accepts what belongs to one of the seeds.

    host: the same host and port. domain: the same registrable domain, whatever the port. prefix: inside the
    directory of a seed. list: the seeds themselves. But for list the scheme does not matter: a site that
    moved to https is the same site, as long as its ports are the defaults.
    """

    kind: ScopeKind
    seeds: tuple[Url, ...]

    def judge(self, url: Url) -> Verdict:
        if self.kind == ScopeKind.PREFIX:
            inside, place = _without_scheme(url).startswith(self._prefixes), "it"
        elif self.kind == ScopeKind.LIST:
            inside, place = url in self._places, "it"
        else:
            place = authority(url) if self.kind == ScopeKind.HOST else _domain(url)
            inside = place in self._places
        return ACCEPTED if inside else refused(RULE, f"{place} {self._outside}")

    @cached_property
    def _places(self) -> frozenset[str]:
        place = {ScopeKind.HOST: authority, ScopeKind.DOMAIN: _domain, ScopeKind.PREFIX: _directory}.get(self.kind)
        return frozenset(map(place, self.seeds)) if place else frozenset(self.seeds)

    @cached_property
    def _prefixes(self) -> tuple[str, ...]:
        return tuple(self._places)

    @cached_property
    def _outside(self) -> str:
        if self.kind == ScopeKind.LIST:
            return f"is none of the {len(self.seeds)} URLs listed"
        named = sorted(self._places)
        more = f" and {len(named) - 3} more" if len(named) > 3 else ""
        what = {"host": "is not the host", "domain": "is not the domain", "prefix": "lies outside the directory"}
        return f"{what[self.kind]} of a seed ({', '.join(named[:3])}{more})"


@lru_cache(maxsize=65_536)
def registrable_domain(name: str) -> str:
    """The domain somebody registered (`example.co.uk` of `www.example.co.uk`) by the public suffix list.

    An address, a name without a dot and a public suffix are their own.
    """
    bare = name.rstrip(".")
    if bare.startswith("[") or bare.rpartition(".")[2].isdigit():
        return name
    return _suffixes().privatesuffix(bare) or bare


@cache
def _suffixes() -> "PublicSuffixList":
    # Reading the list costs tens of milliseconds, which only a crawl by domain should pay.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


def _domain(url: Url) -> str:
    return registrable_domain(host(url))


def _without_scheme(url: Url) -> str:
    return url[url.index("/") + 2 :]


def _directory(url: Url) -> str:
    path = _without_scheme(url).partition("?")[0]
    return path[: path.rindex("/") + 1]
