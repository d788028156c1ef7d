"""The papers' three tables, and the file by which a person edits them."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.topic.asking import TopicWish, ask
from whimbrel.topic.counting import PageTexts, WordCounter, address_text
from whimbrel.topic.tables import GoesWith, Keyword, TopicTables, d_table, tables
from whimbrel.topic.termfile import read, written
from whimbrel.topic.thesaurus import Thesaurus, is_word, relations, thesaurus

ENGLISH = WordCounter("en")
PAGE = "Solar panels turn the light of the sun into power. A panel on the roof is solar power for a house."


def nothing(word: str) -> GoesWith:
    return GoesWith()


def test_the_d_table_has_shares_without_stop_words() -> None:
    terms = d_table([PAGE, "Solar power in 2024"], ENGLISH)
    assert {terms[0].word, terms[1].word} == {"solar", "power"}
    assert sum(term.frequency for term in terms) == pytest.approx(1)
    assert {"the", "of", "is", "a", "2024"}.isdisjoint(term.word for term in terms)
    assert next(term for term in terms if term.form == "panel").pages == 1


def test_stop_words_are_those_of_the_pages_language() -> None:
    terms = d_table(["Der Strom und die Sonne, der Strom und das Dach"], WordCounter("de"))
    assert {term.word for term in terms} == {"strom", "sonne", "dach"}


def test_what_was_asked_for_comes_first_and_the_most_frequent_terms_follow() -> None:
    made = tables("solar subsidies", [PAGE], ENGLISH, nothing, most=3)
    assert [(one.word, one.weight) for one in made.keywords[:2]] == [("solar", 1.0), ("subsidies", 1.0)]
    assert {one.word for one in made.keywords[2:]} == {"panel", "power"}
    assert made.asked == ("solar", "subsidi")


def test_related_words_need_a_page_that_says_them_unless_they_stand_for_what_was_asked() -> None:
    known = {"solar": GoesWith(("photovoltaic",), ("sun", "moon")), "power": GoesWith(("might",), ())}
    made = tables("solar", [PAGE], ENGLISH, lambda word: known.get(word, GoesWith()))
    related = {one.word: one.of for one in made.keywords if one.of}
    assert related == {"photovoltaic": "solar"}  # the sun is a frequent term of its own
    assert "moon" not in related
    assert "might" not in related
    assert made.combination["solar"] == ("photovoltaic", "sun")


def test_wordnets_table_knows_what_stands_for_a_word_in_whatever_form() -> None:
    assert "automobile" in thesaurus().related("cars").same
    assert {"ship", "grant", "subvention"} & set(thesaurus().related("subsidies").near) == {"grant", "subvention"}
    assert relations("de", "car") == GoesWith()


def test_the_commonest_meaning_comes_first() -> None:
    some = Thesaurus(["bank2 riverside\t", "bank depository\t2", "institution\t"])
    assert some.related("banks").same == ("depository",)
    assert some.related("bank").near == ("riverside", "institution")


def test_a_topic_of_stop_words_only_is_refused() -> None:
    said = ask(TopicWish("the and of"), [])
    assert isinstance(said, Verdict)
    assert "no word that says what it is about" in said.reason


def test_pages_that_say_nothing_of_the_topic_are_refused() -> None:
    said = ask(TopicWish("solar power"), [PageTexts(Url("http://a.test/cats"), "Cats", "Cats purr and sleep all day.")])
    assert isinstance(said, Verdict)
    assert "http://a.test/cats" in said.reason


def test_a_topic_in_another_script_is_compared_by_pairs() -> None:
    page = PageTexts(Url("http://a.test/"), "太陽光発電", "太陽光発電の補助金は今年も続く。")
    asked = ask(TopicWish("太陽光発電"), [page])
    assert not isinstance(asked, Verdict)
    assert asked.request.language == "ja"
    assert "太陽" in {form for form, _, _ in asked.request.keywords}


def test_addresses_are_words_too() -> None:
    assert ENGLISH.forms(address_text(Url("http://a.test/SolarPower/roof_panels.html?q=sun%20light"))) == [
        "solar", "power", "roof", "panel", "sun", "light",
    ]  # fmt: skip


def test_a_file_of_terms_comes_back_as_it_was_written() -> None:
    made = tables('solar "power"', [PAGE], ENGLISH, partial(relations, "en"))
    told = read(written(made, 0.25), "x.toml")
    assert not isinstance(told, Verdict)
    assert (told.topic, told.language, told.threshold) == ('solar "power"', "en", 0.25)
    assert {(one.word, one.of) for one in told.keywords} == {(one.word, one.of) for one in made.keywords}


words = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@given(st.dictionaries(words, st.floats(0.001, 1), min_size=1, max_size=6), words)
def test_whatever_the_words_are(keywords: dict[str, float], topic: str) -> None:
    own = tuple(Keyword(word, word, weight) for word, weight in keywords.items())
    told = read(written(TopicTables(topic, "en", (), {}, own)), "x.toml")
    assert not isinstance(told, Verdict)
    assert [one.word for one in told.keywords] == list(keywords)
    assert told.topic == topic


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\x00\x01", "no file of terms"),
        ("topic = 3\n[keywords]\na = 1", "texts in quotation marks"),
        ("[keywords]\nsolar = 'much'", "the weight of 'solar'"),
        ("[keywords]\nsolar = 7", "the weight of 'solar'"),
        ("[keywords]\nsolar = 1\n[related]\nmoon = 'sun'", "'moon' is related to 'sun'"),
        ("topic = 'x'", "has no keyword"),
        ("keywords = 3", "are tables"),
        ("threshold = 2\n[keywords]\na = 1", "a number from 0 to 1"),
        ("colour = 'red'", "there is no 'colour'"),
        ("x" * 2_000_000, "far too long"),
    ],
)
def test_nonsense_in_a_file_is_named(text: str, told: str) -> None:
    said = read(text, "my.toml")
    assert isinstance(said, Verdict)
    assert told in said.reason
    assert "my.toml" in said.reason


@given(st.text(max_size=200))
def test_whatever_a_file_holds_it_is_a_topic_or_a_reason(text: str) -> None:
    said = read(text, "my.toml")
    assert not isinstance(said, Verdict) or said.reason


@pytest.mark.parametrize(
    ("word", "known"),
    [("wind", True), ("winds", True), ("thawed", True), ("baking", True), ("lopp", False), ("pyhton", False)],
)
def test_a_word_is_known_as_it_is_spelt_or_with_an_ending(word: str, known: bool) -> None:
    assert is_word(word) is known
