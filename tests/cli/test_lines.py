"""Lines for a person: folded between words, whole where a word is longer."""

import click
import pytest

from whimbrel.cli.lines import folded, say


def test_what_follows_stands_under_the_beginning() -> None:
    assert folded("    one two three four", 15) == "    one two\n    three four"


def test_a_number_in_front_hangs_out() -> None:
    assert folded("  1. one two three", 12, hang=3) == "  1. one two\n     three"


def test_a_url_stays_whole() -> None:
    url = "https://docs.example.org/a/long/way/down.html"
    assert folded(f"  {url}", 20) == f"  {url}"
    assert folded(f"  on {url} “here”", 20, hang=3).split() == ["on", url, "“here”"]


def test_styles_take_no_room() -> None:
    bold = click.style("one", bold=True)
    assert folded(f"{bold} two three", 7) == f"{bold} two\nthree"


def test_columns_keep_their_spaces() -> None:
    assert folded("  0.5  text: body   words", 80) == "  0.5  text: body   words"


def test_nobody_who_wants_no_colours_gets_any(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    say(click.style("one", bold=True), fg="red")
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    say(click.style("one", bold=True), fg="red")
    assert capsys.readouterr().out == "one\n"
