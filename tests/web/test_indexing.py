"""The thread that keeps the index up, when something is wrong that nobody foresaw."""

import logging
import shutil
import threading
from pathlib import Path
from typing import cast

from whimbrel.search.contract import SearchSettings
from whimbrel.web.indexing import Indexing, logger

PATIENCE_SECONDS = 60.0


class Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.said = threading.Event()
        self.words = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.words = record.getMessage()
        self.said.set()


def test_a_fault_does_not_end_it(shelf: Path, tmp_path: Path) -> None:
    """A server without this thread would go on searching an ever older index. Here the settings are none at all."""
    folder = tmp_path / "not indexed yet"
    shutil.copytree(shelf, folder, ignore=shutil.ignore_patterns("index", "*.lock"))
    heard = Heard()
    logger.addHandler(heard)
    indexing = Indexing(folder, cast(SearchSettings, object()))
    indexing.start()
    try:
        assert heard.said.wait(PATIENCE_SECONDS)
        assert "whimbrel index --rebuild" in heard.words
        assert indexing.alive
    finally:
        indexing.close()
        logger.removeHandler(heard)
    assert not indexing.alive
