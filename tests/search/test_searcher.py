"""Answers: what is found, in which order, and why."""

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import pytest
from small_library import BOOKS, NOW, Book, keep, paths

from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import NOT_BUILT, Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import Answer, SearchSettings

Ask = Callable[..., Answer]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("whimbrel", ["/birds/whimbrel", "/birds/curlew"]),
        ("migration", ["/birds/whimbrel"]),  # the page says migrating
        ('"single mast"', ["/boats/sloop"]),
        ('"mast single"', []),
        ("bill -sloop -whimbrel", []),
        ("bill -mast", ["/birds/curlew", "/birds/whimbrel"]),
        ('bill -"bill of sale"', ["/birds/curlew", "/birds/whimbrel"]),
        ("seven whistler", ["/birds/whimbrel"]),  # only a link says it
        ("moult", []),  # headings rank, and stand in the text of real pages
        ("図書館", ["/tokyo"]),
        ("東京", ["/tokyo"]),
        ("京東", []),
        ("lang:ja", ["/tokyo"]),
        ("bill lang:ja", []),
        ("bill site:library.example", ["/boats/sloop", "/birds/curlew", "/birds/whimbrel"]),
        ("bill site:example", ["/boats/sloop", "/birds/curlew", "/birds/whimbrel"]),
        ("bill site:other.example", []),
        ("type:pdf bill", []),
        ("before:2002", ["/old"]),
        ("harbour after:2002", []),
        ("harbour before:2002", ["/old"]),
        ("bill after:2002", ["/boats/sloop", "/birds/curlew", "/birds/whimbrel"]),
        ("bill after:2002 before:2003", []),
        ("after:1990 before:2002", ["/old"]),
    ],
)
def test_what_is_found(ask: Ask, typed: str, found: list[str]) -> None:
    answer = ask(typed)
    assert sorted(paths(answer)) == sorted(found)
    assert answer.notes == ()


ODDS = [
    *("bill", "-bill", '"single mast"', '-"bill of sale"', '"', '""', "-", "*", "whim*", "(bill)", "OR", "[1 TO 2]"),
    *("site:library.example", "site:", "lang:ja", "lang:", "type:html", "type:", "type:pdf", "東京", "🐦", "\\"),
    *("before:2002", "after:2002", "after:99999-12-31", "before:0000", "after:-5", "before:9999999999999999999"),
    *("a" * 3_000, "ß", "123456789012345678901234567890", "title:bill", "^2", "~", "\ud800", "\x00"),
]


def test_no_query_is_taken_for_damage(ask: Ask) -> None:
    chance = Random(7)
    for _ in range(400):
        typed = " ".join(chance.choices(ODDS, k=chance.randint(1, 6)))
        answer = ask(typed, page=chance.choice((1, 2, 1_000_000)), snippets=chance.random() < 0.5)
        assert not any("damaged" in note for note in answer.notes), typed


def test_the_page_of_that_title_is_first(ask: Ask) -> None:
    for path, book in BOOKS.items():
        if not book.twin_of:
            assert paths(ask(book.title))[0] == path
    assert paths(ask("curlew"))[0] == "/birds/curlew"


def test_typos_are_corrected_only_where_nothing_matches(ask: Ask) -> None:
    slipped = ask("whimbrle")
    assert (slipped.corrected, paths(slipped)[0]) == ("whimbrel", "/birds/whimbrel")
    assert ask("whimbrel").corrected == ""
    assert ask("site:library.example larger curlwe").corrected == "site:library.example larger curlew"
    assert ask("xyzzyq").corrected == ""


def test_a_good_word_that_no_page_holds_is_left_alone(ask: Ask) -> None:
    """ "mask" is one slip from "mast", which no page says beside "curved": it was not meant."""
    answer = ask("curved mask")
    assert (answer.corrected, answer.hits != ()) == ("", True)


