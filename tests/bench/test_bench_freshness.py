"""The benchmark measures what it says."""

import gzip
import json
from math import exp, inf
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from whimbrel.bench.freshness import FreshnessTrial, measure, run, simulate
from whimbrel.bench.freshness_policies import BEST_INTERVALS, OURS, WITHOUT_SIGNALS, best_intervals, bound
from whimbrel.bench.freshness_sources import FOR_NEW_PAGES, FOR_THEMSELVES, PLANNERS, Growth, play, site_of
from whimbrel.bench.freshness_worlds import (
    MANNERS,
    SIMULATED,
    TUNING,
    FreshnessWorld,
    ImportanceSpread,
    WorldPage,
    WorldScale,
    changelogs,
    simulated,
)
from whimbrel.cli.bench_freshness import freshness
from whimbrel.revisit.worth import freshness as share_fresh
from whimbrel.revisit.worth import worth

DAY = 86_400.0
SMALL = WorldScale(pages=24, ticks=160, visits=2)


def page(changes: tuple[float, ...], importance: float = 1.0) -> WorldPage:
    return WorldPage(importance, MANNERS[2], ((0.0, 1.0),), changes, ())


def test_freshness_and_age_are_exact() -> None:
    world = FreshnessWorld(
        "w", 1, (page((12.0, 13.0)), page((), importance=3.0)), length=20.0, tick=1.0, visits=1, learned=10.0
    )
    measured = measure(world, [[0.0, 11.0, 16.0], [0.0]])
    # Stale from 12 to 16 of ten seconds, at ages from 0 to 4; the other page is three times as important.
    assert measured.freshness == pytest.approx((0.6 + 3.0) / 4)
    assert measured.age_seconds == pytest.approx(8.0 / 10 / 4)


def test_what_began_before_the_measured_half_is_older() -> None:
    world = FreshnessWorld("w", 1, (page((8.0,)),), length=20.0, tick=1.0, visits=1, learned=10.0)
    measured = measure(world, [[0.0, 14.0]])
    assert measured.freshness == pytest.approx(0.6)
    assert measured.age_seconds == pytest.approx((6**2 - 2**2) / 2 / 10)


def test_the_optimum_spends_its_budget_at_one_marginal_worth() -> None:
    rates, importance = [0.1, 0.5, 1.0, 50.0], [1.0, 2.0, 1.0, 1.0]
    intervals = best_intervals(rates, importance, budget=1.0)
    assert sum(1 / interval for interval in intervals) == pytest.approx(1.0, rel=1e-6)
    assert intervals[3] == inf
    worths = [worth(rate, t, mu) for rate, t, mu in zip(rates[:3], intervals[:3], importance[:3], strict=True)]
    assert max(worths) == pytest.approx(min(worths), rel=1e-6)


def test_no_other_intervals_are_better() -> None:
    rates = [0.1, 0.5, 2.0]
    best = best_intervals(rates, [1.0] * 3, budget=1.0)

    def fresh(visits: list[float]) -> float:
        return sum(share_fresh(rate, 1 / visit) for rate, visit in zip(rates, visits, strict=True) if visit > 0)

    top = fresh([1 / interval for interval in best])
    others = [[a / 20, b / 20, (20 - a - b) / 20] for a in range(1, 19) for b in range(1, 20 - a)]
    assert all(fresh(other) <= top + 1e-9 for other in others)
    assert top - max(fresh(other) for other in others) < 0.01


def test_every_policy_spends_the_same() -> None:
    world = simulated("steady", 1, ImportanceSpread.ALIKE, SMALL)
    for make in WITHOUT_SIGNALS.values():
        visits = simulate(world, make(world))
        assert sum(map(len, visits)) == len(world.pages) + (SMALL.ticks - 1) * SMALL.visits


