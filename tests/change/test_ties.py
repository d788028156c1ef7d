"""Entries of one moment stand in no order; wherever an order says something, another one is told."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.change.decide import decide
from whimbrel.change.ties import REASON
from whimbrel.change.version import ComparedVersion, read_version

SECOND, EARLIER, OLDEST = "2026-03-01T10:00:05+00:00", "2026-02-01T09:00:00+00:00", "2026-01-01T08:00:00+00:00"
Entry = tuple[str, str]
POSTS: list[Entry] = [("Alder", SECOND), ("Birch", SECOND), ("Cedar", SECOND), ("Dogwood", EARLIER), ("Elm", OLDEST)]


def date_below(name: str, moment: str) -> str:
    link = f"/{name.lower()}"
    return (
        f"<li class=post-{name}><h2><a href={link}>{name}</a></h2>"
        f"<div><p>The {name} in spring.<p>Leaves of {name}.</div>"
        f"<div class=date><time datetime={moment}><a href={link}>1 March</a></time></div>"
    )


def date_above(name: str, moment: str) -> str:
    return (
        f"<article><p><time datetime={moment}>1 March</time> by <a href=/ann>Ann</a></p>"
        f"<h2><a href=/{name}>{name}</a></h2><p>The {name} in spring.</p></article>"
    )


def one_line(name: str, moment: str) -> str:
    return f"<li><a href=/{name}>{name} in spring</a> <time datetime={moment}>1 March</time>"


def page(entries: Sequence[Entry], look: Callable[[str, str], str] = date_below, within: str = "ul") -> ComparedVersion:
    listed = "".join(look(*entry) for entry in entries)
    html = f"<title>Trees</title><main><h1>Trees</h1><{within}>{listed}</{within}><p><a href=/2>Older</a></main>"
    return read_version(html.encode(), "text/html")


LOOKS = {"date below": (date_below, "ul"), "date above": (date_above, "div"), "one line": (one_line, "ul")}


@pytest.mark.parametrize("look", LOOKS)
@given(st.permutations(POSTS[:3]))
def test_tied_entries_in_any_order_are_no_change(look: str, tied: list[Entry]) -> None:
    change = decide(page(POSTS, *LOOKS[look]), page([*tied, *POSTS[3:]], *LOOKS[look]))
    assert not change.changed
    assert not change.where
    assert tied == POSTS[:3] or {spot.reason for spot in change.noise} == {REASON}


def test_a_list_of_one_second_alone_needs_no_other() -> None:
    assert not decide(page(POSTS[:3]), page(POSTS[2::-1])).changed


def swapped(entries: Sequence[Entry], here: int, there: int) -> list[Entry]:
    found = list(entries)
    found[here], found[there] = found[there], found[here]
    return found


def test_what_else_differs_is_told_and_nothing_beside_it() -> None:
    def edited(name: str, moment: str) -> str:
        return date_below(name, moment).replace("Leaves of Birch", "Bark of Birch")

    change = decide(page(POSTS), page(swapped(POSTS, 0, 2), edited))
    assert change.changed
    assert [(spot.before, spot.after) for spot in change.where] == [("Leaves of Birch.", "Bark of Birch.")]
    come = decide(page(POSTS), page([("Fir", SECOND), *swapped(POSTS, 0, 2)]))
    assert come.changed
    assert all("Fir" in spot.after for spot in come.where if spot.what == "added" and "1 March" not in spot.after)
    assert not any(spot.what == "moved" for spot in come.where)
    assert decide(page(POSTS), page([POSTS[2], POSTS[0], *POSTS[3:]])).changed, "one is gone"


ONE_DAY = [(name, "2026-03-01") for name, _ in POSTS]
UNSORTED = [("Alder", EARLIER), ("Birch", SECOND), ("Cedar", SECOND), ("Dogwood", OLDEST), ("Elm", EARLIER)]


def cells(name: str, moment: str) -> str:
    return f"<tr><td>{name}<td><time datetime={moment}>1 March</time>"


TOLD = {
    "a numbered list": (page(POSTS, one_line, "ol"), page(swapped(POSTS, 0, 1), one_line, "ol")),
    "a table of results": (page(POSTS, cells, "table"), page(swapped(POSTS, 0, 1), cells, "table")),
    "a ranking of one day": (page(ONE_DAY), page(swapped(ONE_DAY, 0, 1))),
    "entries that are not sorted by time": (page(UNSORTED), page(swapped(UNSORTED, 1, 2))),
    "entries of different moments": (page(POSTS), page(swapped(POSTS, 2, 3))),
    "a list without moments": (
        page(POSTS, lambda name, _: f"<li><a href=/{name}>{name}</a>"),
        page(swapped(POSTS, 0, 1), lambda name, _: f"<li><a href=/{name}>{name}</a>"),
    ),
    "paragraphs of one entry": (
        page(POSTS),
        page(POSTS, lambda *entry: date_below(*entry).replace("<p>The Birch in spring.<p>Leaves of Birch.",
                                                              "<p>Leaves of Birch.<p>The Birch in spring.")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TOLD)
def test_an_order_that_says_something_is_told(case: str) -> None:
    assert decide(*TOLD[case]).changed
