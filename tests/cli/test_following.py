"""What was committed becomes searchable while a run goes on."""

import time
from pathlib import Path

from folders import crawl
from whimbrel.cli.following import Following
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.contract import DEFAULTS
from whimbrel.testing.web import TinyWeb

PATIENCE = 300.0


def found(folder: Path, words: str) -> bool:
    with Searcher(folder, DEFAULTS) as searcher:
        return bool(searcher.answer(parse(words), 1, 1, now=time.time()).hits)


def test_pages_are_found_soon_after_each_commit(tmp_path: Path) -> None:
    with Following(tmp_path) as index, TinyWeb({"/": b"<title>Tide</title><p>The curlew waits at the estuary."}) as web:
        crawl(tmp_path, web.url("/"))
        index.soon()
        ends = time.monotonic() + PATIENCE
        while not found(tmp_path, "curlew"):
            assert time.monotonic() < ends, "never found"
        web.pages["/"] = b"<title>Tide</title><p>The whimbrel waits at the estuary."
        crawl(tmp_path, web.url("/two"))
        assert not found(tmp_path, "tern")
        web.pages["/three"] = b"<title>Ebb</title><p>A tern came."
        crawl(tmp_path, web.url("/three"))
        index.now()
        assert found(tmp_path, "tern"), "whoever asks for it now need not wait"
