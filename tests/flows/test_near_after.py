"""What a run does when it has ended: for a while, and going on where it stopped."""

from pathlib import Path

import pytest

from grown_folder import Served, grow
from whimbrel.flows.twins.after import BATCH, LEAST_SECONDS, TwinsFollowed, allowed_seconds, follow
from whimbrel.flows.twins.near import Near
from whimbrel.testing.clock import JumpingClock

A = "http://a.example"
WORDS = "harbour lantern meadow copper violet winter orchard signal marble quiet river amber".split()  # noqa: SIM905


def article(number: int, *more: str) -> Served:
    said = [f"{word}{number * 31 + at}" for at, word in enumerate(WORDS * 8)]
    return Served(f"<title>Page {number}</title><main><p>{' '.join([*said, *more])}</p></main>".encode())


def site(pages: int) -> dict[str, Served]:
    """Every page under two session numbers, and one page with an edition of its own."""
    world = {f"{A}/p/{number}?sid={session}": article(number) for number in range(pages) for session in (1, 2)}
    world |= {f"{A}/story": article(5000), f"{A}/edition": article(5000, "edited")}
    links = "".join(f'<a href="{url}">{url}</a>' for url in world)
    return {f"{A}/": Served(f"<title>Start</title>{links}".encode()), **world}


@pytest.mark.parametrize(
    ("run", "most", "allowed"), [(0.1, 30.0, LEAST_SECONDS), (600.0, 30.0, 12.0), (1e6, 30.0, 30.0), (600.0, 0.0, 0.0)]
)
def test_a_run_is_lengthened_by_a_fiftieth(run: float, most: float, allowed: float) -> None:
    assert allowed_seconds(run, most) == allowed


def test_twins_and_rules_are_found_and_said_once(tmp_path: Path) -> None:
    grow(tmp_path / "f", site(12))
    found = follow(tmp_path / "f", 60.0, 1.0)
    assert (found.twins, found.left) == (1, 0)
    assert found.learned == ("a.example/p/: drop parameter sid",)
    assert follow(tmp_path / "f", 60.0, 2.0) == TwinsFollowed()


def test_when_time_is_up_the_rest_is_left_and_the_next_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    grow(folder, site(80))
    clock = JumpingClock()
    first = follow(folder, 2.5, 1.0, lambda: clock.jump(1.0))
    assert 0 < first.pages < 82
    assert first.left > BATCH
    rest = follow(folder, 60.0, 2.0)
    assert rest.left == 0
    with Near(folder) as follower:
        assert follower.sketched == 83


def test_an_index_that_takes_too_long_to_read_is_left_alone(tmp_path: Path) -> None:
    grow(tmp_path / "f", site(12))
    follow(tmp_path / "f", 60.0, 1.0)
    grow(tmp_path / "f", {f"{A}/": article(9000)})
    assert follow(tmp_path / "f", 1e-6, 2.0).pages == 0
