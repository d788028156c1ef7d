"""The index follows the repository: nothing missing, nothing twice, whatever happens on the way."""

import gc
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_library import BOOKS, NOW, Book, keep, lose, paths, redirect, url_of

from grown_folder import grow, small_world
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.tallies import Tallies
from whimbrel.records.url import Url
from whimbrel.repository.embedded.erase import erase
from whimbrel.repository.upkeep import ForgetTarget
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import DAMAGED, Searcher
from whimbrel.search.ask.searcher import OTHER_FORM as READER_OTHER_FORM
from whimbrel.search.build.indexer import BUSY, OTHER_FORM, Indexer
from whimbrel.search.contract import SearchSettings
from whimbrel.search.graph import link_graph
from whimbrel.urls.normal import key as key_of

PAGES = sum(not book.twin_of for book in BOOKS.values())


def found(folder: Path, typed: str) -> list[str]:
    with Searcher(folder) as searcher:
        return sorted(paths(searcher.answer(parse(typed), now=NOW)))


def catch_up(folder: Path, **settings: int) -> tuple[int, int, int]:
    with Indexer(folder, SearchSettings(**settings)) as indexer:
        caught = indexer.catch_up()
        return caught.indexed, caught.removed, caught.pending


def documents(folder: Path) -> int:
    with Searcher(folder) as searcher:
        return int(searcher.state()[0].num_docs)


def test_everything_once_and_then_nothing(folder: Path) -> None:
    assert catch_up(folder, commit_pages=2) == (PAGES, 0, 0)
    assert catch_up(folder) == (0, 0, 0)
    assert documents(folder) == PAGES


def test_a_limit_leaves_the_rest_pending(folder: Path) -> None:
    with Indexer(folder) as indexer:
        seen = [indexer.catch_up(limit=2).pending for _ in range(12)]
        assert indexer.pending() == 0
    assert seen[0] > 0
    assert seen[-1] == 0
    assert documents(folder) == PAGES


def test_a_new_version_takes_the_place_of_the_old(indexed: Path) -> None:
    keep(indexed, {"/old": Book("News", "A storm sank the harbour.")}, now=NOW + 60)
    assert catch_up(indexed)[0] == 1
    assert found(indexed, "storm") == ["/old"]
    assert found(indexed, '"nothing happened"') == []
    with Searcher(indexed) as searcher:
        hit = searcher.answer(parse("storm")).hits[0]
    assert (hit.versions, hit.changed_at) == (2, NOW + 60)


def test_a_link_that_is_gone_takes_its_words_along(indexed: Path) -> None:
    assert found(indexed, "seven whistler") == ["/birds/whimbrel"]
    keep(indexed, {"/birds/curlew": Book("Curlew", "The curlew alone.")}, now=NOW + 60)
    catch_up(indexed)
    assert found(indexed, "seven whistler") == []


def test_a_page_that_is_gone_leaves(indexed: Path) -> None:
    lose(indexed, "/old")
    assert catch_up(indexed) == (0, 1, 0)
    assert found(indexed, "harbour") == []
    assert documents(indexed) == PAGES - 1


def test_what_is_forgotten_is_not_shown_even_before_the_index_hears_of_it(indexed: Path) -> None:
    with ReaderLog(indexed) as log:
        Tallies(log).record_shown([key_of(url_of("/birds/curlew"))])
    erase(indexed, ForgetTarget(urls=(url_of("/birds/curlew"),)), NOW, "test")
    assert "/birds/curlew" not in found(indexed, "curlew")
    catch_up(indexed)
    assert found(indexed, '"call at night"') == []
    assert found(indexed, "seven whistler") == []
    with ReaderLog(indexed) as log:
        assert Tallies(log).of(key_of(url_of("/birds/curlew"))) == (0, 0)
    book = sqlite3.connect(indexed / "index" / "pages.sqlite")
    texts = [row[0] for row in book.execute("SELECT text FROM anchor UNION SELECT title FROM page")]
    book.close()
    assert "seven whistler" not in texts
    assert "Curlew - Library" not in texts


