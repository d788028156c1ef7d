"""`whimbrel bench polite`: what the server's log proves."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.bench.logged import Arrival, LoggedServer
from whimbrel.bench.polite import PoliteTrial, judge, run
from whimbrel.bench.server import NGINX

PLAN = PoliteTrial(2, 1.0, 10.0, 2, Path(), warm_up_seconds=2.0)


def arrival(at: float, address: str = "127.0.1.1", path: str = "/") -> Arrival:
    return Arrival(at, address, 200, 100, path)


def test_the_moment_of_arrival_is_worked_out_from_the_log(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_text("1700000002.250 0.750 127.0.1.2 200 120 /late one\n1700000001.000 0.000 127.0.1.1 404 90 /x\n")
    server = LoggedServer(("127.0.1.1", "127.0.1.2"), 80, log)
    assert server.arrivals() == [
        Arrival(1700000001.0, "127.0.1.1", 404, 90, "/x"),
        Arrival(1700000001.5, "127.0.1.2", 200, 120, "/late one"),
    ]
    server.forget()
    assert server.arrivals() == []


@pytest.mark.parametrize(("gap", "too_soon"), [(1.0, False), (0.995, False), (0.994, True), (0.0, True)])
def test_five_milliseconds_are_forgiven(gap: float, too_soon: bool) -> None:
    found = judge("", [arrival(100.0, path="/robots.txt"), arrival(100.0 + gap)], PLAN)
    assert bool(found.breaches) is too_soon
    if too_soon:
        (breach,) = found.breaches
        assert (breach.first, breach.second) == ("/robots.txt", "/")
        assert breach.short_seconds == pytest.approx(1.0 - gap)


def test_hosts_do_not_owe_each_other() -> None:
    found = judge("", [arrival(5.0), arrival(5.1, "127.0.1.2"), arrival(6.0), arrival(6.1, "127.0.1.2")], PLAN)
    assert (found.breaches, found.smallest_gap_seconds) == ([], 1.0)


def test_only_the_steady_state_is_counted() -> None:
    both = [arrival(50.0 + second, host) for second in range(20) for host in ("127.0.1.1", "127.0.1.2")]
    found = judge("", both, PLAN)
    assert (found.counted, found.allowed, found.requests) == (20, 20.0, 40)
    assert (found.share, found.breaches) == (1.0, [])
    assert judge("", both[:20], PLAN).share < 1.0


@given(st.lists(st.integers(0, 3000), min_size=2, max_size=40, unique=True))
def test_the_worst_comes_first_and_the_least_gap_tells_it(moments: list[int]) -> None:
    found = judge("", [arrival(moment / 1000) for moment in sorted(moments)], PLAN)
    shortest = min(after - before for before, after in zip(sorted(moments), sorted(moments)[1:], strict=False))
    assert found.smallest_gap_seconds == pytest.approx(shortest / 1000)
    if found.breaches:
        assert found.breaches[0].short_seconds == pytest.approx(1 - shortest / 1000)


@pytest.mark.skipif(shutil.which("nginx") is None and not NGINX.exists(), reason="nginx is not installed")
def test_a_few_hosts_are_asked_politely_while_a_migrant_dies(tmp_path: Path) -> None:
    said: list[str] = []
    report = run(PoliteTrial(6, 0.5, 3.0, 2, tmp_path, (True,), warm_up_seconds=1.0), said.append)
    (found,) = report.runs
    assert found.faults == ()
    assert found.killed
    assert f"killed {found.killed}" in said
    assert 0 < found.counted <= found.allowed + 6
    assert found.requests >= 6 * 3
    assert found.breaches == []
