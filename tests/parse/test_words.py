"""Words are folded, stemmed and paired alike for pages and queries."""

import gc

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.parse.stops import content
from whimbrel.parse.words import Analyser, Analysers, pairs, split, spoken


def test_english_is_stemmed_and_an_unknown_language_is_not() -> None:
    assert Analyser("en").tokens("Migrating birds, migrated BIRDS") == "migrat bird migrat bird"
    assert Analyser("xx").tokens("Migrating birds") == "migrating birds"
    assert Analyser("de").tokens("Häuser") == Analyser("de").tokens("Häusern")


def test_accents_and_widths_do_not_matter() -> None:
    assert Analyser().tokens("Café ＡＢＣ naïve") == "cafe abc naive"


def test_scripts_without_spaces_are_paired() -> None:
    assert Analyser("ja").tokens("東京都 Python入門 水") == "東京 京都 python 入門 水"
    assert pairs("東") == ["東"]


def test_signs_that_belong_to_letters_do_not_part_words() -> None:
    assert split("हिन्दी में") == ["हिन्दी", "में"]
    assert split("cafe\u0301s") == ["cafe\u0301s"]
    assert Analyser().tokens("cafe\u0301s") == "cafes"
    assert Analyser("th").tokens("กรุงเทพ") == "กร รุ ุง งเ เท ทพ"


def test_identifiers_are_split_at_punctuation() -> None:
    assert split("max_connections java.util.List std::map") == [
        "max",
        "connections",
        "java",
        "util",
        "list",
        "std",
        "map",
    ]


@given(st.text(max_size=200))
def test_both_ways_of_splitting_agree(text: str) -> None:
    signs = "".join(c for c in text if ord(c) < 256 or not c.isalnum())
    assert split(signs) == split(signs + " 東")[:-1]


def test_letters_beyond_latin_leave_no_garbage() -> None:
    gc.collect()
    gc.disable()
    try:
        assert [spoken("東京 harbour") for _ in range(3)] == [["東京", "harbour"]] * 3
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_forms_hold_the_word_as_it_is_first() -> None:
    assert Analysers().forms("curlews", ["en"]) == ["curlews", "curlew"]


def test_stop_words_weigh_nothing_unless_there_is_nothing_else() -> None:
    assert content(["the", "bill", "of", "the", "bill"], ["en"]) == ["bill", "bill"]
    assert content(["how", "do", "i", "cancel", "a", "task"], ["en"]) == ["cancel", "task"]
    assert content(["why", "doesn", "t", "the", "bird", "sing"], []) == ["bird", "sing"]
    assert content(["to", "be"], ["en"]) == ["to", "be"]


def test_stop_words_are_those_of_the_language_that_is_asked_in() -> None:
    assert content(["was", "ist", "ein", "vogel"], ["en", "de"]) == ["vogel"]
    assert content(["what", "will", "the", "bird", "die", "of"], ["de", "en"]) == ["bird", "die"]
    assert content(["ett", "hus"], ["xx"]) == ["ett", "hus"]
