"""Snippets, spelling, terms, counts of states: the smaller parts of searching."""

import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import igzip_lib
from small_library import NOW, url_of

from whimbrel.bench.search_items import slipped
from whimbrel.flows.packing import pack
from whimbrel.records.url import Url
from whimbrel.records.visit import Reading
from whimbrel.search.authorities import standings
from whimbrel.search.gathering import beginning_of, text_of, words_of
from whimbrel.search.query import parse
from whimbrel.search.schema import address_words, hosts, parts_of
from whimbrel.search.searcher import Searcher
from whimbrel.search.snippets import LENGTH, Highlighter
from whimbrel.search.spelling import one_slip, slips
from whimbrel.search.states import StateBook
from whimbrel.search.terms import view
from whimbrel.search.words import Analysers, split
from whimbrel.urls.normal import key as key_of

WORD = st.text(alphabet="abcd", min_size=1, max_size=6)


def highlighter(*words: str) -> Highlighter:
    analysers = Analysers()
    return Highlighter(words, lambda word: analysers.forms(word, ["en"]))


def test_a_snippet_holds_most_of_the_words() -> None:
    text = "bill " + "nothing to see here " * 60 + "the curved bill of a happy bird" + " and more" * 80
    pieces = highlighter("curved", "bill", "happiness").snippet(text)
    assert [piece for piece, marked in pieces if marked] == ["curved", "bill", "happy"]
    assert pieces[0] == ("… ", False)
    assert pieces[-1] == (" …", False)


@given(st.text(max_size=800), st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_a_snippet_is_a_piece_of_the_text(text: str, words: list[str]) -> None:
    pieces = highlighter(*words).snippet(text)
    whole = "".join(piece for piece, _ in pieces).removeprefix("… ").removesuffix(" …")
    assert "".join(whole.split()) in "".join(text.split())
    assert len(whole) <= LENGTH


def test_a_comma_stands_where_it_belongs() -> None:
    text = "curlews , turnstones (and knots ) . Some : say ; 3 .5"
    assert highlighter("curlew").marked(text) == (
        ("curlews", True),
        (", turnstones (and knots). Some : say ; 3 .5", False),
    )


def test_the_text_of_a_reading_is_read_without_its_links() -> None:
    reading = Reading("só e 東京", [Url("http://a.example/")], ["there"], [True])
    assert text_of(pack(reading)) == reading.text


@given(st.text(max_size=400), st.integers(0, 600))
def test_the_beginning_of_a_text_is_read_without_the_rest(text: str, most: int) -> None:
    packed = pack(Reading(text, [Url("http://a.example/")], ["there"], [True]))
    assert beginning_of(packed, most) == text.encode()[:most].decode("utf-8", "ignore")


@pytest.mark.parametrize("length", [31, 32, 255, 256, 65_535, 65_536, 200_000])
def test_texts_of_every_length_have_a_beginning(length: int) -> None:
    packed = pack(Reading("x" * length, [], [], []))
    assert beginning_of(packed, 100_000) == "x" * min(length, 100_000)


def test_rare_words_are_found_behind_many_common_ones() -> None:
    text = "thread " * 200 + "nothing " * 100 + "a thread of a weaver" + " nothing" * 100
    pieces = highlighter("thread", "weaver").snippet(text)
    assert [piece for piece, marked in pieces if marked] == ["thread", "weaver"]


def test_letters_beyond_latin_1_are_part_of_words() -> None:
    assert highlighter("art").marked("artя αart art") == (("artя αart ", False), ("art", True))
    assert highlighter("мир").marked("Мир, art") == (("Мир", True), (", art", False))


def test_part_of_a_word_is_not_marked() -> None:
    assert highlighter("art").marked("art, party, artist, Art") == (
        ("art", True), (", party, artist, ", False), ("Art", True),
    )  # fmt: skip


@given(WORD, WORD)
def test_one_slip_is_what_the_distance_says(one: str, other: str) -> None:
    assert (other in one_slip(one)) == (slips(one, other) == 1)
    assert slips(one, other) == slips(other, one)


@given(st.integers())
def test_a_slipped_title_is_one_slip_away(seed: int) -> None:
    new = slipped("Wading birds", random.Random(seed))
    assert new is not None
    assert slips("Wading birds".lower(), new.lower()) == 1


def test_a_reading_gives_text_and_headings_and_an_older_one_none() -> None:
    links = [Url("http://a.example/")]
    assert words_of(pack(Reading("text", links, ["there"], [True], "One\nTwo"))) == ("text", "One\nTwo")
    older = igzip_lib.compress(msgspec.msgpack.encode(["text", links, ["there"], [True]]), 0, igzip_lib.COMP_GZIP)
    assert words_of(older) == ("text", "")


def test_words_of_an_address() -> None:
    assert split(address_words("http://a.example/api/ArrayList.html?q=caf%C3%A9")) == [
        "api", "arraylist", "html", "q", "café", "array", "list",
    ]  # fmt: skip


def test_parts_of_a_title() -> None:
    assert parts_of("HashMap (Java SE 17)") == ["HashMap", "HashMap", "Java SE 17)", "Hash Map"]
    assert parts_of("plain") == []


def test_a_host_is_found_by_its_domains() -> None:
    assert hosts("docs.example.org:8080") == ["docs.example.org:8080", "docs.example.org", "example.org", "org"]
    assert hosts("192.0.2.1:80") == ["192.0.2.1:80", "192.0.2.1"]


def test_the_five_columns(searcher: Searcher) -> None:
    found = view(searcher, "Whimbrels", NOW)
    assert (found.term, found.total) == ("whimbrel", 2)
    first = found.pages[0]
    assert (first.url, first.where, first.at) == (
        url_of("/birds/whimbrel"),
        ("title", "links to it", "address", "text"),
        (1,),
    )
    assert "bill" in [other.term for other in found.related]
    assert all(other.urls for other in found.related)
    assert view(searcher, "!", NOW).total == 0


def test_hubs_and_authorities_around_a_query(searcher: Searcher) -> None:
    found = standings(searcher, parse("curlew"), NOW)
    assert sum(one.authority for one in found) == pytest.approx(1.0)
    by_url = {one.url: one for one in found}
    assert by_url[url_of("/birds/curlew")].answers
    assert not by_url[url_of("/")].answers
    assert found[0].authority == max(one.authority for one in found)
    assert max(found, key=lambda one: one.hub).url == url_of("/")
    assert standings(searcher, parse("xyzzyq"), NOW) == []


def test_states_are_counted_and_outlive_a_reader(indexed: Path) -> None:
    key = key_of(url_of("/old"))
    with StateBook(indexed) as book, StateBook(indexed) as other:
        book.record_shown([key, 7])
        other.record_shown([key])
        other.record_clicked(key)
        assert book.of(key) == (2, 1)
        assert book.of(99) == (0, 0)
        counts = book.counts()
    assert (counts.indexed, counts.shown, counts.clicked, counts.times_shown) == (6, 2, 1, 3)
