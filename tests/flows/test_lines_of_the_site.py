"""A line that other pages of the site carry too: whether it came to this page alone or to all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from whimbrel.bench.playing import Player
from whimbrel.flows.packing import unpacked_spots

DAY = 86_400.0
CLOSED = "<p>Registration is closed.</p>"
OPEN = "<p>Register for it until the fifth of May.</p>"
NAMES = ("moor", "heath", "reed", "tide", "crab", "nest")


def body(name: str, inside: str) -> bytes:
    story = f"<h1>The {name}</h1><p>A walk by the {name} with a guide.</p>{inside}<p>Bring boots to the {name}.</p>"
    return f"<!doctype html><title>The {name}</title><main>{story}</main>".encode()


class Days:
    """One run a day over seven pages."""

    def __init__(self, player: Player) -> None:
        self._player, self._day = player, 0

    def visit(self, others: str, mine: str) -> list[tuple[str, str]]:
        """What is told, and of which page."""
        self._day += 1
        moment = 1e9 + DAY * self._day
        self._player.begin()
        pages = {"coast": mine, **dict.fromkeys(NAMES, others)}
        notes = [
            (name, note)
            for name, inside in pages.items()
            for note in self._player.visit(name, body(name, inside), moment)
        ]
        notes += self._player.end(moment)
        return [(name, spot.after or spot.before) for name, note in notes for spot in unpacked_spots(note.details)[0]]


@pytest.fixture
def days(tmp_path: Path) -> Iterator[Days]:
    player = Player(tmp_path / "kept", "walks.example")
    yield Days(player)
    player.close()


def test_a_page_that_becomes_as_the_others_are_is_told(days: Days) -> None:
    days.visit(CLOSED, OPEN)
    assert days.visit(CLOSED, CLOSED) == [("coast", "Registration is closed.")]
    assert days.visit(CLOSED, CLOSED) == []


def test_a_page_that_gains_what_the_others_had_is_told(days: Days) -> None:
    days.visit(CLOSED, "")
    assert days.visit(CLOSED, CLOSED) == [("coast", "Registration is closed.")]


def test_a_page_that_alone_loses_what_the_others_keep_is_told(days: Days) -> None:
    days.visit(CLOSED, CLOSED)
    assert days.visit(CLOSED, "") == [("coast", "Registration is closed.")]


def test_what_the_site_takes_from_all_its_pages_is_not_told(days: Days) -> None:
    days.visit(CLOSED, CLOSED)
    assert days.visit("", "") == []


def test_a_number_that_others_bore_before_is_told(days: Days) -> None:
    thirty, sixty = "<p>Stay for 30 minutes.</p>", "<p>Stay for 60 minutes.</p>"
    days.visit(sixty, thirty)
    assert days.visit(sixty, sixty) == [("coast", "Stay for 60 minutes.")]
    assert days.visit(thirty, thirty) == []


def test_a_picture_without_words_is_no_line_that_went(days: Days) -> None:
    crab = '<div class="portrait"><img alt="Crab" src="/crab.png"></div>'
    days.visit(crab, "")
    assert days.visit(crab, f"{crab}<p>Mary saw one.</p>") == [("coast", "Mary saw one.")]


def test_pages_that_differ_by_noise_at_each_visit_are_witnesses_too(days: Days) -> None:
    for turn in range(5):
        days.visit(f"{CLOSED}<p>Seen {7 * turn} times</p>", OPEN)
    assert days.visit(f"{CLOSED}<p>Seen 99 times</p>", CLOSED) == [("coast", "Registration is closed.")]
