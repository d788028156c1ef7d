"""A watch by a given clock tells every change once; the bench would notice if it did not."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from whimbrel.bench import watch as bench
from whimbrel.bench.watch_process import KillsReport, RoundsReport, kills
from whimbrel.bench.watch_world import BEGAN, DAY, WatchedWorld, WatchMonth, month
from whimbrel.cli.bench_watch import watch

SMALL = WatchMonth(sites=15, days=24.0, round_hours=12.0, changes_a_day=0.2)


def test_a_month_with_sites_that_die_move_and_refuse(tmp_path: Path) -> None:
    report = month(SMALL, tmp_path / "month")
    assert (report.late, report.unasked, report.again) == (0, 0, 0)
    assert report.seen > 50
    assert report.told <= report.seen
    assert report.fates["moves"] > 0
    assert report.fates["dies"] == report.fates["rests"] == 0, "a site that does not answer has not changed"
    silent = ((3, "away"), (3, "answers"), (7, "away"), (13, "away"))
    assert sorted(report.heard) == sorted(f"site-{site:02}.example {what}" for site, what in silent)
    assert all(goal.reached for goal in bench.goals(bench.WatchReport(report, None, None, [])))


def test_fates_begin_on_their_days() -> None:
    world = WatchedWorld(SMALL)
    moved = world.urls(11)[0]
    assert world.fate(moved) == ""
    world.now = BEGAN + 12 * DAY
    assert (world.fate(moved), world.fate(world.urls(1)[0])) == ("moves", "")


def test_goals_say_what_was_missed(tmp_path: Path) -> None:
    fine = month(WatchMonth(sites=15, days=1.0, round_hours=24.0), tmp_path / "month")
    lasting = RoundsReport(1000, 100.0, 110.0, 40, 38, 0, 1.0)
    killed = KillsReport(60, 50, 61, 1, 0, 2, 1)
    missed = [goal.figure for goal in bench.goals(bench.WatchReport(fine, lasting, killed, [])) if not goal.reached]
    assert missed == [
        "growth of memory over 1000 rounds",
        "changes of a real watch not told once",
        "changes lost over 60 kills",
    ]


def test_the_command_gives_goals(tmp_path: Path) -> None:
    given = ["--sites", "15", "--days", "2", "--rounds", "0", "--kills", "0", "--seeds", "0", "--work", str(tmp_path)]
    done = CliRunner().invoke(watch, [*given, "--json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert [goal["reached"] for goal in answer["goals"]] == [True, True, True]
    assert "told late" in CliRunner().invoke(watch, given).stdout


@pytest.mark.long
def test_a_few_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    report = kills(6, 3, tmp_path, lambda words: None)
    assert (report.lost, report.repeated, report.changes) == (0, 0, 8)
