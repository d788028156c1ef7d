"""What a person sees while a crawl runs."""

import time
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from whimbrel.cli import display
from whimbrel.cli.display import PaceGauge, PlainDisplay
from whimbrel.cli.lines import Lines
from whimbrel.cli.words import harmless
from whimbrel.migrants.home.progress import Progress


def crawl(**told: Any) -> Any:
    """All that a display knows of a crawl."""
    return SimpleNamespace(progress=Progress(began=0.0, **told))


def test_the_first_rate_is_one_since_the_beginning() -> None:
    manager = crawl()
    gauge = PaceGauge(manager, None, 100.0)
    manager.progress.visits = 50
    assert gauge.rate(110.0) == 5.0


def test_what_waits_on_purpose_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("whimbrel.cli.display.PLAIN_SECONDS", 0.0)
    PlainDisplay(crawl(pages=1, idle_until=time.time() + 3600), None, Lines()).tick()
    assert "what is left is asked for in " in capsys.readouterr().out


def test_a_place_that_is_waited_for_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(display, "PLAIN_SECONDS", 0.0)
    until = time.mktime((2026, 3, 1, 12, 30, 15, 0, 0, -1))
    going = crawl(pages=5, queued=2, awaited={"library": until}, notes=["waiting for place `library` since 12:30:00"])
    PlainDisplay(going, None, Lines()).tick()
    said = capsys.readouterr().out
    assert "waiting for place `library` since 12:30:00\n" in said
    assert "2 queued, waiting for place library until 12:30:15" in said


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
    assert capsys.readouterr().out == "this run  72 fetched, 1\n          refused, 1 failed\n    time\n"


def test_a_line_of_progress_fits_into_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(display, "PLAIN_SECONDS", 0.0)
    kinds = ("http_404", "timeout", "connection", "protocol", "dns", "http_500")
    told = crawl(
        pages=1_234_567, visits=9_999_999, queued=87_654_321, hosts_waiting=12_345, notes=["a host is left alone " * 9],
        bytes=Counter(novel=123_456_789_012, duplicate=99_999_999_999, not_modified=1),
        errors=Counter({kind: 123_456 - number for number, kind in enumerate(kinds)}),
    )  # fmt: skip
    PlainDisplay(told, None, Lines()).tick()
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-1].startswith("1\u202f234\u202f567 pages, ")
    assert "87\u202f654\u202f321 queued, 223 GB, " in lines[-1]


def test_errors_are_counted_and_the_most_frequent_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(display, "PLAIN_SECONDS", 0.0)
    PlainDisplay(crawl(errors=Counter(http_404=7, timeout=2)), None, Lines()).tick()
    assert "9 errors (mostly http_404)" in capsys.readouterr().out


@pytest.mark.parametrize(("hosts", "said"), [(1, "about 10 min 00 s to go"), (2, "")])
def test_how_long_it_takes_is_told_of_one_host(hosts: int, said: str) -> None:
    told = crawl(hosts_at_work=hosts)
    gauge = PaceGauge(told, None, 0.0)
    for second in range(1_201):
        told.progress.visits, told.progress.queued = second, 1_800 - second
        gauge.note(float(second))
    assert gauge.to_go() == said


def test_what_shows_nothing_is_not_shown_and_what_commands_is_marked() -> None:
    """Generators of manuals set a space without width beside every heading."""
    assert harmless("Install\u200b it: soft\u00adware\ufeff") == "Install it: software"
    assert harmless("exe\u202egnp \x1b[31m") == "exe\ufffdgnp \ufffd[31m"
    assert harmless("می\u200cخواهم") == "می\u200cخواهم"
