from pathlib import Path

import pytest

from whimbrel.bench import order as bench
from whimbrel.search.ask.ordering import OrderedPage, Ordering


def test_simrank_is_timed_and_held_against_its_definition(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench, "SITES", ())
    monkeypatch.setattr(bench, "MANY_PAGES", 400)
    monkeypatch.setattr(bench, "CHECKED_PAGES", 310)
    report = bench.run(tmp_path, 1, lambda _: None)
    assert [cost.links for cost in report.costs] == ["uniform", "uneven"]
    assert all(0 < cost.apart < 0.05 for cost in report.costs), "it is estimated, and close"
    assert [goal.reached for goal in bench.goals(report) if "difference" not in goal.figure] == [True] * 4


def test_the_first_five_are_held_against_other_orders() -> None:
    pages = tuple(
        OrderedPage(f"http://a.example/{at}", "", 9.0 - at, 7.0 - at, 2.0, 1, by_pagerank=at + 1, by_bm25=8 - at)
        for at in range(8)
    )
    one = bench._figures("a manual", 10, 2.0, Ordering("word", pages, 1.0, 0.5), 0.8)
    assert (one.as_pagerank, one.as_bm25, one.total, one.first) == (5, 2, 9.0, "0")
