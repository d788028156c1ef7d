"""A place that has joined and does not call: it is waited for a while, said so, and less long the next time."""

import asyncio
from pathlib import Path

import pytest
from neighbours import PATIENCE, at_work, crawl_far, join

from whimbrel import api
from whimbrel.config import load
from whimbrel.places.home import awaiting
from whimbrel.places.home.awaiting import AWAITED_SECONDS, MISSED_SECONDS, Awaiting
from whimbrel.places.home.book import BookedPlace, PlaceBook
from whimbrel.testing.web import TinyWeb, site


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def time(self) -> float:
        return 1_700_000_000.0 + self.now

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def as_it_is(patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awaiting, "AWAITED_SECONDS", AWAITED_SECONDS)


@pytest.mark.parametrize(("missed", "patience"), [(False, AWAITED_SECONDS), (True, MISSED_SECONDS)])
def test_what_is_waited_for_is_said_after_a_second_and_when_it_is_over(missed: bool, patience: float) -> None:
    clock, said = Hand(), list[str]()
    waiting = Awaiting(clock)
    waiting.say = said.append
    waiting.begin()
    place = BookedPlace("library", ["docs.example.org"], missed=missed)
    assert waiting.may_come(place)
    assert said == [], "most places call within a second"
    for clock.now in (1.0, 2.0, patience - 0.1):
        assert waiting.may_come(place)
    (words,) = said
    assert "waiting for place `library` since" in words
    assert "docs.example.org is visited from home" in words
    assert waiting.until == {"library": clock.time() + 0.1}
    for clock.now in (patience, patience + 1):
        assert not waiting.may_come(place)
    assert "did not come" in said[1]
    assert len(said) == 2
    assert waiting.until == {}
    assert waiting.missed == {"library"}
    waiting.heard("library")
    assert waiting.missed == set()


def test_one_that_calls_is_waited_for_no_more() -> None:
    clock = Hand()
    waiting = Awaiting(clock)
    waiting.begin()
    clock.now = 2.0
    assert waiting.may_come(BookedPlace("library", ["docs.example.org"]))
    assert waiting.until
    waiting.heard("library")
    assert not waiting.until


def test_a_run_that_waited_in_vain_says_so_and_remembers_it_until_the_place_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    join(tmp_path / "far", tmp_path / "place")
    with TinyWeb(site(5, 2, seed=1)) as web:
        monkeypatch.setattr(awaiting, "AWAITED_SECONDS", 0.5)
        settings = load(Path("/dev/null"), {}, api.flags_of({"check_share": 0.0}))
        opened = api.open_crawl(settings, api.read_seeds([web.url("/")]), tmp_path / "far")
        try:
            asyncio.run(asyncio.wait_for(api.run_crawl(opened), PATIENCE))
        finally:
            opened.store.close()
        assert any("place `library` did not come" in note for note in opened.manager.progress.notes)
        assert PlaceBook(tmp_path / "far").read().places["library"].missed
        monkeypatch.setattr(awaiting, "MISSED_SECONDS", PATIENCE)
        with at_work(tmp_path / "place"):
            assert crawl_far(tmp_path / "far", web.url("/other")).why == "finished"
    assert not PlaceBook(tmp_path / "far").read().places["library"].missed
