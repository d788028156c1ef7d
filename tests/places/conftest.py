import pytest

from whimbrel.places.home import awaiting, keeper


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, home waits for a place that has joined."""
    monkeypatch.setattr(awaiting, "AWAITED_SECONDS", 300.0)
    monkeypatch.setattr(keeper, "CALLS", 60)
