"""Many readers at once: none is failed, and what is counted is counted exactly."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from web_client import Running

from whimbrel.readers.log import ReaderLog
from whimbrel.readers.opening import FILE
from whimbrel.readers.tallies import Tallies

READERS = 32
QUERIES = ("estuary", "a", "birds", '"the ebb"', "page -twin", "type:pdf waders", "estury")


def counted(folder: Path) -> tuple[int, int]:
    """How often pages were shown and clicked, all together."""
    with ReaderLog(folder) as log:
        told = Tallies(log).counts()
    return told.times_shown, told.times_opened


def test_searches_at_the_same_time_are_all_answered_and_counted(server: Running, shelf: Path) -> None:
    shown = {query: len(server.get("/api/search", q=query).json()["hits"]) for query in QUERIES}
    people = [server.reader() for _ in range(8)]
    before = counted(shelf)
    # Each asks everything several times over, which counts once.
    asked = [(people[number % 8], QUERIES[number // 8 % len(QUERIES)]) for number in range(320)]
    with ThreadPoolExecutor(READERS) as readers:
        codes = list(readers.map(lambda one: one[0].get("/", q=one[1]).status, asked))
    assert set(codes) == {200}
    assert counted(shelf) == (before[0] + 8 * sum(shown.values()), before[1])


def test_what_is_read_and_put_aside_at_the_same_time_is_counted(server: Running, shelf: Path) -> None:
    reader = server.reader()
    hits = len(server.get("/api/search", q="looks were not kept -no3").json()["hits"])
    before = counted(shelf)

    def one(number: int) -> int:
        match number % 4:
            case 0:
                # Queries of their own: twice the same at once is a double click.
                return reader.get("/read", url="http://a.example/bare", q=f"page {number}").status
            case 1:
                return server.get("/api/page", url="http://a.example/bare").status
            case 2:
                keep = "yes" if number % 8 < 4 else "no"
                return reader.post("/favourite", url="http://a.example/bare", keep=keep).status
        return reader.get("/", q=f"looks were not kept -no{number}").status

    with ThreadPoolExecutor(READERS) as readers:
        codes = list(readers.map(one, range(160)))
    assert codes == [200, 200, 303, 200] * 40
    assert counted(shelf) == (before[0] + 40 * hits, before[1] + 40)
    reader.post("/favourite", url="http://a.example/bare", keep="no")


def test_threads_share_one_log(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log, ThreadPoolExecutor(READERS) as threads:
        tallies = Tallies(log)
        list(threads.map(lambda number: tallies.record_shown(range(number % 10 + 1)), range(200)))
        assert tallies.of(0) == (200, 0)
        assert tallies.of(1) == (180, 0)
        assert tallies.counts().times_shown == sum(number % 10 + 1 for number in range(200))


def test_a_search_is_answered_where_nothing_can_be_counted(server: Running, shelf: Path) -> None:
    """Another process holds the log for good, or the disk is full."""
    reader = server.reader()
    holder = sqlite3.connect(shelf / FILE, isolation_level=None)
    before = counted(shelf)
    try:
        holder.execute("BEGIN IMMEDIATE")
        assert reader.get("/", q="estuary").status == 200
        assert reader.get("/read", url="http://a.example/bare", q="page").status == 200
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert counted(shelf) == before
