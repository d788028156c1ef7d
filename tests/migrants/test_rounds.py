"""A migrant's rounds: whose turn it is, and when. Servers answer from a table, and time passes only when all wait."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from whimbrel import api
from whimbrel.config import load
from whimbrel.fetch.politeness import Courtesy, PolitenessSettings
from whimbrel.frontier.cache import UrlCache
from whimbrel.migrants.away.lanes import Lane
from whimbrel.migrants.away.outbox import Outbox
from whimbrel.migrants.away.rounds import ROBOTS_TRIES, Rounds
from whimbrel.migrants.judge import UrlJudge
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of

A, B = "http://a.example", "http://b.example"
ANSWER_SECONDS = 0.2
DELAY_SECONDS = 2.0


class Clock:
    def __init__(self) -> None:
        self.moment = 0.0

    def time(self) -> float:
        return 1_900_000_000.0 + self.moment

    def monotonic(self) -> float:
        return self.moment


class Jumping(selectors.DefaultSelector):
    """Where a loop would sleep, its clock jumps. `seen` stands still while callbacks run, as a loop does it."""

    clock: Clock
    seen = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "nothing will ever happen again"
            self.clock.moment += timeout
        self.seen = self.clock.moment
        return ready


class Reply(NamedTuple):
    status: int = 200
    body: str = ""
    retry_after: str = ""

    def response(self, url: Url) -> Response:
        body = self.body.encode()
        head = f"HTTP/1.1 {self.status} \r\nContent-Type: text/html\r\n\r\n".encode()
        headers = {"content-type": "text/html"} | ({"retry-after": self.retry_after} if self.retry_after else {})
        return Response(url, self.status, headers, head, body, body, b"", "", "192.0.2.1", ANSWER_SECONDS)


class World:
    """Some hosts, a migrant's rounds over them, and what it tells home."""

    def __init__(self, answers: dict[str, Reply | Failure | BaseException]) -> None:
        self.answers = answers
        self.reading_seconds = 0.0
        self.asked: list[tuple[float, str]] = []
        self.told: list[wire.FromMigrant] = []
        self.broken: list[BaseException] = []
        self.over = 0
        self.clock = Clock()
        settings = load(Path("/dev/null"), {}, api.flags_of({"delay_seconds": DELAY_SECONDS}))
        self.brief = api.brief_for(settings, api.read_seeds([A, B]), [])

    async def fetch(self, url: Url, validators: object = None, *, any_type: bool = False) -> Response | Failure:
        self.asked.append((round(self.clock.moment, 3), url))
        await asyncio.sleep(ANSWER_SECONDS)
        self.clock.moment += self.reading_seconds
        answer = self.answers.get(url, Reply(404))
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, Failure) else answer.response(url)

    def give(self, rounds: Rounds, number: int, *urls: str) -> Lane:
        """What home's itinerary and the look at the host's address come to."""
        lane = rounds.turns.lane(number, host_of(Url(urls[0])))
        lane.courtesy, lane.granted = Courtesy(self.brief.politeness), True
        lane.queue.extend(Task(key_of(Url(url)), Url(url), 0, 0, 0, False) for url in urls)
        rounds.queued += len(urls)
        rounds.schedule(lane, lane.courtesy)
        return lane

    def send(self, body: bytes) -> None:
        self.told.append(wire.read_from_migrant(body))

    def run(self, script: "Callable[[Rounds], Awaitable[None]]") -> None:
        selector = Jumping()
        selector.clock = self.clock
        loop = asyncio.SelectorEventLoop(selector)
        loop.time = lambda: selector.seen  # type: ignore[method-assign]
        try:
            loop.run_until_complete(self._run(script))
        finally:
            loop.close()

    async def _run(self, script: "Callable[[Rounds], Awaitable[None]]") -> None:
        cache = UrlCache(1000)

        def ended() -> None:
            self.over += 1

        await script(
            Rounds(
                self.brief, self, UrlJudge(self.brief), cache, Outbox(self, cache), None,  # type: ignore[arg-type]
                at_work_on=lambda key: None, freed=lambda lane: None, ended=ended, broke=self.broken.append,
                clock=self.clock,
            )
        )  # fmt: skip
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    @property
    def visits(self) -> dict[str, Visit]:
        parcels = [message for message in self.told if isinstance(message, wire.Parcel)]
        return {visit.url: visit for parcel in parcels for visit in parcel.visits}

    def starts(self, origin: str) -> list[float]:
        return [at for at, url in self.asked if url.startswith(origin)]


