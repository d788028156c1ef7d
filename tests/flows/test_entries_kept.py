"""Index entries as home keeps them: whatever a place sends, bounded, and only of pages that its visits stand for."""

from pathlib import Path

from whimbrel.flows.entries import EntryBook
from whimbrel.records.entry import ENTRY_RULE, MOST_CHARACTERS, MOST_WORDS, PageEntry
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.search.ask.elsewhere import found_elsewhere
from whimbrel.search.ask.query import parse


def visit(key: int, outcome: Outcome = Outcome.REFUSED, rule: str = ENTRY_RULE) -> Visit:
    return Visit(key, Url(f"http://tide.example/{key}"), 1, outcome, rule, "", 200, 1000.0, 10)


def entry(key: int, *words: str, language: str = "en", title: str = "Tide") -> PageEntry:
    return PageEntry(key, title, "about", language, b"d", [(word, 255 - at) for at, word in enumerate(words)])


def found(folder: Path, words: str) -> list[int]:
    return [hit.key for hit in found_elsewhere(folder, parse(words))[0]]


def test_nothing_is_made_where_nothing_came(tmp_path: Path) -> None:
    book = EntryBook(tmp_path)
    book.settle([("library", visit(1, Outcome.FETCHED, ""))], [])
    assert (book.exists, book.count(), found(tmp_path, "tide")) == (False, 0, [])


def test_only_what_its_own_visits_stand_for_is_taken(tmp_path: Path) -> None:
    book = EntryBook(tmp_path)
    told = [("library", visit(1)), ("library", visit(2, Outcome.FETCHED, "")), ("library", visit(3, rule="noindex"))]
    book.settle(told, [entry(key, "ebb") for key in (1, 2, 3, 4)])
    assert found(tmp_path, "ebb") == [1]


def test_an_entry_stays_while_nobody_knows_better_and_is_replaced_by_a_newer_one(tmp_path: Path) -> None:
    book = EntryBook(tmp_path)
    book.settle([("library", visit(1))], [entry(1, "ebb")])
    book.settle([("library", visit(1, Outcome.UNREACHABLE, "timeout"))], [])
    assert found(tmp_path, "ebb") == [1]
    book.settle([("harbour", visit(1))], [entry(1, "flood")])
    assert (found(tmp_path, "ebb"), found(tmp_path, "flood")) == ([], [1])
    book.settle([("", visit(1, Outcome.FAILED, "http_404"))], [])
    assert (book.count(), found(tmp_path, "flood")) == (0, [])


def test_what_a_place_sends_is_cut_to_what_an_entry_may_say(tmp_path: Path) -> None:
    book = EntryBook(tmp_path)
    many = [f"word{at}" for at in range(10_000)]
    book.settle([("library", visit(1))], [entry(1, "x" * 10_000, *many, language="e" * 999, title="t" * 10_000)])
    shown, count = found_elsewhere(tmp_path, parse("word0"))
    assert (count, len(shown[0].title)) == (1, MOST_CHARACTERS)
    assert not found(tmp_path, f"word{MOST_WORDS}")
    assert (tmp_path / "entries.sqlite").stat().st_size < 100_000


def test_rare_words_weigh_more_and_most_words_have_to_be_there(tmp_path: Path) -> None:
    entries = [entry(1, "menu", "ebb"), entry(2, "menu", "flood"), entry(3, "menu"), entry(4, "ebbs", language="")]
    EntryBook(tmp_path).settle([("library", visit(key)) for key in (1, 2, 3, 4)], entries)
    assert found(tmp_path, "menu ebb") == [1]
    assert found(tmp_path, "menu flood ebb")[0] in (1, 2)
    assert 3 not in found(tmp_path, "menu flood ebb")
    assert found(tmp_path, "ebb lang:en") == [1]
    assert found(tmp_path, "ebb type:pdf") == found(tmp_path, "ebb before:2001") == []
    assert found(tmp_path, "menu -ebb -flood") == [3]
