"""What `bench collection` holds a collection against."""

from pathlib import Path

import pytest

from whimbrel.bench import collection as bench
from whimbrel.testing.web import TinyWeb, site


def test_the_whole_site_is_the_truth_and_every_commit_is_looked_at(tmp_path: Path) -> None:
    with TinyWeb(site(60, 5, seed=4, duplicates=3, redirects=3)) as web:
        bench.crawled(web.url("/"), tmp_path / "whole")
        ranks = bench.true_ranks(tmp_path / "whole")
        watched = bench.crawled(web.url("/"), tmp_path / "best", 6)
    assert len(ranks) == 60
    assert sum(ranks.values()) == pytest.approx(1.0)
    best = sum(sorted(ranks.values(), reverse=True)[:6])
    assert bench.held(tmp_path / "best", ranks) / best > 0.9
    assert (watched.beyond, watched.commits > 0, 1 < watched.rankings <= 20) == (0, True, True)


def test_the_worst_site_counts_and_those_chosen_on_do_not() -> None:
    def one(judged: bool, mass: float, beyond: int = 0) -> bench.CollectedSite:
        return bench.CollectedSite("site", judged, 100, 5, mass, 0.5, 1.0, 7, 3, 9, beyond, 1.0, "")

    goals = bench.goals(bench.CollectionReport((one(False, 0.2), one(True, 1.0), one(True, 0.85, 1))))
    assert [goal.reached for goal in goals] == [True, False, True, False]
    assert bench.goals(bench.CollectionReport((one(False, 1.0),))) == []