def pages(*urls: str) -> dict[str, Reply | Failure | BaseException]:
    return {url: Reply(body=f"<p>what {url} says") for url in urls}


async def until(done: Callable[[], bool]) -> None:
    while not done():
        await asyncio.sleep(0.05)


def of(origin: str, count: int) -> list[str]:
    return [f"{origin}/{number}" for number in range(count)]


def test_a_host_that_has_answered_is_asked_again_in_the_same_turn_of_the_loop() -> None:
    """A loop's clock stands still while a page is read; by it the host would not be due yet."""
    world = World(pages(*of(A, 3)))
    world.reading_seconds = 0.004

    async def script(rounds: Rounds) -> None:
        lane = world.give(rounds, 1, *of(A, 3))
        lane.courtesy, lane.loopback = Courtesy(PolitenessSettings(loopback_connections=1), loopback=True), True
        rounds.take_turns()
        loop, timers = asyncio.get_running_loop(), list[object]()
        set_timer = loop.call_at
        loop.call_at = lambda when, what, *given, **named: (  # type: ignore[method-assign]
            timers.append(what),
            set_timer(when, what, *given, **named),
        )[1]
        await until(lambda: len(world.asked) == 4)
        assert timers
        assert rounds.take_turns not in timers

    world.run(script)
    assert world.starts(f"{A}/") == pytest.approx([0.0, 0.204, 0.408, 0.612])


def test_a_host_is_asked_for_robots_first_and_then_at_its_pace() -> None:
    world = World(pages(*of(A, 3)))

    async def script(rounds: Rounds) -> None:
        world.give(rounds, 1, *of(A, 3))
        rounds.take_turns()
        await until(lambda: len(world.visits) == 3)

    world.run(script)
    assert [url for _, url in world.asked] == [f"{A}/robots.txt", *of(A, 3)]
    starts = world.starts(A)
    assert all(later - earlier > DELAY_SECONDS - 0.001 for earlier, later in pairwise(starts))
    assert starts[-1] < 3 * (DELAY_SECONDS + ANSWER_SECONDS) + 0.1, "and no slower than that"
    assert {visit.outcome for visit in world.visits.values()} == {Outcome.FETCHED}


def test_no_host_holds_up_another() -> None:
    world = World(pages(*of(A, 3), *of(B, 3)) | {f"{A}/0": Reply(429, retry_after="30")})

    async def script(rounds: Rounds) -> None:
        world.give(rounds, 1, *of(A, 3))
        world.give(rounds, 2, *of(B, 3))
        rounds.take_turns()
        await until(lambda: sum(url.startswith(B) for url in world.visits) == 3)

    world.run(script)
    assert max(world.starts(B)) < 10.0
    assert len(world.starts(A)) == 2, "robots.txt and the page that complained"
    held = [message for message in world.told if isinstance(message, wire.HostHeld)]
    assert [(message.lane, message.seconds >= 30.0) for message in held] == [(1, True)], "home hears of it"
    assert world.visits[f"{A}/0"].retry_in_seconds >= 30.0


def test_after_its_rest_the_host_is_asked_again() -> None:
    world = World(pages(*of(A, 2)) | {f"{A}/0": Reply(503, retry_after="40")})

    async def script(rounds: Rounds) -> None:
        world.give(rounds, 1, *of(A, 2))
        rounds.take_turns()
        await until(lambda: f"{A}/1" in world.visits)

    world.run(script)
    complained, next_one = (at for at, url in world.asked if not url.endswith("robots.txt"))
    assert next_one - complained >= 40.0


