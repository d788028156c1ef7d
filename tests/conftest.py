"""What all tests share: the long sweeps run only when asked for, and no example fails because the machine is busy.

Tests that start programs come first: where several run at a time, a slow file at the end would leave the others idle.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("whimbrel", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("whimbrel")


STARTING_PROGRAMS = (
    "words", "migrants", "web", "places", "cli", "bench", "flows", "exchange", "agents", "test_launcher.py",
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the long sweeps too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _turn(item.path))
    if config.getoption("--long"):
        return
    long = [item for item in items if item.get_closest_marker("long")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


def _turn(path: Path) -> int:
    room = path.relative_to(Path(__file__).parent).parts[0]
    return STARTING_PROGRAMS.index(room) if room in STARTING_PROGRAMS else len(STARTING_PROGRAMS)
