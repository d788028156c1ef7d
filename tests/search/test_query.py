"""What was typed is understood, or a note says what was left out; nothing raises."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.search.ask.query import MOST_WORDS, PROSE, parse


def moment(*date: int) -> float:
    return datetime(*date, tzinfo=UTC).timestamp()  # type: ignore[misc,arg-type]


def test_every_operator() -> None:
    query = parse(
        'Curlew "at night" -boat -"bill of sale" site:Example.org type:DOCX lang:en-GB after:2024 before:2024-06-30'
    )
    assert query.words == ("curlew",)
    assert query.phrases == (("at", "night"),)
    assert (query.excluded, query.excluded_phrases) == (("boat",), (("bill", "of", "sale"),))
    assert (query.sites, query.types, query.languages) == (("example.org",), ("document",), ("en",))
    assert (query.after, query.before) == (moment(2024, 1, 1), moment(2024, 6, 30))
    assert query.said == ("curlew", "at", "night")
    assert query.notes == ()


@pytest.mark.parametrize(
    ("typed", "note"),
    [
        ('an "open end', "a quotation mark without its partner was ignored"),
        (
            "type:hologram x",
            "type:hologram was ignored; the types are html, pdf, text, feed, document, slides, sheet, image, other",
        ),
        ("before:soon x", "before:soon was ignored: write it like before:2024-06-30, before:2024-06 or before:2024"),
        ("after:2024-13 x", "after:2024-13 was ignored: write it like after:2024-06-30, after:2024-06 or after:2024"),
        ("site: x", "site: was ignored: nothing follows it"),
        ("-site:a.example x", "-site:a.example was ignored: only words and phrases can be excluded"),
        ("site:a.example/path x", "of site:a.example/path only the host was used"),
        ("lang:? x", "lang:? was ignored: write it like lang:en"),
        ("🦜 !!!", "there is no word in it to search for"),
        ("word " * 2_500, "only the first 10,000 characters were read"),
        (" ".join(f"w{n}" for n in range(MOST_WORDS + 1)), f"only the first {MOST_WORDS} words were searched for"),
    ],
)
def test_what_is_ignored_is_said(typed: str, note: str) -> None:
    assert note in parse(typed).notes


def test_all_that_was_typed_is_kept_repeated_words_too() -> None:
    assert parse("the bill of the curlew").words == ("the", "bill", "of", "the", "curlew")


def test_a_word_in_quotation_marks_has_to_be_found() -> None:
    query = parse('curlew "bill"')
    assert (query.words, query.phrases) == (("curlew",), (("bill",),))


def test_quotation_marks_in_prose_only_quote() -> None:
    prose = "I would like to know which of the birds that live here have what people call a bill"
    assert parse(f'{prose} "curved"').phrases == ()
    assert parse(f'{prose} "curved"').words[-1] == "curved"
    assert parse('which birds have a "curved" bill').phrases == (("curved",),)


def test_printed_quotation_marks_demand_a_phrase_beside_few_words_alone() -> None:
    assert parse("“curved bill” whimbrel").phrases == (("curved", "bill"),)
    asked = parse("which bird has a “curved bill” in spring")
    assert asked.phrases == ()
    assert asked.notes
    assert asked.words == ("which", "bird", "has", "a", "curved", "bill", "in", "spring")
    both = parse('which bird has a “curved” bill of "rights" -“of sale”')
    assert (both.phrases, both.excluded_phrases) == ((("rights",),), (("of", "sale"),))
    assert parse("什么是“弯曲的喙”").phrases == (("弯曲的喙",),)


def test_inches_and_apostrophes_are_no_quotation_marks() -> None:
    assert parse('a 19" frame or a 24" one').phrases == ()
    assert parse("the curlew's and the whimbrel’s bills").phrases == ()


def test_options_and_numbers_are_no_exclusions() -> None:
    assert parse("pip install -r file --quiet -5").words == ("pip", "install", "r", "file", "quiet", "5")
    assert parse("curlew -鳥 -boat").excluded == ("鳥", "boat")


def test_in_prose_a_dash_leaves_nothing_out() -> None:
    prose = "I would like to know what the copy of the repository that cp makes of it needs"
    asked = parse(f"{prose} -al -“of sale” now")
    assert (asked.excluded, asked.excluded_phrases) == ((), ())
    assert asked.words[-4:] == ("al", "of", "sale", "now")
    assert asked.words == asked.said
    assert asked.notes == (PROSE,)


def test_a_word_with_a_hyphen_is_no_exclusion() -> None:
    query = parse("re-use -well-known")
    assert query.words == ("re", "use")
    assert query.excluded_phrases == (("well", "known"),)


def test_right_to_left_and_emoji() -> None:
    assert parse("ספרייה 🦜 مكتبة").words == ("ספרייה", "مكتبة")


@given(st.text(max_size=300) | st.text(alphabet='ab "-:site:typelang“”after 0123456789', max_size=300))
def test_nothing_raises_and_everything_is_bounded(text: str) -> None:
    query = parse(text)
    assert len(query.words) <= MOST_WORDS
    assert all(query.words)
    assert parse(text) == query
