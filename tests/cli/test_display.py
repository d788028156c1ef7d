"""What a person sees while a crawl runs."""

import time
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from whimbrel.cli import display
from whimbrel.cli.display import Gauge, PlainDisplay
from whimbrel.migrants.manager import Progress


def crawl(**told: Any) -> Any:
    """All that a display knows of a crawl."""
    return SimpleNamespace(progress=Progress(began=0.0, **told))


def test_the_first_rate_is_one_since_the_beginning() -> None:
    manager = crawl()
    gauge = Gauge(manager, None)
    manager.progress.visits = 50
    assert 4.0 < gauge.rate(time.monotonic() + 10.0) <= 5.0


def test_one_host_is_not_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "PLAIN_SECONDS", 0.0)
    said = StringIO()
    PlainDisplay(crawl(pages=1, hosts_waiting=1), None, Console(file=said)).tick()
    assert "1 page, " in said.getvalue()
    assert " 1 host waiting" in said.getvalue()