def test_the_best_intervals_come_to_what_is_calculated_of_them() -> None:
    world = simulated("steady", 1, ImportanceSpread.ALIKE, WorldScale(pages=60, ticks=1500, visits=6))
    rates = [one.rate(0.0) for one in world.pages]
    intervals = best_intervals(rates, [1.0] * 60, world.visits / world.tick)
    calculated = sum(share_fresh(rate, t) if t < inf else 0.0 for rate, t in zip(rates, intervals, strict=True)) / 60
    measured = measure(world, simulate(world, WITHOUT_SIGNALS[BEST_INTERVALS](world)))
    assert measured.freshness == pytest.approx(calculated, abs=0.03)
    assert bound(world) == pytest.approx(calculated)


def test_a_page_that_is_given_up_does_not_spoil_the_plan() -> None:
    """The first page begins at no share of its interval, which is infinite where it changes too fast to follow."""
    fast = WorldPage(1.0, MANNERS[2], ((0.0, 500.0),), tuple(number / 500 for number in range(100_000)), ())
    slow = [WorldPage(1.0, MANNERS[2], ((0.0, 0.05),), tuple(range(number, 200, 20)), ()) for number in range(3)]
    world = FreshnessWorld("w", 1, (fast, *slow), length=200.0, tick=1.0, visits=1, learned=100.0)
    visits = simulate(world, WITHOUT_SIGNALS[BEST_INTERVALS](world))
    assert len(visits[0]) == 1
    assert min(map(len, visits[1:])) > 60


@pytest.mark.parametrize("weights", list(ImportanceSpread))
def test_no_division_of_the_visits_exceeds_the_bound(weights: ImportanceSpread) -> None:
    """By hand, over a grid of divisions among three pages; two stretches of time are bounded each by itself."""
    pages = simulated("heavy tail", 3, weights, WorldScale(3, 100, 1)).pages
    moved = [msgspec.structs.replace(one, rates=(*one.rates, (15 * DAY, 2 * one.rates[0][1]))) for one in pages]
    world = FreshnessWorld("w", 3, tuple(moved), length=20 * DAY, tick=DAY, visits=1, learned=10 * DAY)

    def fresh(shares: tuple[float, ...], at: float) -> float:
        each = [
            one.importance * share_fresh(one.rate(at), DAY / share)
            for one, share in zip(world.pages, shares, strict=True)
        ]
        return sum(each) / sum(one.importance for one in world.pages)

    divisions = [(a / 40, b / 40, (40 - a - b) / 40) for a in range(1, 39) for b in range(1, 40 - a)]
    best = [max(fresh(shares, at) for shares in divisions) for at in (10 * DAY, 15 * DAY)]
    assert sum(best) / 2 <= bound(world) + 1e-9
    assert bound(world) - sum(best) / 2 < 0.02


def test_the_penalty_is_harmonic_in_unseen_changes() -> None:
    world = FreshnessWorld("w", 1, (page((8.0, 12.0, 13.0)),), length=20.0, tick=1.0, visits=1, learned=10.0)
    # One unseen from 10 on, a second from 12, a third from 13, all seen at 16.
    assert measure(world, [[0.0, 16.0]]).penalty == pytest.approx((6 + 4 / 2 + 3 / 3) / 10)


@pytest.mark.parametrize("name", [*SIMULATED, *TUNING])
def test_worlds_have_the_rates_they_tell(name: str) -> None:
    world = simulated(name, 7, ImportanceSpread.ALIKE, WorldScale(pages=200, ticks=400, visits=6))
    told = sum(
        rate * (min(end, world.length) - start)
        for one in world.pages
        for (start, rate), end in zip(one.rates, [*(s for s, _ in one.rates[1:]), world.length], strict=True)
    )
    assert sum(len(one.changes) for one in world.pages) == pytest.approx(told, rel=0.12)
    assert all(list(one.changes) == sorted(one.changes) for one in world.pages)
    assert simulated(name, 7, ImportanceSpread.ALIKE, WorldScale(20, 40, 2)) == simulated(
        name, 7, ImportanceSpread.ALIKE, WorldScale(20, 40, 2)
    )


