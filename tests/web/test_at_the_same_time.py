"""Many readers at once: none is failed, and what is counted is counted exactly."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from web_client import Running

from whimbrel.search.places import FOLDER
from whimbrel.search.states import FILE, StateBook

READERS = 32
QUERIES = ("estuary", "a", "birds", '"the ebb"', "page -twin", "type:pdf waders", "estury")


def counted(folder: Path) -> tuple[int, int]:
    """How often pages were shown and clicked, all together."""
    with StateBook(folder) as book:
        states = book.counts()
    return states.times_shown, states.times_clicked


def test_searches_at_the_same_time_are_all_answered_and_counted(server: Running, shelf: Path) -> None:
    shown = {query: len(server.get("/api/search", q=query).json()["hits"]) for query in QUERIES}
    before = counted(shelf)
    asked = [QUERIES[number % len(QUERIES)] for number in range(320)]
    with ThreadPoolExecutor(READERS) as readers:
        codes = list(readers.map(lambda query: server.get("/", q=query).status, asked))
    assert set(codes) == {200}
    assert counted(shelf) == (before[0] + sum(shown[query] for query in asked), before[1])


def test_what_is_read_and_put_aside_at_the_same_time_is_counted(server: Running, shelf: Path) -> None:
    cookie, token = server.visit()
    before = counted(shelf)

    def one(number: int) -> int:
        match number % 4:
            case 0:
                return server.get("/read", url="http://a.example/bare", q="page").status
            case 1:
                return server.get("/api/page", url="http://a.example/bare").status
            case 2:
                form = {"url": "http://a.example/bare", "keep": "yes" if number % 8 < 4 else "no", "token": token}
                return server.post("/favourite", form, Cookie=cookie).status
        return server.post("/seen", {"keys": "1,2,3", "token": token}, Cookie=cookie).status

    with ThreadPoolExecutor(READERS) as readers:
        codes = list(readers.map(one, range(160)))
    assert codes == [200, 200, 303, 204] * 40
    assert counted(shelf) == (before[0] + 3 * 40, before[1] + 40)
    server.post("/favourite", {"url": "http://a.example/bare", "keep": "no", "token": token}, Cookie=cookie)


def test_threads_share_one_book_of_counts(tmp_path: Path) -> None:
    with StateBook(tmp_path) as book, ThreadPoolExecutor(READERS) as threads:
        list(threads.map(lambda number: book.record_shown(range(number % 10 + 1)), range(1_000)))
        list(threads.map(book.record_clicked, [1] * 100))
        assert book.of(0) == (1_000, 0)
        assert book.of(1) == (900, 100)
        assert book.counts().times_shown == sum(number % 10 + 1 for number in range(1_000))


def test_a_search_is_answered_where_nothing_can_be_counted(server: Running, shelf: Path) -> None:
    """Another process holds the counts' file for good, or the disk is full."""
    holder = sqlite3.connect(shelf / FOLDER / FILE, isolation_level=None)
    before = counted(shelf)
    try:
        holder.execute("BEGIN IMMEDIATE")
        assert server.get("/", q="estuary").status == 200
        assert server.get("/read", url="http://a.example/bare", q="page").status == 200
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert counted(shelf) == before