@pytest.mark.parametrize(
    ("typed", "corrected"),
    [
        ("mask", ""),  # an English word is no slip for "mast"
        ("olf", ""),  # three letters alone say too little
        ("olf news", "old news"),  # which a page is called
        ("whith", ""),  # "with" would be left out
        ("mastt", "mast"),
    ],
)
def test_what_may_be_a_good_word_is_replaced_where_a_page_is_called_so(ask: Ask, typed: str, corrected: str) -> None:
    assert ask(typed).corrected == corrected


def test_a_sentence_that_a_page_says_is_found_there_however_it_is_asked(tmp_path: Path) -> None:
    said = "The nets are left open for one hour after the last curlew came in."
    other = "Nets and curlews: an open net, an hour, the last net left, curlew after curlew came, hour after hour."
    filler = " ".join(f"word{number}" for number in range(400))
    keep(tmp_path, {"/guide": Book("Guide", f"{filler} {said} {filler}"), "/nets": Book("Curlew nets", other)})
    with Indexer(tmp_path) as indexer:
        indexer.catch_up()
    with Searcher(tmp_path, SearchSettings(meaning_weight=0.0)) as searcher:
        for typed in (said, f"why is it that {said}"):
            assert paths(searcher.answer(parse(typed)))[0] == "/guide"
        shorter = searcher.answer(parse("is the hour after the last curlew"), why=True)
        asked = searcher.answer(parse(f"why are the {said.removesuffix('.')}?"), why=True)
    told = [part.name for hit in (*shorter.hits, *asked.hits) for part in hit.parts]
    assert "text: all" in told
    assert "text: said" not in told


def test_a_question_is_answered_by_any_of_its_words(ask: Ask) -> None:
    asked = ask("what would you say is the name of the bird with the curved bill in the zanzibar sanctuary?")
    assert paths(asked)[0] == "/birds/whimbrel"
    assert asked.corrected == ""


def test_a_phrase_that_no_page_says_leaves_a_question_its_answer_and_says_so(ask: Ask) -> None:
    assert not ask('curved "mast single"').hits
    asked = ask('which bird has a curved bill and a "mast single"')
    assert asked.hits
    assert asked.notes == ('no page says "mast single"; its words were looked for one by one',)


def test_twins_are_folded_into_the_page_that_stands_for_them(ask: Ask) -> None:
    (hit,) = ask("sloop mast").hits
    assert (hit.url, hit.twins) == ("http://library.example/boats/sloop", 1)
    assert hit.twin_urls == ("http://library.example/print/sloop",)


@pytest.mark.parametrize("typed", ["bill", '"curved bill" wader', "whimbrel - library", "curlews calling", "lang:en"])
def test_the_parts_add_up_to_the_score(ask: Ask, typed: str) -> None:
    for why in (False, True):
        answer = ask(typed, why=why)
        assert answer.hits
        for hit in answer.hits:
            assert sum(part.points for part in hit.parts) == pytest.approx(hit.score, abs=1e-5)
            assert all(part.points == pytest.approx(part.weight * part.value) for part in hit.parts)
        scores = [hit.score for hit in answer.hits]
        assert not answer.query.asks or scores == sorted(scores, reverse=True)


def test_why_names_the_fields(ask: Ask) -> None:
    named = {part.name for part in ask("curlew", why=True).hits[0].parts}
    assert {"text: title", "text: anchors", "text: body", "text: title_part_is", "link", "freshness"} <= named


def test_snippets_show_the_words(ask: Ask) -> None:
    hit = ask("curved bill").hits[0]
    assert [text for text, marked in hit.snippet if marked] == ["curved", "bill"]
    assert "".join(text for text, _ in hit.snippet) in BOOKS["/birds/whimbrel"].text
    assert ask("curved bill", snippets=False).hits[0].snippet == ()


