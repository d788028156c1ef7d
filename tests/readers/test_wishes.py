"""What readers asked for: taken within what may be spent, granted by a crawl of the kind, and never twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from folders import crawl, start
from shop_site import shop
from whimbrel.api.granting import Granting, alone
from whimbrel.api.wishing import folder_settings, propose
from whimbrel.readers.contract import ReaderSettings
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.mine import Mine
from whimbrel.readers.wishes import Wishes, WishRefused
from whimbrel.records.url import Url
from whimbrel.records.wish import NewWish, SoughtKind, WishState
from whimbrel.repository.engines import open_reader
from whimbrel.repository.views import Selection
from whimbrel.testing.web import TinyWeb
from whimbrel.urls.normal import key as key_of

ITEM = Url("https://shop.example/item/1")
WISH = NewWish(0, "lantern", ITEM, (SoughtKind((ITEM,), 3),), ("shop.example",), 200, 50)
PLENTY = ReaderSettings()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[ReaderLog]:
    with ReaderLog(tmp_path) as opened:
        yield opened


def test_a_wish_is_there_once_and_within_what_may_be_spent(log: ReaderLog) -> None:
    wishes, tight = Wishes(log), ReaderSettings(more_visits=60, more_visits_reader=100, more_visits_day=130)
    first = wishes.add(replace(WISH, visits=60), tight, 1000.0)
    assert wishes.add(replace(WISH, visits=60), tight, 1001.0) == first, "a form that is sent twice asks once"
    assert isinstance(first, int)
    assert wishes.add(replace(WISH, query="copper", visits=60), tight, 1002.0) == first + 1
    assert [wish.visits for wish in wishes.open()] == [60, 40], "what is left for the reader"
    refused = wishes.add(replace(WISH, query="violet"), tight, 1003.0)
    assert isinstance(refused, WishRefused)
    assert "spent for you" in refused.words
    other = wishes.allowance(7, tight, 1004.0)
    assert other == 30, "what all readers together may spend"
    wishes.begin(first, 1005.0)
    wishes.note(first, 10, [ITEM], 1006.0)
    wishes.end(first, "done", 1007.0)
    assert wishes.allowance(0, tight, 1008.0) == 50, "what was not spent is there again"
    assert wishes.allowance(0, tight, 1008.0 + 86_400) == 60, "and the next day all of it"
    assert isinstance(wishes.allowance(0, ReaderSettings(more_visits=0), 0.0), WishRefused)


def test_a_wish_goes_with_its_reader_and_with_its_pages(log: ReaderLog) -> None:
    wishes = Wishes(log)
    reader = log.join("somebody", "here", 1.0)
    mine = wishes.add(replace(WISH, reader=reader), PLENTY, 2.0)
    folders = wishes.add(WISH, PLENTY, 3.0)
    assert isinstance(mine, int)
    assert isinstance(folders, int)
    other = Url("https://shop.example/item/2")
    assert wishes.note(mine, 5, [other, other], 4.0)
    assert wishes.one(mine).found == 1
    kept = Mine(log, reader).export()
    assert [wish["query"] for wish in kept["wishes"]] == ["lantern"]
    assert [page["url"] for page in kept["fetched_for_them"]] == [other]
    Mine(log, reader).delete()
    assert wishes.one(mine) is None
    assert not wishes.note(mine, 5, [other], 5.0), "a run hears that nobody wants it any more"
    assert wishes.pages([mine]) == {}
    wishes.forget({key_of(ITEM)})
    assert wishes.every() == [], "a wish that names a page which is forgotten is forgotten too"


@pytest.fixture
def web() -> Iterator[TinyWeb]:
    with TinyWeb(shop()) as running:
        yield running


def wish_for(folder: Path, web: TinyWeb, query: str = "lantern", visits: int = 200, pages: int = 50) -> int:
    """As the page does it: the kinds of the first two items that are kept."""
    with open_reader(folder) as reader:
        items = [one.url for one in reader.urls(Selection(("fetched",), match="/item/"))][:2]
        proposal = propose(reader, items, folder_settings(reader), visits)
    assert [site.host for site in proposal.sites] == ["127.0.0.1"], proposal.why_none
    assert len(proposal.kinds) == 1
    wish = NewWish(0, query, items[0], tuple(one.sought for one in proposal.kinds), ("127.0.0.1",), visits, pages)
    with ReaderLog(folder) as log:
        number = Wishes(log).add(wish, PLENTY, time.time())
    assert isinstance(number, int)
    return number


def items_in(folder: Path) -> set[str]:
    with open_reader(folder) as reader:
        return {one.url for one in reader.urls(Selection(("fetched", "unchanged"), match="/item/"))}


def test_a_wish_brings_pages_of_the_kind_and_leaves_the_folders_own_crawl_as_it_was(
    tmp_path: Path, web: TinyWeb
) -> None:
    crawl(tmp_path, web.url(), limit=25, exclude=["/nowhere/"])
    before, stories = items_in(tmp_path), count(tmp_path, "/story/")
    number = wish_for(tmp_path, web)
    assert Granting(tmp_path).run() == 1
    with ReaderLog(tmp_path) as log:
        wish = Wishes(log).one(number)
        new = set(Wishes(log).pages([number]))
    assert wish is not None
    assert wish.state is WishState.ENDED
    assert new == items_in(tmp_path) - before
    assert len(items_in(tmp_path)) == 40, wish.words
    assert count(tmp_path, "/story/") == stories, "what is of another kind is followed and not kept"
    with open_reader(tmp_path) as reader:
        settings = reader.recall("settings")
    assert isinstance(settings, dict)
    assert settings["crawl"]["exclude"] == ["/nowhere/"]
    assert "like" not in settings["crawl"]
    assert Granting(tmp_path).run() == 0
    crawl(tmp_path, limit=None)
    assert count(tmp_path, "/story/") == 60, "the folder's own crawl wants them all again"


def count(folder: Path, match: str) -> int:
    with open_reader(folder) as reader:
        return reader.count(Selection(("fetched", "unchanged"), match=match))


def test_a_wish_ends_by_what_may_be_spent_and_by_what_is_wanted(tmp_path: Path, web: TinyWeb) -> None:
    crawl(tmp_path, web.url(), limit=25)
    before = len(items_in(tmp_path))
    few, cheap = wish_for(tmp_path, web, "few", pages=3), wish_for(tmp_path, web, "cheap", visits=4)
    asked = len(web.log)
    assert Granting(tmp_path).run() == 2
    with ReaderLog(tmp_path) as log:
        first, second = Wishes(log).one(few), Wishes(log).one(cheap)
    assert first is not None
    assert second is not None
    assert first.found == 3
    assert second.visited <= 4
    assert len(items_in(tmp_path)) == before + 3 + second.found
    assert len([one for one in web.log[asked:] if one.path != "/robots.txt"]) <= first.visited + second.visited


def test_a_site_that_is_out_of_scope_or_barred_is_not_asked(tmp_path: Path, web: TinyWeb) -> None:
    crawl(tmp_path, web.url(), limit=25)
    with open_reader(tmp_path) as reader:
        items = [one.url for one in reader.urls(Selection(("fetched",), match="/item/"))][:2]
        settings = folder_settings(reader)
        shut = replace(settings, crawl=replace(settings.crawl, include=("/story/",)))
        outside = propose(reader, items, shut, 100)
        inside = propose(reader, items, settings, 100, lambda url: "the owner's network")
        spent = propose(reader, items, settings, 0)
    assert outside.sites == inside.sites == spent.sites == ()
    assert "rule filter" in outside.why_none
    assert "the owner's network" in inside.why_none
    assert "today" in spent.why_none
    assert outside.kinds[0].pages, "what is here is shown all the same"


def test_robots_are_asked_and_their_refusals_told(tmp_path: Path) -> None:
    with TinyWeb(shop() | {"/robots.txt": "User-agent: *\nDisallow: /item/3\n"}) as web:
        crawl(tmp_path, web.url(), limit=25)
        number = wish_for(tmp_path, web)
        assert Granting(tmp_path).run() == 1
        assert not any(one.path.startswith("/item/3") for one in web.log)
    with ReaderLog(tmp_path) as log:
        wish = Wishes(log).one(number)
    assert wish is not None
    assert "by robots" in wish.words
    assert len(items_in(tmp_path)) == 29


def test_a_wish_beside_a_running_crawl_comes_first_in_its_queue(tmp_path: Path, web: TinyWeb) -> None:
    crawl(tmp_path, web.url(), limit=25)
    held = next(f"/story/{one}" for one in range(60) if not web.count(f"/story/{one}"))
    web.hold(held)
    number = wish_for(tmp_path, web, visits=30)
    running = start(tmp_path, web.url(), "--delay", "0")
    try:
        assert web.wait_for(held)
        web.release(held)
        assert Granting(tmp_path).run() == 1
        running.communicate(timeout=300)
    finally:
        running.kill()
    with ReaderLog(tmp_path) as log:
        wish = Wishes(log).one(number)
    assert wish is not None
    assert wish.state is WishState.ENDED
    assert len(items_in(tmp_path)) == 40
    assert count(tmp_path, "/story/") == 60, "the crawl keeps what it was begun for"


def test_one_process_grants_and_a_wish_that_was_cut_off_goes_on(tmp_path: Path, web: TinyWeb) -> None:
    crawl(tmp_path, web.url(), limit=25)
    number = wish_for(tmp_path, web)
    held = next(f"/item/{one}" for one in range(40) if not web.count(f"/item/{one}"))
    web.hold(held)
    command = [sys.executable, "-m", "whimbrel", "wishes", "--run", "--repo", str(tmp_path)]
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as process:
        assert web.wait_for(held)
        with alone(tmp_path) as free:
            assert not free
        assert Granting(tmp_path).run() == 0, "another process sees to it"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    with ReaderLog(tmp_path) as log:
        cut = Wishes(log).one(number)
    assert cut is not None
    assert cut.state is WishState.RUNNING
    web.release(held)
    assert Granting(tmp_path).run() == 1
    with ReaderLog(tmp_path) as log:
        wish = Wishes(log).one(number)
    assert wish is not None
    assert wish.state is WishState.ENDED
    assert wish.began_at == cut.began_at
    assert len(items_in(tmp_path)) == 40
