"""Choosing a migrant: every strategy, choices done again from their record, liars and nonsense."""

from collections import Counter
from math import inf, nan

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.migrants.home import ahp
from whimbrel.migrants.home.choice import (
    CRITERIA,
    DEFAULT_CRITERIA,
    DEFAULT_JUDGEMENTS,
    PAPER_CRITERIA,
    PAPER_JUDGEMENTS,
    Choice,
    Criteria,
    Inputs,
    Measured,
    Strategy,
    TurnsTaken,
    choose,
    criteria_of,
    distrust,
    rows,
)
from whimbrel.records.verdict import Verdict

LIKE = Measured(
    name="", load=10, free_disk_bytes=1e9, latency_seconds=0.05, bandwidth_bytes_per_second=1e6, memory_megabytes=512,
    url_capacity=100, parent_rank=50, cpu_speed=1.0, finished=100, finished_seconds=50.0,
)  # fmt: skip

figure = st.none() | st.floats() | st.integers(0, 1000)


@st.composite
def anything(draw: st.DrawFn, name: str) -> Measured:
    fields = [field for field in Measured.__struct_fields__ if field not in ("name", "notes")]
    return Measured(name=name, **{field: draw(figure) for field in fields})


crews = st.integers(0, 5).flatmap(lambda number: st.tuples(*(anything(f"m{i}") for i in range(number))))


def migrant(name: str, **different: float | None) -> Measured:
    return msgspec.structs.replace(LIKE, name=name, **different)


def chosen(strategy: Strategy, *measured: Measured, lane: str = "a.example", state: TurnsTaken | None = None) -> Choice:
    return choose(Inputs(lane, 1_000.0, strategy, measured, DEFAULT_CRITERIA, state or TurnsTaken()))


def served(strategy: Strategy, times: int, *measured: Measured) -> list[str]:
    names, state = [], TurnsTaken()
    for _ in range(times):
        choice = chosen(strategy, *measured, state=state)
        state = choice.state
        names.append(choice.chosen)
    return names


def test_the_papers_judgements_are_extended_by_the_cpu_and_agree() -> None:
    matrix = ahp.matrix_of(PAPER_JUDGEMENTS, CRITERIA)
    assert not isinstance(matrix, Verdict)
    seven = ahp.weigh(tuple(row[:7] for row in matrix[:7]))
    assert seven.weights == pytest.approx((0.067, 0.272, 0.374, 0.057, 0.116, 0.067, 0.048), abs=0.001)
    assert PAPER_CRITERIA.ratio == pytest.approx(0.052, abs=0.001)
    assert PAPER_CRITERIA.weights[CRITERIA.index("CPU")] == pytest.approx(0.107, abs=0.001)


def test_by_default_load_comes_first_and_cpu_second() -> None:
    ranked = sorted(CRITERIA, key=lambda name: -DEFAULT_CRITERIA.weights[CRITERIA.index(name)])
    assert ranked[:2] == ["load", "CPU"]
    assert DEFAULT_CRITERIA.ratio < 0.01


def test_judgements_that_contradict_each_other_are_refused_with_the_triple() -> None:
    wrong = [list(row) for row in DEFAULT_JUDGEMENTS]
    wrong[6][0] = 9
    verdict = criteria_of(wrong)
    assert isinstance(verdict, Verdict)
    assert "CPU is 3× bandwidth and bandwidth is 2× latency, so CPU should be about 6× latency" in verdict.reason
    assert "Set latency against CPU to about 1/5 instead of 9" in verdict.reason


def test_judgements_that_are_no_matrix_are_refused() -> None:
    verdict = criteria_of([[1, 2], [3]])
    assert isinstance(verdict, Verdict)
    assert "8 rows of 8 numbers" in verdict.reason


@pytest.mark.parametrize(
    ("field", "better", "worse"),
    [
        ("load", 1, 100),
        ("free_disk_bytes", 2e9, 1e8),
        ("latency_seconds", 0.01, 0.5),
        ("bandwidth_bytes_per_second", 2e6, 1e5),
        ("memory_megabytes", 1024, 64),
        ("url_capacity", 0, 500),
        ("parent_rank", 0, 500),
        ("cpu_speed", 3.0, 1.0),
    ],
)
def test_each_criterion_alone_decides_between_equals(field: str, better: float, worse: float) -> None:
    choice = chosen(Strategy.AHP, migrant("a", **{field: worse}), migrant("b", **{field: better}))
    assert choice.chosen == "b"
    assert choice.notes == ()


def test_ranks_are_the_weighted_sums_of_the_table() -> None:
    choice = chosen(Strategy.AHP, migrant("a", load=3), migrant("b", latency_seconds=0.2), migrant("c", cpu_speed=2))
    for one in choice.alternatives:
        assert one.rank == pytest.approx(sum(w * s for (_, w), s in zip(choice.criteria, one.shares, strict=True)))
    assert sum(one.rank for one in choice.alternatives) == pytest.approx(1.0)


def test_judgements_change_the_choice() -> None:
    only_cpu = Criteria((0.0,) * 7 + (1.0,), 0.0)
    crew = (migrant("idle", load=0, url_capacity=0, parent_rank=0), migrant("quick", cpu_speed=2.0))
    assert choose(Inputs("x", 0.0, Strategy.AHP, crew, DEFAULT_CRITERIA)).chosen == "idle"
    assert choose(Inputs("x", 0.0, Strategy.AHP, crew, only_cpu)).chosen == "quick"


