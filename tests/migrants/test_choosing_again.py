"""A site given to one migrant goes to another when that one turns out to be better by far, and not before."""

from collections.abc import Sequence

import msgspec
import pytest

from whimbrel.migrants.home.balance import better_held
from whimbrel.migrants.home.books import EVERY_SLICE, LaneBook
from whimbrel.migrants.home.choice import Choice, Strategy, choose
from whimbrel.migrants.home.chooser import Chooser, worth_of
from whimbrel.migrants.home.lifecycle import MigrantState
from whimbrel.migrants.home.places import MigrantPlace, PlaceMeasured
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire.channel import OtherEnd
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


UNKNOWN_WAY = PlaceMeasured()


def moved(
    strategy: Strategy, book: LaneBook, proxies: Sequence[Proxy], ways: "dict[str, PlaceMeasured] | None" = None
) -> tuple[str, list[Choice]]:
    """`ways` are by the names of places."""
    chooser = Chooser(strategy, measures=lambda place: (ways or {}).get(place, UNKNOWN_WAY))
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


class CountedLine:
    """A channel over which so much came."""

    def __init__(self, carried: int) -> None:
        self._carried = carried

    def peer(self) -> OtherEnd:
        return OtherEnd(carried_bytes=self._carried)


def over_a_line(one: Proxy, carried: int) -> Proxy:
    one._channel = CountedLine(carried)  # type: ignore[assignment]
    return one


NARROW = PlaceMeasured(0.4, 20_000.0, 0.5)
WIDE = PlaceMeasured(0.01, 10e6, 0.5)


@pytest.mark.parametrize("strategy", [Strategy.AHP, Strategy.WEIGHTED_ROUND_ROBIN])
def test_a_narrow_way_home_weighs_against_a_place_that_is_equal_at_its_site(strategy: Strategy) -> None:
    far, near = over_a_line(migrant("m1", 0.2, 40), 4 << 20), over_a_line(migrant("m2", 0.2, 0), 4 << 20)
    ways = {"place-m1": NARROW, "place-m2": WIDE}
    if strategy is Strategy.WEIGHTED_ROUND_ROBIN:
        name, (choice,) = moved(strategy, held_by(far, 40), [far, near], ways)
        assert name == "m2"
        assert any("400.0 ms there and back, 20 kB/s, load 0.5 a core" in note for note in choice.notes)
        assert choose(choice.inputs) == choice
    shares = {name: share(strategy, ways)[name] for name in ("m1", "m2")}
    assert shares["m2"] > 1.15 * shares["m1"]
    level = share(strategy, dict.fromkeys(ways, WIDE))
    assert level["m1"] == pytest.approx(level["m2"])
    assert moved(strategy, held_by(far, 40), [far, near], dict.fromkeys(ways, NARROW)) == ("", []), "both are as far"


def share(strategy: Strategy, ways: dict[str, PlaceMeasured]) -> dict[str, float]:
    """What two that are equal at their site are worth to a site that nobody has yet."""
    proxies = [over_a_line(migrant(name, 0.2, 0), 4 << 20) for name in ("m1", "m2")]
    chooser = Chooser(strategy, measures=ways.__getitem__)
    chooser(LaneBook(1, HOST, shy=False), proxies, NOW)
    choice = msgspec.json.decode(chooser.drain()[0].choice, type=Choice)
    return {one.name: worth_of(one, strategy) for one in choice.alternatives}


def test_a_machine_with_more_to_do_than_cores_counts_as_a_slower_one() -> None:
    ways = {"place-m1": PlaceMeasured(0.01, 1e7, 4.0), "place-m2": PlaceMeasured(0.01, 1e7, 0.9)}
    shares = share(Strategy.AHP, ways)
    assert shares["m2"] > 1.2 * shares["m1"]


def test_what_is_not_measured_of_a_way_speaks_neither_for_nor_against_it() -> None:
    ways = {"place-m1": UNKNOWN_WAY, "place-m2": PlaceMeasured(0.01, None, None)}
    shares = share(Strategy.AHP, ways)
    assert shares["m1"] == pytest.approx(shares["m2"])


def test_a_place_that_was_not_tried_yet_is_known_by_its_way_home() -> None:
    """It would work as the holder does, and send home what the holder sends, over its own way."""
    holder, idle = over_a_line(migrant("m1", 0.2, 40), 4 << 20), migrant("m2", 0.2, 0)
    idle.visits, idle.pulse = 0, msgspec.structs.replace(idle.pulse, task_seconds=0.0)
    book, strategy = held_by(holder, 40), Strategy.WEIGHTED_ROUND_ROBIN
    name, (choice,) = moved(strategy, book, [holder, idle], {"place-m1": NARROW, "place-m2": WIDE})
    assert name == "m2"
    assert choose(choice.inputs) == choice
    assert moved(strategy, book, [holder, idle], {"place-m1": WIDE, "place-m2": NARROW}) == ("", [])
    assert moved(strategy, book, [holder, idle], {"place-m1": NARROW}) == ("", []), "nothing is known of the other"
