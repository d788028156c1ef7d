"""A whole crawl with migrants, and a refresh after it, end the same whatever engine keeps them."""

import asyncio
from pathlib import Path

from conftest import ENGINES
from ready_migrants import ready
from whimbrel import api
from whimbrel.config import load
from whimbrel.flows.refresh.course import RefreshWish
from whimbrel.flows.twins.near import Near
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Location
from whimbrel.repository.memory.engine import drop
from whimbrel.testing.reply import Reply
from whimbrel.testing.site import site
from whimbrel.testing.web import TinyWeb


def crawl(web: TinyWeb, where: Location) -> str:
    settings = load(None, {}, {"crawl.migrants": 2})
    opened = api.open_crawl(settings, api.read_seeds([web.url("/")]), where, carrier=ready())
    try:
        return asyncio.run(asyncio.wait_for(opened.manager.run(None), 300)).why
    finally:
        opened.store.close()


def refresh(where: Location) -> str:
    settings = load(None, {}, {"crawl.migrants": 1, "refresh.gone_after_seconds": 0.0})
    refreshing = api.open_refresh(settings, where, RefreshWish(everything=True), carrier=ready())
    try:
        return asyncio.run(asyncio.wait_for(api.run_refresh(refreshing), 300)).why
    finally:
        refreshing.opened.store.close()


def state(where: Location) -> list[tuple[object, ...]]:
    """URLs, outcomes, digests: what must not depend on how a crawl ran or who keeps it."""
    with open_reader(where) as reader:
        digests = {page.url: page.digest for page in reader.pages()}
        return [
            (one.url, one.depth, one.outcome, one.rule, one.duplicate_of, digests.get(one.url))
            for one in reader.urls()
            if one.rule != "usual_place"
        ]


def told(where: Location) -> list[tuple[str, str]]:
    with open_reader(where) as reader:
        return sorted((one.what, one.url) for one in reader.since(0.0))


def near_twins(where: Location) -> int:
    with Near(where) as follower:
        return follower.catch_up(1.0).pages


def test_a_crawl_and_a_refresh_end_the_same_in_every_engine(tmp_path: Path) -> None:
    places = [Location(engine, str(tmp_path / engine), tmp_path / engine) for engine in ENGINES]
    try:
        with TinyWeb(site(12, duplicates=3, redirects=2, missing=1)) as web:
            assert [crawl(web, where) for where in places] == ["finished"] * len(places)
            first = [state(where) for where in places]
            assert {one[2] for one in first[0]} == {"fetched", "duplicate", "redirected", "failed"}
            assert all(one == first[0] for one in first)
            path = next(one[0] for one in first[0] if one[1] == 1 and one[2] == "fetched")
            web.pages[str(path).removeprefix(web.url(""))] = Reply(
                b"<!doctype html><title>Changed</title><p>Nothing of what stood here before is left on this page.</p>"
            )
            assert [refresh(where) for where in places] == ["finished"] * len(places)
            second = [state(where) for where in places]
        assert second[0] != first[0]
        assert all(one == second[0] for one in second)
        assert all(told(where) == told(places[0]) for where in places)
        assert ("changed", path) in told(places[0])
        assert len({near_twins(where) for where in places}) == 1
    finally:
        for where in places:
            drop(where)
