"""What all tests share: the long sweeps run only when asked for, and no example fails because the machine is busy."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("whimbrel", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("whimbrel")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the long sweeps too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    long = [item for item in items if item.get_closest_marker("long")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
