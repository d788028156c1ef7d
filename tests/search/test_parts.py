"""Snippets, spelling, terms, counts of states: the smaller parts of searching."""

import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import igzip_lib
from small_library import NOW, Book, keep, url_of

from whimbrel.bench.search_items import slipped
from whimbrel.flows.packing import SnippetSource, pack, shown_of, words_of
from whimbrel.parse.stops import stop_words
from whimbrel.parse.words import Analysers, split
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.tallies import Tallies
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url
from whimbrel.records.visit import Reading
from whimbrel.search.ask.authorities import standings
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.ask.snippets import LENGTH, Highlighter
from whimbrel.search.ask.spelling import one_slip, slips
from whimbrel.search.ask.terms import view
from whimbrel.search.ask.texts import from_heading, links_first, menu, sections_of
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import SearchSettings
from whimbrel.search.schema import address_words, hosts, parts_of
from whimbrel.search.states import states_of
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


@given(st.lists(st.sampled_from(["curlew", "bill", "of", "a", "東京"]), min_size=1, max_size=90), st.integers(0, 60))
def test_a_section_is_quoted_from_its_beginning_to_the_end_of_a_word(words: list[str], at: int) -> None:
    text = " ".join(words)
    at = len(" ".join([*words[:at], ""])) if at < len(words) else 0
    pieces = highlighter("bill").opening(text, at).pieces
    said = "".join(piece for piece, _ in pieces)
    whole = text[at:]
    assert said == whole or (said.endswith(" …") and f"{whole} ".startswith(f"{said[:-2]} "))


@given(
    st.lists(st.text(alphabet="ab東京都éяi", min_size=1, max_size=5).map(lambda word: word * 60) | WORD, max_size=8),
    st.sampled_from((" ", "", ", ", "\n")),
    st.lists(st.sampled_from(("a", "ab", "東京", "京都", "b" * 300, "a" * 64, "я", "é" * 250)), max_size=4),
)
def test_words_of_any_length_and_script_are_shown_once(parts: list[str], between: str, words: list[str]) -> None:
    """Also where two matches overlap, and where one is longer than a whole snippet."""
    text = between.join(parts + words)
    light = highlighter(*words)
    whole = "".join(piece for piece, _ in light.snippet(text)).removeprefix("… ").removesuffix(" …")
    assert "".join(whole.split()) in "".join(text.split())


@pytest.mark.parametrize("length", [64, 199, 200, 201, 259, 260, 261, 5_000])
def test_a_long_word_is_marked_as_far_as_it_is_shown(length: int) -> None:
    word = "x" * length
    for text in (word, f"before {word} behind", f"{'nothing ' * 40}{word} {'nothing ' * 40}"):
        pieces = highlighter(word).snippet(text)
        marked = [piece for piece, on in pieces if on]
        assert len(marked) == 1
        assert len(marked[0]) >= min(length, LENGTH - 60)
        assert word.startswith(marked[0])


def test_a_sign_that_only_links_to_its_heading_becomes_a_dot() -> None:
    shown = highlighter("tasks").snippet("Task Cancellation ¶ Tasks can be cancelled, as ¶12 says.")
    assert "".join(text for text, _ in shown) == "Task Cancellation · Tasks can be cancelled, as ¶12 says."


def test_a_comma_stands_where_it_belongs() -> None:
    text = "curlews , turnstones (and knots ) . Some : say ; 3 .5"
    assert highlighter("curlew").snippet(text) == (
        ("curlews", True),
        (", turnstones (and knots). Some : say ; 3 .5", False),
    )


def test_the_text_of_a_reading_is_read_without_its_links() -> None:
    reading = Reading("só e 東京", [Url("http://a.example/")], ["there"], [True])
    assert words_of(pack(reading))[0] == reading.text


def reading(text: str, anchors: list[str], headings: list[str], marks: list[str]) -> SnippetSource:
    urls = [Url(f"http://a.example/{at}") for at, _ in enumerate(anchors)]
    return shown_of(pack(Reading(text, urls, anchors, [True] * len(anchors), "\n".join(headings), marks, 0.0)))


