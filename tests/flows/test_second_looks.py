"""A second look tells what is drawn by lot; an edit that stays is told, whatever passes beside it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from whimbrel.bench.playing import Player

DAY = 86_400.0


def _link(edition: int, look: int) -> str:
    session = f"PHPSESSID={look}f3a9c{look}7e1b2d8{look}"
    return f"<p><a href='/next?{session}'>Go on</a> or <a href=/files/tool-{edition}.zip>fetch the tool</a>.</p>"


def _line(edition: int, look: int) -> str:
    hall = ("oak", "ash", "elm", "yew")[edition]
    return f"<p>We meet in the hall of {hall}, last seen {look + 2} minutes ago by the warden</p>"


@pytest.mark.parametrize("line", [_link, _line], ids=["a link beside a session", "a word beside an age"])
def test_an_edit_that_stays_is_told(tmp_path: Path, line: Callable[[int, int], str]) -> None:
    def body(edition: int, look: int) -> bytes:
        return f"<!doctype html><title>Hall</title><main><h1>Hall</h1>{line(edition, look)}</main>".encode()

    player = Player(tmp_path / "kept", "a.example")
    player.visit("hall", body(0, 0), DAY)
    told = []
    for edition in (1, 2, 3):
        again = partial(body, edition, 2 * edition + 1)
        told.append(len(player.visit("hall", body(edition, 2 * edition), DAY * (edition + 1), again)))
    assert player.second_looks >= 1
    assert told[:2] == [1, 1]
    player.close()


def _shuffled(look: int) -> bytes:
    order = ("Oak Ash Elm Yew", "Yew Oak Ash Elm", "Elm Yew Ash Oak", "Ash Elm Oak Yew")[look % 4]
    items = "".join(f"<li>{name} hall</li>" for name in order.split())
    return f"<!doctype html><title>Hall</title><main><h1>Hall</h1><ul>{items}</ul></main>".encode()


def _referred(look: int) -> bytes:
    link = f"<p>You may <a href='/join?ref={'abcd'[look % 4] * 3}'>join us</a> today.</p>"
    return f"<!doctype html><title>Hall</title><main><h1>Hall</h1>{link}</main>".encode()


@pytest.mark.parametrize("body", [_shuffled, _referred], ids=["an order", "a parameter of a link"])
def test_what_is_drawn_by_lot_is_known_for_it_at_once_and_told_where_it_stays(
    tmp_path: Path, body: Callable[[int], bytes]
) -> None:
    player = Player(tmp_path / "kept", "a.example")
    player.visit("drawn", body(0), DAY)
    assert player.visit("drawn", body(1), 2 * DAY, lambda: body(2)) == []
    assert player.visit("drawn", body(3), 3 * DAY, lambda: body(0)) == []
    player.visit("set", body(0), DAY)
    assert len(player.visit("set", body(1), 2 * DAY)) == 1
    player.close()
