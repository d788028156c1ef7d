"""A small library, kept and indexed."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from small_library import BOOKS, NOW, keep

from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import Answer, SearchSettings

sys.path.append(str(Path(__file__).parents[1] / "documents"))  # `papers` writes the documents that are searched

Ask = Callable[..., Answer]
WORDS_ALONE = SearchSettings(meaning_weight=0.0)
"""Whether the extra `meaning` is installed or not."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    keep(tmp_path / "folder", BOOKS)
    return tmp_path / "folder"


@pytest.fixture
def indexed(folder: Path) -> Path:
    with Indexer(folder) as indexer:
        indexer.catch_up()
    return folder


@pytest.fixture
def searcher(indexed: Path) -> Iterator[Searcher]:
    with Searcher(indexed, WORDS_ALONE) as opened:
        yield opened


@pytest.fixture
def ask(searcher: Searcher) -> Ask:
    def asked(text: str, **options: bool | int) -> Answer:
        return searcher.answer(parse(text), now=NOW, **options)  # type: ignore[arg-type]

    return asked