def test_a_snippet_quotes_the_text_and_not_the_menu() -> None:
    links = ["Curved bills", "Straight bills", "Long legs", "Short legs", "Birds of the shore", "Birds of the moor"]
    text = " ".join(links) + " " + "nothing to see here " * 60 + "The bill of this bird is curved ." + " and more" * 80
    found = highlighter("curved", "bill").stretch(text, menu(links))
    assert [piece for piece, marked in found.pieces if marked] == ["bill", "curved"]
    only_menu = highlighter("legs").stretch(text, menu(links))
    assert [piece for piece, marked in only_menu.pieces if marked] == ["legs", "legs"]


def test_a_snippet_begins_with_its_section_and_not_with_the_way_there() -> None:
    text = "Manual » Birds » Curlews | Curlews ¶ A guide. The bill of curlews is curved. Legs ¶ They are long."
    sections = [(text.index("Curlews ¶"), "Curlews ¶", "curlews"), (text.index("Legs ¶"), "Legs ¶", "legs")]
    words = highlighter("curlews", "bill")
    found = from_heading(words, text, sections, words.stretch(text))
    assert "".join(piece for piece, _ in found.pieces).startswith("Curlews · A guide. The bill")
    assert found.at == sections[0][0]
    there = words.stretch("Curlews have a bill. Legs ¶ They are long.")
    assert from_heading(words, "Curlews have a bill. Legs ¶ They are long.", [(21, "Legs ¶", "legs")], there) == there


def test_names_without_sentences_are_a_menu_too() -> None:
    names = "task.done task.cancel task.result task.name task.stack current.task all.tasks task.print "
    text = (
        names * 4 + "A task is cancelled by its method cancel, and it may clean up before it ends. " + "So be it. " * 30
    )
    found = highlighter("task", "cancel").stretch(text, menu([], stop_words("en")), 0, len(names) * 4)
    assert found.at == text.index("task is cancelled")
    assert menu([], stop_words("en"))(names)
    assert not menu([])(names)


@pytest.mark.parametrize("contents_first", [True, False])
def test_sections_are_found_whether_contents_stand_before_or_behind(contents_first: bool) -> None:
    headings, marks = ["Birds", "Bills", "Legs"], ["birds", "bills", "legs"]
    parts = [f"{heading} {'words ' * 40}" for heading in headings]
    contents = " ".join(headings)
    text = " ".join([contents, *parts] if contents_first else [*parts, contents])
    found = sections_of(reading(text, [], headings, marks), text)
    assert [(heading, mark) for _, heading, mark in found] == list(zip(headings, marks, strict=True))
    assert all(text[at:].startswith(f"{heading} words") for at, heading, _ in found)


def test_a_heading_in_the_menu_above_is_not_where_its_section_begins() -> None:
    anchors, heading = ["Prev", "Up", "Next", "Bills"], "Curlews"
    text = "Curlews Prev Up Birds Next Curlews Curlews are birds of the shore."
    assert sections_of(reading(text, anchors, [heading], ["c"]), text) == [(27, heading, "c")]
    alone = "Curlews Bills Legs and nothing else"
    assert sections_of(reading(alone, anchors, [heading], ["c"]), alone) == [(0, heading, "c")]


def test_what_stands_above_the_first_heading_is_not_quoted_where_it_is_a_menu(tmp_path: Path) -> None:
    said = "Their bills are long and curved, and they walk the shore with them. " * 3
    text, links = f"Next: Curved Bills, Up: Birds Curlews {said}", {"/a": "Curved Bills", "/b": "Birds"}
    keep(tmp_path, {"/curlews": Book("Curlews", text, links, html="<h2>Curlews</h2>")})
    with Indexer(tmp_path) as indexer:
        indexer.catch_up()
    with Searcher(tmp_path, SearchSettings(meaning_weight=0.0)) as searcher:
        (hit,) = searcher.answer(parse("birds with curved bills")).hits
    assert "".join(piece for piece, _ in hit.snippet).startswith("Curlews Their bills are long")


def test_readings_of_older_releases_have_no_marks() -> None:
    old = shown_of(pack(Reading("Birds are here", [], [], [], "Birds")))
    assert sections_of(old, old.text) == [(0, "Birds", "")]