def test_ours_is_near_the_bound_and_above_uniform() -> None:
    worlds = [
        simulated("gamma rates", seed, ImportanceSpread.PARETO, WorldScale(pages=60, ticks=400, visits=3))
        for seed in (101, 102)
    ]
    fresh = {
        name: sum(measure(world, simulate(world, WITHOUT_SIGNALS[name](world))).freshness for world in worlds) / 2
        for name in (OURS, "uniform")
    }
    assert fresh[OURS] >= 0.93 * sum(map(bound, worlds)) / 2
    assert fresh[OURS] > fresh["uniform"]


def test_releases_are_read_from_changelogs(tmp_path: Path) -> None:
    def package(name: str, dates: list[str]) -> None:
        (tmp_path / name).mkdir()
        text = "".join(f"p (1) unstable; urgency=low\n\n  * x\n\n -- A B <a@b.org>  {date}\n\n" for date in dates)
        (tmp_path / name / "changelog.Debian.gz").write_bytes(gzip.compress(text.encode()))

    old = ["Wed, 02 Feb 2022 10:00:00 +0100", "Tue, 01 Jan 2013 00:00:00 +0000", "Fri, 01 Jan 2010 00:00:00 +0000"]
    package("a", [*old, "no date at all"])
    package("a-doc", old)
    package("young", old[:2])
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "changelog.Debian.gz").write_bytes(b"\x1f\x8bnonsense")
    (history,) = changelogs(tmp_path)
    assert len(history) == 2
    assert history[1] - history[0] == pytest.approx(9.088 * 365.25 * 86_400, rel=1e-3)


def test_a_whole_run_and_its_tables(tmp_path: Path) -> None:
    report = run(FreshnessTrial(seeds=2, scale=WorldScale(12, 20, 1)), lambda words: None)
    assert {table.world for table in report.tables} == set(SIMULATED)
    assert len(report.tables) == 4 * len(SIMULATED)
    for table in report.tables:
        ours = next(row for row in table.rows if row.policy == table.ours)
        assert (ours.ahead, ours.noise) == (0.0, 0.0)
        assert all(0.0 <= row.freshness <= 1.0 for row in table.rows)
    flags = ["--seeds", "2", "--pages", "12", "--ticks", "20", "--visits", "1", "--histories", str(tmp_path)]
    said = CliRunner().invoke(freshness, flags, standalone_mode=False)
    assert "nothing replayed" in said.stdout
    assert "steady, by importance" in said.stdout
    answered = CliRunner().invoke(freshness, [*flags, "--json"], standalone_mode=False)
    assert json.loads(answered.stdout)["seeds"] == [1, 2]


def test_new_pages_are_known_sooner_where_lists_are_visited_for_them() -> None:
    """In a world of none of the tables."""
    growth = Growth("magazine", lists=6, new_a_day=4.0, tail=0.9, pages=60, changes=0.2, requests=3)
    site = site_of(growth, 101, 160)
    assert sum(map(len, site.moments[:6])) / 40 == pytest.approx(4.0, rel=0.3)
    known = {name: play(site, make(site)) for name, make in PLANNERS.items()}
    assert known[FOR_NEW_PAGES].delay_days < 0.4 * known[FOR_THEMSELVES].delay_days
    assert known[FOR_NEW_PAGES].freshness > known[FOR_THEMSELVES].freshness - 0.08
    assert all(0.0 <= one.freshness <= 1.0 for one in known.values())


def test_a_burst_is_a_burst() -> None:
    world = simulated("bursts", 1, ImportanceSpread.ALIKE, WorldScale(pages=100, ticks=800, visits=6))
    gaps = [b - a for one in world.pages for a, b in zip(one.changes, one.changes[1:], strict=False)]
    mean = sum(gaps) / len(gaps)
    # Of a Poisson process a tenth of the mean gap is undercut by 1 − e^(−0.1) of the gaps.
    assert sum(gap < mean / 10 for gap in gaps) / len(gaps) > 3 * (1 - exp(-0.1))
