"""How wide and how long the way to a place is, told from what came over it and when."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.places.link.gauge import LOOKS, LinkGauge

FRAME = 128 << 10


def over(gauge: LinkGauge, bytes_per_second: float, frames: int, at: float = 0.0) -> float:
    """A message of so many frames over a way so wide; when the last one came."""
    for number in range(frames):
        at += FRAME / bytes_per_second
        gauge.frame(FRAME, number < frames - 1, at)
    return at


@given(st.floats(1e4, 1e9), st.lists(st.integers(1, 30), min_size=1, max_size=30))
def test_the_width_is_that_of_the_way_however_large_the_messages(wide: float, messages: list[int]) -> None:
    gauge, at = LinkGauge(), 0.0
    for frames in messages:
        at = over(gauge, wide, frames, at + 100.0)  # nothing was sent for long: that says nothing of the way
    if max(messages) > 1:
        assert gauge.bytes_per_second == pytest.approx(wide, rel=1e-3)
    else:
        assert gauge.bytes_per_second == 0.0, "one frame alone does not tell how long it took"


def test_frames_read_late_do_not_make_a_way_look_wide() -> None:
    gauge, at = LinkGauge(), 0.0
    for _ in range(10):
        at = over(gauge, 1e5, 8, at)
        for more in (True, False):  # both lay there already when somebody looked
            gauge.frame(FRAME, more, at)
    assert 1e5 <= gauge.bytes_per_second < 1.2e5


def test_a_way_that_changed_is_known_anew_after_some_messages() -> None:
    gauge = LinkGauge()
    at = over(gauge, 1e7, 8)
    for _ in range(12):
        at = over(gauge, 1e6, 8, at)
    assert gauge.bytes_per_second == pytest.approx(1e6, rel=0.2)


def test_a_cut_way_is_not_a_narrow_one() -> None:
    gauge = LinkGauge()
    gauge.frame(FRAME, True, 0.0)
    gauge.interrupted()
    gauge.frame(FRAME, False, 3_600.0)
    assert gauge.bytes_per_second == 0.0
    over(gauge, 1e6, 4, 3_600.0)
    assert gauge.bytes_per_second == pytest.approx(1e6, rel=1e-3)


def test_the_shortest_of_the_last_round_trips_counts_and_earlier_runs_until_there_is_one() -> None:
    gauge = LinkGauge(0.5, 1e6)
    assert (gauge.round_trip_seconds, gauge.bytes_per_second) == (0.5, 1e6)
    for seconds in (0.3, 0.02, 0.9):
        gauge.echoed(seconds)
    assert gauge.round_trip_seconds == 0.02
    for _ in range(LOOKS):
        gauge.echoed(0.2)
    assert gauge.round_trip_seconds == 0.2
