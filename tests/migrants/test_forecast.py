"""How long it will yet take: within a factor of two from half of the work on, or nothing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from whimbrel.migrants.home.forecast import Forecast

Trace = list[tuple[float, int, int, int]]
"""Seconds, visits, queued, pages."""


def steady(total: int, rate: float) -> Trace:
    """All URLs are known from the first page on."""
    return [(number / rate, number, total - number, number) for number in range(0, total + 1, 5)]


def growing(first: int, total: int) -> Trace:
    """A site found bit by bit: every visit brings four URLs until all are known, as breadth first does."""
    return [(float(number), number, min(first + 4 * number, total) - number, number) for number in range(total + 1)]


def surprising(total: int) -> Trace:
    """At nine tenths of what was known a part of the site is found that is five times as large."""
    turn = total * 9 // 10
    known = [(float(n), n, total - n, n) for n in range(turn)]
    return known + [(float(n), n, 6 * total - n, n) for n in range(turn, 6 * total + 1)]


TRACES = {
    "steady": steady(2_000, 20.0), "growing": growing(10, 1_500),
    "surprising": surprising(300),
}  # fmt: skip
RECORDED = sorted((Path(__file__).parent / "traces").glob("*.json"))


def told(trace: Trace) -> Iterator[tuple[float, float, float | None]]:
    """For each moment the share of the work that is done, the time left in truth, and what was said."""
    forecast = Forecast()
    for at, visits, queued, pages in trace:
        forecast.note(at, visits, queued, pages)
        yield visits / trace[-1][1], trace[-1][0] - at, forecast.remaining()


def wrong(trace: Trace) -> list[tuple[float, float, float]]:
    return [
        (share, truth, said)
        for share, truth, said in told(trace)
        if share >= 0.5 and said is not None and said >= 5.0 and not truth / 2 <= said <= truth * 2
    ]


@pytest.mark.parametrize("name", TRACES)
def test_from_half_of_the_work_on_it_is_right_or_silent(name: str) -> None:
    assert wrong(TRACES[name]) == []


def test_it_does_speak() -> None:
    for name in ("steady", "growing"):
        spoken = [said for share, _, said in told(TRACES[name]) if share >= 0.5 and said is not None]
        assert len(spoken) > 50, name


def test_nothing_is_foretold_while_the_queue_grows() -> None:
    assert all(said is None for share, _, said in told(growing(10, 1_500)) if share < 0.2)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_crawls(path: Path) -> None:
    trace = [tuple(mark) for mark in json.loads(path.read_text())]
    assert wrong(trace) == []  # type: ignore[arg-type]


def test_with_a_limit_it_is_the_limit_that_ends_it() -> None:
    forecast = Forecast(limit=400)
    for number in range(300):
        forecast.note(float(number), number, 50 + 3 * number, number)
    left = forecast.remaining()
    assert left is not None
    assert 50 <= left <= 200
