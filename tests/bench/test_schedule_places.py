"""`bench schedule --places`: a place's way home bounds what has arrived, and sites move as in a crawl."""

from math import inf
from random import Random

import pytest
from msgspec.structs import replace

from whimbrel.bench import schedule_places as bench
from whimbrel.bench.schedule_places import MANNERS, ChoosingManner, PlacedMachine, PlacedMigrant, places_world, simulate
from whimbrel.bench.schedule_world import DEADLINE, PACKED, ScheduleWorld, SimulatedLane, SimulatedSite
from whimbrel.migrants.home.choice import Strategy

QUICK = PlacedMachine(
    name="p1", pages_per_second=100.0, latency_seconds=0.01, bytes_per_second=1e8, memory_megabytes=1024,
    disk_bytes=1e9, slowdown=(1.0,) * 60, home_seconds=0.2, home_bytes_per_second=1e7,
)  # fmt: skip
SITE = SimulatedSite("a.example", 0.0, 40, 40_000, 1.0)


def arrivals(machine: PlacedMachine) -> list[float]:
    placed, lane = PlacedMigrant(machine, 0, Random(1)), SimulatedLane(SITE)
    placed.give(lane, 0.0)
    placed.advance(inf)
    return [at for _, at, _ in placed.carried]


def test_what_is_crawled_arrives_when_the_way_has_carried_it() -> None:
    narrow = replace(QUICK, home_bytes_per_second=100.0)
    assert arrivals(QUICK)[-1] == pytest.approx(39 + 0.1, abs=0.2), "asked once a second, and half a round trip"
    packed = 40 * SITE.page_bytes * PACKED
    assert arrivals(narrow)[-1] == pytest.approx(packed / 100.0 + 0.1, rel=0.01)


def test_what_lies_on_the_disk_of_a_place_that_fails_comes_once_it_is_back() -> None:
    placed, lane = PlacedMigrant(replace(QUICK, down=(20.5, 120.5)), 0, Random(1)), SimulatedLane(SITE)
    placed.give(lane, 0.0)
    placed.advance(20.5)
    done = sum(finished <= 20.5 for finished, _, _ in placed.carried)
    (lost,) = placed.fail(20.5)
    assert lost is lane
    assert lane.begun == len(placed.carried) == done
    assert all(at <= 20.5 or at > 120.5 for _, at, _ in placed.carried)


def test_a_site_leaves_a_place_that_turns_out_slow_and_only_where_choices_are_made_again() -> None:
    slow = replace(QUICK, name="p2", pages_per_second=0.05, home_bytes_per_second=1e3)
    busy = tuple(replace(SITE, name=f"{i}.example", pages=400, at=float(i)) for i in range(6))
    down = replace(QUICK, name="p3", down=(1.0, inf))
    world = ScheduleWorld((QUICK, slow, down), busy)
    again, moved = simulate(world, ChoosingManner(Strategy.WEIGHTED_ROUND_ROBIN, again=True))
    once, never = simulate(world, ChoosingManner(Strategy.WEIGHTED_ROUND_ROBIN))
    assert never == 0 < moved
    assert again.crawled > once.crawled
    assert again.makespan < 0.1 * once.makespan


def test_a_world_is_the_same_for_every_manner_and_a_run_for_every_time() -> None:
    world = places_world(next(iter(bench.WAYS_HOME)), "mixed", 7)
    for manner in MANNERS.values():
        run, moves = simulate(world, manner)
        assert (run, moves) == simulate(world, manner)
        assert run.saved == run.crawled - run.duplicates > 0
        assert run.on_the_spot <= run.duplicates
        assert 1 / bench.PLACES <= run.evenness <= 1.0
        assert moves == 0 or manner.again
        assert run.crawled <= sum(site.pages for site in world.sites)
        assert run.makespan > 0.5 * DEADLINE