def test_facets_count_all_hits(ask: Ask) -> None:
    answer = ask("library", size=1)
    facets = {facet.name: dict(facet.values) for facet in answer.facets}
    assert facets["site"] == {"library.example": answer.total}
    assert sum(facets["lang"].values()) == answer.total


def test_pages_follow_each_other(ask: Ask) -> None:
    whole = paths(ask("library", size=10))
    assert [path for page in (1, 2, 3, 4) for path in paths(ask("library", page=page, size=1))] == whole[:4]
    assert ask("library", page=99).hits == ()
    assert ask("library", page=10**9).notes == ("only the first 1,000 hits can be paged through",)


def test_a_heading_is_indexed(folder: Path) -> None:
    with Indexer(folder) as indexer:
        indexer.catch_up()
    with Searcher(folder) as searcher:
        engine, _, _ = searcher.state()
        assert engine.doc_freq("headings", "moult") == 1


@pytest.mark.parametrize(
    "typed",
    ["", '"', "-", "the", '-a -b -"c d"', "site:", "🦜", "\u202e\u2066 abc", "x" * 10_000, "AND OR NOT (", "*", "~2"],
)
def test_odd_queries_are_answered(ask: Ask, typed: str) -> None:
    answer = ask(typed)
    assert answer.total >= len(answer.hits)


def test_without_an_index_it_says_so(folder: Path) -> None:
    with Searcher(folder) as searcher:
        answer = searcher.answer(parse("whimbrel"))
    assert (answer.hits, answer.notes, answer.pending) == ((), (NOT_BUILT,), len(BOOKS))


def test_a_reader_sees_new_commits_and_counts_what_is_pending(indexed: Path) -> None:
    with Searcher(indexed) as searcher:
        assert searcher.answer(parse("dinghy")).total == 0
        keep(indexed, {"/boats/dinghy": Book("Dinghy", "A dinghy is small.")})
        before = searcher.answer(parse("dinghy"))
        assert (before.total, before.pending) == (0, 1)
        with Indexer(indexed) as indexer:
            indexer.catch_up()
        after = searcher.answer(parse("dinghy"))
        assert (after.total, after.pending) == (1, 0)


def test_a_page_is_as_old_as_it_says(tmp_path: Path) -> None:
    said = '<meta property="article:modified_time" content="2015-06-07"><p>The avocet wades.</p>'
    later = '<meta property="article:modified_time" content="2099-06-07"><p>The avocet wades.</p>'
    modified = "Tue, 02 Jan 2001 00:00:00 GMT"
    keep(
        tmp_path,
        {
            "/said": Book("Avocet", "The avocet wades.", html=said, last_modified=modified),
            "/unsaid": Book("Avocets", "The avocet wades here.", last_modified=modified),
            "/to-come": Book("Avocets to come", "The avocet wades there.", html=later, last_modified=modified),
        },
    )
    with Indexer(tmp_path) as indexer:
        indexer.catch_up()
    with Searcher(tmp_path) as searcher:
        assert paths(searcher.answer(parse("avocet after:2015-06-07 before:2015-06-08"), now=NOW)) == ["/said"]
        assert sorted(paths(searcher.answer(parse("avocet before:2002"), now=NOW))) == ["/to-come", "/unsaid"]
        assert paths(searcher.answer(parse("after:2001"), now=NOW))[0] == "/said"


def test_the_section_whose_heading_says_it_comes_before_one_that_mentions_it(tmp_path: Path) -> None:
    said = "The bird is here and the bill is there, and so on and on. " * 60
    html = f"<h2 id=birds>Birds</h2><p>{said}</p><h2 id=bills>Bills of birds</h2><p>{said}</p><h2 id=legs>Legs</h2>"
    keep(tmp_path, {"/long": Book("Long", f"Birds {said} Bills of birds {said} Legs {said}", html=html)})
    with Indexer(tmp_path) as indexer:
        indexer.catch_up()
    with Searcher(tmp_path) as searcher:
        (hit,) = searcher.answer(parse("what is the bill of a bird")).hits
        (plain,) = searcher.answer(parse("bird")).hits
    assert (hit.section, hit.mark) == ("Bills of birds", "bills")
    assert plain.mark == "birds"


