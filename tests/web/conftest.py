"""A server on loopback over a grown folder, and one that nobody may ask."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra `search` is not installed")
pytest.importorskip("tantivy", reason="the extra `search` is not installed")

from kept_shelf import fill
from web_client import Running

from whimbrel.search.contract import DEFAULTS
from whimbrel.search.indexer import Indexer
from whimbrel.testing.web import Reply, TinyWeb
from whimbrel.web.settings import Door


@pytest.fixture(scope="session")
def evil() -> Iterator[TinyWeb]:
    """A server that nobody may ask for anything."""
    with TinyWeb({"/": Reply(b"<title>evil</title>")}) as web:
        yield web


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, evil: TinyWeb) -> Path:
    folder = tmp_path_factory.mktemp("shelf")
    fill(folder, evil.url("").rstrip("/"), time.time())
    with Indexer(folder, DEFAULTS) as indexer:
        indexer.catch_up(time.time())
    return folder


@pytest.fixture(scope="session")
def server(shelf: Path) -> Iterator[Running]:
    with Running(shelf, Door(port=0)) as running:
        yield running


@pytest.fixture
def serving() -> Iterator[Callable[..., Running]]:
    """Further servers, ended with the test."""
    started: list[Running] = []

    def start(folder: Path, **door: Any) -> Running:
        running = Running(folder, Door(port=0, **door)).__enter__()
        started.append(running)
        return running

    yield start
    for running in started:
        running.__exit__()
