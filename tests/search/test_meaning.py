"""Search by meaning, with an encoder made up here: three directions, and a few words that point in them."""

import signal
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from small_encoder import SPECIAL, tensors_of, write_encoder
from small_library import BOOKS, HOST, NOW, Book, keep, lose, paths, url_of

from whimbrel.search.ask.nearness import NO_MEANINGS, NOT_HERE
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import OLD_VECTORS, OTHER_VECTORS, Indexer
from whimbrel.search.build.understanding import TOGETHER, Understood
from whimbrel.search.contract import DEFAULTS, Answer, SearchSettings
from whimbrel.search.meaning.encoder import units
from whimbrel.search.meaning.meanings import FILE as MEANINGS
from whimbrel.search.meaning.meanings import Meanings, packed
from whimbrel.search.meaning.sense import WEIGHTS, NoWeights, Sense
from whimbrel.search.meaning.vectors import FILE, Vectors, write_vectors
from whimbrel.urls.normal import key as key_of

SIZE = 8
BIRDS, BOATS, OTHER = (4 * np.eye(SIZE)[at] for at in range(3))
WORDS = {
    "wader": BIRDS, "curlew": BIRDS, "whimbrel": BIRDS, "bird": BIRDS, "shorebird": BIRDS, "bill": BIRDS,
    "sloop": BOATS, "boat": BOATS, "mast": BOATS, "sailing": BOATS, "vessel": BOATS,
    "harbour": OTHER, "library": OTHER,
}  # fmt: skip

Search = Callable[[str], Answer]


def write_small(folder: Path) -> None:
    """An encoder that looks at no word beside another, and knows no words but these."""
    rows = np.zeros((len(SPECIAL) + len(WORDS), SIZE), np.float32)
    rows[: len(SPECIAL), SIZE - 1] = 0.5
    rows[len(SPECIAL) :] = list(WORDS.values())
    write_encoder(folder, list(WORDS), tensors_of(rows))


@pytest.fixture
def sense(tmp_path: Path) -> Sense:
    write_small(tmp_path / "encoder")
    return Sense(tmp_path / "encoder")


@pytest.fixture
def search(folder: Path, sense: Sense) -> Search:
    understand(folder, sense)

    def asked(text: str) -> Answer:
        with Searcher(folder, sense=sense) as searcher:
            return searcher.answer(parse(text), now=NOW, why=True)

    return asked


def understand(folder: Path, sense: Sense, settings: SearchSettings = DEFAULTS) -> Understood:
    with Indexer(folder, settings, sense=sense) as indexer:
        indexer.catch_up()
        return indexer.understand()


def vectors(folder: Path) -> Vectors:
    read = Vectors(folder / "index")
    read.refresh()
    return read


def test_a_page_is_found_that_holds_no_word_of_the_question(search: Search) -> None:
    answer = search("which is the harbour vessel")
    assert "/boats/sloop" in paths(answer)
    assert answer.total >= len(answer.hits)
    (sloop,) = [hit for hit in answer.hits if hit.url.endswith("/boats/sloop")]
    assert next(part.name for part in sloop.parts if part.points > 0) == "meaning"
    assert sum(part.points for part in sloop.parts) == pytest.approx(sloop.score)


def test_bare_words_are_found_by_words_alone(search: Search) -> None:
    assert "/boats/sloop" not in paths(search("harbour vessel"))


def test_filters_and_quotation_marks_stay_strict(search: Search) -> None:
    assert "/boats/sloop" not in paths(search("which is the harbour vessel -mast"))
    assert paths(search('which is the "nothing happened" vessel')) == ["/old"]
    assert paths(search("which is the harbour vessel site:elsewhere.example")) == []


def test_words_that_no_page_holds_find_nothing(search: Search) -> None:
    assert search("which is the shorebird").total == 0


def test_pages_like_one(search: Search) -> None:
    answer = search(f"like:{HOST}/birds/whimbrel")
    assert paths(answer)[0] == "/birds/curlew"
    assert "/birds/whimbrel" not in paths(answer)
    assert paths(search(f"like:{HOST}/birds/whimbrel site:elsewhere.example")) == []
    assert search("like:https://elsewhere.example/").notes == (NOT_HERE,)


