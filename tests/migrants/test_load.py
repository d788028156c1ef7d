"""When another migrant pays and when one is too many."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.migrants.home.load import IDLE_SECONDS, CrewLimits, Load, Move, Worker, decide

BUSY = Worker("m1", 0.9, 900, 1, 0.0)
SLACK = Worker("m2", 0.2, 10, 1, 0.0)
IDLE = Worker("m3", 0.0, 0, 0, IDLE_SECONDS + 1)


def test_the_busiest_is_cloned_when_there_is_enough_to_share() -> None:
    assert decide(Load((BUSY,), 5_000, 2, 10.0), CrewLimits(1, 2)) == (Move.CREATE, "m1")


def test_a_host_that_must_be_asked_slowly_gets_no_second_migrant() -> None:
    assert decide(Load((SLACK,), 5_000, 2, 10.0), CrewLimits(1, 2)) == (Move.KEEP, "")


def test_one_lane_that_cannot_be_divided_gets_no_second_migrant() -> None:
    assert decide(Load((BUSY,), 5_000, 1, 10.0), CrewLimits(1, 2)) == (Move.KEEP, "")


def test_little_work_is_not_worth_a_process() -> None:
    assert decide(Load((BUSY,), 100, 2, 10.0), CrewLimits(1, 2)) == (Move.KEEP, "")


def test_the_crew_settles_before_it_is_changed_again() -> None:
    assert decide(Load((BUSY,), 5_000, 2, 1.0), CrewLimits(1, 2)) == (Move.KEEP, "")


def test_who_has_had_nothing_to_do_for_long_goes() -> None:
    assert decide(Load((BUSY, IDLE), 0, 2, 60.0), CrewLimits(1, 2)) == (Move.DISPOSE, "m3")
    assert decide(Load((BUSY, IDLE), 0, 2, 60.0), CrewLimits(2, 2)) == (Move.KEEP, "")


def test_the_fewest_are_made_at_once() -> None:
    assert decide(Load((), 0, 0, 0.0), CrewLimits(1, 1)) == (Move.CREATE, "")


workers = st.builds(
    Worker, st.sampled_from(["m1", "m2", "m3", "m4"]), st.floats(0, 1), st.integers(0, 2000), st.integers(0, 9),
    st.floats(0, 1000),
)  # fmt: skip


@given(st.lists(workers, max_size=6), st.integers(0, 10_000), st.integers(0, 50), st.floats(0, 100), st.integers(1, 4))
def test_the_limits_hold_whatever_the_load(
    crew: list[Worker], ready: int, movable: int, settled: float, fewest: int
) -> None:
    limits = CrewLimits(fewest, fewest + 2)
    move, name = decide(Load(tuple(crew), ready, movable, settled), limits)
    assert move is not Move.CREATE or len(crew) < limits.most
    assert move is not Move.DISPOSE or len(crew) > limits.fewest
    assert move is not Move.DISPOSE or any(one.name == name and not one.tasks for one in crew)
