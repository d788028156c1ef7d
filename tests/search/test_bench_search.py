"""The bench's items are right by construction, and what it leaves out is out."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from small_library import BOOKS, Book, keep, url_of

from whimbrel.bench.search import judged
from whimbrel.bench.search_build import built
from whimbrel.bench.search_items import KeptPage, KnownItem, kept_pages, sample
from whimbrel.bench.search_large import scaled
from whimbrel.bench.search_latency import CONNECTIONS, QUERIES_A_SECOND, AskingWay, latencies, open_loop
from whimbrel.bench.search_plain import Plain
from whimbrel.bench.search_speed import speed
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.urls.normal import key as key_of


def test_items_name_pages_that_answer(folder: Path) -> None:
    long = " ".join(f"word{number}" for number in range(20))
    keep(folder, {"/long": Book("Long page", long)})
    pages = kept_pages(folder)
    paths = ["/long", *(path for path, book in BOOKS.items() if not book.twin_of)]
    assert {page.key for page in pages} == {key_of(url_of(path)) for path in paths}
    chosen = sample(pages, 50, seed=3)
    assert {item.kind for item in chosen.items} == {"title", "anchor", "paragraph", "typo"}
    assert sample(pages, 50, seed=3) == chosen
    for item in chosen.items:
        assert item.right <= {page.key for page in pages}
        if item.kind == "anchor":
            (target,) = item.right
            assert any(goal == target for goal, _ in chosen.left_out)


def test_a_paragraph_is_right_wherever_a_page_says_it_and_the_sites_own_are_no_items() -> None:
    owned, terms = (" ".join(f"{word}{number}" for number in range(20)) for word in ("bill", "terms"))
    footed = [KeptPage(key, "", f"Page {key}. {terms}", (), (terms,)) for key in range(3, 30)]
    pages = [KeptPage(1, "", owned, (), (owned,)), KeptPage(2, "", f"Menu, {owned}!", (), ()), *footed]
    (item,) = sample(pages, 50, seed=3).items
    assert item.right == {1, 2}
    assert set(item.query.split()) <= set(owned.split())


def test_an_anchor_that_is_left_out_is_not_in_the_index(folder: Path) -> None:
    target = key_of(url_of("/birds/whimbrel"))
    with Indexer(folder, leave_out=frozenset({(target, "seven whistler")})) as indexer:
        indexer.catch_up()
    with Searcher(folder) as searcher:
        assert searcher.answer(parse("seven whistler")).total == 0
        assert searcher.answer(parse("larger curlew")).total > 0


def test_scores_count_places() -> None:
    items = [KnownItem("title", str(place), frozenset({1})) for place in (1, 3, 9)]
    best = {"1": [1, 2], "3": [5, 6, 1], "9": [4]}
    (score,) = judged("x", items, best.__getitem__)
    assert (score.first, score.top_three) == pytest.approx((1 / 3, 2 / 3))
    assert score.reciprocal_rank == pytest.approx((1 + 1 / 3) / 3)


def test_plain_bm25_finds_words(tmp_path: Path) -> None:
    plain = Plain(tmp_path / "plain", [(7, "a curlew calls"), (8, "a boat")])
    assert plain.best("Curlews calling", 10) == [7]
    assert plain.best("nothing", 10) == []


def test_speed_is_measured(folder: Path) -> None:
    measured = speed("small", folder)
    assert measured.pages == sum(not book.twin_of for book in BOOKS.values())
    assert measured.pages_a_second > 0
    assert measured.text_bytes > 300
    assert measured.peak_anonymous_bytes > 10_000_000
    assert measured.peak_file_bytes > 0


def test_a_build_that_fails_is_no_measurement(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="search_build"):
        built(tmp_path / "nothing")


def test_an_open_loop_counts_from_the_moment_a_query_was_due() -> None:
    asked: list[str] = []
    way = AskingWay("test", lambda: nullcontext(asked.append), iter([1.0, 1.5]).__next__, 5.0)
    late = open_loop(way, ["one", "two"], 0.2)
    assert late.queries == 0.2 * QUERIES_A_SECOND
    assert len(asked) == late.queries + 2 * CONNECTIONS
    assert late.cpu == pytest.approx(500 / late.queries)
    assert late.median <= late.p95 <= late.p99 <= late.longest


def test_the_server_is_asked_over_http(indexed: Path) -> None:
    said: list[str] = []
    found = latencies(indexed, ["whimbrel", "curlew bill"], 0.2, said.append)
    assert [one.way.partition(",")[0] for one in found] == ["searcher", "searcher", "HTTP", "HTTP"]
    assert all(one.queries == 0.2 * QUERIES_A_SECOND for one in found)
    assert len(said) == 4


def test_a_large_index_is_made_of_whole_pages_first(folder: Path, tmp_path: Path) -> None:
    real = sum(not book.twin_of for book in BOOKS.values())
    said: list[str] = []
    made = scaled([folder, folder], tmp_path / "large", 2 * real + 3, said.append)
    assert (made.documents, made.real, made.speed.pages) == (2 * real + 3, 2 * real, 2 * real + 3)
    with Searcher(tmp_path / "large") as searcher:
        sites = {hit.site for hit in searcher.answer(parse("whimbrel curved bill"), size=50).hits}
        assert {"site-0.example", "site-1.example"} <= sites
