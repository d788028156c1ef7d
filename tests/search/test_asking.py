"""Queries for the word index: however their clauses are arranged, what is found and what it scores is the same."""

import random
from pathlib import Path
from typing import Any

import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.parse.words import Analysers
from whimbrel.search.ask.asking import COMMON, ENOUGH, Asker
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.spelling import Speller, one_slip, slips
from whimbrel.search.book import Book
from whimbrel.search.contract import Query
from whimbrel.search.schema import schema

PAGES = 300
VOCABULARY = [f"word{letter}{place}" for place in range(3) for letter in "abcdefghijkl"]
FIELDS = ("title", "headings", "anchors", "address")
WORD = st.text(alphabet="abde", min_size=3, max_size=9)


class Shelf:
    """Pages of random words, some of them everywhere and some on a few pages, and the words each holds."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        shares = {word: chance.choice((0.01, 0.05, 0.15, 0.3, 0.8)) for word in VOCABULARY}
        index = tantivy.Index(schema())
        self.pages = [{word for word in VOCABULARY if chance.random() < shares[word]} for _ in range(PAGES)]
        writer = index.writer(15_000_000, 1)
        for key, words in enumerate(self.pages):
            made = tantivy.Document()
            made.add_integer("key", key)
            made.add_integer("at", 0)
            said = chance.sample(sorted(words), len(words))
            made.add_text("body", " ".join(said + said[: key % 5]))
            for field in FIELDS:
                made.add_text(field, " ".join(word for word in said if chance.random() < 0.3))
            writer.add_document(made)
        writer.commit()
        index.reload()
        self.searcher = index.searcher()
        self.asker = Asker(schema(), self.searcher, Analysers(), [])

    def scores(self, asked: Any) -> dict[int, float]:
        hits = self.searcher.search(asked, limit=PAGES).hits
        keys: Any = self.searcher.fast_field_values("key", [place for _, place in hits])
        return {key: float(score) for key, (score, _) in zip(keys, hits, strict=True)}

    def answers(self, query: Query) -> set[int]:
        """Pages with one of the rarer words, or of more of them where those find too little."""
        held = {word: sum(word in page for page in self.pages) for word in query.words}
        finders: list[str] = []
        for word in sorted(held, key=lambda word: held[word]):
            if held[word] <= COMMON * PAGES or sum(held[one] for one in finders) < ENOUGH:
                finders.append(word)
        return {key for key, page in enumerate(self.pages) if not page.isdisjoint(finders)}


@pytest.mark.parametrize("seed", range(4))
def test_what_is_found_and_what_it_scores(seed: int) -> None:
    shelf, chance = Shelf(seed), random.Random(seed)
    for count in (1, 2, 3, 4, 5, 6, 7, 9, 12, 30):
        query = parse(" ".join(chance.choices(VOCABULARY, k=count)))
        asked = shelf.asker.ask(query)
        found = shelf.scores(asked.whole)
        assert found.keys() == shelf.answers(query) == shelf.scores(asked.chosen).keys()
        parts = [shelf.scores(part) for part in shelf.asker.by_field(query).values()]
        assert found == pytest.approx({key: sum(part.get(key, 0.0) for part in parts) for key in found}, rel=1e-4)


def test_a_word_is_as_rare_on_a_page_of_no_language_as_on_the_others() -> None:
    """Pages whose language could not be told hold "options", the others "option". It is no rare word."""
    index = tantivy.Index(schema())
    writer = index.writer(15_000_000, 1)
    for key in range(90):
        made = tantivy.Document()
        made.add_integer("key", key)
        for field in ("body", "anchors"):
            made.add_text(field, "options here" if not key else "option here" if key < 60 else "nothing here")
        writer.add_document(made)
    writer.commit()
    index.reload()
    searcher = index.searcher()
    asker, query = Asker(schema(), searcher, Analysers(), ["en"]), parse("options")
    hits = searcher.search(asker.ask(query).whole, limit=90).hits
    parts = [searcher.search(part, limit=1).hits for part in asker.by_field(query).values()]
    assert len(hits) == 60
    assert hits[0][0] == pytest.approx(hits[-1][0], rel=1e-4)
    assert hits[0][0] == pytest.approx(sum(best[0][0] for best in parts if best), rel=1e-4)


def test_a_word_that_is_not_wanted_scores_nothing() -> None:
    shelf = Shelf(1)
    query = parse(f"{VOCABULARY[0]} {VOCABULARY[1]} -{VOCABULARY[2]}")
    found = shelf.scores(shelf.asker.ask(query).whole)
    assert found.keys() == {key for key in shelf.answers(query) if VOCABULARY[2] not in shelf.pages[key]}


@given(WORD, WORD, st.integers(0, 4))
def test_slips_beyond_the_most_are_not_counted(one: str, other: str, most: int) -> None:
    assert min(slips(one, other, most), most + 1) == min(slips(one, other), most + 1)


@given(WORD, st.integers(1, 3))
def test_a_slip_is_among_the_first_letters_or_behind_them(word: str, among: int) -> None:
    behind = {other for other in one_slip(word) if other[:among] == word[:among]}
    assert one_slip(word, among) | behind == one_slip(word)


def test_words_one_slip_away_are_suggested_wherever_the_slip_is(tmp_path: Path) -> None:
    chance = random.Random(5)
    held = {"".join(chance.choices("abde", k=chance.randint(3, 9))) for _ in range(3_000)}
    book = Book(tmp_path, create=True)
    with book:
        book.learn(held)
    speller = Speller(book, lambda word: 1)
    for word in ["".join(chance.choices("abdef", k=chance.randint(4, 7))) for _ in range(40)]:
        near = sorted((other for other in held if slips(word, other) == 1), reverse=True)
        assert speller.suggestions(word) == near[:6] == speller.suggestions(word)
    book.close()
