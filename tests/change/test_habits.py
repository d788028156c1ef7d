"""What a page's own history shows to be a habit, and what stays news beside it."""

from collections.abc import Callable

import pytest
from article import article, compare

SAYINGS = ("Early birds sing", "Still waters run deep", "No smoke without fire", "Haste makes waste")
COLOURS = ("green", "black", "red", "blue")
ORDERS = ("BCA", "CBA", "ABC", "CAB")


def items(order: str) -> str:
    return "<ul>" + "".join(f"<li>Bird {letter}" for letter in order) + "</ul>"


HABITS: dict[str, Callable[[int], str]] = {
    "a line that rotates": lambda turn: article(f"<blockquote>{SAYINGS[turn]}</blockquote>"),
    "a date": lambda turn: article(f"<p>{3 + turn} May 2027</p>"),
    "a number": lambda turn: article(f"<p>Birds on the marsh: {17 * turn}</p>"),
    "a picture": lambda turn: article(f"<img src=/r/{SAYINGS[turn].split()[0]}.jpg alt=Bird>"),
    "a link": lambda turn: article(f"<a href=/lucky/{turn}>Lucky</a>"),
    "a class": lambda turn: article(f"<p class=theme-{COLOURS[turn]}>Text</p>"),
    "a style": lambda turn: article(f"<p style='width:{10 + turn}%'>Text</p>"),
    "a handler": lambda turn: article(f"<p onclick='go({turn})'>Text</p>"),
    "a script": lambda turn: article(head=f"<script>pick('{COLOURS[turn]}')</script>"),
    "a title": lambda turn: article().replace("<title>", f"<title>{SAYINGS[turn]}: "),
    "an order": lambda turn: article(items(ORDERS[turn])),
}


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_is_quiet(habit: str) -> None:
    first, second, before, after = (HABITS[habit](turn) for turn in range(4))
    assert compare(before, after).where
    assert compare(before, after, [first, second]).where == ()


@pytest.mark.parametrize("habit", HABITS)
def test_an_edit_beside_a_habit_is_told(habit: str) -> None:
    first, second, before, after = (HABITS[habit](turn) for turn in range(4))
    found = compare(before, after.replace("crabs and worms", "fish"), [first, second])
    assert ["fish" in spot.after for spot in found.where] == [True]


def test_what_comes_and_goes() -> None:
    bare, banner = article(), article("<p>Sale ends soon!</p>")
    assert compare(bare, banner, [banner, bare, banner]).changed is False
    assert compare(bare, banner, [bare, bare, bare]).changed is True


def test_a_list_that_grows_is_news_each_time() -> None:
    grown = [article("<ul>" + "".join(f"<li>Sighting {n} on the coast" for n in range(count)) + "</ul>") for count in
             (2, 3, 4, 5)]  # fmt: skip
    assert compare(grown[2], grown[3], grown[:2]).kinds == ("structural", "content")
