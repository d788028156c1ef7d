"""What an outbox sends, and when: what a judge has learned, and that nothing changed."""

import asyncio

from msgspec import structs

from whimbrel.frontier.cache import UrlCache
from whimbrel.migrants.away.outbox import BARE_IDLE_SECONDS, BARE_PARCEL_SECONDS, Outbox
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.channel import UNKNOWN, OtherEnd
from whimbrel.records.request import Fitted
from whimbrel.records.url import Url
from whimbrel.records.visit import Link, Outcome, Visit
from whimbrel.repository.contract import RobotsCopy


class Sent:
    """A channel that keeps what is sent."""

    def __init__(self) -> None:
        self.said: list[wire.FromMigrant] = []

    def send(self, message: bytes) -> None:
        self.said.append(wire.read_from_migrant(message))

    async def receive(self) -> bytes | None:
        return None

    def cut(self) -> None: ...

    async def close(self) -> None: ...

    def peer(self) -> OtherEnd:
        return UNKNOWN

    def reads(self, key: int) -> None: ...


def learned(bare: bool) -> list[list[int]]:
    """On how many pages the judge in each parcel was fitted: three steps, a parcel, a step, another parcel, the end."""
    fits: list[Fitted] = []

    def told() -> list[Fitted]:
        latest = fits[-1:]
        fits.clear()
        return latest

    async def run() -> list[list[int]]:
        channel = Sent()
        outbox = Outbox(channel, UrlCache(10), bare=bare)
        outbox.fitted = told
        steps = iter((10, 14, 19, 25))
        for how_many in (3, 1):
            fits.extend(Fitted(1, b"words", next(steps)) for _ in range(how_many))
            outbox.put_robots(RobotsCopy("http://tide.example", 0.0, 200, b""), b"")
            outbox.flush()
        outbox.farewell()
        return [[fit.fitted_on for fit in said.fitted] for said in channel.said if isinstance(said, wire.Parcel)]

    return asyncio.run(run())


def test_what_was_learned_last_goes_home_seldom_and_at_the_end_and_from_a_place_at_the_end_alone() -> None:
    assert learned(bare=False) == [[19], [], [25]]
    assert learned(bare=True) == [[], [], [25]]


def parcels_after(seconds: float, done: list[Visit]) -> int:
    """How many a place's outbox has sent by then."""

    async def run() -> int:
        channel = Sent()
        outbox = Outbox(channel, UrlCache(10), bare=True)
        loop = asyncio.get_running_loop()
        for one in done:
            outbox.put(one)
        timer = outbox._timer
        assert timer is not None
        if timer.when() - loop.time() <= seconds:
            outbox._flush_now()
        return len(channel.said)

    return asyncio.run(run())


def visit(key: int, outcome: Outcome, **more: object) -> Visit:
    return Visit(key, Url(f"http://tide.example/{key}"), 1, outcome, "", "", 304, 0.0, 90, **more)  # type: ignore[arg-type]


def test_that_nothing_changed_or_nothing_is_there_waits_for_company_and_goes_along_with_what_has_no_time() -> None:
    unchanged = [visit(number, Outcome.UNCHANGED) for number in range(3)]
    link = Link(7, Url("http://tide.example/7"), 1, 0, False, "", "")
    news = visit(9, Outcome.REDIRECTED, links=[link])
    absent = structs.replace(visit(8, Outcome.FAILED), status=404)
    tried_again = structs.replace(absent, retry_in_seconds=60.0)
    assert parcels_after(BARE_PARCEL_SECONDS, unchanged) == 0
    assert parcels_after(BARE_PARCEL_SECONDS, [*unchanged, absent]) == 0
    assert parcels_after(BARE_PARCEL_SECONDS, [*unchanged, tried_again]) == 1
    assert parcels_after(BARE_IDLE_SECONDS, unchanged) == 1
    assert parcels_after(BARE_PARCEL_SECONDS, [*unchanged, news]) == 1
    assert parcels_after(BARE_PARCEL_SECONDS, [news, *unchanged]) == 1
