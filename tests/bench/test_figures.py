import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.bench.figures import PeerGoal, PeerRun, Spread, miscounted, ratio, spread, summarise, turns


def run(peer: str, number: int, seconds: float, pages: int = 100) -> PeerRun:
    return PeerRun(peer, number, pages, seconds, seconds / 2, 1000)


def test_a_spread_is_the_median_and_the_ends() -> None:
    assert spread([3.0, 1.0, 10.0]) == Spread(3.0, 1.0, 10.0)


def test_a_summary_counts_only_the_peers_own_runs() -> None:
    runs = [run("a", 0, 1.0), run("b", 0, 50.0), run("a", 1, 4.0), run("a", 2, 2.0)]
    summary = summarise("a", runs)
    assert (summary.runs, summary.pages, summary.seconds.median) == (3, 100, 2.0)
    assert summary.pages_per_second == Spread(50.0, 25.0, 100.0)
    assert summary.cpu_ms_a_page.median == pytest.approx(10.0)


def test_ratios_pair_the_runs_of_a_round() -> None:
    """The second round was slow for both; across rounds the ratio would be a tenth of the truth."""
    runs = [run("us", 0, 1.0), run("them", 0, 2.0), run("us", 1, 10.0), run("them", 1, 20.0)]
    found = ratio(runs, "us", PeerGoal("them", 1.5, 2.5))
    assert found is not None
    assert found.times == Spread(2.0, 2.0, 2.0)
    assert (found.reached, found.aim_reached) == (True, False)


def test_a_goal_without_an_aim_has_no_verdict_on_it() -> None:
    found = ratio([run("us", 0, 3.0), run("them", 0, 2.0)], "us", PeerGoal("them", 1.0))
    assert found is not None
    assert (found.reached, found.aim_reached) == (False, None)


def test_rounds_that_a_peer_missed_or_failed_make_no_ratio() -> None:
    runs = [run("us", 0, 1.0), run("them", 0, 1.0, pages=0), run("us", 1, 1.0)]
    assert ratio(runs, "us", PeerGoal("them", 1.0)) is None


@given(st.lists(st.sampled_from("abcdef"), min_size=1, unique=True))
def test_everyone_goes_first_in_turn(peers: list[str]) -> None:
    rounds = [turns(peers, number) for number in range(len(peers))]
    assert {order[0] for order in rounds} == set(peers)
    assert all(sorted(order) == sorted(peers) for order in rounds)


@pytest.mark.parametrize(("pages", "sound"), [(1000, True), (995, True), (1005, True), (994, False), (0, False)])
def test_half_a_percent_of_the_pages_may_be_missing(pages: int, sound: bool) -> None:
    assert (miscounted(pages, 1000) == "") is sound