def test_a_host_that_asks_for_more_patience_than_we_have_goes_home_with_its_tasks() -> None:
    world = World(pages(*of(A, 3)) | {f"{A}/0": Reply(429, retry_after="86000")})

    async def script(rounds: Rounds) -> None:
        lane = world.give(rounds, 1, *of(A, 3))
        rounds.take_turns()
        await until(lambda: len(world.visits) == 3)
        assert (list(lane.queue), rounds.queued) == ([], 0)

    world.run(script)
    back = [world.visits[url] for url in of(A, 3)[1:]]
    assert [(visit.outcome, visit.rule) for visit in back] == [(Outcome.DISCOVERED, wire.BUSY)] * 2
    assert all(visit.retry_in_seconds > 85_000 for visit in back)


@pytest.mark.parametrize(
    ("answer", "tries"),
    [
        (Failure(FailureKind.CONNECT, "nobody listens"), ROBOTS_TRIES),
        (Reply(503), ROBOTS_TRIES),
        (Failure(FailureKind.DNS, "no such name"), 1),
    ],
)
def test_without_robots_nothing_is_asked_and_nothing_refused(answer: Reply | Failure, tries: int) -> None:
    world = World({f"{A}/robots.txt": answer} | pages(*of(A, 2)))

    async def script(rounds: Rounds) -> None:
        world.give(rounds, 1, *of(A, 2))
        rounds.take_turns()
        await until(lambda: len(world.visits) == 2)

    world.run(script)
    assert [url for _, url in world.asked] == [f"{A}/robots.txt"] * tries
    assert {visit.outcome for visit in world.visits.values()} == {Outcome.DISCOVERED}


def test_what_robots_forbids_is_refused_without_a_request_and_its_delay_is_heeded() -> None:
    robots = Reply(body="User-agent: *\nDisallow: /1\nCrawl-delay: 7")
    world = World({f"{A}/robots.txt": robots} | pages(*of(A, 4)))

    async def script(rounds: Rounds) -> None:
        world.give(rounds, 1, *of(A, 4))
        rounds.take_turns()
        await until(lambda: len(world.visits) == 4)

    world.run(script)
    assert f"{A}/1" not in {url for _, url in world.asked}
    assert (world.visits[f"{A}/1"].outcome, world.visits[f"{A}/1"].rule) == (Outcome.REFUSED, "robots")
    starts = world.starts(A)
    assert all(later - earlier > 6.999 for earlier, later in pairwise(starts))


@pytest.mark.parametrize("room", [0, 1, 2])
def test_no_more_is_begun_than_there_is_room_for_at_home(room: int) -> None:
    world = World(pages(*of(A, 4)))

    async def script(rounds: Rounds) -> None:
        world.give(rounds, 1, *of(A, 4))
        rounds.room = room
        rounds.take_turns()
        await asyncio.sleep(3600.0)

    world.run(script)
    assert len(world.visits) == room


def test_after_a_halt_what_is_under_way_comes_home_and_nothing_else_begins() -> None:
    world = World(pages(*of(A, 2), *of(B, 2)))

    async def script(rounds: Rounds) -> None:
        world.give(rounds, 1, *of(A, 2))
        world.give(rounds, 2, *of(B, 2))
        rounds.take_turns()
        await until(lambda: len(rounds.under_way) == 2)
        rounds.halt()
        assert world.over == 0, "not before what is under way is done"
        await until(lambda: world.over > 0)
        assert rounds.under_way == set()
        await asyncio.sleep(3600.0)

    world.run(script)
    assert set(world.visits) == {f"{A}/0", f"{B}/0"}
    assert world.over >= 1


def test_a_visit_that_raises_is_told_and_nothing_is_begun_after_it() -> None:
    fault = RuntimeError("out of ink")
    world = World(pages(*of(A, 3)) | {f"{A}/0": fault})

    async def script(rounds: Rounds) -> None:
        world.give(rounds, 1, *of(A, 3))
        rounds.take_turns()
        await until(lambda: bool(world.broken))
        await asyncio.sleep(3600.0)

    world.run(script)
    assert world.broken == [fault]
    assert [url for _, url in world.asked] == [f"{A}/robots.txt", f"{A}/0"]
    assert world.visits == {}
