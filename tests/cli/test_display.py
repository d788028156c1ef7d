"""What a person sees while a crawl runs."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from whimbrel.cli import display
from whimbrel.cli.display import Gauge, PlainDisplay
from whimbrel.cli.lines import Lines
from whimbrel.migrants.manager import Progress


def crawl(**told: Any) -> Any:
    """All that a display knows of a crawl."""
    return SimpleNamespace(progress=Progress(began=0.0, **told))


def test_the_first_rate_is_one_since_the_beginning() -> None:
    manager = crawl()
    gauge = Gauge(manager, None)
    manager.progress.visits = 50
    assert 4.0 < gauge.rate(time.monotonic() + 10.0) <= 5.0


def test_one_host_is_not_several(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(display, "PLAIN_SECONDS", 0.0)
    PlainDisplay(crawl(pages=1, hosts_waiting=1), None, Lines()).tick()
    said = capsys.readouterr().out
    assert "1 page, " in said
    assert " 1 host waiting" in said


def test_a_table_is_justified_and_without_colours_in_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    Lines(err=True).table([("ended", "by you"), ("pages kept", "[12]")], dim=True)
    Lines(err=True).say("a warning", "yellow")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "     ended  by you\npages kept  [12]\na warning\n"


def test_a_long_line_of_a_table_goes_on_below(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    Lines().table([("this run", "72 fetched, 1 refused, 1 failed"), ("time", "")])
    assert capsys.readouterr().out == "this run  72 fetched, 1\n          refused, 1 failed\n    time  \n"
