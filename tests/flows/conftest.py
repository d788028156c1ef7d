"""What the tests of whole crawls share."""

import pytest

from commands import Ask, asking


@pytest.fixture
def ask(capfd: pytest.CaptureFixture[str]) -> Ask:
    """The command in this process."""
    return asking(capfd)
