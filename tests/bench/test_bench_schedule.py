"""`bench schedule`: the simulated world keeps its rules, and what is concluded follows from the figures."""

import json
from math import inf
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

from whimbrel.bench import schedule
from whimbrel.bench.schedule import Figure, figure, jain, simulate
from whimbrel.bench.schedule_world import (
    DELAY,
    SHAPES,
    ScheduleWorld,
    SimulatedLane,
    SimulatedMachine,
    SimulatedMigrant,
    SimulatedSite,
    world,
)
from whimbrel.cli import bench_schedule
from whimbrel.cli.words import number
from whimbrel.migrants.home.choice import Strategy

QUICK = SimulatedMachine(
    name="quick", pages_per_second=100.0, latency_seconds=0.01, bytes_per_second=1e8, memory_megabytes=1024,
    disk_bytes=1e9, slowdown=(1.0,) * 60,
)  # fmt: skip
FIFTY = SimulatedSite("a.example", 0.0, 50, 10_000, 1.0)


def different(**fields: object) -> SimulatedMachine:
    return msgspec.structs.replace(QUICK, **fields)


def crawled_by(machine: SimulatedMachine, *sites: SimulatedSite) -> list[SimulatedLane]:
    crawling = SimulatedMigrant(machine, 0, Random(1))
    lanes = [SimulatedLane(site) for site in sites]
    for lane in lanes:
        crawling.give(lane, lane.site.at)
    crawling.advance(inf)
    return lanes


@pytest.fixture(scope="module")
def report() -> schedule.ScheduleReport:
    return schedule.run(schedule.ScheduleTrial(seeds=2, crews=(4, 6)), lambda words: None)


def test_a_lane_is_asked_once_a_second_however_quick_the_migrant() -> None:
    (lane,) = crawled_by(QUICK, FIFTY)
    assert lane.ended_at == pytest.approx(49 * DELAY, abs=0.1)


def test_lanes_do_not_wait_for_each_other() -> None:
    lanes = crawled_by(QUICK, *(msgspec.structs.replace(FIFTY, name=f"{i}.example") for i in range(20)))
    assert max(lane.ended_at for lane in lanes) < 52


@pytest.mark.parametrize(
    ("machine", "least_seconds"),
    [
        (different(pages_per_second=0.5), 100),
        (different(pages_per_second=1.0, slowdown=(3.0,) * 60), 150),
        (different(bytes_per_second=5_000), 100),
        (different(latency_seconds=3.0), 150),
        (different(disk_bytes=0.0, bytes_per_second=10_000), 90),
    ],
)
def test_what_a_machine_lacks_holds_it_up(machine: SimulatedMachine, least_seconds: float) -> None:
    (lane,) = crawled_by(machine, FIFTY)
    assert lane.ended_at >= least_seconds


def test_memory_limits_how_many_pages_are_under_way() -> None:
    sites = [msgspec.structs.replace(FIFTY, name=f"{i}.example", pages=1) for i in range(64)]
    slow = different(latency_seconds=10.0)
    assert max(lane.ended_at for lane in crawled_by(slow, *sites)) < 12
    assert max(lane.ended_at for lane in crawled_by(msgspec.structs.replace(slow, memory_megabytes=128), *sites)) > 70


def test_a_failing_migrant_loses_what_is_under_way_and_nothing_else() -> None:
    first = SimulatedMigrant(different(latency_seconds=0.5, down=(20.25, 90.0)), 0, Random(1))
    second = SimulatedMigrant(different(name="other"), 1, Random(1))
    lane = SimulatedLane(FIFTY)
    first.give(lane, 0.0)
    first.advance(20.25)
    assert lane.begun == 21
    assert first.fail(20.25) == [lane]
    assert lane.begun == 20
    second.give(lane, 20.25 + DELAY)
    second.advance(inf)
    assert lane.parts == [(0, 0, 20), (1, 20, 50)]
    assert lane.ended_at == pytest.approx(20.25 + DELAY + 29 * DELAY, abs=0.1)
    assert not first.live(50.0)
    assert first.live(90.0)


