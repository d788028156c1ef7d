"""What a visit works with."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.feeds import FeedsNamed
from whimbrel.records.entry import PageEntry
from whimbrel.records.picturing import PictureSeen
from whimbrel.records.response import Failure, Response
from whimbrel.records.sifting import Facts
from whimbrel.records.task import NO_VALIDATORS, Task, Validators
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


class NothingFetched:
    """For those who bring answers from elsewhere: an import, a replay."""

    def __init__(self, refusal: Verdict) -> None:
        self._refusal = refusal

    async def fetch(self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False) -> Verdict:
        return self._refusal


class Sifts(Protocol):
    """Whoever knows whether a page passes what its user wrote about pages."""

    def asks(self, field: str) -> bool: ...
    def judge(self, facts: Facts) -> Verdict: ...
    def notes(self) -> list[str]: ...
    def close(self) -> None: ...


class Gazes(Protocol):
    """Whoever looks at the pictures of pages (`gazing.Gazing`)."""

    async def look(self, task: Task, response: Response, tools: "Tools") -> tuple[PictureSeen, ...]: ...
    def of_picture(self, task: Task, body: bytes) -> Verdict: ...
    def held(self, task: Task) -> Response | None: ...


class Tools(Struct):
    """What a visit works with. `judge` is the scope and the user's filters; `rewrite` the site's own spellings;
    `seeker` holds pages against what was asked for, where anything is; `sieve` runs the user's filter of pages;
    `gazing` looks at pictures of pages, where classes of them are known;
    with `pictures` only pictures are kept, and the pages that show them; `unheeded` are hosts whose pages' wishes do
    not count; `shunned` remembers which links home was told of as not to be followed, `aside` those of pages not kept;
    `assumed` are origins whose https nobody wrote; with `bare` visits go home as what was received;
    `enters` takes index entries, where pages are to be told by them first."""

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
    sieve: Sifts | None = None
    gazing: Gazes | None = None
    pictures: bool = False
    assumed: frozenset[str] = frozenset()
    sessions: "Sessions | None" = None
    unheeded: frozenset[str] = frozenset()
    bare: bool = False
    enters: Callable[[PageEntry], None] | None = None
    named_feeds: FeedsNamed = field(default_factory=FeedsNamed)
    shunned: UrlCache = field(default_factory=lambda: UrlCache(SHUNNED_URLS))
    aside: UrlCache = field(default_factory=lambda: UrlCache(SHUNNED_URLS))
