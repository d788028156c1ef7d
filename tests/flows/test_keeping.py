"""Which document is kept and which is a copy: the same pages survive in whatever order they come."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from folders import rows
from grown_folder import Served, page
from small_home import TERMS, SmallHome
from whimbrel.flows.gather.deciding import Terms
from whimbrel.frontier.order import Order

Home = Callable[..., SmallHome]
TWICE = "the same words on two pages, enough of them to tell one page from another, and then some more " * 4


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    opened: list[SmallHome] = []

    def made(world: Mapping[str, Served], terms: Terms = TERMS, seed: int = 0) -> SmallHome:
        opened.append(SmallHome(tmp_path / str(len(opened)), world, terms, seed))
        return opened[-1]

    yield made
    for one in opened:
        one.store.close()


def linked(*paths: str, words: str = "a page of its own") -> Served:
    return Served(page(words, list(paths)))


@pytest.mark.parametrize("seed", range(6))
def test_of_two_copies_the_nearer_survives_whichever_came_first(home: Home, seed: int) -> None:
    world = {"/": linked("/b", "/a"), "/a": Served(page(TWICE)), "/b": linked("/c"), "/c": Served(page(TWICE))}
    crawled = home(world, seed=seed)
    crawled.plant("/")
    crawled.run()
    assert (crawled.outcome("/a"), crawled.outcome("/c")) == ("fetched", "duplicate")
    assert crawled.store.pages == 3


@pytest.mark.parametrize("seed", range(6))
def test_at_one_depth_the_smaller_address_survives(home: Home, seed: int) -> None:
    world = {"/z": Served(page(TWICE)), "/m": Served(page(TWICE)), "/q": Served(page(TWICE))}
    crawled = home(world, seed=seed)
    crawled.plant(*world)
    crawled.run()
    assert [crawled.outcome(path) for path in ("/m", "/q", "/z")] == ["fetched", "duplicate", "duplicate"]


def test_a_body_is_archived_once(home: Home) -> None:
    crawled = home({"/a": Served(page(TWICE)), "/b": Served(page(TWICE))})
    crawled.plant("/a", "/b")
    crawled.run()
    assert rows(crawled.store.location.beside, "SELECT count(*) FROM version") == [(2,)]
    assert rows(crawled.store.location.beside, "SELECT count(*) FROM body") == [(1,)]


def test_a_copy_takes_no_room_and_another_page_has_to_wait(home: Home) -> None:
    world = {"/a": Served(page(TWICE)), "/b": Served(page(TWICE)), "/c": linked(words="something else " * 30)}
    crawled = home(world, Terms(1, None, Order.BREADTH))
    crawled.plant("/a", "/b", "/c")
    gathered = crawled.step()
    assert gathered is not None
    assert [crawled.outcome(path) for path in ("/a", "/b", "/c")] == ["fetched", "duplicate", "discovered"]
    assert [lease.key for lease in gathered.put_back] == [crawled.row("/c").key]


def test_when_the_survivor_says_something_else_its_copy_takes_its_place(home: Home) -> None:
    crawled = home({"/a": Served(page(TWICE)), "/b": Served(page(TWICE))})
    crawled.plant("/a", "/b")
    crawled.run()
    assert crawled.outcome("/b") == "duplicate"
    crawled.world["http://a.example/a"] = Served(page("an article that was written anew from its first word on " * 9))
    crawled.return_to("/a")
    assert [crawled.row(path).outcome for path in ("/a", "/b")] == ["fetched", "fetched"]
    assert crawled.store.pages == 2
