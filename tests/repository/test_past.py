"""What a folder remembers of earlier visits, as a refresh asks for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from grown_folder import Served, page
from small_home import SmallHome, url_of
from whimbrel.records.url import Url
from whimbrel.repository.contract import Plan
from whimbrel.urls.normal import key as key_of

WORLD = {
    "/": Served(page("where it all begins", ["/a", "/b", "/gone"])),
    "/a": Served(page("the first of two pages")),
    "/b": Served(page("the second of them")),
}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[SmallHome]:
    crawled = SmallHome(tmp_path, WORLD)
    crawled.plant("/")
    crawled.run()
    crawled.store.past.prepare()
    yield crawled
    crawled.store.close()


def keys(*paths: str) -> set[int]:
    return {key_of(url_of(path)) for path in paths}


def test_pages_that_were_kept_are_candidates_and_nothing_else(home: SmallHome) -> None:
    past = home.store.past
    assert {one.key for one in past.candidates()} >= keys("/", "/a", "/b")
    assert {one.key for one in past.candidates_among(keys("/a", "/nowhere"))} == keys("/a")
    assert past.sitemaps() == []


def test_the_newest_kept_state_is_held(home: SmallHome) -> None:
    past = home.store.past
    before = past.held(keys("/a"))
    home.world[url_of("/a")] = Served(page("an article that was written anew from the first word to the last " * 3))
    home.return_to("/a")
    (held,) = past.held(keys("/a")).values()
    assert [one.version for one in before.values()] != [held.version]
    assert held.at == home.now
    assert past.held(keys("/nowhere")) == {}
    assert past.copy(held.version) is not None


def test_what_is_queued_is_told_and_may_be_hastened(home: SmallHome) -> None:
    past, (key,) = home.store.past, keys("/a")
    assert past.queued() == set()
    home.store.commit(Plan(queued=[(key, "a.example", 0, home.now + 500.0)]), home.now)
    assert past.queued() == {key}
    assert home.step() is None, "its time has not come"
    past.hasten({key: home.now + 900.0})
    assert home.step() is None, "later than it was is no haste"
    past.hasten({key: home.now})
    assert home.step() is not None
    assert past.queued() == set()


def test_visits_and_changes_since_a_moment(home: SmallHome) -> None:
    past, began = home.store.past, home.now + 0.5
    assert past.visited_since(began) == []
    home.world[url_of("/b")] = Served(page("this one now says something altogether different from before " * 3))
    home.return_to("/a", "/b")
    assert set(past.visited_since(began)) == keys("/a", "/b")
    assert past.changed_since(began) == keys("/b")


def test_a_page_that_is_missing_is_remembered_as_absent(home: SmallHome) -> None:
    past = home.store.past
    assert past.absent() == {}
    del home.world[url_of("/a")]
    home.return_to("/a")
    assert past.absent().keys() == keys("/a")
    assert home.row("/a").outcome == "fetched", "asked again before it counts as gone"


def test_pages_and_bytes_in_all(home: SmallHome) -> None:
    assert home.store.past.pages_in_all() == 3
    sizes = [len(served.body) for served in WORLD.values()]
    assert home.store.past.bytes_of_all() >= min(sizes)
    assert Url("http://a.example/gone") not in {
        one.url for one in home.store.past.candidates() if one.outcome == "fetched"
    }