@given(crews, st.sampled_from(Strategy), st.text(max_size=5), st.integers(0, 9))
def test_a_recorded_choice_is_made_again(
    measured: tuple[Measured, ...], strategy: Strategy, lane: str, turn: int
) -> None:
    state = TurnsTaken(turn, {"m0": 0.25, "gone": -0.5})
    choice = choose(Inputs(lane, 5.0, strategy, measured, DEFAULT_CRITERIA, state))
    assert choose(choice.inputs) == choice
    written = msgspec.json.encode(choice)
    read = msgspec.json.decode(written, type=Choice)
    assert choose(read.inputs) == read == choice
    assert (choice.chosen == "") == (not measured)


@given(crews, st.sampled_from([Strategy.AHP, Strategy.HOST_HASH, Strategy.LEAST_LOADED]))
def test_the_order_in_which_migrants_are_named_does_not_matter(
    measured: tuple[Measured, ...], strategy: Strategy
) -> None:
    assert chosen(strategy, *measured) == chosen(strategy, *reversed(measured))


@given(crews.filter(len))
def test_ranks_sum_to_one_whatever_was_reported(measured: tuple[Measured, ...]) -> None:
    assert sum(one.rank for one in chosen(Strategy.AHP, *measured).alternatives) == pytest.approx(1.0)


@pytest.mark.parametrize("value", [nan, inf, -3.0])
def test_nonsense_is_said_and_counts_as_average(value: float) -> None:
    choice = chosen(Strategy.AHP, migrant("a"), migrant("b", latency_seconds=value))
    assert any(note.startswith("b reports latency_seconds = ") for note in choice.notes)
    assert "latency is not measured of b: counted as average" in choice.notes
    assert [one.rank for one in choice.alternatives] == pytest.approx([0.5, 0.5])


def test_nothing_measured_of_anyone() -> None:
    choice = chosen(Strategy.AHP, Measured(name="b"), Measured(name="a"))
    assert choice.chosen == "a"
    assert "load is not measured of any: counted as average" in choice.notes


def test_without_migrants_nobody_is_chosen() -> None:
    choice = chosen(Strategy.AHP)
    assert (choice.chosen, choice.notes) == ("", ("no migrant is live",))


def test_a_migrant_that_claims_less_than_it_was_given_is_not_believed() -> None:
    liar, honest = migrant("liar", load=0), migrant("honest", load=12)
    silent = migrant("silent", load=None)
    assert chosen(Strategy.LEAST_LOADED, liar, honest).chosen == "liar"
    measured = distrust((liar, honest, silent), {"liar": 40, "honest": 10, "silent": 30})
    assert [one.load for one in measured] == [40, 12, 30]
    choice = chosen(Strategy.LEAST_LOADED, *measured)
    assert choice.chosen == "honest"
    assert choice.notes == (
        "liar claims a load of 0; 40 tasks are leased to it",
        "silent does not tell its load; 30 tasks are leased to it",
    )


@pytest.mark.parametrize("claim", [nan, -5.0])
def test_a_nonsensical_claim_of_load_is_replaced_by_homes_count(claim: float) -> None:
    (one,) = distrust((migrant("a", load=claim),), {"a": 7})
    assert one.load == 7


def test_round_robin_takes_turns() -> None:
    crew = [migrant(name) for name in "abc"]
    assert served(Strategy.ROUND_ROBIN, 7, *crew) == list("abcabca")


def test_weighted_turns_are_in_proportion_to_pace() -> None:
    """With 10 waiting each: 4 a second against 2 and 1."""
    crew = [migrant("a", finished=400, finished_seconds=100), migrant("b", finished=200, finished_seconds=100),
            migrant("c", finished=100, finished_seconds=100)]  # fmt: skip
    names = served(Strategy.WEIGHTED_ROUND_ROBIN, 70, *crew)
    assert Counter(names) == {"a": 40, "b": 20, "c": 10}
    assert "aaa" not in "".join(names[:14])


def test_weighted_turns_fall_with_what_waits() -> None:
    crew = [migrant("a", load=0), migrant("b", load=2)]
    assert Counter(served(Strategy.WEIGHTED_ROUND_ROBIN, 40, *crew)) == {"a": 30, "b": 10}


def test_a_newcomer_gets_average_turns() -> None:
    crew = [migrant("a"), migrant("b", finished=0, finished_seconds=0.0)]
    assert Counter(served(Strategy.WEIGHTED_ROUND_ROBIN, 20, *crew)) == {"a": 10, "b": 10}


def test_by_hash_only_the_lanes_of_the_one_that_goes_move() -> None:
    crew = [migrant(name) for name in "abcd"]
    lanes = [f"host{i}.example" for i in range(200)]
    before = {lane: chosen(Strategy.HOST_HASH, *crew, lane=lane).chosen for lane in lanes}
    after = {lane: chosen(Strategy.HOST_HASH, *crew[:3], lane=lane).chosen for lane in lanes}
    assert {lane for lane in lanes if before[lane] != after[lane]} == {lane for lane in lanes if before[lane] == "d"}
    assert min(Counter(before.values()).values()) > 30


def test_of_equal_ones_the_least_loaded_then_the_first() -> None:
    assert chosen(Strategy.LEAST_LOADED, migrant("b"), migrant("a")).chosen == "a"
    assert chosen(Strategy.LEAST_LOADED, migrant("b", load=3), migrant("a", load=4)).chosen == "b"


@pytest.mark.parametrize("strategy", Strategy)
def test_the_table_has_the_chosen_first(strategy: Strategy) -> None:
    choice = chosen(strategy, migrant("a", load=900), migrant("b"), migrant("c", load=3))
    head, weights, *body = rows(choice)
    assert (head[0], head[-1], weights[0]) == ("migrant", "rank", "weight")
    assert {len(row) for row in (head, weights, *body)} == {len(choice.criteria) + 2}
    assert body[0][0] == choice.chosen
    assert sorted(row[0] for row in body) == ["a", "b", "c"]
