"""Every engine answers the same tests: a repository of each, empty, by its location."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from whimbrel.repository.engines import open_reader, open_writer
from whimbrel.repository.location import EMBEDDED, MEMORY, Location
from whimbrel.repository.memory.engine import drop
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.port.writer import Writer

ENGINES = (EMBEDDED, MEMORY)


@pytest.fixture(params=ENGINES)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Location]:
    location = Location(request.param, str(tmp_path / "repository"), tmp_path / "repository")
    yield location
    drop(location)


@pytest.fixture
def writer(where: Location) -> Iterator[Writer]:
    opened = open_writer(where)
    yield opened
    opened.close()


@pytest.fixture
def reader(where: Location, writer: Writer) -> Iterator[Reader]:
    """Opened before anything was written, and looking on."""
    with open_reader(where) as opened:
        yield opened
