"""Search by meaning, with weights made up here: three directions, and a few words that point in them."""

import json
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from small_library import BOOKS, HOST, NOW, Book, keep, lose, paths, url_of

from whimbrel.search.ask.nearness import NO_MEANINGS, NOT_HERE
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import Answer, SearchSettings
from whimbrel.search.meaning.pieces import Pieces
from whimbrel.search.meaning.sense import NoWeights, Sense, installed
from whimbrel.search.meaning.vectors import FILE, Vectors, packed
from whimbrel.urls.normal import key as key_of

BIRDS, BOATS, OTHER = np.eye(3, dtype=np.float32)
WORDS = {
    "wader": BIRDS, "curlew": BIRDS, "whimbrel": BIRDS, "bird": BIRDS, "shorebird": BIRDS, "bill": BIRDS,
    "sloop": BOATS, "boat": BOATS, "mast": BOATS, "sailing": BOATS, "vessel": BOATS,
    "harbour": OTHER, "library": OTHER,
}  # fmt: skip

Search = Callable[[str], Answer]


@pytest.fixture
def sense(tmp_path: Path) -> Sense:
    """Every word is one piece, joined letter by letter."""
    pieces = dict.fromkeys(f"▁{word}"[:end] for word in WORDS for end in range(1, len(word) + 2))
    pieces |= dict.fromkeys(letter for word in WORDS for letter in word)
    numbers = {piece: at for at, piece in enumerate(pieces)}
    merges = dict.fromkeys(f"{f'▁{word}'[:end]} {word[end - 1]}" for word in WORDS for end in range(1, len(word) + 1))
    weights = np.zeros((len(numbers), 3), np.float16)
    for word, direction in WORDS.items():
        weights[numbers[f"▁{word}"]] = direction
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": numbers, "merges": list(merges)}}))
    head = {"embedding": {"dtype": "F16", "shape": weights.shape, "data_offsets": [0, weights.nbytes]}}
    written = json.dumps(head).encode()
    (tmp_path / "weights").write_bytes(struct.pack("<Q", len(written)) + written + weights.tobytes())
    return Sense(tmp_path / "weights", tmp_path / "tokenizer.json")


@pytest.fixture
def search(folder: Path, sense: Sense) -> Search:
    with Indexer(folder, sense=sense) as indexer:
        indexer.catch_up()

    def asked(text: str) -> Answer:
        with Searcher(folder, sense=sense) as searcher:
            return searcher.answer(parse(text), now=NOW, why=True)

    return asked


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


def test_vectors_follow_the_pages(folder: Path, sense: Sense, search: Search) -> None:
    assert len(vectors(folder)) == sum(not book.twin_of for book in BOOKS.values()) - 1  # of one no word is known
    sloop = key_of(url_of("/boats/sloop"))
    assert vectors(folder).of(sloop) is not None
    keep(folder, {"/boats/sloop": Book("Wader", "A wader is a bird with a bill.")}, now=NOW + 1)
    lose(folder, "/birds/curlew")
    with Indexer(folder, sense=sense) as indexer:
        indexer.catch_up()
    assert vectors(folder).of(key_of(url_of("/birds/curlew"))) is None
    moved = vectors(folder).of(sloop)
    assert moved is not None
    assert moved @ BIRDS > 0.9


def test_the_extra_may_come_and_go(indexed: Path, sense: Sense) -> None:
    off = SearchSettings(meaning_weight=0.0)
    for settings, there in ((SearchSettings(), True), (off, False), (SearchSettings(), True)):
        with Indexer(indexed, settings, sense=sense) as indexer:
            indexer.catch_up()
            assert indexer.pending() == 0
        assert (indexed / "index" / FILE).exists() is there
    (indexed / "index" / FILE).write_bytes(b"damaged")
    with Searcher(indexed, sense=sense) as searcher:
        assert paths(searcher.answer(parse("which is the sloop"))) == ["/boats/sloop"]


@pytest.mark.parametrize("wrong", [b"", b"\xff" * 40, struct.pack("<Q", 2) + b"{}"])
def test_weights_that_cannot_be_read_are_said_and_words_answer(folder: Path, sense: Sense, wrong: bytes) -> None:
    with Indexer(folder, sense=sense) as indexer:
        indexer.catch_up()
    path = folder / "wrong"
    path.write_bytes(wrong)
    broken = Sense(path, path)
    with pytest.raises(NoWeights, match="meaning_weight"):
        broken.of(["sloop"])
    with Searcher(folder, sense=broken) as searcher:
        answer = searcher.answer(parse("which is the sloop"))
    assert paths(answer) == ["/boats/sloop"]
    assert "meaning_weight" in answer.notes[0]


_KILLED = """
import os, sys
from pathlib import Path
from whimbrel.search.book import Book
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.meaning.sense import Sense
folder, weights, tokenizer, last = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
def traced(frame, event, argument):
    if event == "call" and frame.f_code.co_name == last and "/search/" in frame.f_code.co_filename:
        os.kill(os.getpid(), 9)
sys.setprofile(traced)
with Indexer(folder, sense=Sense(weights, tokenizer)) as indexer:
    indexer.catch_up()
"""


@pytest.mark.parametrize(
    "last", ["begin_meanings", "note_moves", "learn", "put_vectors", "write_ranks", "write_vectors"]
)
def test_a_kill_costs_only_work(folder: Path, tmp_path: Path, sense: Sense, last: str) -> None:
    """Killed as it comes to one of the steps of indexing."""
    arguments = [str(folder), str(tmp_path / "weights"), str(tmp_path / "tokenizer.json"), last]
    ended = subprocess.run([sys.executable, "-c", _KILLED, *arguments], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with Indexer(folder, sense=sense) as indexer:
        indexer.catch_up()
        assert indexer.pending() == 0
    assert len(vectors(folder)) == sum(not book.twin_of for book in BOOKS.values()) - 1


# As the library `tokenizers` takes them apart with the same merges.
@pytest.mark.parametrize(
    ("word", "pieces"), [("ab", (5,)), ("abab", (5, 4)), ("ba", (0, 2, 1)), ("xab", (0, 4)), ("x", (0,)), ("", (0,))]
)
def test_words_in_pieces(word: str, pieces: tuple[int, ...]) -> None:
    numbers = {"▁": 0, "a": 1, "b": 2, "▁a": 3, "ab": 4, "▁ab": 5}
    assert Pieces(numbers, ["a b", "▁ ab", "▁ a"])[word] == pieces


@given(arrays.arrays(np.float32, 256, elements=st.floats(-1, 1, width=16)).filter(lambda vector: vector.any()))
def test_a_packed_vector_points_the_same_way(vector: np.ndarray) -> None:
    read = np.frombuffer(packed(vector), np.int8).astype(np.float64)
    assert read @ vector / (np.linalg.norm(read) * np.linalg.norm(vector)) > 0.99


def test_the_weights_of_the_extra_know_what_goes_together() -> None:
    real = installed()
    if real is None:
        pytest.skip("the weights are an extra: requirements/install.py meaning")
    cat, kitten, invoice = (real.of([word]) for word in ("cat", "kitten", "invoice"))
    assert cat @ kitten > 0.4 > cat @ invoice