def test_without_the_extra_it_says_so_and_keeps_nothing(indexed: Path) -> None:
    with Searcher(indexed, SearchSettings(meaning_weight=0.0)) as searcher:
        assert searcher.answer(parse(f"like:{HOST}/birds/whimbrel")).notes == (NO_MEANINGS,)
        names = {part.name for hit in searcher.answer(parse("the wader")).hits for part in hit.parts}
    assert "meaning" not in names


ENGLISH = sum(not book.twin_of and book.language == "en" for book in BOOKS.values())


def test_vectors_follow_the_pages(folder: Path, sense: Sense, search: Search) -> None:
    assert len(vectors(folder)) == ENGLISH
    sloop = key_of(url_of("/boats/sloop"))
    before = vectors(folder).of(sloop)
    keep(folder, {"/boats/sloop": Book("Wader", "A wader is a bird with a bill.")}, now=NOW + 1)
    lose(folder, "/birds/curlew")
    with Indexer(folder, sense=sense) as indexer:
        indexer.catch_up()
        assert vectors(folder).of(key_of(url_of("/birds/curlew"))) is None
        assert indexer.understand() == Understood(pages=1)
    now = vectors(folder).of(sloop)
    assert before is not None
    assert now is not None
    assert now @ BIRDS > before @ BIRDS


def test_it_may_be_ended_and_goes_on_where_it_was(folder: Path, sense: Sense) -> None:
    more = {f"/more/{at}": Book(f"Wader {at}", f"The wader of page {at}.") for at in range(2 * TOGETHER)}
    keep(folder, more, now=NOW + 1)
    asked = iter([False, True])
    with Indexer(folder, sense=sense) as indexer:
        indexer.catch_up()
        waiting = ENGLISH + len(more)
        assert indexer.understand(most=waiting - 1) == Understood(left=waiting)
        assert indexer.understand(lambda: next(asked)) == Understood(TOGETHER, waiting - TOGETHER)
        assert not (folder / "index" / FILE).exists()  # until all have theirs words answer alone
    assert understand(folder, sense) == Understood(waiting - TOGETHER)
    assert len(vectors(folder)) == waiting
    assert understand(folder, sense) == Understood()


def test_a_rebuild_keeps_what_took_long(folder: Path, sense: Sense, search: Search) -> None:
    with Indexer(folder, sense=sense) as indexer:
        assert indexer.rebuild().indexed == ENGLISH + 1
        assert indexer.understand() == Understood()
    assert "/boats/sloop" in paths(search("which is the harbour vessel"))


def test_pages_in_another_language_are_neither_raised_nor_lowered(folder: Path, sense: Sense) -> None:
    german = Book(
        "Schiffe", "Der harbour ist groß und ein Schiff liegt darin, das sagt man auf Deutsch.", language="de"
    )
    keep(folder, {"/schiffe": german}, now=NOW + 1)
    understand(folder, sense)
    assert vectors(folder).of(key_of(url_of("/schiffe"))) is None
    with Searcher(folder, sense=sense) as searcher:
        hits = {hit.url: hit for hit in searcher.answer(parse("which is the harbour vessel"), now=NOW).hits}
    values = {url: next((part.value for part in hit.parts if part.name == "meaning"), 0.0) for url, hit in hits.items()}
    own = values.pop(url_of("/schiffe"))
    assert own == pytest.approx(sum(values.values()) / len(values))


def test_a_question_in_another_language_is_answered_by_its_words(search: Search) -> None:
    found = search("wo ist das vessel und der harbour")
    assert not [part for hit in found.hits for part in hit.parts if part.name == "meaning"]


def test_the_extra_may_come_and_go(indexed: Path, sense: Sense) -> None:
    off = SearchSettings(meaning_weight=0.0)
    for settings, there in ((SearchSettings(), True), (off, False), (SearchSettings(), True)):
        understand(indexed, sense, settings)
        assert (indexed / "index" / FILE).exists() is there
        assert (indexed / "index" / MEANINGS).exists() is there
    (indexed / "index" / FILE).write_bytes(b"damaged")
    (indexed / "index" / MEANINGS).write_bytes(b"damaged")
    with Searcher(indexed, sense=sense) as searcher:
        assert paths(searcher.answer(parse("which is the sloop"))) == ["/boats/sloop"]
    assert understand(indexed, sense).pages == ENGLISH
    assert len(vectors(indexed)) == ENGLISH