def test_a_twin_steps_in_for_a_forgotten_page(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    grow(folder, small_world())
    catch_up(folder)
    near = Url("http://a.example/near")
    assert found(folder, '"very same bytes"') == ["/near"]
    erase(folder, ForgetTarget(urls=(near,)), NOW, "test")
    catch_up(folder)
    assert found(folder, '"very same bytes"') == ["/zipped"]


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_visits_does_not_matter(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "folder"
    grow(folder, small_world(), seed=seed)
    with Indexer(folder) as indexer:
        while indexer.catch_up(limit=1 + seed).pending:
            pass
    assert documents(folder) == 7
    with Searcher(folder) as searcher:
        (hit,) = searcher.answer(parse('"very same bytes"'), now=NOW).hits
    assert hit.twins == 6


def test_a_second_writer_only_reads_and_says_so(folder: Path) -> None:
    with Indexer(folder) as first:
        first.catch_up(limit=1)
        with Indexer(folder) as second:
            assert not second.writes
            caught = second.catch_up()
            assert (caught.indexed, caught.notes) == (0, (BUSY,))
            assert caught.pending == first.pending() > 0
            assert second.rebuild().notes == (BUSY,)


@pytest.mark.parametrize("harm", ["cut", "missing", "book", "meta", "lost words"])
def test_a_damaged_index_is_built_anew_and_says_so(indexed: Path, harm: str) -> None:
    place = indexed / "index"
    if harm == "cut":
        for path in (place / "words").glob("*.idx"):
            path.write_bytes(path.read_bytes()[:10])
    elif harm == "missing":
        for path in (place / "words").glob("*.term"):
            path.unlink()
    elif harm == "book":
        for path in place.glob("pages.sqlite*"):
            path.write_bytes(b"no database at all" * 100)
    elif harm == "meta":
        (place / "words" / "meta.json").write_text("{")
    else:
        for path in (place / "words").iterdir():
            path.unlink()
    with Indexer(indexed) as indexer:
        caught = indexer.catch_up()
    assert caught.indexed == PAGES
    assert "was damaged" in caught.notes[0]
    assert found(indexed, '"single mast"') == ["/boats/sloop"]


def test_a_reader_that_meets_damage_says_so_and_the_writer_mends_it(indexed: Path) -> None:
    for path in (indexed / "index" / "words").glob("*.idx"):
        path.write_bytes(b"\0" * 10)
    with Searcher(indexed) as searcher:
        answer = searcher.answer(parse("whimbrel"))
        assert (answer.hits, answer.notes) == ((), (DAMAGED,))
        with Indexer(indexed) as indexer:
            assert indexer.catch_up().notes
        assert searcher.answer(parse("whimbrel")).total == 2


def test_a_rebuild_gives_the_same(indexed: Path) -> None:
    before = found(indexed, "library")
    with Indexer(indexed) as indexer:
        assert indexer.rebuild().indexed == PAGES
    assert found(indexed, "library") == before


def test_a_rebuild_by_whoever_indexed_before_still_knows_every_word(folder: Path) -> None:
    with Indexer(folder) as indexer:
        indexer.catch_up()
        indexer.rebuild()
    with Searcher(folder) as searcher:
        assert searcher.answer(parse("whimbrle"), now=NOW).corrected == "whimbrel"


def test_a_rebuild_leaves_the_collector_as_it_was(indexed: Path) -> None:
    before = gc.get_threshold()
    with Indexer(indexed) as indexer:
        indexer.rebuild()
    assert gc.get_threshold() == before


def test_a_replaced_repository_is_noticed(indexed: Path, tmp_path: Path) -> None:
    keep(tmp_path / "other", {"/only": Book("Only", "The only page.")})
    for path in indexed.glob("crawl.sqlite*"):
        path.unlink()
    (tmp_path / "other" / "crawl.sqlite").rename(indexed / "crawl.sqlite")
    with Indexer(indexed) as indexer:
        assert "ahead of the repository" in indexer.catch_up().notes[0]
    assert found(indexed, "page") == ["/only"]


KILLED = """
import os, signal, sys
from pathlib import Path
from whimbrel.search.contract import SearchSettings
from whimbrel.search.build.indexer import Indexer

left = int(sys.argv[2])

def trace(frame, event, arg):
    global left
    if not frame.f_code.co_filename.endswith(("build/indexer.py", "build/listening.py", "search/book.py")):
        return None
    left -= 1
    if left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return trace

sys.settrace(trace)
with Indexer(Path(sys.argv[1]), SearchSettings(commit_pages=2)) as indexer:
    indexer.catch_up()
"""


@pytest.mark.parametrize("line", [80, 200, 320, 420, 520, 640])
def test_a_kill_at_any_moment_costs_only_work(folder: Path, line: int) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(line)], timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL
    with Indexer(folder) as indexer:
        caught = indexer.catch_up()
    assert (caught.pending, caught.notes) == (0, ())
    assert documents(folder) == PAGES
    assert found(folder, "seven whistler") == ["/birds/whimbrel"]


def test_an_index_of_an_older_form_is_built_anew_and_not_called_damaged(indexed: Path) -> None:
    book = sqlite3.connect(indexed / "index" / "pages.sqlite")
    book.execute("PRAGMA user_version = 1")
    book.close()
    with Searcher(indexed) as searcher:
        assert searcher.answer(parse("whimbrel")).notes == (READER_OTHER_FORM,)
    assert not (indexed / "index" / "damaged").exists()
    with Indexer(indexed) as indexer:
        caught = indexer.catch_up()
    assert (caught.indexed, caught.notes) == (PAGES, (OTHER_FORM,))
    assert found(indexed, '"single mast"') == ["/boats/sloop"]


def said_in(folder: Path, word: str) -> list[str]:
    """Where the index holds a word: files that say it, and the dictionaries of the word index, which are coded."""
    files = [path for path in (folder / "index").rglob("*") if path.is_file()]
    with Searcher(folder) as searcher:
        pages = searcher.state()[0].doc_freq("body", word)  # counts pages that are only marked as removed, too
    return [*sorted(path.name for path in files if word.encode() in path.read_bytes()), *["words"] * (pages > 0)]


@pytest.mark.parametrize("limit", [None, 2])
def test_no_word_of_a_forgotten_page_is_left_in_the_files(indexed: Path, limit: int | None) -> None:
    secret, older, anchor = "qzxjwvkq", "kqjzzxwv", "vwxqqjzk"
    beside = Book("Beside", "Another page of the same commit.")
    keep(indexed, {"/secret": Book("Secret", f"The password was {older}."), "/beside": beside}, now=NOW + 1)
    catch_up(indexed)
    keep(indexed, {"/secret": Book("Secret", f"It is {secret}.", {"/old": f"see {anchor}"})}, now=NOW + 2)
    catch_up(indexed)
    assert all({"pages.sqlite", "words"} <= set(said_in(indexed, word)) for word in (secret, older, anchor))
    erase(indexed, ForgetTarget(urls=(url_of("/secret"),)), NOW, "test")
    with Indexer(indexed) as indexer:
        for _ in range(1 if limit is None else 12):
            caught = indexer.catch_up(limit)
    assert caught.pending == 0
    assert [said_in(indexed, word) for word in (secret, older, anchor)] == [[], [], []]
    assert documents(indexed) == PAGES + 1
    assert found(indexed, "whimbrel") == ["/birds/curlew", "/birds/whimbrel"]


def test_links_to_a_redirect_count_for_where_it_leads(folder: Path) -> None:
    keep(folder, {"/more": Book("More", "Further reading.", {"/moved": "bristlethighed relative"})})
    redirect(folder, "/moved", "/moved-again")
    redirect(folder, "/moved-again", "/birds/curlew")
    catch_up(folder)
    assert found(folder, "bristlethighed") == ["/birds/curlew"]
    with Searcher(folder) as searcher:
        keys, sources, targets = link_graph(searcher.state()[1])
    more, curlew = (int(np.searchsorted(keys, key_of(url_of(path)))) for path in ("/more", "/birds/curlew"))
    assert (more, curlew) in set(zip(sources.tolist(), targets.tolist(), strict=True))
