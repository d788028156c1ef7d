"""`whimbrel bench memory`, and the site that it generates."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.bench.generated import LINKS, body, links, path
from whimbrel.bench.machine import MissingTool
from whimbrel.bench.memory import MemorySample, MemoryTrial, forecast, growth
from whimbrel.cli.bench_memory import CHART_ROWS, CHART_WIDTH, chart


@given(st.integers(1, 400))
def test_every_page_can_be_reached(pages: int) -> None:
    found, waiting = {0}, [0]
    while waiting:
        for target in links(waiting.pop(), pages):
            assert 0 <= target < pages
            if target not in found:
                found.add(target)
                waiting.append(target)
    assert len(found) == pages


@given(st.integers(0, 999_999))
def test_a_page_is_always_the_same_and_has_its_links(number: int) -> None:
    page = body(number, 1_000_000)
    assert page == body(number, 1_000_000)
    assert page.count(b"<a href=") == LINKS == len(links(number, 1_000_000))
    assert all(f'href="{path(target)}"'.encode() in page for target in links(number, 1_000_000))
    assert 3_500 < len(page) < 4_800


@given(st.integers(0, 999_999), st.integers(0, 999_999))
def test_no_two_pages_say_the_same(one: int, other: int) -> None:
    letters = [bytes(c for c in body(number, 1_000_000) if 97 <= c <= 122) for number in (one, other)]
    assert (letters[0] == letters[1]) is (one == other)


def test_growth_is_of_the_second_half_alone() -> None:
    filling = [MemorySample(n, n, min(n, 50)) for n in range(101)]
    assert growth(filling, 100) == pytest.approx(0.0)
    leaking = [MemorySample(n, n, 100 + n) for n in range(101)]
    assert growth(leaking, 100) == pytest.approx(50 / 175)
    assert growth([], 100) == growth(filling[-1:], 100) == 0.0


def test_a_disk_that_is_too_small_is_named_before_anything_begins(tmp_path: Path) -> None:
    assert forecast(MemoryTrial(10, 1, tmp_path))[0] == 10 * forecast(MemoryTrial(1, 1, tmp_path))[0]
    with pytest.raises(MissingTool, match="--work"):
        forecast(MemoryTrial(10**12, 1, tmp_path))


def test_the_chart_shows_the_most_of_every_step() -> None:
    lines = chart([MemorySample(n / 10, n, 1_000_000 * (500 if n == 40 else 100)) for n in range(1000)])
    assert len(lines) == CHART_ROWS + 1
    assert [line.count("█") for line in lines[1:3]] == [CHART_WIDTH, CHART_WIDTH // 5]
    assert chart([]) == []


@pytest.mark.parametrize("pages", [1, 300])
def test_a_small_site_is_crawled_whole_and_nothing_is_left(pages: int, tmp_path: Path) -> None:
    """Also one that is over before the first regular sample is due."""
    command = [sys.executable, "-m", "whimbrel", "bench", "memory", "--pages", str(pages), "--work", str(tmp_path)]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "GB of disk" in done.stderr.splitlines()[0]
    report = json.loads(done.stdout)
    assert (report["fetched"], report["faults"]) == (pages, [])
    assert 20_000_000 < report["most_bytes"] == max(sample["bytes"] for sample in report["curve"])
    assert report["disk_bytes"] > pages * 1000
    assert list(tmp_path.iterdir()) == []
