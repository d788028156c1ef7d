"""A place tells of changes while home watches: they are visited at once, and only those it may speak of."""

import asyncio
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from threading import Event

import pytest
from neighbours import PATIENCE, at_work, join
from test_refusals import dial_as

from folders import crawl
from whimbrel.cli import watching
from whimbrel.cli.watching import Telling, WatchPlan
from whimbrel.config import load
from whimbrel.fetch.from_files import AsServed, ShownBook
from whimbrel.flows.refresh.course import RefreshWish
from whimbrel.flows.refresh.pings import PingBook
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.places.at.gifts import FOLDER as GIFTS
from whimbrel.places.at.gifts import SITEMAP
from whimbrel.places.at.resident import SHOWN
from whimbrel.places.home.book import PlaceBook
from whimbrel.places.home.listening import Listening
from whimbrel.places.link import subjects
from whimbrel.places.link.calls import Notice, encode
from whimbrel.records.ending import Why
from whimbrel.records.url import Url
from whimbrel.testing.web import TinyWeb, site


def tell(folder: Path, place: Path, *notices: Notice) -> None:
    async def run() -> None:
        dial = dial_as(folder, place)
        dial.start()
        await dial.connected.wait()
        for notice in notices:
            dial.publish(subjects.up("library", "notice"), encode(notice))
        await asyncio.sleep(0)  # it goes out with what else there is to say
        while not dial._outgoing.empty():
            await asyncio.sleep(0)
        await dial._client.flush()  # type: ignore[union-attr]
        await dial.close()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def until(done: Callable[[], bool], again: Callable[[], None]) -> None:
    """Whoever tells before home has subscribed is heard by nobody."""
    ends = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < ends, "never heard"
        again()


def test_what_a_place_tells_of_is_noted_for_its_own_sites_and_while_it_is_believed(tmp_path: Path) -> None:
    join(tmp_path, tmp_path / "place")
    ours, others = "http://127.0.0.1/tide", "http://bank.example.com/"
    foreign = Notice("bank.example.com", [others], 1.0)
    with Listening(tmp_path) as listening:
        until(
            listening.told.is_set,
            lambda: tell(tmp_path, tmp_path / "place", foreign, Notice("127.0.0.1", [ours, others, "no URL"], 1.0)),
        )
    assert [ping.url for ping in PingBook(tmp_path).every().values()] == [ours]
    with PlaceBook(tmp_path).change() as booked:
        booked.places["library"].trust.doubt = "it lies"
    with Listening(tmp_path) as listening:
        heard: list[Notice] = []
        hear = listening.hear
        listening.hear = lambda keeper, place, notice: (hear(keeper, place, notice), heard.append(notice))  # type: ignore[assignment,func-returns-value,method-assign]
        lie = Notice("127.0.0.1", ["http://127.0.0.1/lie"], 1.0)
        until(lambda: bool(heard), lambda: tell(tmp_path, tmp_path / "place", lie))
        assert not listening.told.is_set()
    assert [ping.url for ping in PingBook(tmp_path).every().values()] == [ours]


def test_what_changed_while_home_was_away_is_told_when_it_is_back_and_once(tmp_path: Path) -> None:
    """The place begins, notices its pages, and speaks before anybody listens."""
    place, page = tmp_path / "place", "http://127.0.0.1/tide.html"
    join(tmp_path, place)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "tide.html").write_text("the tide")
    with (place / "place.toml").open("a") as terms:
        terms.write(f'[[folder]]\nurl = "http://127.0.0.1/"\npath = "{tmp_path / "site"}"\n')
    book = ShownBook(place / SHOWN)
    book.put(Url(page), AsServed(True, b"HTTP/1.1 200 OK", False, False))
    book.close()
    with at_work(place):
        until((place / GIFTS / "127.0.0.1" / SITEMAP).exists, lambda: None)  # written after homes were told
        with Listening(tmp_path) as listening:
            assert listening.told.wait(PATIENCE)
        first = PingBook(tmp_path).every()
        with Listening(tmp_path) as listening:
            (tmp_path / "site" / "tide.html").write_text("the ebb")
            assert listening.told.wait(PATIENCE)
    assert [ping.url for ping in first.values()] == [page]


def test_a_round_comes_before_its_time_when_changes_were_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the second round would come after five minutes."""
    wishes: list[RefreshWish] = []

    def visit(wish: RefreshWish, committed: Callable[[], None] | None) -> RunEnd:
        assert wish.told == (committed is not None), "what was told of is searchable before the round is over"
        wishes.append(wish)
        told.set()
        return RunEnd(Why.FINISHED, "")

    with TinyWeb(site(3, 2, seed=1)) as web:
        crawl(tmp_path, web.url("/"))
    told = Event()
    monkeypatch.setattr(watching, "_listening", lambda folder: nullcontext(told))
    plan = WatchPlan(tmp_path, RefreshWish(), Telling(None, [], load(Path("/dev/null"), {}, {})), visit, 2, True)
    began = time.monotonic()
    assert watching.keep_at_it(plan) == 0
    assert time.monotonic() - began < watching.ROUND_SECONDS / 2
    assert [wish.told for wish in wishes] == [False, True]
