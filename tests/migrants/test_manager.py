"""Home and migrants that die, hang, lie or speak another tongue: the crawl goes on, or ends with a clear word."""

import asyncio
import time
from pathlib import Path

import pytest
import understudy

from folders import PATIENCE, check_archives, consistent, crawl, everything, outcomes, rows
from whimbrel import api
from whimbrel.config import load
from whimbrel.migrants import clock
from whimbrel.migrants.home import deaths, manager, places
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.records.visit import Visit
from whimbrel.repository.contract import RepositoryError
from whimbrel.testing.web import Page, TinyWeb, site


def poisoned(count: int) -> dict[str, Page]:
    """A site of which some pages are deadly to read."""
    pages = site(30, 4, seed=7)
    links = "".join(f'<a href="/poison{number}">p</a>' for number in range(count))
    start = f"<title>start</title><p>{links}<a href='/old-start'>on</a>"
    return {**pages, "/": start, "/old-start": pages["/"]} | {
        f"/poison{number}": f"<p>poison {number}" for number in range(count)
    }


def test_a_migrant_that_dies_before_it_says_hello_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = understudy.engage(monkeypatch, tmp_path, before=understudy.DIES_TWICE_AT_ONCE)
    with TinyWeb(site(10, 3)) as web:
        assert crawl(tmp_path / "data", web.url("/")).why == "finished"
    assert started.born == 3
    assert list(outcomes(tmp_path / "data").values()) == ["fetched"] * 10


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (understudy.DIES_AT_ONCE, "", "migrant processes keep dying"),
        ("", understudy.OF_ANOTHER_RELEASE, "the other side speaks version 99, this one"),
        ("", understudy.SPEAKS_NONSENSE, "does not fit the contract"),
    ],
    ids=["dies at once", "another release", "nonsense"],
)
def test_migrants_that_never_get_anything_done_end_the_crawl_aloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, words: str
) -> None:
    started = understudy.engage(monkeypatch, tmp_path, before=before, after=after)
    with TinyWeb(site(3)) as web, pytest.raises(RepositoryError, match=words) as raised:
        crawl(tmp_path / "data", web.url("/"))
    assert started.born == deaths.DEATHS_WITHOUT_PROGRESS + 1
    assert "Everything committed is safe" in str(raised.value)
    assert outcomes(tmp_path / "data") == {"/": "discovered"}


def test_a_visit_that_breaks_ends_its_migrant_aloud_and_is_done_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    started = understudy.engage(monkeypatch, tmp_path, after=understudy.BREAKS_A_VISIT_AT_FIRST)
    with TinyWeb(site(10, 3)) as web:
        assert crawl(tmp_path / "data", web.url("/")).why == "finished"
    assert started.born == 2
    assert list(outcomes(tmp_path / "data").values()) == ["fetched"] * 10
    said = capfd.readouterr().err
    assert "RuntimeError: out of ink" in said
    assert "a visit broke" in said