def test_all_of_a_long_query_counts_and_repeated_words_do(ask: Ask) -> None:
    unknown = " ".join(f"nowhere{at}" for at in range(199))
    assert paths(ask(f"{unknown} sloop")) == ["/boats/sloop"]
    once, often = (ask(f"wader boat {'boat ' * more}").hits for more in (0, 5))
    assert {hit.url for hit in once} == {hit.url for hit in often}
    assert often[0].url.endswith("/boats/sloop")


def test_question_words_weigh_nothing(ask: Ask) -> None:
    asked, bare = ask("how do I find out what a sloop is?"), ask("find sloop")
    assert paths(asked) == paths(bare)
    told = [[part.points for part in hit.parts if part.name == "text"] for hit in (*asked.hits, *bare.hits)]
    assert told[: len(asked.hits)] == told[len(asked.hits) :]


def test_a_hit_in_a_long_page_is_a_section(tmp_path: Path) -> None:
    parts = {"Bills": "The bill is curved. ", "Legs": "Legs are long. ", "Nests": "A nest is hidden on the moor. "}
    text = "Waders " + " ".join(f"{name} {said * 120}" for name, said in parts.items())
    html = "<h1>Waders</h1>" + "".join(f"<h2 id={name.lower()}>{name}</h2>" for name in parts)
    keep(tmp_path, {"/waders": Book("Waders", text, html=html), "/short": Book("Nest", "A nest is hidden here.")})
    with Indexer(tmp_path) as indexer:
        indexer.catch_up()
    with Searcher(tmp_path) as searcher:
        hits = {hit.url.rpartition("/")[2]: hit for hit in searcher.answer(parse("hidden nest"), now=NOW).hits}
    assert (hits["waders"].section, hits["waders"].mark) == ("Nests", "nests")
    assert (hits["short"].section, hits["short"].mark) == ("", "")


class OneLikes:
    """Readers who like a single page, whatever they ask for."""

    def __init__(self, key: int) -> None:
        self.key = key

    def values(self, query: str, keys: Iterable[int]) -> list[float]:
        return [0.9 if key == self.key else 0.5 for key in keys]

    def told(self, query: str, key: int) -> str:
        return "7 readers printed it" if key == self.key else ""


def test_what_readers_did_moves_answers_only_where_a_weight_is_set(indexed: Path) -> None:
    with Searcher(indexed, SearchSettings(meaning_weight=0.0)) as plain:
        before = plain.answer(parse("bill"), now=NOW).hits
    liked = OneLikes(before[-1].key)
    with Searcher(indexed, SearchSettings(meaning_weight=0.0, reader_weight=0.0), voices=liked) as unweighed:
        assert [hit.url for hit in unweighed.answer(parse("bill"), now=NOW).hits] == [hit.url for hit in before]
    with Searcher(indexed, SearchSettings(meaning_weight=0.0, reader_weight=5.0), voices=liked) as weighed:
        after = weighed.answer(parse("bill"), now=NOW).hits
    assert after[0].key == liked.key
    assert {part.name: part.reason for part in after[0].parts}["reader"] == "7 readers printed it"
    assert after[0].score == pytest.approx(sum(part.points for part in after[0].parts))
    assert sorted(hit.key for hit in after) == sorted(hit.key for hit in before)


def test_words_of_another_language_are_no_slips_and_the_answer_says_so(ask: Ask) -> None:
    answer = ask("wie ist die masst eine curlew")
    assert (answer.corrected, paths(answer)) == ("", ["/birds/curlew"])
    assert [note for note in answer.notes if "another language (de)" in note]
    assert ask("what is it with the masst").corrected == "what is it with the mast"
