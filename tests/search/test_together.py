"""Words that stand together on a page as they do in the query."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from small_library import Book, keep, paths

from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import Answer, SearchSettings

FILLER = " ".join(f"filler{number}" for number in range(60))


def asked(folder: Path, books: Mapping[str, Book], *queries: str) -> list[Answer]:
    keep(folder, books)
    with Indexer(folder) as indexer:
        indexer.catch_up()
    with Searcher(folder, SearchSettings(meaning_weight=0.0)) as searcher:
        return [searcher.answer(parse(query), why=True) for query in queries]


def parts(answer: Answer) -> set[str]:
    return {part.name for hit in answer.hits for part in hit.parts}


def test_a_name_of_a_program_is_found_where_it_is_said_and_not_where_its_parts_are(tmp_path: Path) -> None:
    books = {
        "/parts": Book("Parts", f"Join the path of an os. {FILLER} A path, an os, a join; join, os, path, os, join."),
        "/name": Book("Name", f"{FILLER} It calls os.path.join here. {FILLER} {FILLER}"),
    }
    named, apart, excluded = asked(tmp_path, books, "os.path.join", "os path join", "join -os.path")
    assert paths(named)[0] == "/name"
    assert "text: joined" in parts(named)
    assert "text: joined" not in parts(apart) | parts(excluded)


def test_a_sentence_is_answered_where_its_words_stand_close(tmp_path: Path) -> None:
    apart = f"Widgets and widgets. {FILLER} Gadgets, gadgets. {FILLER} Sprockets and sprockets."
    books = {
        "/apart": Book("All of it", apart),
        "/close": Book("A part of it", f"{FILLER} {FILLER} The widgets of gadgets turn a few sprockets. {FILLER}"),
    }
    sentence, bare = asked(tmp_path, books, "where are the widgets of gadgets and the sprockets", "widgets gadgets")
    assert paths(sentence)[0] == "/close"
    assert "text: close" in parts(sentence)
    assert "text: close" not in parts(bare)


@pytest.mark.parametrize(
    ("typed", "joined"),
    [
        ("how does os.path.join work", (("os", "path", "join"),)),
        ("max_connections std::vector app->run", (("max", "connections"), ("std", "vector"), ("app", "run"))),
        ("a state-of-the-art and/or idea. Then, another", ()),
        ("join -os.path site:example.org type:pdf", ()),
        ('"os.path" 3.10', (("3", "10"),)),
        ("__init__", ()),
    ],
)
def test_names_are_what_no_dash_or_slash_joins(typed: str, joined: tuple[tuple[str, ...], ...]) -> None:
    assert parse(typed).joined == joined
