"""Home asks for some of a place's pages itself and compares: whoever lies, or shows what is long past, is found.

Home's requests keep to robots.txt and to the pause of the site, as any. Where the two answers differ home waits as long
as lay between them and asks again, and asks again for a page on which both agreed: a page that turns over by itself and
a site that is being rewritten put nobody in doubt.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Protocol

from msgspec.structs import replace

from whimbrel.fetch.guard import is_loopback, parse_address
from whimbrel.fetch.politeness import effective_delay, retry_after
from whimbrel.fetch.robots import product
from whimbrel.flows.copies import DecodedCopy, visited_copy
from whimbrel.flows.visit.bare import response_of
from whimbrel.flows.visit.permission import Permission, ask, permission
from whimbrel.flows.visit.tools import Fetches
from whimbrel.migrants.away.held import FRESH_SECONDS
from whimbrel.migrants.clock import Clock, woken
from whimbrel.migrants.wire.messages import Brief
from whimbrel.places.home.belief import (
    LOOK_BACK,
    Compared,
    Trust,
    doubt_of,
    learn,
    lies,
    share_of_unchanged,
)
from whimbrel.places.home.drawing import drawn
from whimbrel.places.home.looking import ShownAnswer, differ, edited_since, left, shown, shown_to_us
from whimbrel.places.home.said import SaidBook
from whimbrel.places.home.waiting import ClaimedPage, VisitsAside, WaitingClaims, bytes_of
from whimbrel.records.response import Failure, Response
from whimbrel.records.task import NO_VALIDATORS, Validators
from whimbrel.records.url import Url
from whimbrel.records.visit import Visit
from whimbrel.repository.contract import RobotsCopy
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import origin as origin_of

FEW_WAITING = 8
"""So few are looked at one after the other: they share a connection, which costs as much as a question."""
LOOK_SECONDS = 0.05
SECOND_LOOK_SECONDS = 60.0
TAIL_SECONDS = 30.0
"""So long a run that is done otherwise waits for looks that are under way, since the last page that differed."""
BUSY_SECONDS = 60.0
SENT_AT_A_TIME = 1000
NOT_MODIFIED = 304

Kept = Callable[[Url], DecodedCopy | None]
Expects = Callable[[Sequence[Visit]], Mapping[int, float]]
"""Of these visits, by its key: how likely a page that is told to be as home knows it was to have changed since."""


class Disbelieving(Protocol):
    """Who remembers what is believed, and turns a place away that is believed no more."""

    def trust(self, place: str) -> Trust: ...

    def disbelieve(self, place: str, why: str) -> None: ...


class PlaceChecker:
    """`heard` is called by the thread that commits, all else by the loop."""

    def __init__(
        self, keeper: Disbelieving, said: SaidBook, brief: Brief, share: float, kept: Kept,
        *, chance: Random, clock: Clock = time, expects: Expects = lambda visits: {},
    ) -> None:  # fmt: skip
        self._expects = expects
        self._keeper = keeper
        self._said = said
        self._brief = brief
        self._agent = product(brief.agent)
        self._share = share
        self._kept = kept
        self._chance = chance
        self._clock = clock
        self._waiting = WaitingClaims(chance)
        self._aside = VisitsAside()
        self._agreed: dict[str, tuple[Url, ShownAnswer]] = {}
        self._permissions: dict[str, Permission] = {}
        self._turns: dict[str, float] = {}
        self._looks: set[asyncio.Task[None]] = set()
        self._second_looks = 0
        self._looked = asyncio.Event()
        self._sent: set[Url] = set()
        self._distrusted: list[str] = []
        self._said_more: deque[str] = deque()
        self._ends_at = 0.0
        self._not_before = clock.time() - FRESH_SECONDS
        """No honest place sends what it was shown before that: that a page was edited since would excuse any lie."""
        self.refetch: Callable[[list[Url]], object] = lambda urls: None

    def close(self) -> None:
        self._said.close()

    # What came in.

    def heard(self, place: str, at_sites: bool, visits: Sequence[Visit], robots: Sequence[RobotsCopy]) -> None:
        """Of every visit that was asked for, who told it; some of a place's are looked at."""
        if not at_sites:
            self._said.seen_by_home(visit.key for visit in visits)
            return
        self._said.note(place, ((visit.key, visit.url, visit.at) for visit in visits))
        trust = self._keeper.trust(place)
        trust.fetched += len(visits)
        if trust.doubt:
            self._said_more.append(place)
            return
        for copy in robots:
            url = Url(f"{copy.origin}/robots.txt")
            answer = shown(url, copy.status, {}, copy.body)
            if self._share and answer is not None:
                self._waiting.extend([ClaimedPage(place, url, copy.at, answer)])
        open_to_us = [visit for visit in visits if not visit.private]
        looked_at = set(
            drawn(self._shares(place, open_to_us, trust), [bytes_of(visit) for visit in open_to_us], self._chance)
        )
        for number, visit in enumerate(open_to_us):
            if number in looked_at:
                self._waiting.extend(self._readable_claims(place, visit))
        self._aside.put(place, [visit for number, visit in enumerate(open_to_us) if number not in looked_at])

    def _shares(self, place: str, visits: Sequence[Visit], trust: Trust) -> list[float]:
        """With which chance each is looked at; those that come before in the parcel are taken to be."""
        expected = self._expects(visits)
        under_way, shares = float(self._waiting.under_way(place)), []
        for visit in visits:
            shares.append(share_of_unchanged(trust, self._share, expected.get(visit.key, 1.0), int(under_way)))
            under_way += shares[-1]
        return shares

    def _readable_claims(self, place: str, visit: Visit, *, committed: bool = False) -> list[ClaimedPage]:
        try:
            claims = claims_of(place, visit)
            return claims if committed else [self._as_claimed(claim) for claim in claims]
        except Exception:  # whatever a place put into its records, the thread that commits goes on
            return []

    def _as_claimed(self, claim: ClaimedPage) -> ClaimedPage:
        """Nothing is committed yet: a page that is what home has is called unchanged, whatever came along."""
        copy = claim.answer.copy if claim.answer is not None else None
        kept = self._kept(claim.url) if copy is not None else None
        same = kept is not None and copy is not None and kept.body == copy.body
        return replace(claim, answer=None) if same else claim

    # Looking.

    async def run(self, fetcher: Fetches) -> None:
        """Until it is cancelled: looks are begun in turn, each host at its own pace."""
        try:
            while True:
                self._fetch_again()
                while self._waiting and len(self._looks) - self._second_looks < self._at_once():
                    task = asyncio.create_task(self._look(self._waiting.pop(), fetcher))
                    self._looks.add(task)
                    task.add_done_callback(self._looks.discard)
                self._looked.clear()
                await woken(self._looked, LOOK_SECONDS)
        finally:
            for task in list(self._looks):
                task.cancel()
            await asyncio.gather(*self._looks, return_exceptions=True)

    def busy(self) -> bool:
        """Whether a run that is done otherwise has to wait for what is being looked at, which it does not for ever."""
        now = self._clock.monotonic()
        if not self._looks and not self._waiting:
            self._ends_at = 0.0
            return self._fetch_again()
        self._ends_at = self._ends_at or now + TAIL_SECONDS
        return now < self._ends_at or bool(self._second_looks)

    def _at_once(self) -> int:
        return 1 if len(self._waiting) < FEW_WAITING else self._brief.politeness.loopback_connections

    def distrust(self, places: Iterable[str]) -> None:
        """Those whose word home has, and believes no more: it asks for all of it."""
        new = [place for place in places if place not in self._distrusted]
        self._distrusted += new
        self._said_more.extend(new)

    def _fetch_again(self) -> bool:
        """Whether there was anything of which home has only the word of a place that it does not believe. Places are
        looked up once for each time they said something: this is asked twenty times a second."""
        places = {self._said_more.popleft() for _ in range(len(self._said_more))}
        urls = [url for place in sorted(places) for url in self._said.only_said(place) if url not in self._sent]
        for start in range(0, len(urls), SENT_AT_A_TIME):
            self.refetch(urls[start : start + SENT_AT_A_TIME])
        self._sent.update(urls)
        return bool(urls)

    async def _look(self, claim: ClaimedPage, fetcher: Fetches) -> None:
        trust = self._keeper.trust(claim.place)
        try:
            compared = await self._compared(claim, fetcher, trust)
        except Exception as error:  # a page that cannot be compared says nothing about anybody
            trust.why_unreached, compared = f"{type(error).__name__}: {error}"[:200], Compared.UNREACHED
        finally:
            self._waiting.done(claim)
            self._looked.set()
        learn(trust, compared, claim.url)
        if compared is Compared.DIFFERENT and not trust.doubt:
            if lies(trust):
                self._keeper.disbelieve(claim.place, doubt_of(trust))
                self.distrust([claim.place])
            else:
                self._look_back(claim.place)

    def _look_back(self, place: str) -> None:
        """Whoever sent one page that was not the same may have sent others before. What is kept of them by now is the
        place's word: they are asked for whole."""
        self._ends_at = 0.0
        for visit in self._aside.take(place, LOOK_BACK):
            self._waiting.extend(self._readable_claims(place, visit, committed=True))

    async def _compared(self, claim: ClaimedPage, fetcher: Fetches, trust: Trust) -> Compared:
        claimed, unchanged = claim.answer, NO_VALIDATORS
        if claimed is None:
            copy = self._kept(claim.url)
            if copy is None:
                return Compared.UNREACHED
            claimed = ShownAnswer("page", copy)
            # That it is what home has, the server can say by itself, and more cheaply than by sending the page.
            tag = copy.headers.get("etag", "")
            unchanged = Validators(tag, "" if tag else copy.headers.get("last-modified", ""))
        first = await self._asked(claim.url, fetcher, trust, unchanged)
        if first is not None and first.status == NOT_MODIFIED and unchanged != NO_VALIDATORS:
            return Compared.SAME
        seen = shown_to_us(first) if first is not None else None
        if first is None or seen is None:
            return Compared.UNREACHED
        if not differ(claimed, seen):
            self._agreed[claim.place] = claim.url, seen
            return Compared.SAME
        gap = max(0.0, self._clock.time() - max(claim.at, self._not_before))
        if edited_since(first, gap):
            return Compared.UNSTEADY
        self._second_looks += 1
        try:
            await asyncio.sleep(min(gap, SECOND_LOOK_SECONDS))
            second = await self._asked(claim.url, fetcher, trust)
            again = shown_to_us(second) if second is not None else None
            if again is None:
                return Compared.UNREACHED
            if not left(claimed, seen, again) or await self._in_motion(claim.place, fetcher, trust):
                return Compared.UNSTEADY
            return Compared.DIFFERENT
        finally:
            self._second_looks -= 1

    async def _in_motion(self, place: str, fetcher: Fetches, trust: Trust) -> bool:
        """Whether a page on which home and the place agreed is another now."""
        known = self._agreed.get(place)
        if known is None:
            return False
        url, before = known
        response = await self._asked(url, fetcher, trust)
        now = shown_to_us(response) if response is not None else None
        moved = now is not None and differ(before, now)
        if moved and self._agreed.get(place) == known:
            del self._agreed[place]
        return moved

    # Asking.

    async def _asked(
        self, url: Url, fetcher: Fetches, trust: Trust, validators: Validators = NO_VALIDATORS
    ) -> Response | None:
        """The server's answer, when its turn has come; None where there is none, or it is not to be asked."""
        host = host_of(url)
        known = self._permissions.get(origin_of(url))
        if known is None and host not in self._brief.robots_off_hosts:
            await self._turn(host, None)
            asked = await ask(origin_of(url), fetcher, self._clock.time())
            known = self._permissions[origin_of(url)] = permission(asked.copy, self._agent, asked.reason)
        if known is not None and (known.rules is None or not known.rules.judge(url).accepted):
            trust.why_unreached = known.reason or "robots.txt asks home not to"
            return None
        await self._turn(host, known.crawl_delay_seconds if known is not None else None)
        answer = await fetcher.fetch(url, validators, any_type=True)
        if isinstance(answer, Response) and answer.status not in (429, 503):
            return answer
        if isinstance(answer, Response):
            wait = retry_after(answer.headers, self._clock.time())
            self._turns[host] = self._clock.monotonic() + (wait or BUSY_SECONDS)
            trust.why_unreached = f"the server answered {answer.status}"
        else:
            trust.why_unreached = answer.detail if isinstance(answer, Failure) else answer.reason
        return None

    async def _turn(self, host: str, crawl_delay: float | None) -> None:
        name = host.partition(":")[0]
        loopback = name == "localhost" or (parse_address(name) is not None and is_loopback(name))
        given = dict(self._brief.site_delays).get(host)
        delay = given if given is not None else effective_delay(self._brief.politeness, crawl_delay, loopback)[0]
        now = self._clock.monotonic()
        at = max(now, self._turns.get(host, 0.0))
        self._turns[host] = at + delay
        await asyncio.sleep(at - now)


def claims_of(place: str, visit: Visit) -> list[ClaimedPage]:
    """What can be compared of a visit: none where no answer was had."""
    answer: ShownAnswer | None = None
    if visit.exchange is not None:
        response = response_of(visit, visit.exchange)
        answer = shown_to_us(response) if isinstance(response, Response) else None
    elif (copy := visited_copy(visit)) is not None:
        answer = ShownAnswer("page", copy)
    elif visit.status in (404, 410):
        answer = ShownAnswer("absent")
    if answer is None and visit.status != 304:
        return []
    return [ClaimedPage(place, visit.url, visit.at, answer)]