@pytest.mark.parametrize("count", [1, 4])
def test_a_page_that_kills_its_reader_twice_is_given_up_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Four such pages in a row are more deaths than are borne without progress; giving one up is progress."""
    started = understudy.engage(monkeypatch, tmp_path, after=understudy.DIES_OF_A_PAGE)
    with TinyWeb(poisoned(count)) as web:
        assert crawl(tmp_path / "data", web.url("/")).why == "finished"
    found = outcomes(tmp_path / "data")
    deadly = {f"/poison{number}" for number in range(count)}
    assert {path for path, outcome in found.items() if outcome == "failed:parse"} == deadly
    assert {outcome for path, outcome in found.items() if path not in deadly} == {"fetched"}
    assert started.born == 1 + 2 * count
    ((reason,),) = set(rows(tmp_path / "data", "SELECT reason FROM url WHERE rule = 'parse'"))
    assert reason == "reading it ended the migrant 2 times"
    consistent(tmp_path / "data")
    monkeypatch.undo()
    check_archives(tmp_path / "data")


class FastWhileStuck:
    """Time passes for home only while a migrant is stuck: half of what it is patient for each time it looks."""

    def __init__(self, stuck: Path) -> None:
        self._stuck = stuck
        self._moment = 0.0

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        if self._stuck.exists() and _alive(int(self._stuck.read_text() or 0)):
            self._moment += places.SILENCE_SECONDS / 2
        return self._moment


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def test_a_page_that_never_ends_being_read_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = understudy.engage(monkeypatch, tmp_path, after=understudy.IS_STUCK_IN_A_PAGE)
    clock = FastWhileStuck(started.stuck)
    with TinyWeb(poisoned(1)) as web:
        assert crawl(tmp_path / "data", web.url("/"), clock=clock, migrants=1).why == "finished"
    found = outcomes(tmp_path / "data")
    assert found.pop("/poison0") == "failed:parse"
    assert set(found.values()) == {"fetched"}
    assert started.born == 3


def test_what_arrives_twice_is_stored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with TinyWeb(site(40, 5, seed=4, duplicates=5, redirects=3, missing=2)) as web:
        crawl(tmp_path / "clean", web.url("/"))
        understudy.engage(monkeypatch, tmp_path, after=understudy.SENDS_EVERYTHING_TWICE)
        crawl(tmp_path / "twice", web.url("/"))
    assert everything(tmp_path / "twice") == everything(tmp_path / "clean")
    consistent(tmp_path / "twice")
    versions, traffic = "SELECT count(*) FROM version", "SELECT kind, count FROM traffic ORDER BY kind"
    for query in (versions, traffic):
        assert rows(tmp_path / "twice", query) == rows(tmp_path / "clean", query)


def test_visits_that_nobody_asked_for_are_not_taken_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with TinyWeb(site(40, 5, seed=4, duplicates=5)) as web:
        crawl(tmp_path / "clean", web.url("/"))
        understudy.engage(monkeypatch, tmp_path, after=understudy.INVENTS_VISITS)
        crawl(tmp_path / "forged", web.url("/"))
    assert everything(tmp_path / "forged") == everything(tmp_path / "clean")
    consistent(tmp_path / "forged")


def test_a_migrant_whose_clock_jumped_refuses_its_itinerary_and_another_does_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = understudy.engage(monkeypatch, tmp_path, after=understudy.IS_BORN_TWO_HOURS_AHEAD)
    with TinyWeb(site(30, 4, seed=1)) as web:
        assert crawl(tmp_path / "data", web.url("/"), migrants=1).why == "finished"
        assert [request.path for request in web.log].count("/") == 1
    assert started.born == 2
    assert set(outcomes(tmp_path / "data").values()) == {"fetched"}


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_two_migrants_share_what_room_is_left(tmp_path: Path, limit: int) -> None:
    """Both are at work while the last pages are to be had; whoever comes late gives its page back."""
    addresses = ("127.0.0.1", "127.0.0.2")
    with TinyWeb({}, addresses=addresses) as web:
        web.pages = {f"/{n}": lambda request, n=n: f"<p>{request.server} {n}" for n in range(20)}  # type: ignore[misc]
        seeds = [web.url(path, address) for path in web.pages for address in addresses]
        ended = crawl(tmp_path, *seeds, limit=limit, migrants=2, delay_seconds=0.1)
    assert ended.why == "limit"
    ((kept,),) = rows(tmp_path, "SELECT count(*) FROM url WHERE outcome = 'fetched'")
    assert kept == limit


def test_one_migrant_and_two_end_with_the_same_result(tmp_path: Path) -> None:
    with TinyWeb(site(60, 5, seed=3, duplicates=6, missing=3), addresses=("127.0.0.1", "127.0.0.2")) as web:
        seeds = [web.url("/", address) for address in web.addresses]
        crawl(tmp_path / "one", *seeds)
        crawl(tmp_path / "two", *seeds, migrants=2)
    assert everything(tmp_path / "one") == everything(tmp_path / "two")


def test_a_server_that_keeps_us_waiting_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manager, "FAREWELL_SECONDS", 1.0)
    with TinyWeb(site(10, 3) | {"/slow": "late"}) as web:
        web.hold("/slow")

        async def stopped() -> RunEnd:
            running = asyncio.create_task(api.run_crawl(opened))
            assert await asyncio.to_thread(web.wait_for, "/slow")
            opened.manager.stop("stopped", "enough")
            return await running

        settings = load(Path("/dev/null"), {}, {"fetch.total_seconds": 3000.0})
        opened = api.open_crawl(settings, api.read_seeds([web.url("/"), web.url("/slow")]), tmp_path)
        try:
            assert asyncio.run(asyncio.wait_for(stopped(), PATIENCE)).why == "stopped"
        finally:
            opened.store.close()
        assert outcomes(tmp_path)["/slow"] == "discovered"
        web.release("/slow")
        assert crawl(tmp_path).why == "finished"
    assert set(outcomes(tmp_path).values()) == {"fetched"}


class StoppedClock:
    """No time passes but what a test lets pass."""

    def __init__(self) -> None:
        self.moment = 1_900_000_000.0

    def time(self) -> float:
        return self.moment

    def monotonic(self) -> float:
        return self.moment


@pytest.mark.parametrize(("seconds", "why"), [(0.9, "finished"), (1.1, "time")])
def test_a_run_ends_by_the_clock_that_it_was_given(tmp_path: Path, seconds: float, why: str) -> None:
    clock = StoppedClock()

    async def cut(web: TinyWeb) -> RunEnd:
        opened = api.open_crawl(load(Path("/dev/null"), {}, {}), api.read_seeds([web.url("/")]), tmp_path, clock=clock)

        async def let_pass(visits: list[Visit]) -> None:
            clock.moment = max(clock.moment, 1_900_000_000.0 + seconds)

        opened.manager.listen(let_pass)
        try:
            return await opened.manager.run(1.0)
        finally:
            opened.store.close()

    with TinyWeb({"/": "<p>the only page", "/sitemap.xml": ""}) as web:
        assert asyncio.run(asyncio.wait_for(cut(web), PATIENCE)).why == why
    assert outcomes(tmp_path)["/"] == "fetched", "what came in before is kept"


@pytest.mark.parametrize("turns", range(4))
def test_a_wait_that_is_cancelled_as_it_is_woken_is_cancelled(turns: int) -> None:
    """However many turns of the loop lie between the two."""

    async def run() -> None:
        event, over = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            await clock.woken(event, 60.0)
            await over.wait()

        waiting = asyncio.create_task(wait())
        for _ in range(3):
            await asyncio.sleep(0)
        event.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        waiting.cancel()
        over.set()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(run())
