"""A folder that agents may ask, with one page in it that took a password to read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("tantivy", reason="the extra `search` is not installed")

from asked_world import SECRET, world

from grown_folder import grow
from whimbrel.agents.toolbox import Toolbox
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import DEFAULTS


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    grow(folder, world("nine"), world("half past ten, later than ever before"))
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database, database:
        database.execute("UPDATE version SET private = 1 WHERE url IN (SELECT id FROM url WHERE url = ?)", (SECRET,))
    with Indexer(folder, DEFAULTS) as indexer:
        indexer.catch_up()
    return folder


@pytest.fixture(scope="session")
def toolbox(kept: Path) -> Iterator[Toolbox]:
    with Searcher(kept) as searcher:
        yield Toolbox(kept, lambda: searcher, lambda: True)
