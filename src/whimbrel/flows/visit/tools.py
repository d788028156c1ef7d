"""What a visit works with."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from whimbrel.frontier.cache import UrlCache
from whimbrel.records.response import Failure, Response
from whimbrel.records.task import Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.resolve import LinkResolver

if TYPE_CHECKING:
    from whimbrel.flows.visit.seeking import Seeker
    from whimbrel.flows.visit.sessions import Sessions

SHUNNED_URLS = 20_000


class Fetches(Protocol):
    async def fetch(
        self, url: Url, validators: Validators = ..., *, any_type: bool = False
    ) -> Response | Failure | Verdict: ...


class Tools(Struct):
    """What a visit works with. `judge` is the scope and the user's filters; `rewrite` the site's own spellings;
    `seeker` holds pages against what was asked for, where anything is; `unheeded` are hosts whose pages' wishes do not
    count; `shunned` remembers which links home was told of as not to be followed, `aside` those of pages not kept;
    `assumed` are origins whose https nobody wrote."""

    fetcher: Fetches
    resolver: LinkResolver
    cache: UrlCache
    judge: Callable[[Url], Verdict]
    rewrite: Callable[[Url], Url] | None
    now: Callable[[], float]
    agent: str
    assets: bool
    retries: int
    retry_seconds: Callable[[Url, int], float]
    busy: Callable[[Url, float | None], float]
    at_work_on: Callable[[int], None]
    seeker: "Seeker | None" = None
    assumed: frozenset[str] = frozenset()
    sessions: "Sessions | None" = None
    unheeded: frozenset[str] = frozenset()
    shunned: UrlCache = field(default_factory=lambda: UrlCache(SHUNNED_URLS))
    aside: UrlCache = field(default_factory=lambda: UrlCache(SHUNNED_URLS))
