"""What lead to new pages, read from a folder; and how much pages matter to a refresh with a budget."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grown_folder import SEED, Served, grow, page
from whimbrel.flows.refresh.leading import Leading
from whimbrel.flows.refresh.weighing import Weighing, weighing
from whimbrel.records.url import Url
from whimbrel.repository.contract import FoundUrl, Plan, Visited
from whimbrel.repository.engines import open_writer
from whimbrel.repository.location import EMBEDDED, MEMORY, Location
from whimbrel.repository.memory.engine import drop
from whimbrel.revisit.classes import DAY
from whimbrel.urls.normal import key as key_of

LIST, QUIET = Url(f"{SEED}list"), Url(f"{SEED}quiet")


def world(said: str) -> dict[str, Served]:
    return {SEED: Served(page("where it begins", ["/list", "/quiet"])), LIST: Served(page(said)),
            QUIET: Served(page("a page that leads nowhere"))}  # fmt: skip


def visited(key: int, **named: float) -> Visited:
    usual: dict[str, object] = {"lane": 1, "at": 0.0, "visited_at": 10 * DAY, "met": 0, "priority": None} | named
    return Visited(
        key, Url(f"http://a.example/{key}"), "a.example", usual["lane"], 1, 0, "fetched", usual["at"],
        usual["visited_at"], b"", None, "", usual["priority"], 0, usual["met"],
    )  # type: ignore[arg-type]  # fmt: skip


@pytest.mark.parametrize("engine", [EMBEDDED, MEMORY])
def test_what_a_page_led_to_is_read_from_the_folder(tmp_path: Path, engine: str) -> None:
    where = Location(engine, str(tmp_path / "folder"), tmp_path / "folder")
    grow(where, world("first words"), world("other words, some days later"))
    store = open_writer(where)
    try:
        pages = list(store.past.candidates())
        last = max(one.visited_at for one in pages)
        new = [Url(f"{SEED}new/{number}") for number in range(6)]
        named = [
            FoundUrl(key_of(one), one, "a.example", 2, 0, 0, 0, key_of(LIST), last, "discovered", "", "", 1)
            for one in new
        ]
        other = named[0]._replace(key=1, url=Url(f"{SEED}old"), news=0)
        store.commit(Plan(found=[*named, other]), last)
        found = store.past.finds(0.0)
        assert sorted(found) == sorted((key_of(LIST), last, key_of(one)) for one in new)
        assert store.past.finds(last + 1) == []
        leading = Leading(pages, found)
        by_url = {one.url: leading.rate(one) for one in pages}
        assert by_url[LIST] == pytest.approx(6 / (2 * DAY), rel=0.1)
        assert 0 < by_url[QUIET] < by_url[LIST] / 5
        assert Leading(pages, []).rate(pages[0]) == 0.0
    finally:
        store.close()
        drop(where)


def test_what_was_there_at_the_first_visit_is_no_find() -> None:
    one = visited(1)
    assert Leading([one, visited(2)], [(1, 5.0, 9)]).rate(one) == 0.0
    assert Leading([one, visited(2)], [(1, 5 * DAY, 9)]).rate(one) > 0.0


def test_a_source_whose_new_pages_are_read_is_worth_more_visits() -> None:
    read, unread = visited(1), visited(2)
    found = [(source, 5 * DAY, 100 * source + number) for source in (1, 2) for number in range(10)]
    readers = {100 + number: 3 for number in range(10)}
    before = Leading([read, unread], found)
    assert before.rate(read) == before.rate(unread), "where nobody reads, all count alike"
    after = Leading([read, unread], found, readers)
    assert after.rate(read) / before.rate(read) == pytest.approx((30 + 5 * 1.5) / (15 * 1.5))
    assert after.rate(unread) / before.rate(unread) == pytest.approx(5 / 15), "less often, and never not at all"


def test_ranks_count_where_there_are_some_else_links() -> None:
    pages = [visited(1, met=8), visited(2, met=0)]
    by_rank = weighing({1: 0.25, 2: 0.75}, pages)
    assert [by_rank.importance(one) for one in pages] == [0.75, 1.25]
    by_links = weighing({}, pages)
    assert [by_links.importance(one) for one in pages] == [pytest.approx(0.5 + 0.9), pytest.approx(0.5 + 0.1)]
    assert (by_rank.by, by_links.by) == ("PageRank", "links counted")


def test_priority_counts_against_what_is_usual_on_its_site() -> None:
    pages = [visited(1, priority=0.9), visited(2, priority=0.9), visited(3, lane=2, priority=0.9),
             visited(4, lane=2, priority=0.1)]  # fmt: skip
    weigher: Weighing = weighing({}, pages)
    told: Callable[[Visited], float] = weigher.importance
    assert [told(one) for one in pages] == pytest.approx([1.0, 1.0, 4**0.4, 4**-0.4])


def test_pages_that_are_read_matter_more_and_an_ordinary_page_stays_ordinary() -> None:
    pages = [visited(1), visited(2), visited(3)]
    weigher = weighing({1: 1 / 3, 2: 1 / 3, 3: 1 / 3}, pages, {1: 6})
    assert [weigher.importance(one) for one in pages] == pytest.approx([7 * 3 / 9, 3 / 9, 3 / 9])
    assert sum(weigher.importance(one) for one in pages) == pytest.approx(3.0)
