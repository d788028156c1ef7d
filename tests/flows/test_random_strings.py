"""A random string may be drawn at every request, or be a key that somebody put there: a second look tells."""

from pathlib import Path

from whimbrel.bench.playing import Player

DAY = 86_400.0
FIRST, SECOND, THIRD = (
    "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
    "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
    "9f8e7d6c5b4a39281706aa17",
)


def body(said: str) -> bytes:
    inside = f"<h1>Give</h1><p>To help us, use this.</p><p>{said}</p>"
    return f"<!doctype html><title>Give</title><main>{inside}</main>".encode()


def test_an_address_that_was_replaced_is_told(tmp_path: Path) -> None:
    player = Player(tmp_path / "kept", "a.example")
    player.visit("give", body(f"Donate: {FIRST}"), DAY)
    assert len(player.visit("give", body(f"Donate: {SECOND}"), 2 * DAY)) == 1
    assert player.visit("give", body(f"Donate: {SECOND}"), 3 * DAY) == []
    player.close()


def test_what_is_drawn_at_every_request_is_not_told_and_asked_for_twice_only_once(tmp_path: Path) -> None:
    player = Player(tmp_path / "kept", "a.example")
    player.visit("give", body(f"Request {FIRST}"), DAY)
    told = player.visit("give", body(f"Request {SECOND}"), 2 * DAY, lambda: body(f"Request {THIRD}"))
    assert (told, player.second_looks) == ([], 1)
    assert player.visit("give", body(f"Request {FIRST}"), 3 * DAY, lambda: body(f"Request {THIRD}")) == []
    assert player.second_looks == 1
    player.close()