def test_vectors_of_an_older_release_are_dropped_and_said(indexed: Path, sense: Sense) -> None:
    with sqlite3.connect(indexed / "index" / "pages.sqlite") as book:
        book.execute("CREATE TABLE meaning (key INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT")
    book.close()
    (indexed / "index" / OLD_VECTORS).write_bytes(b"vectors of words")
    with Indexer(indexed, sense=sense) as indexer:
        assert indexer.catch_up().notes == (OTHER_VECTORS,)
        assert not (indexed / "index" / OLD_VECTORS).exists()
        assert indexer.catch_up().notes == ()
        assert indexer.understand().pages == ENGLISH


@pytest.mark.parametrize("wrong", [b"", b"\xff" * 40, struct.pack("<Q", 2) + b"{}"])
def test_weights_that_cannot_be_read_are_said_and_words_answer(folder: Path, sense: Sense, wrong: bytes) -> None:
    understand(folder, sense)
    write_small(folder / "wrong")
    (folder / "wrong" / WEIGHTS).write_bytes(wrong)
    broken = Sense(folder / "wrong")
    with pytest.raises(NoWeights, match="meaning_weight"):
        broken.of_question(["sloop"])
    with Searcher(folder, sense=broken) as searcher:
        answer = searcher.answer(parse("which is the sloop"))
    assert paths(answer) == ["/boats/sloop"]
    assert "meaning_weight" in answer.notes[0]
    keep(folder, {"/boats/raft": Book("Raft", "A raft has no mast.")}, now=NOW + 1)
    found = understand(folder, broken)
    assert (found.pages, found.left) == (0, 1)
    assert "meaning_weight" in found.note


_KILLED = """
import os, sys
from pathlib import Path
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.meaning.sense import Sense
folder, encoder, last = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
def traced(frame, event, argument):
    if event == "call" and frame.f_code.co_name == last and "/search/" in frame.f_code.co_filename:
        os.kill(os.getpid(), 9)
sys.setprofile(traced)
with Indexer(folder, sense=Sense(encoder)) as indexer:
    indexer.catch_up()
    indexer.understand()
"""


@pytest.mark.parametrize("last", ["note_moves", "learn", "write_ranks", "of_passages", "packed", "write_vectors"])
def test_a_kill_costs_only_work(folder: Path, tmp_path: Path, sense: Sense, last: str) -> None:
    """Killed as it comes to one of the steps of indexing."""
    arguments = [str(folder), str(tmp_path / "encoder"), last]
    ended = subprocess.run([sys.executable, "-c", _KILLED, *arguments], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with Indexer(folder, sense=sense) as indexer:
        indexer.catch_up()
        indexer.understand()
        assert indexer.pending() == 0
    assert len(vectors(folder)) == ENGLISH


@given(arrays.arrays(np.float32, (3, 384), elements=st.floats(-1, 1, width=16)))
def test_packed_vectors_point_the_same_way(rows: np.ndarray) -> None:
    for row, read in zip(rows, np.frombuffer(packed(rows), np.int8).reshape(3, -1).astype(np.float64), strict=True):
        if row.any():
            assert read @ row / (np.linalg.norm(read) * np.linalg.norm(row)) > 0.99


def test_the_nearest_pages_are_those_that_all_passages_say(tmp_path: Path) -> None:
    """Beside a comparison of everything with everything."""
    chance = np.random.default_rng(3)
    pages = {key: units(chance.normal(0, 1, (1 + key % 4, 96)).astype(np.float32) + 1) for key in range(1, 200)}
    with closing(Meanings(tmp_path)) as meanings:
        meanings.put((key, 1, rows) for key, rows in pages.items())
        write_vectors(tmp_path, meanings)
    read = Vectors(tmp_path)
    read.refresh()
    mean = np.concatenate(list(pages.values())).mean(0)
    asked = units((pages[77][1] + 0.02 * chance.normal(0, 1, 96)).astype(np.float32)[None, :])[0]
    exact = {key: float((units(rows - mean) @ units((asked - mean)[None, :])[0]).max()) for key, rows in pages.items()}
    keys, near = read.nearest(asked, 5)
    assert keys[0] == 77
    assert near.tolist() == pytest.approx([max(0.0, exact[key]) for key in keys.tolist()], abs=0.02)
    told = read.near(asked, np.array([5, 1_000, 77, 6]))
    assert np.isnan(told[1])
    assert told[[0, 2, 3]].tolist() == pytest.approx([max(0.0, exact[key]) for key in (5, 77, 6)], abs=0.02)