def test_rare_words_are_found_behind_many_common_ones() -> None:
    text = "thread " * 200 + "nothing " * 100 + "a thread of a weaver" + " nothing" * 100
    pieces = highlighter("thread", "weaver").snippet(text)
    assert [piece for piece, marked in pieces if marked] == ["thread", "weaver"]


def test_letters_beyond_latin_1_are_part_of_words() -> None:
    assert highlighter("art").snippet("artя αart art") == (("artя αart ", False), ("art", True))
    assert highlighter("мир").snippet("Мир, art") == (("Мир", True), (", art", False))


def test_part_of_a_word_is_not_marked() -> None:
    assert highlighter("art").snippet("art, party, artist, Art") == (
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
    assert words_of(pack(Reading("text", links, ["there"], [True], "One\nTwo"))) == ("text", "One\nTwo", 0.0)
    older = igzip_lib.compress(msgspec.msgpack.encode(["text", links, ["there"], [True]]), 0, igzip_lib.COMP_GZIP)
    assert words_of(older) == ("text", "", 0.0)


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


def test_words_that_may_stand_for_it_are_shown_where_pages_say_them(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    keep(folder, {"/one": Book("Coast", "The coast in winter."), "/two": Book("Walks", "A walk along the seashore.")})
    with Indexer(folder) as indexer:
        indexer.catch_up()
    with Searcher(folder, SearchSettings(meaning_weight=0.0)) as opened:
        found = view(opened, "coast", NOW)
    assert [(one.term, one.pages, one.urls) for one in found.prospective] == [("seashore", 1, (url_of("/two"),))]


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
    with ReaderLog(indexed) as log, ReaderLog(indexed) as other:
        Tallies(log).record_shown([key, 7])
        other.note([Deed(1, 5.0, url_of("/old"), 1, action, 1.0) for action in (Action.SHOWN, Action.OPENED)])
        assert Tallies(log).of(key) == (2, 1)
        assert Tallies(log).of(99) == (0, 0)
    counts = states_of(indexed)
    assert (counts.indexed, counts.shown, counts.clicked, counts.times_shown) == (6, 2, 1, 3)


def test_a_menu_before_the_text_is_passed_over() -> None:
    anchors = ["Start", "Birds", "About us", "curlews"]
    assert links_first("Start Birds About us Curlews winter here", anchors) == len("Start Birds About us ")
    assert links_first("Birds and curlews winter here", anchors) == 0, "a sentence may begin with a link"
    assert links_first("Start Birds About usually", anchors) == 0, "a link ends where a word does"
    assert links_first("Start Birds About us", anchors) == len("Start Birds About us")
    assert links_first("", anchors) == links_first("text", []) == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("asyncio. run ( main ()) hello", "asyncio.run(main()) hello"),
        ("loop. call_soon ( fut. cancel ) and , then", "loop.call_soon(fut. cancel) and, then"),
        ("await asyncio. gather ( * tasks, x = [ 1 ] )", "await asyncio.gather(* tasks, x = [1])"),
        ("Prose etc. and (this), e.g. this (here). run() too.", "Prose etc. and (this), e.g. this (here). run() too."),
        ("loop = asyncio . get_loop () . run", "loop = asyncio.get_loop().run"),
        ("aifc. getframes () ¶ Return \ue000 it", "aifc.getframes() · Return it"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("word", ["", "run", "cancel", "tasks", "this", "getframes", "asyncio"])
def test_spaces_that_nobody_typed_are_not_shown(text: str, shown: str, word: str) -> None:
    pieces = Highlighter([word] if word else [], lambda said: [said.lower()]).snippet(text)
    assert "".join(piece for piece, _ in pieces) == shown
    assert {piece.lower() for piece, marked in pieces if marked} == ({word} if word and word in text else set())


@given(st.text(alphabet="ab.( )[],\ue000 ;", max_size=40), st.sampled_from(["a", "b", "ab"]))
def test_nothing_but_spaces_is_left_out_of_a_snippet(text: str, word: str) -> None:
    pieces = Highlighter([word], lambda said: [said.lower()]).snippet(text)
    assert "".join("".join(piece for piece, _ in pieces).split()) == "".join(text.replace("\ue000", " ").split())
    assert all(piece == word for piece, marked in pieces if marked)