def test_a_site_shows_its_size_only_while_it_is_crawled() -> None:
    crawling = SimulatedMigrant(QUICK, 0, Random(1))
    lane = SimulatedLane(msgspec.structs.replace(FIFTY, pages=1_000, rank=2.0))
    crawling.give(lane, 0.0)
    before = crawling.measured(0.0)
    assert (before.load, before.url_capacity, before.parent_rank, before.finished) == (10, 10, 20, 0)
    crawling.advance(19.5)
    after = crawling.measured(20.0)
    assert (after.load, after.url_capacity, after.finished) == (64, 10 + 4 * 20 - 20, 20)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_world_is_the_same_each_time_and_has_one_failing_migrant(shape: str) -> None:
    one = world(shape, 4, 3)
    assert one == world(shape, 4, 3) != world(shape, 4, 4)
    assert sum(machine.down[0] < inf for machine in one.machines) == 1
    assert any(site.mirrors is not None for seed in range(5) for site in world(shape, 4, seed).sites)
    assert all(site.mirrors is None or site.mirrors < i for i, site in enumerate(one.sites))


@pytest.mark.parametrize("strategy", Strategy)
def test_everything_is_crawled_in_the_end(strategy: Strategy) -> None:
    one = world("mixed", 4, 2)
    run = simulate(one, strategy)
    assert run == simulate(one, strategy)
    assert run.makespan < inf
    assert run.saved + run.duplicates == run.crawled <= sum(site.pages for site in one.sites)
    assert 0 <= run.on_the_spot <= run.duplicates
    assert 0.25 <= run.evenness <= 1.0


def test_mirrors_are_recognised_on_the_spot_by_one_migrant() -> None:
    sites = (FIFTY, SimulatedSite("b.example", 1.0, 40, 10_000, 1.0, mirrors=0))
    run = simulate(ScheduleWorld((different(down=(590.0, 595.0)),), sites), Strategy.LEAST_LOADED)
    assert (run.crawled, run.duplicates, run.on_the_spot) == (90, 32, 32)


def test_mirrors_at_two_migrants_are_left_to_home() -> None:
    sites = (FIFTY, SimulatedSite("b.example", 1.0, 40, 10_000, 1.0, mirrors=0))
    crew = (different(down=(590.0, 595.0)), different(name="second"))
    run = simulate(ScheduleWorld(crew, sites), Strategy.ROUND_ROBIN)
    assert (run.crawled, run.duplicates, run.on_the_spot) == (90, 32, 0)


def test_jain_is_one_where_all_do_alike_and_a_share_where_one_does_all() -> None:
    assert jain([2.0, 2.0, 2.0]) == pytest.approx(1.0)
    assert jain([5.0, 0.0, 0.0, 0.0]) == pytest.approx(0.25)
    assert jain([0.0, 0.0]) == 1.0


def test_a_figure_says_how_sure_it_is() -> None:
    assert figure([3.0]) == Figure(3.0, inf)
    assert figure([1.0, 1.0, 1.0]) == Figure(1.0, 0.0)
    # Student's t for 19 degrees of freedom is 2.093; the standard error here is 0.2294.
    assert figure([1.0, 3.0] * 10).within == pytest.approx(2.093 * 0.2294, rel=0.01)


def test_a_small_run_compares_all_ways_everywhere(report: schedule.ScheduleReport) -> None:
    assert [(scene.migrants, scene.shape) for scene in report.scenes] == [
        (n, shape) for n in (4, 6) for shape in SHAPES
    ]
    for scene in report.scenes:
        assert [line.way for line in scene.lines] == list(schedule.WAYS)
        best = max(scene.lines, key=lambda line: line.figures["saved"].mean)
        assert best.way in scene.winners
    assert report.advice == report.standings[0].way
    assert report.standings[0].behind == ""
    assert sum(one.saved.mean for one in report.standings) == pytest.approx(len(schedule.WAYS))


def test_the_worst_way_is_not_advised(report: schedule.ScheduleReport) -> None:
    """Blind to load and speed, hashing falls far behind in any of these worlds."""
    assert report.advice != "host hash"
    assert min(report.standings, key=lambda one: one.saved.mean).way in ("host hash", "round robin")


def test_the_verb_prints_every_way_and_the_papers_figures() -> None:
    shown = CliRunner().invoke(bench_schedule.schedule, ["--seeds", "2", "--migrants", "2"], standalone_mode=False)
    assert shown.exception is None
    assert all(way in shown.output for way in schedule.WAYS)
    assert "recommended: " in shown.output
    assert f"crawled {number(4169)} with AHP, {number(3735)} without" in shown.output


def test_the_verb_as_json() -> None:
    shown = CliRunner().invoke(
        bench_schedule.schedule, ["--seeds", "2", "--migrants", "2", "--json"], standalone_mode=False
    )
    answer = json.loads(shown.stdout)
    assert answer["advice"] in schedule.WAYS
    assert answer["consistency"]["ahp"] <= 0.1
