"""What building an index holds in memory does not grow with its pages."""

import sys
from pathlib import Path

import pytest
from small_library import Book, keep

from whimbrel.bench.search_build import watched

FEW, MANY, AT_ONCE = 1_000, 4_000, 500
MOST_BYTES_A_PAGE = 4_000
"""Measured at 1,500 to 2,000, of which most is memory given back and not used again yet; at 20,000 where all links were
weighed at once, and at 22,000 where pages with letters beyond Latin-1 left garbage as well."""

MENU = {f"/menu/{number}": f"entry {number}" for number in range(100)}
WORDS = " ".join(f"word{number}" for number in range(200))
BUILD = """
import sys
from pathlib import Path
from whimbrel.search import graph, links
from whimbrel.search.build import indexer
from whimbrel.search.contract import SearchSettings

indexer.BOOK_CACHE_BYTES = indexer.SOURCE_CACHE_BYTES = 1 << 20
links.MEMO_LINKS = 1_000
graph.PIECE_LINKS = 1 << 14
with indexer.Indexer(Path(sys.argv[1]), SearchSettings(commit_pages=500)) as indexer:
    print(indexer.rebuild().indexed)
"""
"""Caches, commits and pieces so small that few pages fill them."""


def page(number: int) -> Book:
    beyond_latin = "東京" if number % 8 == 0 else ""
    own = {f"/{number + step}": f"see {number} {step}" for step in range(1, 21)}
    return Book(f"Page {number}", f"{WORDS} {beyond_latin}", {**MENU, **own})


def peak(folder: Path, pages: int) -> int:
    for first in range(0, pages, AT_ONCE):
        keep(folder, {f"/{number}": page(number) for number in range(first, first + AT_ONCE)})
    # With one pool of memory for all threads, which of them freed what says nothing.
    said, most = watched(["env", "MALLOC_ARENA_MAX=1", sys.executable, "-c", BUILD, str(folder)])
    assert int(said) == pages
    assert most.file_bytes > 0
    return most.anonymous_bytes


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the memory of a process")
def test_memory_does_not_grow_with_the_pages(tmp_path: Path) -> None:
    grown = peak(tmp_path / "many", MANY) - peak(tmp_path / "few", FEW)
    assert grown < (MANY - FEW) * MOST_BYTES_A_PAGE
