"""Parcels on a place's disk until home has them."""

from pathlib import Path

import pytest

from whimbrel.migrants.away.held import FRESH_SECONDS, Held
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.task import NO_VALIDATORS, Task
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit

BRIEF = b"b" * 32


def visit(key: int, outcome: Outcome = Outcome.FETCHED) -> Visit:
    return Visit(key, Url(f"https://example.org/{key}"), 1, outcome, "", "", 200, 1000.0, 10)


def parcel(*visits: Visit) -> bytes:
    return wire.encode(wire.Parcel(1, list(visits), [], [], []))


def task(key: int, depth: int = 1) -> Task:
    return Task(key, Url(f"https://example.org/{key}"), depth, 0, 0, False, NO_VALIDATORS, False)


def test_what_was_not_acknowledged_is_found_by_the_next_migrant_once(tmp_path: Path) -> None:
    dead = Held(tmp_path, 1 << 20, BRIEF)
    dead.keep(1, parcel(visit(1), visit(2), visit(3, Outcome.FAILED)))
    dead.keep(2, parcel(visit(4)))
    dead.release(2)
    heir = Held(tmp_path, 1 << 20, BRIEF)
    assert heir.find(task(1), 1001.0) == visit(1)
    assert heir.find(task(1), 1001.0) is None
    assert heir.find(task(3), 1001.0) is None, "what failed is tried again"
    assert heir.find(task(4), 1001.0) is None, "home has it"
    assert heir.find(task(2), 1001.0) == visit(2)
    assert list(tmp_path.iterdir()) == []


def test_another_brief_another_depth_and_yesterday_are_asked_for_again(tmp_path: Path) -> None:
    Held(tmp_path, 1 << 20, BRIEF).keep(1, parcel(visit(1), visit(2)))
    heir = Held(tmp_path, 1 << 20, BRIEF)
    assert heir.find(task(1, depth=0), 1001.0) is None
    assert heir.find(task(2), 1001.0 + FRESH_SECONDS) is None
    Held(tmp_path, 1 << 20, BRIEF).keep(1, parcel(visit(1)))
    Held(tmp_path, 1 << 20, b"other brief of 32 bytes.........")
    assert list(tmp_path.iterdir()) == []


def test_a_file_cut_short_is_passed_over(tmp_path: Path) -> None:
    whole = parcel(visit(1))
    writer = Held(tmp_path, 1 << 20, BRIEF)
    writer.keep(1, whole[: len(whole) // 2])
    assert Held(tmp_path, 1 << 20, BRIEF).find(task(1), 1001.0) is None


def test_more_than_the_owner_allows_is_full_until_home_has_some(tmp_path: Path) -> None:
    held = Held(tmp_path, 10, BRIEF)
    held.keep(1, parcel(visit(1)))
    assert held.full
    held.release(1)
    assert not held.full


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told_and_nothing_raises(tmp_path: Path) -> None:
    held = Held(tmp_path, 1 << 20, BRIEF)
    held._path(1).symlink_to("/dev/full")
    held.keep(1, parcel(visit(1)) * 10_000)
    assert "No space left" in held.fault
    assert held.full
    held.keep(2, parcel(visit(1)))
    assert not held.full
