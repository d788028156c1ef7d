"""A site given to one migrant goes to another when that one turns out to be better by far, and not before."""

from collections.abc import Sequence

import msgspec
import pytest

from whimbrel.migrants.home.balance import better_held
from whimbrel.migrants.home.books import EVERY_SLICE, LaneBook
from whimbrel.migrants.home.choice import Choice, Strategy, choose
from whimbrel.migrants.home.chooser import Chooser
from whimbrel.migrants.home.lifecycle import MigrantState
from whimbrel.migrants.home.places import MigrantPlace
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire.messages import Pulse
from whimbrel.repository.contract import Lease

NOW = 1_000.0
HOST = "docs.example.org"


def migrant(name: str, seconds_a_page: float, load: int, *, cpu_seconds: float = 1.0) -> Proxy:
    """One at a place of the site, by what it measured there."""
    made = Proxy(name, MigrantPlace(f"place-{name}", sites=(HOST,)), "", 0.0)
    made.state = MigrantState.ACTIVE
    made.visits = finished = 100
    made.pulse = Pulse(
        load, 0, 1, 0.0, [], cpu_seconds, 50 << 20, 10**9, latency_seconds=seconds_a_page,
        bandwidth=20_000 / seconds_a_page, task_seconds=finished * seconds_a_page,
    )  # fmt: skip
    return made


def held_by(holder: Proxy, tasks: int) -> LaneBook:
    book = LaneBook(1, HOST, shy=False)
    book.give(EVERY_SLICE, holder)
    for key in range(tasks):
        holder.leases[key] = Lease(1, 0, key, key, 0)
        book.lease(key, holder)
    return book


def moved(strategy: Strategy, book: LaneBook, proxies: Sequence[Proxy]) -> tuple[str, list[Choice]]:
    chooser = Chooser(strategy)
    moves = better_held([book], proxies, lambda _, __: True, lambda b, h, p: chooser.again(b, h, p, NOW))
    choices = [msgspec.json.decode(made.choice, type=Choice) for made in chooser.drain()]
    return (moves[0][3].name if moves else ""), choices


@pytest.mark.parametrize("strategy", [Strategy.AHP, Strategy.WEIGHTED_ROUND_ROBIN])
def test_a_lane_goes_to_whoever_turns_out_to_be_faster_by_far(strategy: Strategy) -> None:
    slow, fast = migrant("m1", 2.0, 60), migrant("m2", 0.05, 0, cpu_seconds=0.1)
    name, (choice,) = moved(strategy, held_by(slow, 40), [slow, fast])
    assert name == "m2"
    assert choice.chosen == "m2"
    assert "m1 held it until then" in choice.notes
    assert choose(choice.inputs) == choice, "it can be made again from its record"


@pytest.mark.parametrize("strategy", list(Strategy))
def test_among_equals_nothing_moves_although_the_holder_has_the_lane_to_do(strategy: Strategy) -> None:
    one, other = migrant("m1", 0.5, 40), migrant("m2", 0.5, 0)
    assert moved(strategy, held_by(one, 40), [one, other]) == ("", [])


@pytest.mark.parametrize("strategy", [Strategy.HOST_HASH, Strategy.ROUND_ROBIN])
def test_what_is_not_chosen_by_measure_stays_where_it_is(strategy: Strategy) -> None:
    slow, fast = migrant("m1", 2.0, 90), migrant("m2", 0.05, 0)
    assert moved(strategy, held_by(slow, 40), [slow, fast]) == ("", [])


def test_nobody_is_judged_before_anything_was_measured() -> None:
    slow, unknown = migrant("m1", 2.0, 60), migrant("m2", 0.05, 0)
    unknown.pulse = None
    assert moved(Strategy.AHP, held_by(slow, 40), [slow, unknown]) == ("", [])


def test_a_lane_on_its_way_or_shared_is_left_alone() -> None:
    slow, fast = migrant("m1", 2.0, 60), migrant("m2", 0.05, 0, cpu_seconds=0.1)
    book = held_by(slow, 40)
    book.moving = slow
    assert moved(Strategy.AHP, book, [slow, fast]) == ("", [])
    book.moving, book.divisible = None, True
    assert moved(Strategy.AHP, book, [slow, fast]) == ("", [])
