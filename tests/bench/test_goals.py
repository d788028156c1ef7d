"""Goals: one record and one way of printing them for every bench."""

import importlib
import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from whimbrel.bench import memory, near, polite
from whimbrel.bench.goals import Goal, at_least, at_most, below, holds, lines
from whimbrel.bench.machine import Machine, MissingTool
from whimbrel.cli import goals as printing
from whimbrel.cli import measuring
from whimbrel.cli.bench import BENCHES

HERE = Machine("a machine", 2, 0.0, "a disk")


def memory_report(most_bytes: int, growth: float) -> memory.MemoryReport:
    return memory.MemoryReport(10, 10, 1, HERE, 1.0, 1.0, 1, most_bytes, growth, [], ())


@pytest.mark.parametrize("name", BENCHES)
def test_every_bench_says_its_goals_by_the_one_way_that_prints_them(name: str) -> None:
    bench = importlib.import_module(f"whimbrel.bench.{name}")
    assert callable(bench.goals)
    said = Path(importlib.import_module(f"whimbrel.cli.bench_{name}").__file__ or "").read_text()
    assert "measuring.tell(" in said
    assert "json.dumps" not in said


@pytest.mark.parametrize("as_json", [True, False])
def test_a_report_is_told_with_its_goals(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    report = memory_report(600_000_000, 0.01)
    measuring.tell(report, memory.goals(report), lambda one: click.echo("a table"), as_json, more=1)
    said = capsys.readouterr().out
    if as_json:
        assert {"goals", "more", "most_bytes"} <= json.loads(said).keys()
    else:
        assert said.startswith("a table")
        assert said.count("reached  ") == 2


def test_what_stands_in_the_way_of_measuring_is_said_in_one_line(tmp_path: Path) -> None:
    def measure() -> None:
        with measuring.workplace(tmp_path):
            assert len(list(tmp_path.iterdir())) == 1
            raise MissingTool("no such tool")

    with pytest.raises(click.ClickException, match="no such tool"):
        measure()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("make", "inside", "outside"),
    [(at_least, 2.0, 1.9), (at_most, 2.0, 2.1), (below, 1.9, 2.0)],
)
def test_a_bound_is_reached_on_its_own_side(
    make: Callable[[str, float, float], Goal], inside: float, outside: float
) -> None:
    assert make("x", inside, 2.0).reached
    assert not make("x", outside, 2.0).reached


def test_a_promise_allows_no_case() -> None:
    assert holds("x", 0).reached
    assert not holds("x", 1).reached


def test_a_missed_goal_is_said_plainly() -> None:
    said = lines([at_least("pages/s", 1660.4, 1500), at_most("growth", 0.0712, 0.05)])
    assert said == ["goal reached      pages/s: 1,660, goal ≥ 1,500", "goal NOT reached  growth: 0.0712, goal ≤ 0.05"]


def test_an_object_holds_the_goals(capsys: pytest.CaptureFixture[str]) -> None:
    report = memory_report(600_000_000, 0.01)
    printing.as_object(report, memory.goals(report), more="worked out")
    said = json.loads(capsys.readouterr().out)
    assert said["more"] == "worked out"
    assert said["goals"] == [
        {"figure": "MB of all processes together, at most", "value": 600.0, "goal": "< 500", "reached": False},
        {"figure": "growth over the second half of the pages", "value": 0.01, "goal": "≤ 0.05", "reached": True},
    ]


def test_every_recall_that_is_promised_is_a_goal() -> None:
    found = near.NearScore("ours", 100, 10, 10, dict.fromkeys(near.EDITS, 20), dict.fromkeys(near.EDITS, 19), 0.2)
    report = near.NearReport(100.0, found, None, {}, 1, 1, 1, {}, None, [], [])
    reached = {goal.figure: goal.reached for goal in near.goals(report) if goal.figure.startswith("recall")}
    assert len(reached) == len(near.GOAL_RECALL)
    assert reached["recall at 5% edited words"]
    assert not reached["recall at 0% edited words"]


def test_a_host_asked_too_soon_is_a_goal_not_reached() -> None:
    breach = polite.Breach(0.5, "127.0.1.1", 1.0, "/a", "/b")
    one = polite.PoliteRun("killed", 10, 10, 10.0, 0.5, [breach], "", ())
    report = polite.PoliteReport(1, 1.0, 1.0, 1, HERE, 0.0, [one])
    assert [goal.reached for goal in polite.goals(report)] == [True, False]
