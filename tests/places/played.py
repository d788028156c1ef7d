"""A server and a keeper that are played, for the checker of places: what it asks for, and when, is seen."""

import asyncio
import selectors
from collections.abc import Callable
from pathlib import Path
from random import Random

from msgspec import structs

from whimbrel import api
from whimbrel.api.briefing import brief_for
from whimbrel.config import load
from whimbrel.flows.copies import DecodedCopy
from whimbrel.places.home.belief import Trust
from whimbrel.places.home.checking import PlaceChecker
from whimbrel.places.home.said import SaidBook
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.task import NO_VALIDATORS, Validators
from whimbrel.records.url import Url
from whimbrel.records.visit import Exchange, Outcome, Visit
from whimbrel.urls.normal import key

URL = Url("http://127.0.0.1/page")
HTML = {"content-type": "text/html"}


class PlayedServer:
    def __init__(self, answers: "Callable[[Url, int], tuple[int, str] | None]", etag: str = "") -> None:
        self._answers, self._etag = answers, etag
        self.asked: list[Url] = []
        self.sent_pages = 0

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False
    ) -> Response | Failure:
        self.asked.append(url)
        answer = self._answers(url, self.asked.count(url))
        if answer is None:
            return Failure(FailureKind.CONNECT, "nobody there")
        status, text = answer
        if self._etag and validators.etag == self._etag:
            return Response(url, 304, {}, b"", b"", b"", b"", "HTTP/1.1", "", 0.0)
        self.sent_pages += "robots" not in url
        body = f"<title>Tide</title><p>{text}</p>".encode()
        return Response(url, status, HTML, b"", body, body, b"", "HTTP/1.1", "", 0.0)


class PlayedKeeper:
    def __init__(self) -> None:
        self.book = Trust()
        self.turned_away = ""

    def trust(self, place: str) -> Trust:
        return self.book

    def disbelieve(self, place: str, why: str) -> None:
        self.book.doubt = self.turned_away = why


def visit(number: int, text: str, at: float) -> Visit:
    url = Url(f"http://127.0.0.1/{number}")
    body = f"<title>Tide</title><p>{text}</p>".encode()
    exchange = Exchange(
        b"", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", body, "HTTP/1.1", "", 0, 0, False, False
    )
    return Visit(key(url), url, 1, Outcome.FETCHED, "", "", 200, at, 10, exchange=exchange)


def looked(
    folder: Path,
    server: PlayedServer,
    visits: list[Visit],
    kept: "Callable[[Url], DecodedCopy | None]" = lambda _: None,
) -> tuple[PlayedKeeper, list[Url]]:
    brief = brief_for(load(Path("/dev/null"), {}, api.flags_of({})), [URL], [])
    keeper, said = PlayedKeeper(), SaidBook(folder)
    checker = PlaceChecker(keeper, said, brief, 1.0, kept, chance=Random(1), clock=Still())
    again: list[Url] = []
    checker.refetch = again.extend

    async def run() -> None:
        for each in visits:  # one by one: what is agreed on is known by what comes later
            checker.heard("library", True, [each], [])
            task = asyncio.create_task(checker.run(server))
            while checker._waiting or checker._looks:
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        checker.busy()

    asyncio.run(run())
    checker.close()
    return keeper, again


class Still:
    def time(self) -> float:
        return 1000.0

    def monotonic(self) -> float:
        return 1000.0


class Settable(Still):
    """Stands until a test moves it on."""

    seconds = 10_000.0

    def time(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds


def says(url: Url, time: int) -> tuple[int, str]:
    return (404, "") if url.endswith("robots.txt") else (200, f"The truth about {url}, whenever it is asked for")


class Jumping(selectors.SelectSelector):
    """Nobody waits: where there is nothing to do for a while, that while is over."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        self.now += 0.0 if ready else timeout or 0.0
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


class Drawing(Random):
    """Draws the first page of each stratum, so that a test knows which."""

    def random(self) -> float:
        return 0.0


def checking(folder: Path, server: PlayedServer, parcel: list[Visit], share: float, clock: "Still") -> PlayedKeeper:
    """One parcel of a place that was believed so far, and all looks that follow from it."""
    brief = brief_for(load(Path("/dev/null"), {}, api.flags_of({})), [URL], [])
    keeper = PlayedKeeper()
    keeper.book.since_doubt = 25
    checker = PlaceChecker(keeper, SaidBook(folder), brief, share, lambda _: None, chance=Drawing(1), clock=clock)

    async def run() -> None:
        checker.heard("library", True, parcel, [])
        task = asyncio.create_task(checker.run(server))
        while checker._waiting or checker._looks:
            await asyncio.sleep(1.0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(run())
    checker.close()
    return keeper


class LoopClock(Still):
    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


class Timed(PlayedServer):
    """Notes when it is asked."""

    def __init__(self) -> None:
        super().__init__(says)
        self.at: list[float] = []

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False
    ) -> Response | Failure:
        self.at.append(asyncio.get_running_loop().time())
        return await super().fetch(url, validators, any_type=any_type)


class Edited(PlayedServer):
    """Says of each page when it was edited."""

    def __init__(self, modified: str) -> None:
        super().__init__(says)
        self._modified = {**HTML, "date": "Thu, 01 Jan 1970 02:46:40 GMT", "last-modified": modified}

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False
    ) -> Response | Failure:
        answer = await super().fetch(url, validators, any_type=any_type)
        return structs.replace(answer, headers=self._modified) if isinstance(answer, Response) else answer
