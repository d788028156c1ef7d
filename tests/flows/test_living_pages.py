"""Pages that live, through many visits: every edit is told, the copy says what the page said, noise falls quiet."""

from pathlib import Path
from random import Random

import pytest

from whimbrel.bench import edits
from whimbrel.bench.living_pages import EDITS, NOISE, LivingPage
from whimbrel.bench.playing import HTML, Player
from whimbrel.parse import html

UNDECIDED = ("experiment", "counter that rests")
"""Half of the visits show it, or a fifth finds it at rest: some visits are quiet by chance, and then it is told."""


def test_a_site_of_every_sort_of_edit_and_noise(tmp_path: Path) -> None:
    report = edits.run(tmp_path, lambda words: None, first_seed=2, seeds=1)
    assert report.edits > 50
    assert (report.told, report.rotten) == (report.edits, 0)
    assert report.alarms <= 0.02 * report.quiet


@pytest.mark.parametrize("noise", [name for name in NOISE if name not in UNDECIDED])
def test_noise_falls_quiet_and_hides_no_edit(tmp_path: Path, noise: str) -> None:
    player = Player(tmp_path / "folder", "birds.example")
    try:
        page = LivingPage("only", [noise], "prose", "rare", Random(5), 24)
        page.edits = {16}
        told = []
        for turn in range(24):
            said = page.next(turn, "1.0").encode()
            told.append(len(player.visit("only", said, 1e9 + 86_400.0 * turn)))
            assert player.kept_text("only") == html.read(said, HTML).text
        assert told[16] == 1
        assert sum(told[8:]) == 1, "the edit and nothing else"
    finally:
        player.close()


@pytest.mark.parametrize("edited", EDITS)
def test_edits_with_two_rests_between_are_all_told(tmp_path: Path, edited: str) -> None:
    player = Player(tmp_path / "folder", "birds.example")
    try:
        page = LivingPage("only", ["counter", "alternating number"], edited, "rare", Random(7), 30)
        page.edits = set(range(3, 30, 3))
        told = []
        for turn in range(30):
            noted = player.visit("only", page.next(turn, "1.0").encode(), 1e9 + 86_400.0 * turn)
            told += [turn] if noted and turn > 3 else []
        assert {turn for turn in told if turn in page.edits} == page.edits - {3}
        assert [turn for turn in told if turn > 6 and turn not in page.edits] == []
    finally:
        player.close()
