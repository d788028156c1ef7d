"""Links are numbered and followed as if all of them were in memory."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_library import Book, keep, redirect

from whimbrel.rank.pagerank import pagerank
from whimbrel.search import graph, link_numbers
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.graph import graph_of, link_graph
from whimbrel.search.link_numbers import LinkNumbers
from whimbrel.search.links import Links
from whimbrel.search.ranks import TOLERANCE, ranks_of

NOW = 1_700_000_000.0
full = st.integers(1, (1 << 64) - 1)
same_folder = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None, max_examples=40
)


@same_folder
@given(st.dictionaries(full, st.integers(1, (1 << 32) - 1), max_size=60), full)
def test_digests_keep_their_numbers_while_the_table_widens(tmp_path: Path, known: dict[int, int], other: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_numbers, "FEWEST_SLOTS", 8)
        table = LinkNumbers(tmp_path)
        for digest, number in known.items():
            assert table.number(digest, number) == number
    assert {digest: table.number(digest, 7) for digest in known} == known
    assert table.number(other, 7) == known.get(other, 7)


def test_the_table_of_digests_leaves_no_file(tmp_path: Path) -> None:
    table = LinkNumbers(tmp_path, expected=100_000)
    assert table.number(7, 1) == 1
    assert list(tmp_path.iterdir()) == []


def test_numbers_of_links_go_on_from_what_is_known(tmp_path: Path) -> None:
    first = Links(LinkNumbers(tmp_path), [])
    urls = [f"http://a.example/{number}" for number in range(5)]
    numbers = first.numbers(urls, ["text"] * 5)  # type: ignore[arg-type]
    new, targets = first.take_new()
    assert (len(new), len(targets)) == (5, 5)
    dropped = [(0 if number == 5 else digest, number) for _, number, digest, _ in new]
    again = Links(LinkNumbers(tmp_path, 5), dropped)
    assert again.numbers(urls[:4], ["text"] * 4) == numbers[:16]  # type: ignore[arg-type]
    again.numbers(urls[4:], ["text"])  # type: ignore[arg-type]
    assert [number for _, number, _, _ in again.take_new()[0]] == [6]


def library(folder: Path) -> None:
    chance = np.random.default_rng(5)
    books = {
        f"/{number}": Book(
            f"Page {number}", f"word{number}",
            {f"/{to}": "see" for to in [number, *chance.integers(0, 90, number % 7).tolist()]},
            twin_of=f"/{number - 1}" if number % 10 == 9 else "",
        )
        for number in range(80)
    }  # fmt: skip
    keep(folder, books)
    for number in range(80, 85):
        redirect(folder, f"/{number}", f"/{number - 40}")
    with Indexer(folder) as indexer:
        indexer.catch_up()


@pytest.mark.parametrize("links", [1, 3, 1 << 18])
def test_ranks_by_pieces_are_those_of_the_whole_graph(
    tmp_path: Path, links: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    library(tmp_path / "folder")
    monkeypatch.setattr(graph, "PIECE_LINKS", links)
    with Searcher(tmp_path / "folder") as searcher:
        book = searcher.state()[1]
        keys, sources, targets = link_graph(book)
        with graph_of(book) as made:
            ranks = ranks_of(made)
    assert len(keys) == 72
    assert len(targets) == len(sources) > 100
    assert ranks.tolist() == pagerank(sources, targets, len(keys), tolerance=TOLERANCE).tolist()


def test_the_graph_is_that_of_the_links_one_by_one(tmp_path: Path) -> None:
    library(tmp_path / "folder")
    with Searcher(tmp_path / "folder") as searcher:
        book = searcher.state()[1]
        keys, sources, targets = link_graph(book)
        leads = dict(book.moved()) | dict(book.standing_for())
        called = dict(book.targets(book.most_links()))
        pages = dict(book.linked())
    assert (len(leads), len(pages)) == (13, 72)
    wanted = {
        (key, goal)
        for key, numbers in pages.items()
        for number in np.frombuffer(numbers, np.uint32).tolist()
        if (goal := leads.get(there := leads.get(called[number], called[number]), there)) in pages and goal != key
    }
    assert sorted(zip(keys[sources].tolist(), keys[targets].tolist(), strict=True)) == sorted(wanted)
